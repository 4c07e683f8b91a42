//! Texts, calls with options and decoded ids against the goldens.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Tokenizer};

use super::{IDS, Report, fields, golden_of, ids_only, load, names, rows};
use crate::encode_options::options_of;

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
