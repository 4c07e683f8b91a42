//! The tokenizer against Hugging Face's, against itself, and with hostile files and texts. The same
//! tests run in WebAssembly, so every file is embedded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::{
    Error,
    tokenizer::{EncodeOptions, Encoding, Files, Padding, Span, Tokenizer, Truncation},
};

const UNCASED: &str = include_str!("goldens/tokenizer/vocab-uncased.txt");
const CASED: &str = include_str!("goldens/tokenizer/vocab-cased.txt");

fn load(vocab: &str, config: &Value) -> Tokenizer {
    let config = config.to_string();
    Tokenizer::load(&Files {
        vocab_txt: Some(vocab.as_bytes()),
        tokenizer_config: Some(config.as_bytes()),
        ..Files::default()
    })
    .unwrap()
}

/// Returns the tokenizer of a golden case, e.g. `uncased` or `cased_strip_false`.
fn named(name: &str, more: &Value) -> Tokenizer {
    let (vocab, variant) = name.split_once('_').unwrap_or((name, ""));
    let mut config = json!({ "do_lower_case": vocab == "uncased", "model_max_length": 512 });
    match variant {
        "" => {}
        "strip_false" => config["strip_accents"] = json!(false),
        "strip_true" => config["strip_accents"] = json!(true),
        "nochinese" => config["tokenize_chinese_chars"] = json!(false),
        other => panic!("no variant {other}"),
    }
    for side in ["padding_side", "truncation_side"] {
        if !more[side].is_null() {
            config[side] = more[side].clone();
        }
    }
    load(if vocab == "uncased" { UNCASED } else { CASED }, &config)
}

fn lines(file: &str) -> impl Iterator<Item = Value> {
    file.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// Converts byte ranges to code points, flat, like the goldens.
fn code_points(text: &str, spans: &[Span]) -> Vec<usize> {
    let count = |byte: u32| text[..byte as usize].chars().count();
    spans.iter().flat_map(|span| [count(span.start), count(span.end)]).collect()
}

/// Collects all differences and reports them together.
#[derive(Default)]
struct Report {
    checked: usize,
    failures: Vec<String>,
}

impl Report {
    fn check(&mut self, id: &str, what: &str, found: Value, expected: &Value) {
        self.checked += 1;
        if found != *expected {
            self.failures.push(format!("{id} {what}\n   found    {found}\n   expected {expected}"));
        }
    }

    #[track_caller]
    fn finish(self, at_least: usize) {
        let Self { checked, failures } = self;
        assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures.join("\n"));
        assert!(checked >= at_least, "only {checked} of {at_least} were checked");
    }
}

fn options_of(options: &Value) -> EncodeOptions {
    let number = |name: &str| options[name].as_u64().map(|number| number as usize);
    EncodeOptions {
        add_special_tokens: options["add_special_tokens"].as_bool().unwrap_or(true),
        padding: match &options["padding"] {
            Value::Null | Value::Bool(false) => Padding::None,
            value if value == "max_length" => Padding::MaxLength,
            _ => Padding::Longest,
        },
        truncation: match options["truncation"].as_str() {
            None if options["truncation"] == true => Truncation::LongestFirst,
            None => Truncation::None,
            Some("longest_first") => Truncation::LongestFirst,
            Some("only_first") => Truncation::OnlyFirst,
            Some("only_second") => Truncation::OnlySecond,
            Some(other) => panic!("no truncation {other}"),
        },
        max_length: number("max_length"),
        stride: number("stride").unwrap_or(0),
        pad_to_multiple_of: number("pad_to_multiple_of"),
        return_overflowing_tokens: options["return_overflowing_tokens"] == true,
        ..EncodeOptions::default()
    }
}

/// Converts an encoding to the format of the goldens.
fn golden_of(encoding: &Encoding, text: &str, pair: &str) -> Value {
    let spans = encoding.spans.iter().zip(&encoding.sequence_ids);
    let offsets: Vec<usize> = spans
        .flat_map(|(&span, sequence)| {
            code_points(if *sequence == Some(1) { pair } else { text }, &[span])
        })
        .collect();
    json!({
        "ids": encoding.ids,
        "type_ids": encoding.type_ids,
        "offsets": offsets,
        "words": encoding.word_ids,
        "sequences": encoding.sequence_ids,
        "attention_mask": encoding.attention_mask,
    })
}

#[wasm_bindgen_test(unsupported = test)]
fn single_texts_equal_the_goldens() {
    let file = include_str!("goldens/tokenizer/single.jsonl");
    let rows: Vec<Value> = lines(file).collect();
    let mut report = Report::default();
    for vocab in ["uncased", "cased"] {
        for variant in ["", "_strip_false", "_strip_true", "_nochinese"] {
            let name = format!("{vocab}{variant}");
            let tokenizer = named(&name, &Value::Null);
            for row in &rows {
                let expected = row.get(&name).unwrap_or(&row[vocab]);
                let text = row["text"].as_str().unwrap();
                let found = tokenizer.encode(text, None, &EncodeOptions::default()).unwrap();
                let [encoding] = found.as_slice() else { panic!("one encoding") };
                let id = format!("{name} {}", row["id"]);
                report.check(&id, text, bare(&tokenizer, encoding, text), expected);
            }
        }
    }
    report.finish(8 * 665);
}

/// Returns the encoding of one text without its `[CLS]` and `[SEP]`, after checking them.
fn bare(tokenizer: &Tokenizer, encoding: &Encoding, text: &str) -> Value {
    let last = encoding.len() - 1;
    let special = tokenizer.special();
    assert_eq!(
        (encoding.ids[0], encoding.ids[last]),
        (special.cls.as_ref().unwrap().id, special.sep.as_ref().unwrap().id)
    );
    assert_eq!((encoding.spans[0], encoding.spans[last]), (Span::default(), Span::default()));
    assert_eq!((encoding.word_ids[0], encoding.word_ids[last]), (None, None));
    assert_eq!((encoding.sequence_ids[0], encoding.sequence_ids[last]), (None, None));
    assert!(encoding.sequence_ids[1..last].iter().all(|id| *id == Some(0)));
    assert!(encoding.type_ids.iter().all(|id| *id == 0));
    assert!(encoding.attention_mask.iter().all(|mask| *mask == 1));
    json!({
        "ids": encoding.ids[1..last],
        "offsets": code_points(text, &encoding.spans[1..last]),
        "words": encoding.word_ids[1..last],
    })
}

/// Compares calls with options, for single inputs and for batches.
fn check_calls(file: &str, at_least: usize) {
    let mut report = Report::default();
    let loaded = ["uncased", "cased"].map(|name| named(name, &Value::Null));
    for row in lines(file) {
        let (id, options) = (row["id"].to_string(), &row["options"]);
        let name = row["tokenizer"].as_str().unwrap();
        let has_side = options.get("padding_side").or(options.get("truncation_side")).is_some();
        let own = has_side.then(|| named(name, options));
        let tokenizer = own.as_ref().unwrap_or(&loaded[usize::from(name == "cased")]);
        let strings = |value: &Value| -> Vec<String> {
            let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            list.iter().filter_map(|text| text.as_str().map(String::from)).collect()
        };
        let (texts, pairs) = (strings(&row["text"]), strings(&row["text_pair"]));
        let pair = |at: usize| pairs.get(at).map(String::as_str);
        let options = options_of(options);
        let result = if row["text"].is_array() {
            let inputs: Vec<_> =
                (0..texts.len()).map(|at| (texts[at].as_str(), pair(at))).collect();
            tokenizer.encode_batch(&inputs, &options)
        } else {
            tokenizer.encode(&texts[0], pair(0), &options).map(|windows| vec![windows])
        };
        let Ok(batch) = result else {
            report.check(&id, "error", json!(row["error"].is_string()), &json!(true));
            continue;
        };
        let mut found = Vec::new();
        for (sample, windows) in batch.iter().enumerate() {
            for window in windows {
                let mut golden = golden_of(window, &texts[sample], pair(sample).unwrap_or(""));
                if row["text"].is_array() {
                    golden["sample"] = json!(sample);
                }
                found.push(golden);
            }
        }
        report.check(&id, &format!("{options:?}"), json!(found), &row["outputs"]);
    }
    report.finish(at_least);
}

