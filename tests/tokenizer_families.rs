//! Byte-level BPE, Unigram and MPNet's WordPiece against Hugging Face's tokenizers, for folders
//! written by `save_pretrained`. `tests/goldens/families` has a part of the goldens.
//! `FAMILY_GOLDENS=DIR` names a folder with all of them.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "common/encode_options.rs"]
mod encode_options;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use encode_options::options_of;
use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Encoding, Files, Tokenizer, Truncation};

fn folder() -> PathBuf {
    std::env::var_os("FAMILY_GOLDENS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/families"),
        PathBuf::from,
    )
}

/// Returns the tokenizers, the ones with most goldens first, because others refer to them.
fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().join("tokenizer_config.json").is_file());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort_by_key(|name| (name.contains('-') && !name.starts_with("unigram"), name.clone()));
    names
}

/// Loads the tokenizer of a folder, with keys of `tokenizer_config.json` replaced and files
/// omitted.
fn load(name: &str, more: &Value, without: &[&str]) -> Tokenizer {
    let read = |file: &str| {
        let path = folder().join(name).join(file);
        std::fs::read(path).ok().filter(|_| !without.contains(&file))
    };
    let config = read("tokenizer_config.json").unwrap();
    let mut config: Value = serde_json::from_slice(&config).unwrap();
    for side in ["padding_side", "truncation_side"] {
        if !more[side].is_null() {
            config[side] = more[side].clone();
        }
    }
    let names = ["tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"];
    let [json, txt, vocab, merges] = names.map(read);
    let names = ["spiece.model", "sentencepiece.bpe.model", "special_tokens_map.json"];
    let [spiece, sentencepiece, map] = names.map(read);
    let config = config.to_string();
    Tokenizer::load(&Files {
        tokenizer_json: json.as_deref(),
        vocab_txt: txt.as_deref(),
        vocab_json: vocab.as_deref(),
        merges_txt: merges.as_deref(),
        spiece_model: spiece.as_deref(),
        sentencepiece_bpe_model: sentencepiece.as_deref(),
        tokenizer_config: Some(config.as_bytes()),
        special_tokens_map: map.as_deref(),
        ..Files::default()
    })
    .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the rows of a tokenizer's file, or no rows if the file is missing.
fn rows(name: &str, file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join(name).join(file)).unwrap_or_default();
    let parse = |line: &str| {
        // Rust strings have no lone surrogates. For such rows the well-formed text is used.
        let lone = line.find("\"well_formed\"").map(|at| format!("{{{}", &line[at..]));
        serde_json::from_str(lone.as_deref().unwrap_or(line)).unwrap()
    };
    text.lines().map(parse).collect()
}

/// Collects all differences and reports them together.
#[derive(Default)]
struct Report {
    checked: usize,
    failures: Vec<String>,
}

impl Report {
    fn check(&mut self, id: &str, what: &str, found: &Value, expected: &Value) {
        self.checked += 1;
        if found != expected {
            self.failures.push(format!("{id} {what}\n   found    {found}\n   expected {expected}"));
        }
    }

    #[track_caller]
    fn finish(self, at_least: usize) {
        let Self { checked, failures } = self;
        let some = failures.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
        assert!(failures.is_empty(), "{} of {checked}:\n{some}", failures.len());
        assert!(checked >= at_least, "only {checked} of {at_least} were checked");
        println!("{checked} equal");
    }
}

/// Converts an encoding to the format of the goldens. Offsets are in code points.
fn golden_of(encoding: &Encoding, text: &str, pair: &str) -> Value {
    let offsets = encoding.spans.iter().zip(&encoding.sequence_ids).map(|(span, sequence)| {
        let text = if *sequence == Some(1) { pair } else { text };
        let count = |byte: u32| text[..byte as usize].chars().count();
        [count(span.start), count(span.end)]
    });
    json!({
        "ids": encoding.ids,
        "type_ids": encoding.type_ids,
        "offsets": offsets.collect::<Vec<_>>(),
        "word_ids": encoding.word_ids,
        "attention_mask": encoding.attention_mask,
    })
}

/// Returns the fields of a golden that are compared.
fn fields(golden: &Value, names: &[&str]) -> Value {
    names.iter().map(|&name| (name.to_owned(), golden[name].clone())).collect()
}

