//! Each task against Hugging Face's pipelines.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::config::HeadKind;

use super::{Call, assert_near, call, cut_to, difference, load, run, softmax};
use crate::common::{Golden, Model};

/// Returns a golden's inputs in the task's form, and its options.
fn inputs(row: &Value) -> (Vec<Value>, Value) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let (given, mut options) = (&row["inputs"], row["options"].clone());
    // Options of Hugging Face's tokenizer that have no effect here.
    for name in ["padding", "truncation"] {
        options.as_object_mut().unwrap().remove(name);
    }
    match row["task"].as_str().unwrap() {
        "question-answering" => {
            let (questions, contexts) = (list(&given["question"]), list(&given["context"]));
            (questions.iter().zip(&contexts).map(|(q, c)| json!([q, c])).collect(), options)
        }
        "zero-shot-classification" => {
            let labels = match options.as_object_mut().unwrap().remove("candidate_labels") {
                Some(Value::String(labels)) => labels.split(", ").map(Value::from).collect(),
                labels => labels.unwrap(),
            };
            (list(given).iter().map(|text| json!([text, labels])).collect(), options)
        }
        _ => (list(given), options),
    }
}

/// Converts an offset to code points, the unit of the goldens.
fn in_code_points(text: &str, byte: u32) -> u32 {
    text[..byte as usize].chars().count() as u32
}

/// Runs a golden. Returns a description of the difference, if any.
fn check(model: &mut Model, row: &Value) -> Option<String> {
    let task = row["task"].as_str().unwrap();
    let (inputs, options) = inputs(row);
    let (inputs, options) = (&inputs[..], &options);
    let got = call(task, Call { model, inputs, options, offset: in_code_points });
    if row.get("error").is_some() {
        return (crate::common::code(got) != "bad_input").then(|| "is no error".to_owned());
    }
    let mut got = match got {
        Ok(got) => got,
        Err(error) => return Some(error.to_string()),
    };
    let single = !row["inputs"].is_array() && !row["inputs"]["question"].is_array();
    if task == "question-answering" && options["top_k"].as_u64().unwrap_or(1) == 1 {
        got = got.into_iter().map(|answers| answers[0].clone()).collect();
    }
    let (got, mut want) = (if single { got.remove(0) } else { json!(got) }, row["output"].clone());
    match task {
        "feature-extraction" => {
            let flat = |value: &Value| json!(crate::common::flat(value));
            return difference(&flat(&got), &flat(&want));
        }
        // For a single result, Hugging Face returns either the result or a list with it.
        "text-classification" if want.is_object() => want = json!([want]),
        "text-classification" if !single && want[0].is_object() => {
            let each = want.as_array().unwrap().iter();
            want = each.map(|answer| json!([answer])).collect();
        }
        "question-answering" if want.is_object() && got.is_array() => want = json!([want]),
        _ => {}
    }
    difference(&got, &want)
}

/// Checks that all goldens of a file are equal, except `others`, which differ intentionally.
fn equals_the_reference(json: &[u8], others: &[&str], least: usize) {
    let rows: Vec<Value> = serde_json::from_slice(json).unwrap();
    let mut models = BTreeMap::<String, Model>::new();
    let mut failed = Vec::new();
    let rows = rows.iter().filter(|row| row["options"].get("is_split_into_words").is_none());
    let rows: Vec<_> = rows.collect();
    for row in &rows {
        let name = row["model"].as_str().unwrap();
        let model = models
            .entry(name.to_owned())
            .or_insert_with(|| Golden::named(name).load("fp32").unwrap());
        let id = row["id"].as_str().unwrap();
        match (check(model, row), others.contains(&id)) {
            (None, true) => failed.push(format!("{id} is equal after all")),
            (Some(what), false) => failed.push(format!("{id} {}: {what}", row["options"])),
            _ => {}
        }
    }
    assert!(failed.is_empty(), "{} of {} not:\n{}", failed.len(), rows.len(), failed.join("\n"));
    assert!(rows.len() - others.len() >= least, "only {} compared", rows.len());
}

macro_rules! pipeline {
    ($($test:ident $file:literal $others:expr, $least:literal;)+) => {
        $(#[wasm_bindgen_test(unsupported = test)]
        fn $test() {
            let json = include_bytes!(concat!("../../goldens/pipelines/", $file, ".json"));
            equals_the_reference(json, &$others, $least);
        })+
    };
}