#[wasm_bindgen_test(unsupported = test)]
fn pairs_and_truncation_equal_the_goldens() {
    check_calls(include_str!("goldens/tokenizer/pairs-truncation.jsonl"), 229);
}

#[wasm_bindgen_test(unsupported = test)]
fn sliding_windows_equal_the_goldens() {
    check_calls(include_str!("goldens/tokenizer/sliding-window.jsonl"), 42);
}

#[wasm_bindgen_test(unsupported = test)]
fn padding_equals_the_goldens() {
    check_calls(include_str!("goldens/tokenizer/padding.jsonl"), 45);
}

#[wasm_bindgen_test(unsupported = test)]
fn decoding_equals_the_goldens() {
    let mut report = Report::default();
    let loaded = ["uncased", "cased"].map(|name| named(name, &Value::Null));
    for row in lines(include_str!("goldens/tokenizer/decode.jsonl")) {
        let tokenizer = &loaded[usize::from(row["tokenizer"] == "cased")];
        let ids: Vec<u32> = serde_json::from_value(row["ids"].clone()).unwrap();
        for (name, skip, clean) in [
            ("skip0_clean0", false, false),
            ("skip0_clean1", false, true),
            ("skip1_clean0", true, false),
            ("skip1_clean1", true, true),
        ] {
            let text = tokenizer.decode(&ids, skip, clean).unwrap();
            report.check(&row["id"].to_string(), name, json!(text), &row[name]);
        }
    }
    report.finish(4 * 86);
}

/// Returns a `tokenizer.json` of a BERT tokenizer.
fn tokenizer_json(vocab: &[String], normalizer: &Value, added: &[Value]) -> Value {
    let entries: serde_json::Map<String, Value> =
        vocab.iter().enumerate().map(|(id, token)| (token.clone(), json!(id))).collect();
    json!({
        "version": "1.0",
        // Settings that must be ignored.
        "truncation": { "direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0 },
        "padding": { "strategy": { "Fixed": 128 }, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]" },
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": null,
        "decoder": { "type": "WordPiece", "prefix": "##", "cleanup": true },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": entries },
    })
}

fn from_json(json: &Value) -> Result<Tokenizer, Error> {
    let bytes = json.to_string();
    Tokenizer::load(&Files { tokenizer_json: Some(bytes.as_bytes()), ..Files::default() })
}

#[wasm_bindgen_test(unsupported = test)]
fn added_tokens_equal_the_goldens() {
    let mut report = Report::default();
    for row in lines(include_str!("goldens/tokenizer/added-tokens.jsonl")) {
        let vocab: Vec<String> = serde_json::from_value(row["vocab"].clone()).unwrap();
        let mut normalizer = row["normalizer"].clone();
        if normalizer.is_object() {
            normalizer["type"] = json!("BertNormalizer");
        }
        let mut next = vocab.len();
        let mut added = row["added"].as_array().unwrap().clone();
        for token in &mut added {
            let known = vocab.iter().position(|known| token["content"] == known.as_str());
            token["id"] = json!(known.unwrap_or(next));
            next += usize::from(known.is_none());
        }
        let mut file = tokenizer_json(&vocab, &normalizer, &added);
        // The special tokens are added tokens only if the case lists them.
        file["added_tokens"] = json!(added);
        let tokenizer = from_json_without_roles(&file);
        for (text, expected) in
            row["texts"].as_array().unwrap().iter().zip(row["outputs"].as_array().unwrap())
        {
            let text = text.as_str().unwrap();
            let found = tokenizer.encode(text, None, &EncodeOptions::default()).unwrap();
            let id = row["id"].to_string();
            report.check(&id, &format!("{text:?}"), golden_of(&found[0], text, ""), expected);
        }
    }
    report.finish(17 * 24);
}

/// Loads with special tokens that no text contains, so that none is found.
fn from_json_without_roles(file: &Value) -> Tokenizer {
    let config = json!({ "cls_token": "[PAD]", "sep_token": "[PAD]", "mask_token": "\u{1}" });
    let (file, config) = (file.to_string(), config.to_string());
    Tokenizer::load(&Files {
        tokenizer_json: Some(file.as_bytes()),
        tokenizer_config: Some(config.as_bytes()),
        ..Files::default()
    })
    .unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn white_space_belongs_to_one_added_token() {
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "x", "y"].map(String::from).into();
    let added = [
        json!({ "id": 6, "content": "<r>", "rstrip": true, "normalized": false }),
        json!({ "id": 7, "content": " ", "lstrip": true, "normalized": false }),
    ];
    let tokenizer =
        from_json(&tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &added)).unwrap();
    let found = &tokenizer.encode("x <r>   y", None, &EncodeOptions::default()).unwrap()[0];
    let spans: Vec<_> = found.spans.iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(found.ids, [4, 7, 6, 5]);
    assert_eq!(spans, [(0, 1), (1, 2), (2, 8), (8, 9)]);
}

#[wasm_bindgen_test(unsupported = test)]
fn many_added_tokens_load_in_linear_time() {
    const COUNT: usize = 100_000;
    let vocab: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(String::from).into();
    // Each token occurs twice, so all are searched among all.
    let added: Vec<Value> = (0..2 * COUNT)
        .map(|n| json!({ "content": format!("added token {}", n % COUNT) }))
        .collect();
    let tokenizer =
        from_json(&tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &added)).unwrap();
    assert_eq!(tokenizer.vocab_size(), vocab.len() + COUNT);
    assert_eq!(tokenizer.id("added token 7"), Some(11));
}

/// The goldens' results for single code points.
struct CodePoints {
    removed: Vec<bool>,
    space: Vec<bool>,
    cjk: Vec<bool>,
    punctuation: Vec<bool>,
    white: Vec<bool>,
    strip: std::collections::HashMap<u32, String>,
    lower: std::collections::HashMap<u32, String>,
}

impl CodePoints {
    fn read() -> Self {
        let file: Value =
            serde_json::from_str(include_str!("goldens/tokenizer/codepoints.json")).unwrap();
        let set = |name: &str| {
            let mut set = vec![false; 0x11_0000];
            let ranges: Vec<(usize, usize)> = serde_json::from_value(file[name].clone()).unwrap();
            ranges.iter().for_each(|&(first, last)| set[first..=last].fill(true));
            set
        };
        let map = |name: &str| {
            let pairs: Vec<(u32, String)> = serde_json::from_value(file[name].clone()).unwrap();
            pairs.into_iter().collect()
        };
        Self {
            removed: set("removed"),
            space: set("space"),
            cjk: set("cjk"),
            punctuation: set("punctuation"),
            white: set("pretokenizer_whitespace"),
            strip: map("strip_accents"),
            lower: map("lowercase"),
        }
    }