/// Returns the encoding without the fields that are not requested if only ids are.
fn ids_only(
    tokenizer: &Tokenizer,
    inputs: &[(&str, Option<&str>)],
    options: &EncodeOptions,
) -> webert::Result<Vec<Vec<Value>>> {
    let golden = |encoding: &Encoding| {
        assert!(encoding.spans.is_empty() && encoding.word_ids.is_empty());
        assert!(encoding.sequence_ids.is_empty());
        fields(&golden_of(encoding, "", ""), &IDS)
    };
    let batch = tokenizer.encode_batch_ids(inputs, options)?;
    Ok(batch.iter().map(|windows| windows.iter().map(golden).collect()).collect())
}

const IDS: [&str; 3] = ["ids", "type_ids", "attention_mask"];
const SINGLE: [&str; 4] = ["ids", "type_ids", "offsets", "word_ids"];

fn check_single(report: &mut Report, tokenizer: &Tokenizer, name: &str, row: &Value, text: &str) {
    let found = tokenizer.encode(text, None, &EncodeOptions::default()).unwrap();
    let found = golden_of(&found[0], text, "");
    let id = format!("{name} {} {text:?}", row["id"]);
    report.check(&id, "", &fields(&found, &SINGLE), &fields(row, &SINGLE));
    let ids_only = ids_only(tokenizer, &[(text, None)], &EncodeOptions::default()).unwrap();
    report.check(&id, "ids alone", &ids_only[0][0]["ids"], &row["ids"]);
}

#[test]
fn single_texts_equal_the_goldens() {
    let mut report = Report::default();
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for name in names() {
        let mut loaded = vec![load(&name, &Value::Null, &[])];
        if name == "roberta" || name == "mpnet" {
            loaded.push(load(&name, &Value::Null, &["tokenizer.json"]));
        }
        for row in rows(&name, "single.jsonl") {
            let id = row["id"].as_str().unwrap();
            let row = match row["same_as"].as_str() {
                Some(other) => known[&format!("{other} {id}")].clone(),
                None => row.clone(),
            };
            for tokenizer in &loaded {
                check_single(&mut report, tokenizer, &name, &row, row["text"].as_str().unwrap());
            }
            known.insert(format!("{name} {id}"), row);
        }
        for row in rows(&name, "lone-surrogates.jsonl") {
            check_single(
                &mut report,
                &loaded[0],
                &name,
                &row,
                row["well_formed"].as_str().unwrap(),
            );
        }
    }
    report.finish(600);
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(|text| text.as_str().map(String::from)).collect()
}

/// Compares a call with options, for a single input or a batch.
fn check_call(report: &mut Report, tokenizer: &Tokenizer, name: &str, row: &Value) {
    let (texts, pairs) = (strings(&row["text"]), strings(&row["text_pair"]));
    let pair = |at: usize| pairs.get(at).map(String::as_str);
    let options = options_of(&row["options"]);
    let id = format!("{name} {} {}", row["id"], row["options"]);
    let inputs: Vec<_> = (0..texts.len()).map(|at| (texts[at].as_str(), pair(at))).collect();
    let alone = ids_only(tokenizer, &inputs, &options);
    let result = if row["text"].is_array() {
        tokenizer.encode_batch(&inputs, &options)
    } else {
        tokenizer.encode(&texts[0], pair(0), &options).map(|windows| vec![windows])
    };
    let Ok(batch) = result else {
        return report.check(&id, "error", &json!(row["error"].is_string()), &json!(true));
    };
    const FIELDS: [&str; 5] = ["ids", "type_ids", "offsets", "word_ids", "attention_mask"];
    let found: Vec<Value> = batch
        .iter()
        .enumerate()
        .flat_map(|(at, windows)| {
            windows
                .iter()
                .map(|w| golden_of(w, &texts[at], pair(at).unwrap_or_default()))
                .collect::<Vec<_>>()
        })
        .collect();
    let mut expected = row["outputs"].as_array().cloned().unwrap_or_default();
    // The goldens contain what post-processors return; a model without token types gets zeros.
    if !tokenizer.model_input_names().contains(&"token_type_ids") {
        for golden in &mut expected {
            let types = golden["type_ids"].as_array_mut().unwrap();
            types.fill(json!(0));
        }
    }
    let whole: Vec<Value> = expected.iter().map(|golden| fields(golden, &FIELDS)).collect();
    report.check(&id, "", &json!(found), &json!(whole));
    if inputs[0].1 != Some("") || row["text"].is_array() {
        let ids: Vec<Value> = expected.iter().map(|golden| fields(golden, &IDS)).collect();
        report.check(&id, "ids alone", &json!(alone.unwrap().concat()), &json!(ids));
    }
}

