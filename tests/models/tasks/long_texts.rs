//! Texts that are longer than the model reads at once.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Error;
use webert::tasks::Input;

use super::{difference, load, long_text, refused, run};

#[wasm_bindgen_test(unsupported = test)]
fn long_texts_are_read_to_their_end_each_token_once() {
    let text = long_text();
    let all = json!({"ignore_labels": []});
    let everything = |stride: Value| json!({"ignore_labels": [], "stride": stride});
    let mut model = load("bert-tokencls-bio");
    let inputs = [json!(text)];
    let tokens = |got: Vec<Value>| got[0].as_array().unwrap().clone();
    let by_default = tokens(run(&mut model, "token-classification", &inputs, &all).unwrap());
    let mut model_rtd = load("electra-discriminator");
    let rtd = tokens(run(&mut model_rtd, "replaced-token-detection", &inputs, &json!({})).unwrap());
    for (what, got) in [("labels", &by_default), ("replaced", &rtd)] {
        assert!(got.len() > 200, "{what}: {}", got.len());
        for (n, token) in got.iter().enumerate() {
            assert_eq!(token["index"], json!(n + 1), "{what}");
        }
        assert_eq!(got.last().unwrap()["end"], json!(text.trim_end().len()), "{what}");
    }
    for stride in [0, 1, 30, 50] {
        let got = run(&mut model, "token-classification", &inputs, &everything(json!(stride)));
        let got = tokens(got.unwrap());
        assert_eq!(got.len(), by_default.len(), "stride {stride}");
        let differs = got.iter().zip(&by_default).any(|(a, b)| a["score"] != b["score"]);
        assert!(differs, "stride {stride} has other windows");
    }
    // Before the first cut the results equal Hugging Face's, which reads only the first window.
    let rows: Vec<Value> =
        serde_json::from_slice(include_bytes!("../../goldens/pipelines/token-classification.json"))
            .unwrap();
    let row = rows.iter().find(|row| row["id"] == "token-classification-052").unwrap();
    let got = run(&mut model, "token-classification", &[row["inputs"].clone()], &row["options"]);
    let (got, want) = (tokens(got.unwrap()), row["output"].as_array().unwrap());
    let before = |list: &[Value]| -> Vec<Value> {
        let kept = list.iter().filter(|token| token["index"].as_u64().unwrap() < 40);
        kept.map(|token| json!([token["entity"], token["score"], token["index"], token["word"]]))
            .collect()
    };
    assert_eq!(difference(&json!(before(&got)), &json!(before(want))), None);
    assert!(got.len() > 2 * want.len());
}

/// For an input with several texts, offsets count in the text that contains the results.
#[wasm_bindgen_test(unsupported = test)]
fn the_text_of_an_input_is_the_one_that_offsets_count_in() {
    let [a, b] = ["a", "b"].map(str::to_owned);
    assert_eq!(a.text(), "a");
    assert_eq!((a.clone(), b.clone()).text(), "b", "an answer is a part of the context");
    assert_eq!((a.clone(), vec![b.clone()]).text(), "a");
    assert_eq!(webert::tasks::Text::Pair { text: a, text_pair: Some(b) }.text(), "a");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_text_that_was_cut_says_so() {
    let long = long_text();
    let cases = [
        ("fill-mask", "bert-mlm", json!(format!("[MASK] {long}"))),
        ("text-classification", "bert-seqcls-3", json!(long)),
        ("zero-shot-classification", "bert-seqcls-nli", json!([long, ["music", "science"]])),
        ("next-sentence-prediction", "bert-nsp", json!([long, "a"])),
        ("multiple-choice", "bert-multiplechoice", json!([long, ["a", "b"]])),
    ];
    for (task, name, input) in cases {
        let answers = run(&mut load(name), task, &[input], &json!({})).unwrap();
        let first = if answers[0].is_array() { &answers[0][0] } else { &answers[0] };
        assert_eq!(first["truncated"], json!(true), "{task}: {first}");
    }
}

/// The text's windows times the pair's windows would be eleven million.
#[wasm_bindgen_test(unsupported = test)]
fn a_pair_of_long_texts_takes_memory_for_one_window() {
    let long = "a ".repeat(100_000);
    let pair = [json!([long, long])];
    let answers = run(&mut load("bert-nsp"), "next-sentence-prediction", &pair, &json!({}));
    assert_eq!(answers.unwrap()[0]["truncated"], json!(true));
}

/// Windows that share all tokens but one with their neighbours, and long texts of answers.
#[wasm_bindgen_test(unsupported = test)]
fn more_than_memory_holds_is_refused_before_it_is_taken() {
    let long = "a ".repeat(300_000);
    let stride = json!({"stride": 61});
    let too_many = "one call takes 16777216 tokens";
    let mut model = load("bert-tokencls-bio");
    refused(&mut model, "token-classification", &json!(long), &stride, "bad_input", too_many);
    run(&mut model, "token-classification", &[json!(long_text())], &stride).unwrap();

    let stride = json!({"doc_stride": 58});
    let mut model = load("bert-qa");
    let input = json!(["who ?", long]);
    refused(&mut model, "question-answering", &input, &stride, "bad_input", too_many);
    run(&mut model, "question-answering", &[json!(["who ?", long_text()])], &stride).unwrap();

    let mut model = load("bert-mlm");
    let masks = vec![json!("[MASK] ".repeat(60)); 1000];
    match run(&mut model, "fill-mask", &masks, &json!({"top_k": 1_000_000})) {
        Err(Error::BadInput(text)) => assert!(text.contains("one call gives 134217728"), "{text}"),
        other => panic!("{} answers", other.unwrap().len()),
    }
    run(&mut model, "fill-mask", &masks[..1], &json!({"top_k": 1_000_000})).unwrap();
}
