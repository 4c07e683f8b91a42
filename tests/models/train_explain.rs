//! Explanations against captum, on the CPU and on the GPU; rejected calls.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::cell::RefCell;
use std::pin::Pin;

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
use crate::common::adapter::gpu;
use crate::common::{Golden, flat};
use pollster::block_on;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::Processor;
use webert::backend::cpu::Cpu;
use webert::backend::train::Train;
use webert::engine::Model;
use webert::train::data::rows::Offsets;
use webert::train::explain::{ExplainOptions, Explanation, explain};
use webert::{Error, Result};

const ROWS: &str = include_str!("../goldens/explain/attributions.json");

fn go_on(_: usize, _: usize) -> Pin<Box<dyn Future<Output = Result<()>>>> {
    Box::pin(async { Ok(()) })
}

/// Explains a text or a pair, with JSON options.
fn call<B: Train + Processor>(
    model: &Model<B>,
    task: &str,
    input: &Value,
    options: Value,
) -> Result<Explanation> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (text, pair) = match input {
        Value::Array(texts) => (text(&texts[0]), Some(text(&texts[1]))),
        one => (text(one), None),
    };
    let options: ExplainOptions = serde_json::from_value(options).unwrap();
    let pair = pair.as_deref();
    block_on(explain(model, task, &text, pair, &options, Offsets::Bytes, &mut go_on))
}

/// Returns the options of a golden. Its answer is named by tokens.
fn options(row: &Value) -> Value {
    let mut options = row["options"].clone();
    let fields = options.as_object_mut().unwrap();
    if let Some((start, end)) = fields.remove("start").zip(fields.remove("end")) {
        let offset = |token: &Value, side: usize| {
            row["offsets"][token.as_u64().unwrap() as usize][side].clone()
        };
        fields
            .insert("target".into(), json!({ "start": offset(&start, 0), "end": offset(&end, 1) }));
    }
    options
}

fn equals_captum<B: Train + Processor>(model: &Model<B>, row: &Value) {
    let name = row["model"].as_str().unwrap();
    for method in ["integrated_gradients", "gradient_x_input"] {
        let mut options = options(row);
        options["method"] = json!(method);
        let found = call(model, row["task"].as_str().unwrap(), &row["input"], options).unwrap();
        let expected = flat(&row[method]);
        assert_eq!(found.tokens.len(), expected.len(), "{name}");
        let most = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (token, expected) in found.tokens.iter().zip(expected) {
            let error = (f64::from(token.attribution) - expected).abs() / most;
            assert!(error < 1e-3, "{name}, {method}: {token:?}, expected {expected}");
        }
        assert_eq!(found.completeness.is_some(), method == "integrated_gradients");
        if let Some(completeness) = found.completeness {
            let difference = f64::from(found.score) - f64::from(completeness.baseline_score);
            let sum: f64 = found.tokens.iter().map(|token| f64::from(token.attribution)).sum();
            let delta = f64::from(completeness.convergence_delta);
            // Sum and scores were computed before rounding to f32.
            assert!((sum - difference - delta).abs() < 1e-5 * most, "{name}: {completeness:?}");
            let share = f64::from(completeness.completeness_error.unwrap());
            let error = (share * difference.abs() - delta.abs()).abs();
            assert!(error <= 1e-4 * delta.abs(), "{name}: {difference}, {completeness:?}");
        }
    }
}

fn rows() -> Vec<Value> {
    serde_json::from_str(ROWS).unwrap()
}