#[test]
fn calls_with_options_equal_the_goldens() {
    let mut report = Report::default();
    for name in names() {
        let tokenizer = load(&name, &Value::Null, &[]);
        for file in ["pairs-truncation.jsonl", "sliding-window.jsonl", "padding.jsonl"] {
            for row in rows(&name, file) {
                let options = &row["options"];
                let sides = [&options["padding_side"], &options["truncation_side"]];
                let own = sides.iter().any(|side| side.is_string());
                let own = own.then(|| load(&name, options, &[]));
                check_call(&mut report, own.as_ref().unwrap_or(&tokenizer), &name, &row);
            }
        }
    }
    report.finish(60);
}

#[test]
fn decoding_equals_the_goldens() {
    let mut report = Report::default();
    for name in names() {
        let tokenizer = load(&name, &Value::Null, &[]);
        for row in rows(&name, "decode.jsonl") {
            let ids: Vec<u32> = serde_json::from_value(row["ids"].clone()).unwrap();
            for (golden, skip, clean) in [
                ("skip0_clean0", false, false),
                ("skip0_clean1", false, true),
                ("skip1_clean0", true, false),
                ("skip1_clean1", true, true),
            ] {
                let text = tokenizer.decode(&ids, skip, clean).unwrap();
                let id = format!("{name} {}", row["id"]);
                report.check(&id, golden, &json!(text), &row[golden]);
            }
        }
    }
    report.finish(60);
}

/// The span of a segment's first token also includes the space before it.
#[cfg(feature = "train")]
#[test]
fn parts_of_segments_are_as_windows() {
    let tokenizer = load("roberta-prefix", &Value::Null, &[]);
    let (size, special) = (3, tokenizer.special_tokens_to_add(false));
    let options = EncodeOptions {
        truncation: Truncation::LongestFirst,
        max_length: Some(size + special),
        return_overflowing_tokens: true,
        ..EncodeOptions::default()
    };
    let text = "one two  three four   five six seven eight nine ten";
    let windows = tokenizer.encode(text, None, &options).unwrap();
    let segment = tokenizer.segment(text).unwrap();
    assert!(windows.len() > 3);
    for (at, window) in windows.iter().enumerate() {
        let part = segment.slice(at * size..segment.len().min((at + 1) * size));
        assert_eq!(tokenizer.assemble(&part, None).unwrap(), *window, "{at}");
    }
    let mut both = tokenizer.segment("an other").unwrap();
    let first = both.len();
    both.append(&segment);
    let spans = |segment| tokenizer.assemble(segment, None).unwrap().spans;
    assert_eq!(
        spans(&both.slice(first + size..both.len())),
        spans(&segment.slice(size..segment.len()))
    );
}