pipeline! {
    fill_mask_equals_the_reference "fill-mask" [], 57;
    text_classification_equals_the_reference "text-classification" [], 100;
    // A long text without a stride: Hugging Face truncates it, webert reads it in windows.
    token_classification_equals_the_reference
        "token-classification" ["token-classification-052"], 52;
    question_answering_equals_the_reference "question-answering" [], 39;
    zero_shot_equals_the_reference "zero-shot-classification" [], 15;
    feature_extraction_equals_the_reference "feature-extraction" [], 6;
}

#[cfg(all(feature = "tokenizers", feature = "families", not(target_arch = "wasm32")))]
#[test]
fn pipelines_of_other_families_equal_the_reference() {
    for (task, least) in [
        ("fill-mask", 32),
        ("text-classification", 48),
        ("token-classification", 16),
        ("question-answering", 8),
        ("zero-shot-classification", 6),
        ("feature-extraction", 9),
    ] {
        let path = crate::common::families::folder().join(format!("pipelines/{task}.json"));
        equals_the_reference(&std::fs::read(path).unwrap(), &[], least);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn next_sentences_equal_the_reference() {
    let json = include_bytes!("../../goldens/pipelines/next-sentence-prediction.json");
    for row in serde_json::from_slice::<Vec<Value>>(json).unwrap() {
        let golden = Golden::named(row["model"].as_str().unwrap());
        let mut model = cut_to(24, golden, Some(HeadKind::NextSentence));
        let [texts, nexts] = ["texts", "text_pairs"].map(|name| row[name].as_array().unwrap());
        let pairs: Vec<Value> =
            texts.iter().zip(nexts).map(|(text, next)| json!([text, next])).collect();
        let answers = run(&mut model, "next-sentence-prediction", &pairs, &json!({})).unwrap();
        for (answer, logits) in answers.iter().zip(row["logits"].as_array().unwrap()) {
            let want = softmax(&crate::common::flat(logits));
            assert_near(&answer["is_next"], want[0]);
            assert_near(&answer["not_next"], want[1]);
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn multiple_choice_equals_the_reference() {
    let golden = Golden::named("bert-multiplechoice");
    let mut model = cut_to(32, golden, None);
    for case in golden.cases() {
        let prompts = case["prompts"].as_array().unwrap().iter();
        let inputs = prompts.zip(case["choices"].as_array().unwrap());
        let inputs: Vec<Value> = inputs.map(|(prompt, choices)| json!([prompt, choices])).collect();
        let answers = run(&mut model, "multiple-choice", &inputs, &json!({})).unwrap();
        for ((answer, logits), input) in
            answers.iter().zip(case["outputs"]["logits"].as_array().unwrap()).zip(&inputs)
        {
            for ((weighed, want), choice) in answer
                .as_array()
                .unwrap()
                .iter()
                .zip(softmax(&crate::common::flat(logits)))
                .zip(input[1].as_array().unwrap())
            {
                assert_near(&weighed["score"], want);
                assert_eq!(&weighed["choice"], choice, "in the order given");
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn replaced_tokens_equal_the_reference() {
    let mut model = load("electra-discriminator");
    let json = include_bytes!("../../goldens/pipelines/replaced-token-detection.json");
    let rows: Value = serde_json::from_slice(json).unwrap();
    let texts = rows[0]["texts"].as_array().unwrap();
    let answers = run(&mut model, "replaced-token-detection", texts, &json!({})).unwrap();
    let (mut replaced, mut kept) = (0, 0);
    for ((tokens, logits), text) in
        answers.iter().zip(rows[0]["logits"].as_array().unwrap()).zip(texts)
    {
        let text = text.as_str().unwrap();
        for (n, token) in tokens.as_array().unwrap().iter().enumerate() {
            let logit = logits[n + 1].as_f64().unwrap();
            assert_near(&token["score"], 1.0 / (1.0 + (-logit).exp()));
            assert_eq!(token["replaced"], json!(logit > 0.0));
            assert_eq!(token["index"], json!(n + 1));
            let [start, end] = ["start", "end"].map(|name| token[name].as_u64().unwrap() as usize);
            let word = token["word"].as_str().unwrap();
            if word != "[UNK]" {
                assert_eq!(text[start..end].to_lowercase(), word.trim_start_matches("##"));
            }
            if logit > 0.0 { replaced += 1 } else { kept += 1 }
        }
    }
    assert!(replaced > 5 && kept > 5, "{replaced} and {kept}");
}
