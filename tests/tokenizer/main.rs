//! The tokenizer against Hugging Face's, against itself, and with hostile files and texts. The same
//! tests run in WebAssembly, so every file is embedded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod added_tokens;
mod code_points;
#[path = "../common/encode_options.rs"]
mod encode_options;
mod encodings;
mod files;
mod goldens;
#[cfg(not(target_arch = "wasm32"))]
mod properties;
mod rejected;
#[cfg(not(target_arch = "wasm32"))]
mod scale;

use serde_json::{Value, json};
use webert::Error;
use webert::tokenizer::{Encoding, Files, Span, Tokenizer};

const UNCASED: &str = include_str!("../goldens/tokenizer/vocab-uncased.txt");
const CASED: &str = include_str!("../goldens/tokenizer/vocab-cased.txt");

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