    fn stripped(&self, c: char) -> String {
        if let '\u{ac00}'..='\u{d7a3}' = c {
            let at = c as u32 - 0xac00;
            let jamo = [0x1100 + at / 588, 0x1161 + at % 588 / 28, 0x11a7 + at % 28];
            let len = 2 + usize::from(!at.is_multiple_of(28));
            return jamo[..len].iter().map(|&c| char::from_u32(c).unwrap()).collect();
        }
        self.strip.get(&(c as u32)).cloned().unwrap_or_else(|| c.to_string())
    }

    /// Returns the words of the text `a`, `c`, `b`, each as characters.
    fn words(&self, c: char, clean: bool, chinese: bool, strip: bool, lower: bool) -> Vec<String> {
        let is = |set: &[bool], c: char| set[c as usize];
        let mut text = c.to_string();
        if clean && is(&self.removed, c) {
            text = String::new();
        } else if clean && is(&self.space, c) {
            text = " ".into();
        } else if chinese && is(&self.cjk, c) {
            text = format!(" {c} ");
        }
        if strip {
            text = text.chars().map(|c| self.stripped(c)).collect();
        }
        if lower {
            let lower =
                |c: char| self.lower.get(&(c as u32)).cloned().unwrap_or_else(|| c.to_string());
            text = text.chars().map(lower).collect();
        }
        let mut words = vec![String::new()];
        for c in format!("a{text}b").chars() {
            if is(&self.white, c) {
                words.push(String::new());
            } else if is(&self.punctuation, c) {
                words.extend([c.to_string(), String::new()]);
            } else {
                words.last_mut().unwrap().push(c);
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }
}

fn all_chars() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// Returns a vocabulary of every code point, at the start and inside a word. Line ends cannot be in
/// the file, and never reach the vocabulary.
fn vocab_of_all_code_points() -> String {
    let mut vocab = String::from("[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
    for c in all_chars().filter(|c| !matches!(c, '\n' | '\r')) {
        vocab.extend([c, '\n', '#', '#', c, '\n']);
    }
    vocab
}

#[wasm_bindgen_test(unsupported = test)]
fn every_code_point_is_normalised_as_in_the_goldens() {
    let golden = CodePoints::read();
    let vocab = vocab_of_all_code_points();
    let text: String = all_chars().flat_map(|c| ['a', c, 'b', ' ']).collect();
    let mut report = Report::default();
    for (chinese, strip, lower) in [
        (false, false, false),
        (true, false, false),
        (false, true, false),
        (false, false, true),
        (true, true, true),
    ] {
        let config = json!({ "do_lower_case": lower, "strip_accents": strip, "tokenize_chinese_chars": chinese });
        let tokenizer = load(&vocab, &config);
        let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
        let encoding = &tokenizer.encode(&text, None, &options).unwrap()[0];
        let (mut at, mut byte) = (0, 0);
        for c in all_chars() {
            byte += 3 + c.len_utf8() as u32;
            let mut found: Vec<String> = Vec::new();
            let mut word = None;
            while at < encoding.len() && encoding.spans[at].end <= byte {
                let token = tokenizer.token(encoding.ids[at]).unwrap();
                // `##` alone is the token `#` inside a word. `#` never occurs there.
                let piece = token.strip_prefix("##").unwrap_or(token);
                if word == encoding.word_ids[at] {
                    found.last_mut().unwrap().push_str(piece);
                } else {
                    found.push(piece.into());
                    word = encoding.word_ids[at];
                }
                at += 1;
            }
            let expected = golden.words(c, true, chinese, strip, lower);
            report.checked += 1;
            if found != expected {
                report
                    .failures
                    .push(format!("U+{:04X} {config}: {found:?}, not {expected:?}", c as u32));
            }
        }
    }
    report.failures.truncate(50);
    report.finish(5 * 1_112_064);
}

#[wasm_bindgen_test(unsupported = test)]
fn without_cleaning_all_white_space_splits() {
    let golden = CodePoints::read();
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##b"].map(String::from).into();
    let normalizer = json!({ "type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": false,
        "strip_accents": false, "lowercase": false });
    for normalizer in [normalizer, Value::Null] {
        let tokenizer = from_json(&tokenizer_json(&vocab, &normalizer, &[])).unwrap();
        for c in all_chars().filter(|c| golden.white[*c as usize]) {
            let found =
                &tokenizer.encode(&format!("a{c}b"), None, &EncodeOptions::default()).unwrap()[0];
            assert_eq!(found.ids, [4, 5], "U+{:04X}", c as u32);
        }
        // A control character is part of the word, which is then unknown.
        let found = &tokenizer.encode("a\u{1}b", None, &EncodeOptions::default()).unwrap()[0];
        assert_eq!((found.ids.as_slice(), found.spans[0]), (&[1][..], Span { start: 0, end: 3 }));
    }
}

/// The reference assigns sources to reordered marks by position; these expected values are its
/// outputs.
#[wasm_bindgen_test(unsupported = test)]
fn reordered_marks_swap_their_sources() {
    let tokenizer = load("[PAD]\n[UNK]\n[CLS]\n[SEP]\nx\n##\u{302e}\n##\u{1d165}\n", &json!({}));
    let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
    // Combining classes 224 and 216, and 230 for a mark that is stripped.
    let found = &tokenizer.encode("x\u{301}\u{302e}\u{1d165}", None, &options).unwrap()[0];
    let tokens: Vec<_> = found.ids.iter().map(|id| tokenizer.token(*id).unwrap()).collect();
    assert_eq!(tokens, ["x", "##\u{1d165}", "##\u{302e}"]);
    assert_eq!(code_points("x\u{301}\u{302e}\u{1d165}", &found.spans), [0, 1, 1, 2, 2, 3]);
    // U+1D15E is a starter and a mark of class 216. Both get its source.
    let tokenizer = load("[PAD]\n[UNK]\n[CLS]\n[SEP]\n\u{1d157}\n##\u{1d165}\n", &json!({}));
    let found = &tokenizer.encode("\u{1d15e}", None, &options).unwrap()[0];
    assert_eq!((found.ids.as_slice(), found.spans[1]), (&[4, 5][..], Span { start: 0, end: 4 }));
    // U+113C5 has a decomposition since Unicode 16, which the reference does not know.
    let tokenizer = load("[PAD]\n[UNK]\n[CLS]\n[SEP]\n\u{113c5}\n", &json!({}));
    assert_eq!(tokenizer.encode("\u{113c5}", None, &options).unwrap()[0].ids, [4]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_word_has_a_hundred_code_points_at_most() {
    let tokenizer = named("uncased", &Value::Null);
    let unk = tokenizer.special().unk.as_ref().unwrap().id;
    for (unit, limit) in [("a", 100), ("\u{e9}", 100), ("\u{1f600}", 100), ("\u{ac01}", 33)] {
        for (count, is_unk) in [(limit, false), (limit + 1, true), (200_000, true)] {
            let word = unit.repeat(count);
            let found = &tokenizer
                .encode(&format!("x {word} y"), None, &EncodeOptions::default())
                .unwrap()[0];
            // No token of this vocabulary is an emoji.
            let is_unk = is_unk || unit == "\u{1f600}";
            assert_eq!(found.ids[2] == unk, is_unk, "{unit} {count}");
            if is_unk {
                assert_eq!(found.spans[2], Span { start: 2, end: 2 + word.len() as u32 });
                assert_eq!(found.len(), 5, "{unit} {count}");
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_longer_limit_is_honoured_and_still_linear() {
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "##aa", "aaa"].map(String::from).into();
    let mut file = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]);
    file["model"]["max_input_chars_per_word"] = json!(10_000_000);
    let found = &from_json(&file)
        .unwrap()
        .encode(&"a".repeat(1 << 20), None, &EncodeOptions::default())
        .unwrap()[0];
    assert_eq!(found.ids[..3], [7, 6, 6]);
    assert_eq!(found.spans.last().unwrap().end, 1 << 20);
    assert_eq!(found.len(), 1 + ((1 << 20) - 3) / 2 + 1);
}

/// A `tokenizer.json` with BERT's own template equals `vocab.txt`.
#[wasm_bindgen_test(unsupported = test)]
fn both_kinds_of_file_give_one_tokenizer() {
    let vocab: Vec<String> = CASED.lines().map(String::from).collect();
    let normalizer = json!({ "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
        "strip_accents": null, "lowercase": false });
    let mut file = tokenizer_json(&vocab, &normalizer, &[]);
    let id = |token: &str| vocab.iter().position(|known| known == token).unwrap();
    let (cls, sep) = (id("[CLS]"), id("[SEP]"));
    let special =
        |token: &str, kind: u8| json!({ "SpecialToken": { "id": token, "type_id": kind } });
    let sequence = |name: &str, kind: u8| json!({ "Sequence": { "id": name, "type_id": kind } });
    let template = json!({
        "type": "TemplateProcessing",
        "single": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
        "pair": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1), special("[SEP]", 1)],
        "special_tokens": {
            "[CLS]": { "id": "[CLS]", "ids": [cls], "tokens": ["[CLS]"] },
            "[SEP]": { "id": "[SEP]", "ids": [sep], "tokens": ["[SEP]"] },
        },
    });
    let bert = json!({ "type": "BertProcessing", "cls": ["[CLS]", cls], "sep": ["[SEP]", sep] });
    let of_vocab = named("cased", &Value::Null);
    for processor in [template, bert] {
        file["post_processor"] = processor;
        let of_json = from_json(&file).unwrap();
        assert_eq!(of_json.special(), of_vocab.special());
        assert_eq!(of_json.vocab_size(), 2000);
        for row in lines(include_str!("goldens/tokenizer/single.jsonl")) {
            let text = row["text"].as_str().unwrap();
            for pair in [None, Some("The [MASK] \u{e9}.")] {
                let options = EncodeOptions::default();
                let (a, b) =
                    (of_json.encode(text, pair, &options), of_vocab.encode(text, pair, &options));
                assert_eq!(a, b, "{text}");
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn berts_files_have_its_special_tokens_whatever_lies_beside_them() {
    let vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(String::from);
    let json = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]).to_string();
    let txt = vocab.join("\n");
    let (json, txt) = (Some(json.as_bytes()), Some(txt.as_bytes()));
    for (tokenizer_json, vocab_txt) in [(json, None), (None, txt), (json, txt)] {
        let files = Files {
            tokenizer_json,
            vocab_txt,
            vocab_json: Some(b"{}"),
            merges_txt: Some(b""),
            spiece_model: Some(b""),
            ..Files::default()
        };
        let special = Tokenizer::load(&files).unwrap().special().clone();
        let found = [special.pad, special.unk, special.cls, special.sep, special.mask];
        let found = found.map(|special| special.unwrap().token);
        assert_eq!(found, vocab);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_config_amends_the_tokenizer_file() {
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "CAF\u{c9}", "caf\u{e9}", "cafe", "CAFE"]
            .map(String::from)
            .into();
    let file = |lowercase: bool| {
        let normalizer =
            json!({ "type": "BertNormalizer", "lowercase": lowercase, "strip_accents": null });
        tokenizer_json(&vocab, &normalizer, &[]).to_string()
    };
    let id = |lowercase: bool, config: Value| {
        let (file, config) = (file(lowercase), config.to_string());
        let files = Files {
            tokenizer_json: Some(file.as_bytes()),
            vocab_txt: Some(b"not read"),
            tokenizer_config: Some(config.as_bytes()),
            ..Files::default()
        };
        Tokenizer::load(&files)
            .unwrap()
            .encode("CAF\u{c9}", None, &EncodeOptions::default())
            .unwrap()[0]
            .ids[0]
    };
    assert_eq!(id(false, json!({})), 5);
    assert_eq!(id(true, json!({})), 7);
    assert_eq!(id(true, json!({ "do_lower_case": false })), 5);
    assert_eq!(id(false, json!({ "do_lower_case": true })), 7);
    assert_eq!(id(false, json!({ "do_lower_case": true, "strip_accents": false })), 6);
    assert_eq!(id(false, json!({ "strip_accents": true })), 8);
    let generic = json!({ "do_lower_case": true, "tokenizer_class": "PreTrainedTokenizerFast" });
    assert_eq!(id(false, generic), 5);
}

#[wasm_bindgen_test(unsupported = test)]
fn special_tokens_come_from_any_of_the_files() {
    let vocab = "<pad>\n<unk>\n<s>\n</s>\nx\n<mask>\n";
    let map = json!({ "cls_token": "<s>", "sep_token": { "content": "</s>" }, "pad_token": "<pad>", "unk_token": "<unk>",
        "mask_token": { "content": "<mask>", "lstrip": true, "normalized": false }, "additional_special_tokens": ["<new>"] })
    .to_string();
    let added = json!({ "<old>": 6 }).to_string();
    let config = json!({ "model_max_length": 1e30, "cls_token": "[CLS]" }).to_string();
    let files = Files {
        vocab_txt: Some(vocab.as_bytes()),
        special_tokens_map: Some(map.as_bytes()),
        added_tokens: Some(added.as_bytes()),
        tokenizer_config: Some(config.as_bytes()),
        ..Files::default()
    };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let found =
        &tokenizer.encode("x  <mask> <old>y<new>", None, &EncodeOptions::default()).unwrap()[0];
    assert_eq!(found.ids, [2, 4, 5, 6, 1, 7, 3]);
    assert_eq!(found.spans[2], Span { start: 1, end: 9 });
    assert_eq!(tokenizer.special().mask.as_ref().map(|mask| mask.id), Some(5));
    assert_eq!((tokenizer.model_max_length(), tokenizer.vocab_size()), (None, 8));
    assert_eq!(
        (tokenizer.token(7), tokenizer.id("<old>"), tokenizer.token(8)),
        (Some("<new>"), Some(6), None)
    );
    assert_eq!(
        (tokenizer.is_special(7), tokenizer.is_special(6), tokenizer.is_special(5)),
        (true, false, true)
    );
    assert_eq!(tokenizer.decode(&[2, 4, 6, 7, 99], true, false).unwrap(), "x <old>");

    let added = json!({ "<old>": 6, "<new>": 9 }).to_string();
    let files = Files { added_tokens: Some(added.as_bytes()), ..files };
    let tokenizer = Tokenizer::load(&files).unwrap();
    // Ids after the vocabulary are contiguous.
    assert_eq!(tokenizer.id("<new>"), Some(7));
    assert_eq!((tokenizer.is_special(7), tokenizer.is_special(6)), (true, false));

    let decoder = json!({ "added_tokens_decoder": { "5": { "content": "<mask>", "special": true, "normalized": false,
        "rstrip": true } }, "model_max_length": 77 });
    let config = {
        let mut config: Value = serde_json::from_str(&map).unwrap();
        config.as_object_mut().unwrap().extend(decoder.as_object().unwrap().clone());
        config.to_string()
    };
    let files = Files {
        vocab_txt: Some(vocab.as_bytes()),
        tokenizer_config: Some(config.as_bytes()),
        ..Files::default()
    };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let found = &tokenizer.encode(" <mask>  x", None, &EncodeOptions::default()).unwrap()[0];
    assert_eq!(
        (found.spans[1], tokenizer.model_max_length()),
        (Span { start: 1, end: 9 }, Some(77))
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn vocab_lines_may_end_in_any_way() {
    let tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "", "one", "two"];
    let two = |vocab: String| load(&vocab, &json!({})).id("two");
    assert_eq!(two(tokens.join("\n")), Some(6));
    assert_eq!(two(tokens.join("\n") + "\n"), Some(6));
    assert_eq!(two(tokens.join("\r\n") + "\r\n"), Some(6));
    assert_eq!(two(tokens.join("\r")), Some(6));
    // If a token occurs twice, the last line counts.
    assert_eq!(two(tokens.join("\n") + "\ntwo\n"), Some(7));
}

const HTML: &str = "<!DOCTYPE html><html><body>Not Found</body></html>";

/// A tokenizer.json that loads.
fn good_json() -> Value {
    let vocab: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(String::from).into();
    let good = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]);
    assert!(from_json(&good).is_ok());
    good
}

/// Returns a tokenizer.json with another value at `pointer`.
fn json_with(pointer: &str, value: Value) -> String {
    let mut file = good_json();
    *file.pointer_mut(pointer).unwrap() = value;
    file.to_string()
}

/// Asserts that a tokenizer.json is rejected with an error that has all these words.
fn refused_json(file: &str, words: [&str; 2]) {
    refused(&Files { tokenizer_json: Some(file.as_bytes()), ..Files::default() }, &words, file);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_damaged_tokenizer_json_is_refused_by_name() {
    let good = good_json().to_string();
    for (file, words) in [
        ("", ["tokenizer.json", "empty"]),
        (HTML, ["tokenizer.json", "HTML"]),
        ("version https://git-lfs.github.com/spec/v1", ["tokenizer.json", "LFS"]),
        (&good[..good.len() / 2], ["tokenizer.json", "cut short"]),
        ("[1, 2]", ["tokenizer.json", "list"]),
        ("{}", ["tokenizer.json", "model"]),
    ] {
        refused_json(file, words);
    }
    for (pointer, value, words) in [
        ("/model/type", json!("OtherModel"), ["OtherModel", "model"]),
        ("/model/vocab", json!(["x"]), ["model.vocab", "list"]),
        ("/model/vocab", json!({ "x": -1 }), ["tokenizer.json", "-1"]),
        ("/model/vocab", json!({ "x": 4_000_000_000_u32 }), ["4000000000", "\"x\""]),
        ("/model/vocab", json!({ "[PAD]": 0, "[CLS]": 1, "[SEP]": 2 }), ["[UNK]", "unk_token"]),
        ("/added_tokens", json!([{ "id": 1 }]), ["added token", "text"]),
    ] {
        refused_json(&json_with(pointer, value), words);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn unknown_components_are_refused_by_name() {
    let bpe = json!({ "type": "BPE", "vocab": { "x": 0 }, "merges": ["x y"] });
    let other = json!({ "type": "OtherNormalizer" });
    let several = json!({ "type": "Sequence", "normalizers": [{ "type": "NFC" }, { "type": "OtherNormalizer" }] });
    let before = json!({ "type": "OtherPreTokenizer" });
    for (pointer, value, words, word) in [
        ("/model", bpe, ["\"y\"", "merge"], "BPE"),
        ("/normalizer", other, ["normalizer:", "OtherNormalizer"], "normalizer"),
        ("/normalizer", several, ["normalizer[1]", "OtherNormalizer"], "normalizer"),
        ("/pre_tokenizer", before, ["pre_tokenizer:", "OtherPre"], "pre_tokenizer"),
    ] {
        // A binary without the feature refuses every such component.
        let words = if cfg!(feature = "tokenizers") { words } else { [word, "all features"] };
        refused_json(&json_with(pointer, value), words);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn unknown_post_processors_and_long_templates_are_refused_by_name() {
    let unknown = json!({ "type": "OtherProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0] });
    let template =
        json!({ "type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {} });
    let mut lengthy = template.clone();
    lengthy["single"] = json!(["A", "[CLS]"].map(|id| {
        let kind = if id == "A" { "Sequence" } else { "SpecialToken" };
        json!({ kind: { "id": id, "type_id": 0 } })
    }));
    lengthy["special_tokens"] = json!({ "[CLS]": { "id": "[CLS]", "ids": vec![2; 64] } });
    lengthy["pair"] = json!(["A", "B"].map(|id| json!({ "Sequence": { "id": id, "type_id": 0 } })));
    let mut empty = template.clone();
    empty["single"] = json!(vec![json!({ "SpecialToken": { "id": "[X]", "type_id": 0 } }); 64]);
    empty["single"].as_array_mut().unwrap().push(lengthy["single"][0].clone());
    empty["special_tokens"] = json!({ "[X]": { "id": "[X]", "ids": [] } });
    empty["pair"] = lengthy["pair"].clone();
    for (value, word) in
        [(unknown, "OtherProcessing"), (template, "one text"), (lengthy, "64"), (empty, "64")]
    {
        refused_json(&json_with("/post_processor", value), ["post_processor", word]);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_damaged_vocab_txt_is_refused_by_name() {
    for (vocab, words) in [
        (&b""[..], ["vocab.txt", "empty"]),
        (HTML.as_bytes(), ["vocab.txt", "HTML"]),
        (b"[PAD]\n[UNK]\n\xff\xfe", ["vocab.txt", "UTF-8"]),
        (b"[PAD]\n[CLS]\n[SEP]\n[MASK]\nx\n", ["vocab.txt", "[UNK]"]),
        (b"[PAD]\n[CLS]\n[UNK]\n[MASK]\nx\n", ["vocab.txt", "[SEP]"]),
    ] {
        refused(&Files { vocab_txt: Some(vocab), ..Files::default() }, &words, "");
    }
    refused(&Files::default(), &["tokenizer.json", "vocab.txt"], "");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_damaged_file_beside_vocab_txt_is_refused_by_name() {
    let vocab_txt = Some(&b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n"[..]);
    let decoder = "{\"added_tokens_decoder\": {\"x\": {\"content\": \"y\"}}}";
    for (config, words) in [
        (HTML, ["tokenizer_config.json", "HTML"]),
        ("{\"padding_side\": \"top\"}", ["padding_side", "top"]),
        (decoder, ["added_tokens_decoder", "x"]),
        ("[]", ["tokenizer_config.json", "object"]),
    ] {
        let tokenizer_config = Some(config.as_bytes());
        refused(&Files { vocab_txt, tokenizer_config, ..Files::default() }, &words, config);
    }
    let added_tokens = Some(&b"{\"x\": \"y\"}"[..]);
    let files = Files { vocab_txt, added_tokens, ..Files::default() };
    refused(&files, &["added_tokens.json", "x"], "");
}

fn refused(files: &Files<'_>, words: &[&str], file: &str) {
    match Tokenizer::load(files) {
        Ok(_) => panic!("was not refused: {file} ({words:?})"),
        Err(error) if matches!(error.code(), "bad_tokenizer" | "unsupported") => {
            let text = error.to_string();
            assert!(
                words.iter().all(|word| text.contains(word)),
                "{words:?} are not all in: {text}"
            );
        }
        Err(other) => panic!("another kind of error: {other:?}"),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn impossible_options_are_refused() {
    let tokenizer = named("uncased", &Value::Null);
    let base = EncodeOptions::default();
    let cut = EncodeOptions { truncation: Truncation::LongestFirst, max_length: Some(8), ..base };
    let padded = EncodeOptions { padding: Padding::MaxLength, ..base };
    for (options, word) in [
        (EncodeOptions { stride: 7, ..cut }, "stride"),
        (EncodeOptions { stride: 6, ..cut }, "stride"),
        (EncodeOptions { truncation: Truncation::OnlySecond, ..cut }, "only_second"),
        (
            EncodeOptions { padding: Padding::Longest, pad_to_multiple_of: Some(5), ..cut },
            "multiple",
        ),
        (EncodeOptions { pad_to_multiple_of: Some(0), ..padded }, "pad_to_multiple_of"),
        (EncodeOptions { pad_to_multiple_of: Some(usize::MAX), ..padded }, "pad_to_multiple_of"),
        (EncodeOptions { max_length: Some(usize::MAX), ..padded }, "max_length"),
    ] {
        match tokenizer.encode("one two three four five six seven eight", None, &options) {
            Err(Error::BadInput(text)) => assert!(text.contains(word), "{text}"),
            other => panic!("{options:?} gave {other:?}"),
        }
    }
    let endless = load(UNCASED, &json!({ "model_max_length": 1e19 }));
    match endless.encode("one two", None, &padded) {
        Err(Error::BadInput(text)) => assert!(text.contains("model_max_length"), "{text}"),
        other => panic!("{other:?}"),
    }
    let empty = tokenizer.encode_batch(&[], &EncodeOptions { padding: Padding::Longest, ..base });
    assert_eq!(empty.unwrap(), Vec::<Vec<Encoding>>::new());
}

#[wasm_bindgen_test(unsupported = test)]
fn what_is_fitted_is_the_first_of_all_windows() {
    let tokenizer = named("uncased", &Value::Null);
    let text = "one two three four";
    let kinds =
        [Truncation::None, Truncation::LongestFirst, Truncation::OnlyFirst, Truncation::OnlySecond];
    for (truncation, pair) in kinds.iter().flat_map(|&kind| [(kind, None), (kind, Some("five"))]) {
        for max_length in 0..12 {
            let options = EncodeOptions {
                truncation,
                max_length: Some(max_length),
                return_overflowing_tokens: true,
                ..EncodeOptions::default()
            };
            let windows = tokenizer.encode(text, pair, &options);
            let first = windows.map(|all| (all[0].clone(), all.len() > 1));
            let fitted = tokenizer.fit(text, pair, truncation, max_length);
            assert_eq!(fitted, first, "{options:?}");
        }
    }
}

/// A few kilobytes of text and two options would otherwise use all memory.
#[wasm_bindgen_test(unsupported = test)]
fn more_than_one_call_gives_is_refused_before_memory_is_taken() {
    let tokenizer = named("uncased", &Value::Null);
    let text = "a b ".repeat(12_000);
    let windows = EncodeOptions {
        truncation: Truncation::LongestFirst,
        return_overflowing_tokens: true,
        ..EncodeOptions::default()
    };
    let padded = EncodeOptions {
        padding: Padding::MaxLength,
        max_length: Some(1 << 20),
        ..EncodeOptions::default()
    };
    let small = EncodeOptions { max_length: Some(5), ..windows };
    let overlapping = EncodeOptions { max_length: Some(2002), stride: 1999, ..windows };
    let one = (text.as_str(), None);
    for (inputs, options, what) in [
        // Each window of one text with each window of the other, one token each.
        (vec![(text.as_str(), Some(text.as_str()))], small, "2880000000 tokens in 576000000"),
        (vec![one], overlapping, "44046002 tokens in 22001 windows"),
        (vec![("a", None); 2000], padded, "17825792 tokens in 17 windows"),
        (vec![one; 700], EncodeOptions::default(), "16777398 tokens in 699 windows"),
    ] {
        match tokenizer.encode_batch(&inputs, &options) {
            Err(Error::BadInput(text)) => assert!(text.contains(what), "{text}"),
            other => panic!("{options:?} gave {:?}", other.map(|batch| batch.len())),
        }
    }
    let overlapping = EncodeOptions { stride: 1000, ..overlapping };
    assert_eq!(tokenizer.encode(&text, None, &overlapping).unwrap().len(), 23);
    let padded = tokenizer.encode_batch(&[("a", None), ("b", None)], &padded).unwrap();
    assert_eq!(padded[1][0].len(), 1 << 20);
}

#[wasm_bindgen_test(unsupported = test)]
fn the_vocabulary_is_given_whole() {
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "x", "##y"].map(String::from).into();
    let added = [
        json!({ "id": 9, "content": "<new>", "special": true }),
        json!({ "id": 3, "content": "[SEP]", "special": true }),
        json!({ "id": 7, "content": "<plain>" }),
    ];
    let file = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &added);
    let tokenizer = from_json(&file).unwrap();
    let all: std::collections::BTreeMap<&str, u32> = tokenizer.vocab().collect();
    assert_eq!(all.len(), 8);
    assert_eq!((all["##y"], all["[SEP]"], all["<new>"], all["<plain>"]), (5, 3, 6, 7));
    assert!(all.iter().all(|(token, id)| tokenizer.id(token) == Some(*id)));
    // [UNK], [SEP], [PAD], [CLS] in Hugging Face's order, then tokens without a role.
    assert_eq!(tokenizer.special_ids(), [1, 3, 0, 2, 6]);
    assert_eq!((tokenizer.padding_side(), tokenizer.truncation_side()), ("right", "right"));
    let config = json!({ "padding_side": "left", "truncation_side": "left" });
    let tokenizer = load(UNCASED, &config);
    assert_eq!((tokenizer.padding_side(), tokenizer.truncation_side()), ("left", "left"));
}

/// Long words and tokens are split like short ones.
#[wasm_bindgen_test(unsupported = test)]
fn long_tokens_are_found_in_long_words() {
    let unit = "ab\u{e9}";
    let long = unit.repeat(300);
    let vocab: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "##b", "##\u{e9}"]
        .map(String::from)
        .into_iter()
        .chain([format!("##b\u{e9}{long}"), format!("##{long}")])
        .collect();
    let normalizer = json!({ "type": "BertNormalizer", "lowercase": false });
    let mut file = tokenizer_json(&vocab, &normalizer, &[]);
    file["model"]["max_input_chars_per_word"] = json!(100_000);
    let tokenizer = from_json(&file).unwrap();
    let word = format!("{}b", unit.repeat(602));
    let found = &tokenizer.encode(&word, None, &EncodeOptions::default()).unwrap()[0];
    // The second token starts at the second byte, and the third where the second ends. One unit is
    // left.
    let spans: Vec<_> = found.spans.iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(found.ids, [4, 8, 9, 5, 6, 7, 6]);
    assert_eq!(spans[..3], [(0, 1), (1, 1204), (1204, 2404)]);
    let unknown =
        &tokenizer.encode(&format!("{word}c"), None, &EncodeOptions::default()).unwrap()[0];
    assert_eq!(unknown.ids, [1]);
}

#[cfg(not(feature = "tokenizers"))]
#[wasm_bindgen_test(unsupported = test)]
fn what_only_other_models_have_is_refused_by_name() {
    let vocab: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(String::from).into();
    let good = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]);
    let roberta = json!({ "type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0] });
    let steps = json!({ "type": "Sequence", "decoders": [{ "type": "Fuse" }] });
    for (part, value, found) in [
        ("model", json!({ "type": "Unigram" }), "Unigram"),
        ("model", json!({ "vocab": { "x": 0 }, "merges": [] }), "BPE"),
        ("post_processor", roberta, "RobertaProcessing"),
        ("post_processor", json!({ "type": "ByteLevel" }), "ByteLevel"),
    ] {
        let mut file = good.clone();
        file[part] = value;
        let Err(Error::Unsupported(message)) = from_json(&file) else { panic!("{part} {found}") };
        assert!(message.contains(part) && message.contains(found), "{message}");
    }
    // A decoder is refused by `decode` alone.
    for (value, found) in [(json!({ "type": "Metaspace" }), "Metaspace"), (steps, "Fuse")] {
        let mut file = good.clone();
        file["decoder"] = value;
        let decoded = from_json(&file).unwrap().decode(&[2], false, false);
        let Err(Error::Unsupported(message)) = decoded else { panic!("{found}: {decoded:?}") };
        assert!(message.contains("decoder") && message.contains(found), "{message}");
    }
    let files =
        Files { vocab_json: Some(b"{}"), merges_txt: Some(b"#version: 0.2"), ..Files::default() };
    let Err(Error::Unsupported(message)) = Tokenizer::load(&files) else { panic!("it is loaded") };
    assert!(message.contains("vocab.json") && message.contains("all features"), "{message}");
    // Classes and families with other tokenizers.
    let file = good.to_string();
    for (named, config, model) in [
        ("RobertaTokenizer", r#"{"tokenizer_class": "RobertaTokenizer"}"#, "{}"),
        ("MPNetTokenizer", "{}", r#"{"model_type": "bert", "tokenizer_class": "MPNetTokenizer"}"#),
        ("esm", "{}", r#"{"model_type": "esm"}"#),
    ] {
        let files = Files {
            tokenizer_json: Some(file.as_bytes()),
            tokenizer_config: Some(config.as_bytes()),
            config: Some(model.as_bytes()),
            ..Files::default()
        };
        let Err(Error::Unsupported(message)) = Tokenizer::load(&files) else { panic!("{named}") };
        assert!(message.contains(named) && message.contains("all features"), "{message}");
    }
}

/// Time grows linearly with files and text, not quadratically.
#[cfg(not(target_arch = "wasm32"))]
mod scale {
    use std::sync::LazyLock;
    use std::time::{Duration, Instant};

    use super::*;

    /// Returns the CPU time of this thread, or elapsed time if the system does not report it.
    /// Elapsed time would include other programs.
    fn now() -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanoseconds = nanoseconds.and_then(|all| all.split(' ').next()?.parse().ok());
        nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
    }

    /// Times the work that `prepare` returns, for a size and for 8 times the size. Linear work
    /// takes 8 times as long, quadratic work 64 times.
    fn check<W: FnMut()>(what: &str, size: usize, prepare: impl Fn(usize) -> W) {
        let best = |size: usize| {
            let mut work = prepare(size);
            let mut once = || {
                let start = now();
                work();
                now() - start
            };
            (0..5).map(|_| once()).min().unwrap()
        };
        let (small, large) = (best(size), best(8 * size));
        let limit = small * 24 + Duration::from_millis(40); // the resolution of the clock is coarse
        assert!(large < limit, "{what}: {small:?} for {size}, {large:?} for 8 times as much");
    }

    fn tokenizer(vocab: &[&str], added: &[Value], max_chars: usize) -> Tokenizer {
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a"];
        let vocab: Vec<String> =
            special.iter().chain(vocab).map(|&token| token.to_owned()).collect();
        let mut file = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), added);
        file["model"]["max_input_chars_per_word"] = json!(max_chars);
        from_json(&file).unwrap()
    }

    fn encoding(tokenizer: Tokenizer, text: String) -> impl FnMut() {
        move || {
            std::hint::black_box(tokenizer.encode(&text, None, &EncodeOptions::default()).unwrap());
        }
    }

    #[test]
    fn white_space_beside_added_tokens() {
        for strip in ["lstrip", "rstrip"] {
            for normalized in [false, true] {
                check(strip, 4000, |n| {
                    let mut token = json!({ "id": 9, "content": " ", "normalized": normalized });
                    token[strip] = json!(true);
                    encoding(tokenizer(&[], &[token], 100), " ".repeat(n))
                });
            }
        }
    }

    #[test]
    fn added_tokens_of_many_lengths() {
        check("many lengths", 6000, |n| {
            let longest = (2 * n).isqrt();
            let token = |len| json!({ "content": format!("{}b", "a".repeat(len)) });
            let added: Vec<Value> = (1..longest).map(token).collect();
            encoding(tokenizer(&[], &added, 100), "a".repeat(n))
        });
    }

    #[test]
    fn long_added_tokens() {
        check("one long text", 6000, |n| {
            let added = ["a".repeat(n / 2) + "b", "a".to_owned()].map(|a| json!({ "content": a }));
            encoding(tokenizer(&[], &added, 100), "a".repeat(n))
        });
    }

    #[test]
    fn long_entries_of_the_vocabulary() {
        check("a long entry", 2000, |n| {
            let entry = format!("##{}b", "a".repeat(n));
            encoding(tokenizer(&[&entry], &[], 10_000_000), "a".repeat(n))
        });
    }

    /// Returns a tokenizer with this model, whose words end at white space.
    #[cfg(feature = "tokenizers")]
    fn pipeline(model: Value, normalizer: &Value) -> Tokenizer {
        let mut file = tokenizer_json(&[], normalizer, &[]);
        file["pre_tokenizer"] = json!({ "type": "WhitespaceSplit" });
        file["post_processor"] = Value::Null;
        file["decoder"] = Value::Null;
        file["model"] = model;
        from_json(&file).unwrap()
    }

    #[test]
    #[cfg(feature = "tokenizers")]
    fn long_words_of_byte_pair_encoding() {
        // a, aa, aaaa, …: each merge joins half of the pairs.
        let tokens: Vec<String> = (0..10).map(|power| "a".repeat(1 << power)).collect();
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(str::to_owned);
        let all = special.iter().chain(&tokens).enumerate();
        let vocab: Value = all.map(|(id, token)| (token.clone(), json!(id))).collect();
        let merges: Vec<_> = tokens[..9].iter().map(|token| json!([token, token])).collect();
        let model = json!({ "type": "BPE", "vocab": vocab, "merges": merges });
        let text_of = |n| encoding(pipeline(model.clone(), &Value::Null), "a".repeat(n));
        check("a word of BPE", 4_000, text_of);
    }

    #[test]
    #[cfg(feature = "tokenizers")]
    fn many_merges() {
        check("merges", 4000, |n| {
            let token = |at: usize| char::from_u32(0x1_0000 + at as u32).unwrap().to_string();
            let mut vocab = json!({ "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4 });
            for at in 0..n {
                vocab[token(at)] = json!(5 + 2 * at);
                vocab[format!("a{}", token(at))] = json!(6 + 2 * at);
            }
            let merges: Vec<_> = (0..n).map(|at| json!(["a", token(at)])).collect();
            let model = json!({ "type": "BPE", "vocab": vocab, "merges": merges });
            move || drop(std::hint::black_box(pipeline(model.clone(), &Value::Null)))
        });
    }

    #[test]
    #[cfg(feature = "tokenizers")]
    fn long_words_of_unigram() {
        let tokens = (1..=16).map(|len| json!(["a".repeat(len), -1.0 - f64::from(len as u8)]));
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(|token| json!([token, 0.0]));
        let vocab: Vec<Value> = special.into_iter().chain(tokens).collect();
        let model = json!({ "type": "Unigram", "unk_id": 1, "vocab": vocab });
        check("a word of Unigram", 20_000, |n| {
            encoding(pipeline(model.clone(), &Value::Null), "a".repeat(n))
        });
    }

    #[test]
    #[cfg(feature = "tokenizers")]
    fn marks_in_a_row() {
        for form in ["NFC", "NFD", "NFKC", "NFKD"] {
            check(form, 1_500, |n| {
                let vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(|token| json!([token, 0.0]));
                let model = json!({ "type": "Unigram", "unk_id": 1, "vocab": vocab });
                let marks = "\u{301}\u{316}".repeat(n);
                encoding(pipeline(model, &json!({ "type": form })), format!("a{marks}"))
            });
        }
    }

    #[test]
    fn ids_of_many_added_tokens() {
        check("decode", 4000, |n| {
            let token = |id: usize| json!({ "id": 6 + id, "content": format!("<{id}>") });
            let added: Vec<Value> = (0..n).map(token).collect();
            let tokenizer = tokenizer(&[], &added, 100);
            let ids: Vec<u32> = (6..6 + n as u32).collect();
            move || {
                std::hint::black_box(tokenizer.decode(&ids, true, false).unwrap());
                assert!(
                    ids.iter()
                        .all(|&id| tokenizer.token(id).and_then(|t| tokenizer.id(t)) == Some(id))
                );
            }
        });
    }
}

/// An empty pair of a single input is ignored. In a batch it is an empty segment.
#[wasm_bindgen_test(unsupported = test)]
fn an_empty_pair_counts_in_a_batch_only() {
    let tokenizer = named("uncased", &Value::Null);
    let options = EncodeOptions::default();
    assert_eq!(tokenizer.encode("a", Some(""), &options).unwrap()[0].ids.len(), 3);
    let batch = tokenizer.encode_batch(&[("a", Some(""))], &options).unwrap();
    assert_eq!(batch[0][0].type_ids, [0, 0, 0, 1]);
}

#[wasm_bindgen_test(unsupported = test)]
fn an_encoding_without_any_token_is_empty() {
    let tokenizer = named("uncased", &Value::Null);
    let whole = EncodeOptions::default();
    let bare = EncodeOptions { add_special_tokens: false, ..whole };
    for (text, options, len) in [("", bare, 0), ("a", bare, 1), ("", whole, 2)] {
        let found = &tokenizer.encode(text, None, &options).unwrap()[0];
        assert_eq!((found.len(), found.is_empty()), (len, len == 0), "{text:?} {options:?}");
    }
}

/// Random texts with many characters that affect normalization and splitting.
#[cfg(not(target_arch = "wasm32"))]
mod properties {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            4 => any::<char>(),
            4 => proptest::char::range('\0', '\u{7f}'),
            2 => proptest::char::range('\u{80}', '\u{30ff}'),
            2 => proptest::sample::select(vec![
                '\u{301}', '\u{323}', '\u{302e}', '\u{1d165}', '\u{ad}', '\u{130}', '\u{ac01}', '\u{f900}', '\u{4e2d}', ' ',
            ]),
        ];
        let piece = prop_oneof![
            3 => proptest::collection::vec(character, 0..12).prop_map(String::from_iter),
            1 => proptest::sample::select(vec!["[MASK]", "[SEP]", "[UNK", "hello", "caf\u{e9}s"]).prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    fn tokenizers() -> Vec<Tokenizer> {
        ["uncased", "uncased_strip_false", "cased", "cased_strip_true", "cased_nochinese"]
            .map(|name| named(name, &Value::Null))
            .into()
    }

    /// Checks that the spans of a text are in order, lie within it, and are at character
    /// boundaries.
    fn check_spans(encoding: &Encoding, texts: [&str; 2]) -> Result<(), TestCaseError> {
        let mut last = [Span::default(); 2];
        for (span, sequence) in encoding.spans.iter().zip(&encoding.sequence_ids) {
            let Some(sequence) = sequence.map(usize::from) else { continue };
            let text = texts[sequence];
            prop_assert!(text.get(span.start as usize..span.end as usize).is_some(), "{:?}", span);
            prop_assert!(span.start < span.end);
            prop_assert!(span.start >= last[sequence].start && span.end >= last[sequence].end);
            last[sequence] = *span;
        }
        Ok(())
    }

    #[test]
    fn any_text_has_spans_in_order_and_decodes() {
        let tokenizers = tokenizers();
        let config =
            ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(text in text(), pair in text(), at in 0..5_usize)| {
            let tokenizer = &tokenizers[at];
            let encoding = &tokenizer.encode_batch(&[(&text, Some(&pair))], &EncodeOptions::default()).unwrap()[0][0];
            check_spans(encoding, [&text, &pair])?;
            prop_assert!(encoding.ids.iter().all(|id| tokenizer.token(*id).is_some()));
            let len = encoding.len();
            prop_assert_eq!(
                [encoding.type_ids.len(), encoding.spans.len(), encoding.word_ids.len(),
                    encoding.sequence_ids.len(), encoding.attention_mask.len()],
                [len; 5]
            );
            tokenizer.decode(&encoding.ids, false, true).unwrap();
        });
    }

    #[test]
    fn a_text_has_the_same_ids_alone_and_in_a_batch() {
        let tokenizers = tokenizers();
        let config =
            ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(texts in proptest::collection::vec(text(), 1..5), at in 0..5_usize)| {
            let inputs: Vec<_> = texts.iter().map(|text| (text.as_str(), None)).collect();
            let options = EncodeOptions { padding: Padding::Longest, ..EncodeOptions::default() };
            let batch = tokenizers[at].encode_batch(&inputs, &options).unwrap();
            for (text, windows) in texts.iter().zip(batch) {
                let alone = &tokenizers[at].encode(text, None, &EncodeOptions::default()).unwrap()[0];
                prop_assert_eq!(&windows[0].ids[..alone.len()], &alone.ids[..]);
                prop_assert!(windows[0].ids[alone.len()..].iter().all(|id| *id == tokenizers[at].special().pad.as_ref().unwrap().id));
                let mask = windows[0].attention_mask.iter().map(|mask| usize::from(*mask)).sum::<usize>();
                prop_assert_eq!(mask, alone.len());
            }
        });
    }

    #[test]
    fn no_options_panic() {
        let tokenizers = tokenizers();
        let config =
            ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
        let choice = || 0..12_usize;
        proptest!(config, |(text in text(), pair in text(), with_pair: bool, max in choice(), stride in choice(),
                kinds in (0..3_usize, 0..4_usize), flags in any::<(bool, bool)>(), multiple in 0..4_usize)| {
            let options = EncodeOptions {
                add_special_tokens: flags.0,
                return_overflowing_tokens: flags.1,
                padding: [Padding::None, Padding::Longest, Padding::MaxLength][kinds.0],
                truncation: [Truncation::None, Truncation::LongestFirst, Truncation::OnlyFirst,
                    Truncation::OnlySecond][kinds.1],
                max_length: Some(max),
                stride,
                pad_to_multiple_of: (multiple > 0).then_some(multiple),
                ..EncodeOptions::default()
            };
            let pair = with_pair.then_some(pair.as_str());
            if let Ok(windows) = tokenizers[0].encode(&text, pair, &options) {
                for window in &windows {
                    check_spans(window, [&text, pair.unwrap_or("")])?;
                }
                let added = match (flags.0, pair.is_some_and(|pair| !pair.is_empty())) {
                    (false, _) => 0,
                    (true, false) => 2,
                    (true, true) => 3,
                };
                if kinds == (0, 1) && max >= added {
                    prop_assert!(windows[0].len() <= max);
                }
            }
        });
    }
}
