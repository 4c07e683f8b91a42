//! Normalizers and pre-tokenizers against the `tokenizers` library, by `tests/goldens/tokenizer-parts-text`. The model is
//! WordLevel with all words that the library has, so that ids are words.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Encoding, Files, Tokenizer};

fn goldens() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read(root.join("tests/goldens/tokenizer-parts-text/cases.json")).unwrap();
    serde_json::from_slice(&file).unwrap()
}

/// Loads a tokenizer of these parts, whose model has the words of `vocab`.
fn load(
    normalizer: &Value,
    pre_tokenizer: &Value,
    vocab: &BTreeMap<&str, usize>,
) -> webert::Result<Tokenizer> {
    let mut entries = json!({ "[UNK]": 0 });
    for (word, at) in vocab {
        entries[*word] = json!(at);
    }
    let file = json!({
        "version": "1.0",
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "model": { "type": "WordLevel", "vocab": entries, "unk_token": "[UNK]" },
    });
    Tokenizer::load(&Files {
        tokenizer_json: Some(file.to_string().as_bytes()),
        tokenizer_config: Some(br#"{"tokenizer_class": "PreTrainedTokenizerFast"}"#),
        ..Files::default()
    })
}

fn encode(tokenizer: &Tokenizer, text: &str) -> webert::Result<Encoding> {
    let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
    Ok(tokenizer.encode(text, None, &options)?.remove(0))
}

fn refusal(pre_tokenizer: &Value) -> webert::Error {
    load(&Value::Null, pre_tokenizer, &BTreeMap::new()).unwrap_err()
}

fn split(pattern: &str) -> Value {
    json!({ "type": "Split", "pattern": { "Regex": pattern }, "behavior": "Isolated", "invert": false })
}

#[test]
fn words_and_their_places_are_those_of_the_library() {
    let file = goldens();
    let mut failures = Vec::new();
    let mut checked = 0;
    for case in file["cases"].as_array().unwrap() {
        let rows = case["rows"].as_array().unwrap();
        let mut vocab = BTreeMap::new();
        for word in rows.iter().flat_map(|row| row[1].as_array().unwrap()) {
            let next = vocab.len() + 1;
            vocab.entry(word[0].as_str().unwrap()).or_insert(next);
        }
        let name = &case["name"];
        let tokenizer = load(&case["normalizer"], &case["pre_tokenizer"], &vocab)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for row in rows {
            let text = file["texts"][row[0].as_u64().unwrap() as usize].as_str().unwrap();
            let found = encode(&tokenizer, text).unwrap();
            let tokens = found.ids.iter().zip(&found.spans);
            let tokens: Vec<Value> = tokens
                .map(|(&id, span)| json!([tokenizer.token(id), span.start, span.end]))
                .collect();
            checked += 1;
            if tokens != *row[1].as_array().unwrap() {
                failures.push(format!("{name} {text:?}:\n  {tokens:?}\n  {:?}", row[1]));
            }
        }
    }
    assert!(checked > 1000, "{checked}");
    assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures.join("\n"));
}

/// The sum of the maker's `digest`.
fn digest(encoding: &Encoding) -> Value {
    let sum = |sum: u32, span: &webert::tokenizer::Span| {
        let number = span.start.wrapping_mul(7).wrapping_add(span.end);
        sum.wrapping_mul(31).wrapping_add(number)
    };
    json!([encoding.ids.len(), encoding.spans.iter().fold(0, sum)])
}

#[test]
fn every_code_point_has_the_properties_that_the_library_knows() {
    let file = goldens();
    let text: String = ('\0'..=char::MAX).collect();
    let points = file["codepoints"].as_array().unwrap();
    for case in points {
        let tokenizer = load(&Value::Null, &case["pre_tokenizer"], &BTreeMap::new()).unwrap();
        let found = digest(&encode(&tokenizer, &text).unwrap());
        assert_eq!(found, case["digest"], "{}", case["pre_tokenizer"]);
    }
    assert!(points.len() > 60);
}

#[test]
fn expressions_that_the_library_refuses_are_refused_with_their_place() {
    for pattern in goldens()["refused"].as_array().unwrap() {
        let step = split(pattern.as_str().unwrap());
        let error = refusal(
            &json!({ "type": "Sequence", "pretokenizers": [{ "type": "Whitespace" }, step] }),
        );
        assert!(matches!(error.code(), "bad_tokenizer" | "unsupported"), "{pattern}: {error}");
        assert!(error.to_string().starts_with("tokenizer.json: pre_tokenizer[1]: "), "{error}");
    }
}

