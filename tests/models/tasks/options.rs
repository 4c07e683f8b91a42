//! What options and labels of a model change.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::EncodeOptions;

use super::{TOLERANCE, amended_in, assert_near, difference, load, refused, run, softmax};
use crate::common::{Golden, Model};

/// Hugging Face's pipeline uses the first label as contradiction, or the last label if entailment
/// is the first.
#[wasm_bindgen_test(unsupported = test)]
fn entailment_that_is_the_first_label_is_weighed_against_the_last() {
    let golden = Golden::named("bert-seqcls-nli");
    let labels = json!({"0": "entailment", "1": "neutral", "2": "contradiction"});
    let files = amended_in("config.json", golden, "id2label", labels);
    let mut model = golden.load_from(&files, "fp32", None, usize::MAX).unwrap();
    let text = "the piano is near the window";
    let pair = json!({"text": text, "text_pair": "This example is music."});
    let options = json!({"top_k": null, "function_to_apply": "none"});
    let logits = run(&mut model, "text-classification", &[pair], &options).unwrap().remove(0);
    let logits = logits.as_array().unwrap();
    let logit = |label: &str| {
        let found = logits.iter().find(|found| found["label"] == label).unwrap();
        found["score"].as_f64().unwrap()
    };
    let against = |label: &str| softmax(&[logit("entailment"), logit(label)])[0];
    assert!((against("contradiction") - against("neutral")).abs() > 100.0 * TOLERANCE);
    let input = json!([text, ["music"]]);
    let answers = run(&mut model, "zero-shot-classification", &[input], &json!({})).unwrap();
    assert_near(&answers[0]["scores"][0], against("contradiction"));
}

#[wasm_bindgen_test(unsupported = test)]
fn first_and_last_tokens_go_by_two_names() {
    let mut model = load("bert-base-gelu");
    let states = features(&mut model, "a piano", &json!({}));
    let (first, last) = (&states[..WIDTH], &states[states.len() - WIDTH..]);
    let cases = [("cls", first), ("first_token", first), ("last_token", last), ("eos", last)];
    for (pooling, vector) in cases {
        let got = features(&mut model, "a piano", &json!({"pooling": pooling}));
        assert_eq!(got, vector, "{pooling}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn features_are_of_as_many_tokens_as_asked_for() {
    let mut model = load("bert-base-gelu");
    let text = "the piano is near the window of the old house";
    let states = features(&mut model, text, &json!({"max_length": 5}));
    assert_eq!(states.len(), 5 * WIDTH);
    let all = features(&mut model, text, &json!({"max_length": null}));
    assert!(all.len() > 5 * WIDTH);
    assert_eq!(features(&mut model, text, &json!({"max_length": 1000})), all, "there are no more");
}

#[wasm_bindgen_test(unsupported = test)]
fn masks_of_tokens_are_filled_like_masks_of_texts() {
    let mut model = load("bert-mlm");
    let text = "the [MASK] is near the [MASK] .";
    let tokenizer = std::rc::Rc::clone(model.tokenizer().unwrap());
    let encoding = tokenizer.encode(text, None, &EncodeOptions::default()).unwrap().remove(0);
    let ids = json!({"ids": encoding.ids});
    let inputs = [json!(text), ids.clone(), json!("a [MASK]")];
    let answers = run(&mut model, "fill-mask", &inputs, &json!({"top_k": 3})).unwrap();
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[2].as_array().unwrap().len(), 3);
    // one target per mask
    let all = run(&mut model, "fill-mask", &[json!(text)], &json!({"top_k": 1000})).unwrap();
    let third = |mask: usize| all[0][mask][2].clone();
    let targets = json!([third(0)["token"], third(1)["token"]]);
    let targeted = json!({"ids": encoding.ids, "targets": targets});
    let answers = run(&mut model, "fill-mask", &[targeted], &json!({})).unwrap();
    assert_eq!(answers[0], json!([[third(0)], [third(1)]]));
    let vocab = model.config().vocab;
    let last = json!({"ids": encoding.ids, "targets": [5, vocab - 1]});
    run(&mut model, "fill-mask", &[last], &json!({})).unwrap();
    let mut wrong = |input: Value, what: &str| {
        refused(&mut model, "fill-mask", &input, &json!({}), "bad_input", what);
    };
    wrong(json!({"ids": encoding.ids, "targets": [5]}), "targets [5] of 2 masks");
    for id in [vocab, 100_000] {
        wrong(json!({"ids": encoding.ids, "targets": [5, id]}), &format!("below {vocab}"));
    }
    wrong(json!({"ids": [1, 2, 3]}), "no [MASK]");
    let mask = tokenizer.special().mask.clone().unwrap().id;
    wrong(
        json!({"ids": [mask, 100_000]}),
        &format!("token id: expected less than {vocab}, got 100000"),
    );
    wrong(json!({"ids": vec![mask; 65]}), "at most 64 tokens");
}

/// The head over the state of each layer. For the last layer it is the model's result.
#[wasm_bindgen_test(unsupported = test)]
fn answers_of_each_layer_match_the_head_over_its_state() {
    let golden = Golden::named("bert-mlm");
    let mut model = golden.load("fp32").unwrap();
    let inputs = [json!("the [MASK] is near the [MASK] ."), json!("[MASK]")];
    let mut ask = |options: Value| run(&mut model, "fill-mask", &inputs, &options).unwrap();
    let last = model_layers(golden);
    let of_all = ask(json!({"top_k": 7}));
    assert_eq!(difference(&json!(ask(json!({"top_k": 7, "layer": last}))), &json!(of_all)), None);
    assert_eq!(ask(json!({"layer": -1})), ask(json!({"layer": last})));
    let mut before = of_all;
    for layer in (0..last).rev() {
        let answers = ask(json!({"top_k": 7, "layer": layer}));
        assert_ne!(answers, before, "layer {layer}");
        before = answers;
    }
    // a model without its last layer
    let files = amended_in("config.json", golden, "num_hidden_layers", json!(last - 1));
    let mut shorter = golden.load_from(&files, "fp32", None, usize::MAX).unwrap();
    let want = run(&mut shorter, "fill-mask", &inputs, &json!({"top_k": 7})).unwrap();
    let got = ask(json!({"top_k": 7, "layer": last - 1}));
    assert_eq!(difference(&json!(got), &json!(want)), None);
    let too_deep = json!({"layer": last + 1});
    refused(&mut model, "fill-mask", &inputs[0], &too_deep, "bad_input", "layer");
}

/// Returns the number of layers of a golden's model.
fn model_layers(golden: &Golden) -> usize {
    let json: Value = serde_json::from_slice(golden.file("config.json").unwrap()).unwrap();
    json["num_hidden_layers"].as_u64().unwrap() as usize
}

/// Width of the model bert-base-gelu.
const WIDTH: usize = 48;

/// Returns the features of a text, token by token.
fn features(model: &mut Model, text: &str, options: &Value) -> Vec<f64> {
    let answers = run(model, "feature-extraction", &[json!(text)], options).unwrap();
    answers[0].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}