/// RobertaTokenizerFast creates its mask the same way.
#[test]
fn the_mask_of_a_vocabulary_and_merges_takes_the_space_before_it() {
    let read = |name| std::fs::read(folder().join("roberta").join(name)).unwrap();
    let (vocab, merges) = (read("vocab.json"), read("merges.txt"));
    let files = Files { vocab_json: Some(&vocab), merges_txt: Some(&merges), ..Files::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let mask = tokenizer.special().mask.as_ref().unwrap().id;
    let found = tokenizer.encode("a  <mask>", None, &EncodeOptions::default()).unwrap().remove(0);
    let at = found.ids.iter().position(|&id| id == mask).unwrap();
    // The spaces have no token; they are trimmed from the mask's span.
    assert_eq!((found.spans[at].start, found.spans[at].end, at), (3, 9, 2));
}

/// Expected values from `tokenizers` 0.22.2. No golden's model has a suffix.
#[test]
fn the_last_symbol_of_a_word_has_its_suffix() {
    let vocab = json!({ "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "l": 4, "o": 5, "w": 6, "w</w>": 7,
        "ow</w>": 8, "l</w>": 9, "o</w>": 10 });
    let file = json!({
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "decoder": { "type": "BPEDecoder", "suffix": "</w>" },
        "model": { "type": "BPE", "unk_token": "[UNK]", "end_of_word_suffix": "</w>", "vocab": vocab,
            "merges": ["o w</w>"] },
    });
    let file = file.to_string();
    let files = Files { tokenizer_json: Some(file.as_bytes()), ..Files::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let found = tokenizer.encode("low lo wl l", None, &EncodeOptions::default()).unwrap().remove(0);
    let spans: Vec<_> = found.spans.iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(found.ids, [4, 8, 4, 10, 6, 9, 9]);
    assert_eq!(spans, [(0, 1), (1, 3), (4, 5), (5, 6), (7, 8), (8, 9), (10, 11)]);
    assert_eq!(tokenizer.decode(&found.ids, false, false).unwrap(), "low lo wl l");
}

/// Also after added tokens, where Metaspace must not prepend anything to normalized text.
#[test]
fn ids_alone_match_whole_encodings() {
    for name in names() {
        let tokenizer = load(&name, &Value::Null, &[]);
        let cls = &tokenizer.special().cls.as_ref().unwrap().token;
        let text = format!("x{cls}\u{fb01} \u{2026}  y{cls} Z e\u{301}{cls}");
        let whole = tokenizer.encode(&text, None, &EncodeOptions::default()).unwrap();
        let alone = ids_only(&tokenizer, &[(&text, None)], &EncodeOptions::default()).unwrap();
        assert_eq!(alone[0][0]["ids"], json!(whole[0].ids), "{name}");
    }
}

/// Checksums over blocks of code points. `tests/goldens/make/make_codepoints.py` makes and
/// describes them.
mod code_points {
    use super::*;

    const TEXTS: [&str; 2] = ["{}", "a{}b \u{aa}{}\u{aa}"];
    const SPECIAL: [&str; 4] = ["<unk>", "[CLS]", "[SEP]", "[PAD]"];

    /// Returns the blocks of code points: 256 each in the first two planes, otherwise 4,096.
    fn blocks() -> impl Iterator<Item = Vec<char>> {
        let firsts = (0..0x2_0000).step_by(256).chain((0x2_0000..0x11_0000).step_by(4096));
        let block = |first: u32| {
            let count = if first < 0x2_0000 { 256 } else { 4096 };
            (first..first + count).filter_map(char::from_u32).collect::<Vec<_>>()
        };
        firsts.map(block).filter(|block| !block.is_empty())
    }

    /// Returns the model that replaces a file's own, by the second word of a golden's name.
    fn model_of(kind: &str, file: &Value) -> Value {
        let vocab = if kind == "bytes" {
            let pieces = SPECIAL.iter().chain(&["a", "b", "\u{2581}"]).map(|p| json!([p, -1.0]));
            let bytes = (0..256).map(|byte| json!([format!("<0x{byte:02X}>"), -2.0]));
            return json!({ "type": "Unigram", "unk_id": 0, "byte_fallback": true,
                "vocab": pieces.chain(bytes).collect::<Vec<_>>() });
        } else {
            let tokens = ('\0'..=char::MAX).flat_map(|c| [format!("{c}"), format!("##{c}")]);
            ["[UNK]", "[CLS]", "[SEP]", "[PAD]"].map(String::from).into_iter().chain(tokens)
        };
        let mut model = file["model"].clone();
        model["unk_token"] = json!("[UNK]");
        model["vocab"] = vocab.zip(0..).map(|(token, id)| (token, json!(id))).collect();
        model
    }

    /// Returns the tokenizer of a golden, or `None` if the folder does not have it.
    fn tokenizer(name: &str) -> Option<Tokenizer> {
        let (base, kind) = name.split_once(' ').unwrap_or((name, ""));
        let file = std::fs::read(folder().join(base).join("tokenizer.json")).ok()?;
        if kind.is_empty() {
            return Some(load(base, &Value::Null, &[]));
        }
        let mut file: Value = serde_json::from_slice(&file).unwrap();
        file["model"] = model_of(kind, &file);
        for part in ["added_tokens", "post_processor", "decoder"] {
            file[part] = Value::Null;
        }
        let file = file.to_string();
        let files = Files { tokenizer_json: Some(file.as_bytes()), ..Files::default() };
        Some(Tokenizer::load(&files).unwrap_or_else(|error| panic!("{name}: {error}")))
    }

    /// Returns the CRC-32 of numbers as little-endian bytes.
    fn crc32(numbers: &[u32]) -> u32 {
        const TABLE: [u32; 256] = {
            let mut table = [0; 256];
            let mut at = 0;
            while at < 256 {
                let (mut crc, mut bit) = (at as u32, 0);
                while bit < 8 {
                    crc = (crc >> 1) ^ (if crc & 1 == 1 { 0xedb8_8320 } else { 0 });
                    bit += 1;
                }
                table[at] = crc;
                at += 1;
            }
            table
        };
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        !bytes.fold(!0, |crc, byte| (crc >> 8) ^ TABLE[(crc as u8 ^ byte) as usize])
    }

    /// Returns the ids and offsets of every text of a code point.
    fn results(tokenizer: &Tokenizer, c: char) -> [(Encoding, Vec<[u32; 2]>); 2] {
        let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
        TEXTS.map(|text| {
            let text = text.replace("{}", c.encode_utf8(&mut [0; 4]));
            let encoding = tokenizer.encode(&text, None, &options).unwrap().remove(0);
            let alone = tokenizer.encode_batch_ids(&[(&text, None)], &options).unwrap();
            assert_eq!(alone[0][0].ids, encoding.ids, "{text:?}");
            let count = |byte: u32| text[..byte as usize].chars().count() as u32;
            let offsets = encoding.spans.iter().map(|span| [count(span.start), count(span.end)]);
            let offsets = offsets.collect();
            (encoding, offsets)
        })
    }

    fn number(results: &[(Encoding, Vec<[u32; 2]>); 2]) -> u32 {
        let mut numbers = Vec::new();
        for (encoding, offsets) in results {
            numbers.push(encoding.ids.len() as u32);
            numbers.extend(&encoding.ids);
            numbers.extend(offsets.iter().flatten());
        }
        crc32(&numbers)
    }

    /// Returns the difference in a block: its only code point that differs, or all of its results.
    fn difference(
        tokenizer: &Tokenizer,
        block: &[char],
        sums: [u32; 2],
        golden: [u32; 2],
    ) -> String {
        let [sum, placed] = [0, 1].map(|n: usize| golden[n].wrapping_sub(sums[n]));
        let only = (1..).zip(block).filter(|(at, _)| sum.wrapping_mul(*at) == placed);
        let only: Vec<char> = only.map(|(_, c)| *c).collect();
        let shown = if let [only] = only[..] { &[only][..] } else { block };
        let rows = shown.iter().map(|&c| {
            let of = results(tokenizer, c).map(|(e, offsets)| format!("{:?} {offsets:?}", e.ids));
            format!("U+{:04X} {}\n", c as u32, of.join(" "))
        });
        rows.collect()
    }

    /// Returns the first block that differs from its golden, and the number of such blocks. Returns
    /// `None` without the tokenizer.
    fn check(name: &str, golden: &str) -> Option<String> {
        let tokenizer = tokenizer(name)?;
        let golden = |at: usize| {
            let hex = |at: usize| u32::from_str_radix(&golden[at..at + 8], 16).unwrap();
            [hex(16 * at), hex(16 * at + 8)]
        };
        let (mut first, mut differ) = (None, 0);
        for (at, block) in blocks().enumerate() {
            let mut sums = [0_u32; 2];
            for (place, &c) in (1..).zip(&block) {
                let number = number(&results(&tokenizer, c));
                sums = [
                    sums[0].wrapping_add(number),
                    sums[1].wrapping_add(number.wrapping_mul(place)),
                ];
            }
            if sums != golden(at) {
                differ += 1;
                first.get_or_insert_with(|| {
                    let rows = difference(&tokenizer, &block, sums, golden(at));
                    format!("block {:04X}, found:\n{rows}", block[0] as u32)
                });
            }
        }
        let first = first.map(|first| format!("{name}: {differ} blocks differ; {first}\n"));
        Some(first.unwrap_or_default())
    }

    #[test]
    fn every_code_point_equals_the_goldens() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/families/codepoints.json");
        let goldens: BTreeMap<String, String> =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let (mut checked, mut failures) = (0, String::new());
        std::thread::scope(|scope| {
            let checks = goldens.iter().map(|(name, golden)| scope.spawn(|| check(name, golden)));
            for check in checks.collect::<Vec<_>>() {
                let Some(difference) = check.join().unwrap() else { continue };
                checked += 1;
                failures.push_str(&difference);
            }
        });
        assert!(
            failures.is_empty(),
            "what the library gives: python3 make_codepoints.py {} NAME BLOCK\n{failures}",
            folder().display()
        );
        assert!(checked >= 6, "only {checked} tokenizers were checked");
    }
}

/// `spiece.model` and `sentencepiece.bpe.model`, whole and damaged.
mod sentencepiece {
    use super::*;
    use webert::{Error, ErrorKind};

    /// Returns a field of a message. `kind` 0 is a number, 2 is bytes, 5 is four bytes.
    fn field(number: u8, kind: u8, value: &[u8]) -> Vec<u8> {
        let key = (u32::from(number) << 3) | u32::from(kind);
        let mut bytes = varint(key);
        if kind == 2 {
            bytes.extend(varint(value.len() as u32));
        }
        bytes.extend(value);
        bytes
    }

    fn varint(mut number: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    fn piece(text: &[u8], score: f32, kind: u8) -> Vec<u8> {
        let score = field(2, 5, &score.to_le_bytes());
        field(1, 2, &[field(1, 2, text), score, field(3, 0, &[kind])].concat())
    }

    /// Returns a model with ALBERT's five tokens and an `a`, followed by other parts.
    fn model(more: &[Vec<u8>]) -> Vec<u8> {
        let special = ["<pad>", "[CLS]", "[SEP]", "[MASK]"].map(|t| piece(t.as_bytes(), 0.0, 3));
        let unk = piece(b"<unk>", 0.0, 2);
        let own = [unk, special.concat(), piece("\u{2581}a".as_bytes(), -1.0, 1)];
        [own.concat(), more.concat()].concat()
    }

    fn load(bytes: &[u8], config: &str) -> webert::Result<Tokenizer> {
        Tokenizer::load(&Files {
            spiece_model: Some(bytes),
            tokenizer_config: Some(config.as_bytes()),
            ..Files::default()
        })
    }

    fn ids(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
        tokenizer.encode(text, None, &EncodeOptions::default()).unwrap().remove(0).ids
    }

    #[test]
    fn what_is_not_known_of_a_message_is_passed_over() {
        let unknown = [
            field(9, 0, &[0xff, 1]),
            field(10, 1, &[0; 8]),
            field(4, 2, b"x"),
            field(2, 2, &field(99, 5, &[0; 4])),
        ];
        let tokenizer = load(&model(&unknown), "{}").unwrap();
        assert_eq!(ids(&tokenizer, "a A b[MASK]"), [2, 5, 5, 0, 4, 3]);
        // A later trainer_spec replaces the unk_id.
        let specs = [field(2, 2, &field(40, 0, &[3])), field(2, 2, &field(40, 0, &[0]))];
        assert_eq!(ids(&load(&model(&specs), "{}").unwrap(), "b"), [2, 0, 3]);
    }

    /// darts-clone, sentencepiece's trie, stores offsets of 2^21 and more in multiples of 256,
    /// marked by bit 9.
    #[test]
    fn far_offsets_of_a_charsmap_are_followed() {
        let mut trie = vec![0_u32; 512];
        let (ends, value, b) = (1 << 8, 1 << 31, u32::from(b'b'));
        trie[0] = 1 << 10 | 1 << 9;
        trie[256 ^ b'b' as usize] = 1 << 10 | ends | b;
        trie[256 ^ b'b' as usize ^ 1] = value; // the text at offset 0
        let trie: Vec<u8> = trie.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let charsmap = [&(trie.len() as u32).to_le_bytes()[..], &trie, b"a\0"].concat();
        let tokenizer = load(&model(&[field(3, 2, &field(2, 2, &charsmap))]), "{}").unwrap();
        assert_eq!(ids(&tokenizer, "b"), [2, 5, 3], "as a");
        assert_eq!(ids(&tokenizer, "c"), [2, 0, 3]);
    }

    #[test]
    fn a_folder_that_names_no_class_has_the_tokens_of_its_files_family() {
        let of = |name: &str, file: &str| {
            let bytes = std::fs::read(folder().join(name).join(file)).unwrap();
            let bytes = Some(&*bytes);
            let files = match file {
                "spiece.model" => Files { spiece_model: bytes, ..Files::default() },
                _ => Files { sentencepiece_bpe_model: bytes, ..Files::default() },
            };
            let named = super::load(name, &Value::Null, &[]);
            assert_eq!(Tokenizer::load(&files).unwrap().special(), named.special(), "{name}");
        };
        of("albert-spiece", "spiece.model");
        of("xlmr-spiece", "sentencepiece.bpe.model");
    }

    /// Ids of DebertaV2TokenizerFast of transformers 4.57.6 for a model with these pieces.
    #[test]
    fn debertas_model_has_its_own_parts() {
        let special = ["[PAD]", "[CLS]", "[SEP]"].map(|t| piece(t.as_bytes(), 0.0, 3));
        let others = [
            ("\u{2581}a", -1.0),
            ("b", -1.0),
            (",", -2.0),
            ("\u{2581}", -3.0),
            ("\u{2581}b", -1.5),
            ("\u{2581},", -0.5),
            ("a", -4.0),
        ];
        let others = others.map(|(text, score)| piece(text.as_bytes(), score, 1)).concat();
        let unk = piece(b"[UNK]", 0.0, 2);
        let bytes = [special.concat(), unk, others, field(2, 2, &field(40, 0, &[3]))].concat();
        for (option, ids_of_second, ids_of_third) in [
            ("{}", &[1, 7, 3, 4, 5, 6, 5, 7, 3, 2][..], &[1, 4, 6, 8, 9, 10, 2][..]),
            (r#"{"do_lower_case": true}"#, &[1, 4, 4, 5, 6, 5, 7, 3, 2], &[1, 4, 6, 8, 9, 10, 2]),
            (
                r#"{"split_by_punct": true}"#,
                &[1, 7, 3, 4, 5, 9, 8, 7, 3, 2],
                &[1, 4, 9, 8, 7, 9, 4, 2],
            ),
        ] {
            let files = Files {
                spm_model: Some(&bytes),
                tokenizer_config: Some(option.as_bytes()),
                config: Some(br#"{"model_type": "deberta-v2"}"#),
                ..Files::default()
            };
            let tokenizer = Tokenizer::load(&files).unwrap();
            assert_eq!(tokenizer.special().mask.as_ref().unwrap().id, 11, "{option}");
            assert_eq!(ids(&tokenizer, " a  b[MASK] b "), [1, 4, 8, 11, 8, 2], "{option}");
            assert_eq!(ids(&tokenizer, "A ab,b x"), ids_of_second, "{option}");
            assert_eq!(ids(&tokenizer, "a, b ,a"), ids_of_third, "{option}");
            let pair = tokenizer.encode("a", Some("b"), &EncodeOptions::default()).unwrap();
            assert_eq!(pair[0].ids, [1, 4, 2, 8, 2]);
            assert_eq!(pair[0].type_ids, [0, 0, 0, 1, 1]);
        }
    }

    #[test]
    fn the_mask_takes_the_space_before_it_unless_a_file_says_otherwise() {
        let spans = |config: &str| {
            let tokenizer = load(&model(&[]), config).unwrap();
            let found = tokenizer.encode("a [MASK]", None, &EncodeOptions::default()).unwrap();
            found[0].spans[found[0].ids.iter().position(|&id| id == 4).unwrap()]
        };
        let named = |flag: bool| {
            let token = json!({ "content": "[MASK]", "lstrip": flag, "special": true });
            json!({ "added_tokens_decoder": { "4": token } }).to_string()
        };
        assert_eq!([spans("{}").start, spans("{\"mask_token\": \"[MASK]\"}").start], [1, 1]);
        assert_eq!([spans(&named(false)).start, spans(&named(true)).start], [2, 1]);
    }

    #[test]
    fn damaged_files_are_refused_by_name() {
        let spec = |number, value: &[u8]| field(2, 2, &field(number, 0, value));
        let charsmap = field(3, 2, &field(2, 2, &[0xff; 9]));
        let nan = piece(b"b", f32::NAN, 1);
        for (more, words) in [
            (spec(3, &[2]), ["BPE", "Unigram"]),
            (spec(3, &[3]), ["WORD", "Unigram"]),
            (spec(3, &[4]), ["CHAR", "Unigram"]),
            (spec(3, &[77]), ["no known type", "Unigram"]),
            (spec(40, &[99]), ["unk_id", "damaged"]),
            (spec(40, &[0xff; 11]), ["trainer_spec", "damaged"]),
            (charsmap, ["precompiled_charsmap", "damaged"]),
            (nan, ["a piece", "damaged"]),
            (piece(b"\xff", 0.0, 1), ["a piece", "damaged"]),
            (field(1, 2, &field(2, 0, &[1])), ["a piece", "damaged"]),
            (field(1, 0, &[1]), ["the file", "damaged"]),
            (vec![0x0a, 0x7f, 0x0a], ["the file", "damaged"]),
            (vec![0x0b], ["the file", "damaged"]),
            (vec![0x00, 0x01], ["the file", "damaged"]),
            (field(1, 2, &[]).repeat(1 << 20), ["1048576", "pieces"]),
        ] {
            refused(load(&model(&[more]), "{}"), "spiece.model", &words);
        }
        let class = "{\"tokenizer_class\": \"BertJapaneseTokenizer\"}";
        refused(load(&model(&[]), class), "tokenizer_config.json", &["BertJapaneseTokenizer"]);
        refused(load(b"", "{}"), "spiece.model", &["empty"]);
        refused(load(b"<!DOCTYPE html><html></html>", "{}"), "spiece.model", &["HTML"]);
        let lacking = [piece(b"<unk>", 0.0, 2), piece(b"a", -1.0, 1)].concat();
        refused(load(&lacking, "{}"), "spiece.model", &["[CLS]"]);
        let bytes = Some(&*model(&[spec(3, &[2])]));
        let files = Files { sentencepiece_bpe_model: bytes, ..Files::default() };
        refused(Tokenizer::load(&files), "sentencepiece.bpe.model", &["BPE"]);
    }

    fn is_refusal(error: &Error) -> bool {
        matches!(error.kind(), ErrorKind::BadTokenizer | ErrorKind::Unsupported)
    }

    fn refused(loaded: webert::Result<Tokenizer>, name: &str, words: &[&str]) {
        match loaded {
            Ok(_) => panic!("was not refused: {words:?}"),
            Err(error) if is_refusal(&error) => {
                let text = error.to_string();
                assert!(text.contains(name), "{name} is not in: {text}");
                assert!(words.iter().all(|word| text.contains(word)), "{words:?} in: {text}");
            }
            Err(other) => panic!("another kind of error: {other:?}"),
        }
    }

    /// A file that is truncated or has a changed byte is either a tokenizer or rejected.
    #[test]
    fn no_damage_is_worse_than_an_error() {
        let whole = std::fs::read(folder().join("albert-spiece/spiece.model"));
        let Ok(whole) = whole else { return assert!(std::env::var_os("FAMILY_GOLDENS").is_some()) };
        let mut refused = 0;
        let mut check = |bytes: &[u8]| match load(bytes, "{}") {
            Ok(tokenizer) => {
                let _ = ids(&tokenizer, "The \u{fb01}rst  of\t9, x [MASK]");
            }
            Err(error) if is_refusal(&error) => refused += 1,
            Err(other) => panic!("{other:?}"),
        };
        for len in (0..whole.len()).step_by(97) {
            check(&whole[..len]);
        }
        // the first pieces, and the specs after the last piece
        let last = whole.len();
        for at in (0..200).chain(last - 900..last) {
            let mut bytes = whole.clone();
            for value in [0, 0x7f, 0xff] {
                bytes[at] = value;
                check(&bytes);
            }
        }
        assert!(refused > 200, "{refused}");
    }
}