#[test]
fn parts_of_expressions_that_are_not_supported_are_named() {
    let parts = [
        (r"\X", "text segment"),
        (r"a\y", "text segment"),
        (r"\Gx", "\\G"),
        ("(?~ab)", "absent"),
        ("(?(?=a)b|c)", "condition"),
        (r"(?<n>a\g<n>?b)", "\\g"),
        ("(?{x})", "callout"),
        ("(*FAIL)", "callout"),
        (r"(?W:\w)", "option \"W\""),
        (r"\p{In_Basic_Latin}", "In_Basic_Latin"),
        (r"[a-[b]]", "range"),
        (r"\M-a", "\\M"),
    ];
    for (pattern, part) in parts {
        let error = refusal(&split(pattern));
        assert_eq!(error.code(), "unsupported", "{pattern}: {error}");
        assert!(error.to_string().contains(part), "{pattern}: {error}");
    }
}

#[test]
fn other_fields_of_parts_are_refused() {
    let parts = [
        (json!({ "type": "FixedLength", "length": 0 }), "length"),
        (json!({ "type": "Digits" }), "individual_digits"),
        (json!({ "type": "Punctuation", "behavior": "Kept" }), "behavior"),
        (json!({ "type": "Split", "pattern": { "String": "a" }, "invert": false }), "behavior"),
        (json!({ "type": "CharDelimiterSplit", "delimiter": "ab" }), "delimiter"),
    ];
    for (part, field) in parts {
        let error = refusal(&part);
        assert_eq!(error.code(), "bad_tokenizer", "{part}: {error}");
        assert!(error.to_string().contains(field), "{part}: {error}");
    }
}

#[test]
fn expressions_that_are_too_large_are_refused() {
    let deep = "(".repeat(10_000) + &")".repeat(10_000);
    let wide: String = (0..20_000).map(|at| format!("(?:{at}|b){{9}}|")).collect();
    for pattern in [deep, wide, "(?:(?:(?:ab){900}){900}){900}".into(), "(?:ab){99999}".into()] {
        let error = refusal(&split(&pattern));
        assert_eq!(error.code(), "unsupported", "{error}");
        assert!(error.to_string().len() < 300, "{error}");
    }
}

#[test]
fn expressions_that_take_too_long_end_with_an_error() {
    let text = "a".repeat(200_000);
    let patterns = [
        r"(?:a|a)*b",
        r"(?:a*)*b",
        r"(a+)+b",
        r"(?=.*b)a",
        r"(?<=^a*)b?\b",
        r"(a*)\1b",
        r"(?>(?:a?)+)b",
        r"a*?b",
        r"(?i)(?:aa|A)*b",
    ];
    for pattern in patterns {
        let step = json!({ "type": "Sequence", "pretokenizers": [split(pattern)] });
        let tokenizer = load(&Value::Null, &step, &BTreeMap::new()).unwrap();
        let error = encode(&tokenizer, &text).unwrap_err();
        assert_eq!(error.code(), "bad_input", "{pattern}: {error}");
        assert!(error.to_string().starts_with("tokenizer.json: pre_tokenizer[0]: "), "{error}");
    }
}

#[test]
fn texts_that_grow_without_end_are_refused() {
    let twice = json!({ "type": "Replace", "pattern": { "String": "a" }, "content": "aa" });
    let steps = json!({ "type": "Sequence", "normalizers": vec![twice; 40] });
    let tokenizer = load(&steps, &Value::Null, &BTreeMap::new()).unwrap();
    assert_eq!(encode(&tokenizer, "a").unwrap_err().code(), "bad_input");
}

#[test]
fn long_texts_pass_the_expressions_in_use() {
    let file = goldens();
    let texts = file["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let text = texts.collect::<Vec<_>>().join("\n").repeat(1400);
    assert!(text.len() > 1_000_000);
    let named = |name: &str| {
        let cases = file["cases"].as_array().unwrap();
        let of_name = |case: &&Value| case["name"].as_str().unwrap().starts_with(name);
        cases.iter().filter(of_name).cloned().collect::<Vec<_>>()
    };
    let cases = [named("Split "), named("deepseek"), named("Replace ")].concat();
    assert!(cases.len() > 80, "{}", cases.len());
    for case in cases {
        let tokenizer =
            load(&case["normalizer"], &case["pre_tokenizer"], &BTreeMap::new()).unwrap();
        encode(&tokenizer, &text).unwrap_or_else(|error| panic!("{error}"));
    }
}