/// Returns the golden model of a row, or `None` if a WebAssembly test does not embed it.
fn golden(row: &Value) -> Option<&'static Golden> {
    let name = row["model"].as_str().unwrap();
    match name.strip_prefix("../families/models/") {
        None => Some(Golden::named(name)),
        Some(name) if cfg!(not(target_arch = "wasm32")) => {
            Some(Golden::named(&format!("families/{name}")))
        }
        Some(_) => None,
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn attributions_match_captum() {
    let rows = rows();
    assert_eq!(rows.len(), 10);
    for row in &rows {
        if let Some(golden) = golden(row) {
            equals_captum(&golden.load("fp32").unwrap(), row);
        }
    }
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
#[test]
fn attributions_match_captum_on_the_gpu() {
    for row in &rows() {
        let Some(gpu) = gpu("attributions_match_captum_on_the_gpu") else { return };
        equals_captum(&golden(row).unwrap().load_on(gpu, "fp32").unwrap(), row);
    }
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
#[test]
fn kernels_that_compute_wrongly_explain_nothing() {
    let row = &rows()[0];
    let Some(mut gpu) = gpu("kernels_that_compute_wrongly_explain_nothing") else { return };
    gpu.replace_in_shaders("(factor * dp - delta)", "(dp - delta)");
    let model = golden(row).unwrap().load_on(gpu, "fp32").unwrap();
    let task = row["task"].as_str().unwrap();
    let error = call(&model, task, &row["input"], options(row)).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("the gradient of attention wrongly: error "), "{error}");
}

fn load(name: &str) -> Model<Cpu> {
    Golden::named(name).load("fp32").unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn what_the_model_says_itself_is_explained_where_nothing_is_named() {
    let said = |name: &str, task: &str, input: Value, options: Value| {
        let found = call(&load(name), task, &input, options).unwrap();
        serde_json::to_value(&found.target).unwrap()
    };
    let text = json!("the coffee was very good");
    let label = said("bert-seqcls-3", "text-classification", text.clone(), json!({}));
    let by_name = |label: &str| {
        let options = json!({ "target": label });
        call(&load("bert-seqcls-3"), "text-classification", &text, options).unwrap().score
    };
    let best = label["label"].as_str().unwrap();
    assert!(
        ["negative", "neutral", "positive"].iter().all(|other| by_name(other) <= by_name(best))
    );
    let entity =
        said("bert-tokencls-bio", "token-classification", text.clone(), json!({"index": 3}));
    assert_eq!(entity["index"], 3);
    let masked = json!("the coffee was [MASK]");
    let word = said("bert-mlm", "fill-mask", masked.clone(), json!({}));
    let named = said("bert-mlm", "fill-mask", masked, json!({ "target": word["token"] }));
    assert_eq!(word, named);
    let pair = json!(["where is the piano?", "É is near: the piano is near the window."]);
    let answer = said("bert-qa", "question-answering", pair.clone(), json!({}));
    let place = json!({ "target": answer });
    assert_eq!(said("bert-qa", "question-answering", pair, place), answer);
}

#[wasm_bindgen_test(unsupported = test)]
fn long_texts_are_cut_and_steps_of_several_batches_add_up() {
    let model = load("bert-seqcls-3");
    let text = json!("the coffee was very good and ".repeat(40));
    let told = RefCell::new(Vec::new());
    let options: ExplainOptions = serde_json::from_value(json!({ "n_steps": 20 })).unwrap();
    let mut tell = |done: usize, of: usize| -> Pin<Box<dyn Future<Output = Result<()>>>> {
        told.borrow_mut().push((done, of));
        Box::pin(async { Ok(()) })
    };
    let text = text.as_str().unwrap();
    let task = "text-classification";
    let explained = explain(&model, task, text, None, &options, Offsets::Bytes, &mut tell);
    let found = block_on(explained).unwrap();
    assert!(found.truncated);
    assert_eq!(found.tokens.len(), 64);
    let told = told.take();
    assert!(told.len() > 3, "{told:?}");
    assert_eq!((told[0], told[told.len() - 1]), ((0, 20), (20, 20)));
    let completeness = found.completeness.unwrap();
    let sum: f32 = found.tokens.iter().map(|token| token.attribution).sum();
    let delta = sum - (found.score - completeness.baseline_score);
    assert!((delta - completeness.convergence_delta).abs() < 1e-4);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_call_that_is_ended_leaves_the_model_usable() {
    let model = load("bert-seqcls-3");
    let text = json!("the coffee was very good");
    let mut end = |done: usize, _: usize| -> Pin<Box<dyn Future<Output = Result<()>>>> {
        Box::pin(async move { if done > 0 { Err(Error::Aborted("ended".into())) } else { Ok(()) } })
    };
    let plain = text.as_str().unwrap();
    let options = ExplainOptions::default();
    let explained =
        explain(&model, "text-classification", plain, None, &options, Offsets::Bytes, &mut end);
    assert_eq!(block_on(explained).unwrap_err().code(), "aborted");
    call(&model, "text-classification", &text, json!({})).unwrap();
}

/// Asserts that each call fails with `code` and a message that contains its text.
fn rejects(name: &str, task: &str, input: &Value, code: &str, calls: &[(Value, &str)]) {
    let model = load(name);
    for (options, message) in calls {
        let error = call(&model, task, input, options.clone()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(message), "{options}: {error}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn rejects_options_out_of_range() {
    let (model, task) = ("bert-seqcls-3", "text-classification");
    let calls = [
        (
            json!({"target": "glad"}),
            "target: expected a label or its index, got \"glad\". The labels are negative, neutral, positive.",
        ),
        (json!({"target": 3}), "target: expected a label or its index, got 3"),
        (json!({"n_steps": 0}), "n_steps: expected 1 to 1000, got 0"),
        (json!({"n_steps": 1001}), "n_steps: expected 1 to 1000, got 1001"),
        (json!({"mask": 1}), "mask: expected only for fill-mask, not for text-classification"),
    ];
    rejects(model, task, &json!("the coffee was [MASK]"), "bad_input", &calls);
    let calls = [(json!({}), "text: expected one or more tokens, got none")];
    rejects(model, task, &json!(""), "bad_input", &calls);
}

#[wasm_bindgen_test(unsupported = test)]
fn rejects_tasks_and_weights_that_have_no_explanation() {
    let text = json!("the coffee was [MASK]");
    for (task, message) in [
        ("feature-extraction", "got feature-extraction"),
        ("fill-mask", "fill-mask: expected a model with a head"),
    ] {
        rejects("bert-seqcls-3", task, &text, "unsupported", &[(json!({}), message)]);
    }
    let half = Golden::named("bert-seqcls-3").load("fp16").unwrap();
    let error = call(&half, "text-classification", &text, json!({})).unwrap_err();
    assert!(error.to_string().contains("expected F32 weights, got F16"), "{error}");
}

#[wasm_bindgen_test(unsupported = test)]
fn rejects_tokens_outside_the_text() {
    let calls = [
        (json!({}), "index: expected the index of a token of the text, got none"),
        (json!({"index": 0}), "index: expected a token of the text"),
        (json!({"index": 99}), "special ones, got 99"),
    ];
    let text = json!("the coffee was [MASK]");
    rejects("bert-tokencls-bio", "token-classification", &text, "bad_input", &calls);
}

#[wasm_bindgen_test(unsupported = test)]
fn rejects_masks_outside_the_text_and_targets_outside_the_vocabulary() {
    let calls = [
        (json!({"mask": 1}), "mask: expected one of the 1 [MASK] in the model's window, got 1"),
        (
            json!({"target": "qqqq"}),
            "target: expected one of the 240 tokens of the vocabulary or its id, got \"qqqq\"",
        ),
        (json!({"target": 100_000}), "or its id, got 100000"),
    ];
    rejects("bert-mlm", "fill-mask", &json!("the coffee was [MASK]"), "bad_input", &calls);
    let calls = [(json!({}), "mask: expected one of the 0 [MASK]")];
    rejects("bert-mlm", "fill-mask", &json!("no gap"), "bad_input", &calls);
}

#[wasm_bindgen_test(unsupported = test)]
fn rejects_answers_outside_the_context() {
    let (model, task) = ("bert-qa", "question-answering");
    let calls = [
        (json!({"target": {"start": 3, "end": 3}}), "target: expected a part of the context"),
        (json!({"target": {"start": 3, "end": 99}}), "99 is outside the text"),
        (
            json!({"target": "near"}),
            "target: expected an answer, or start and end of a part of the context, got \"near\"",
        ),
    ];
    let pair = json!(["where is the piano?", "the piano is near the window."]);
    rejects(model, task, &pair, "bad_input", &calls);
    let calls = [(json!({}), "question-answering: expected a question and a context")];
    rejects(model, task, &json!("the coffee was [MASK]"), "bad_input", &calls);
}
