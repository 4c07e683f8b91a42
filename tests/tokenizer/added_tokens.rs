//! Added tokens.

use super::{Report, from_json, golden_of, lines, tokenizer_json};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::{EncodeOptions, Files, Tokenizer};

#[wasm_bindgen_test(unsupported = test)]
fn added_tokens_equal_the_goldens() {
    let mut report = Report::default();
    for row in lines(include_str!("../goldens/tokenizer/added-tokens.jsonl")) {
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
