//! Texts, pairs, windows, padding and decoding against the goldens.

use super::encode_options::options_of;
use super::{Report, code_points, golden_of, lines, named};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::{EncodeOptions, Encoding, Span, Tokenizer};

#[wasm_bindgen_test(unsupported = test)]
fn single_texts_equal_the_goldens() {
    let file = include_str!("../goldens/tokenizer/single.jsonl");
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
    check_calls(include_str!("../goldens/tokenizer/pairs-truncation.jsonl"), 229);
}

#[wasm_bindgen_test(unsupported = test)]
fn sliding_windows_equal_the_goldens() {
    check_calls(include_str!("../goldens/tokenizer/sliding-window.jsonl"), 42);
}

#[wasm_bindgen_test(unsupported = test)]
fn padding_equals_the_goldens() {
    check_calls(include_str!("../goldens/tokenizer/padding.jsonl"), 45);
}

#[wasm_bindgen_test(unsupported = test)]
fn decoding_equals_the_goldens() {
    let mut report = Report::default();
    let loaded = ["uncased", "cased"].map(|name| named(name, &Value::Null));
    for row in lines(include_str!("../goldens/tokenizer/decode.jsonl")) {
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
