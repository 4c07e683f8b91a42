//! Byte-level BPE, Unigram and MPNet's WordPiece against Hugging Face's tokenizers, for folders
//! written by `save_pretrained`. `tests/goldens/families` has a part of the goldens.
//! `FAMILY_GOLDENS=DIR` names a folder with all of them.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod code_points;
#[path = "../common/encode_options.rs"]
mod encode_options;
mod goldens;
mod sentencepiece;

use std::path::{Path, PathBuf};

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
