//! Evaluation: of transformers' `Trainer`, and of every task against answers of its own pipeline and losses of training.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Golden, Model, go_on};
use pollster::block_on;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Result;
use webert::train::arguments::TrainingArguments;
use webert::train::dataset::{Dataset, TrainingTask};
use webert::train::evaluate::{Metrics, evaluate};
use webert::train::rows::Offsets;

/// The files of tests/goldens/training/rows, of which each is part of the program.
macro_rules! rows {
    ($($name:literal)+) => {
        Golden {
            name: "rows",
            files: &[$(($name, include_bytes!(concat!("goldens/training/rows/", $name)))),+],
        }
    };
}

const ROWS: Golden =
    rows!("config.json" "model.safetensors" "rows.json" "tokenizer.json" "tokenizer_config.json");

fn data(model: &Model, task: TrainingTask, rows: &Value) -> Result<Dataset> {
    let rows = rows.as_array().unwrap().clone();
    Dataset::for_model(model, task, rows, Offsets::Utf16, &TrainingArguments::default())
}

fn metrics(model: &Model, data: &Dataset, arguments: &TrainingArguments) -> Metrics {
    let metrics = block_on(evaluate(model, None, data, arguments, &go_on)).unwrap();
    let names: Vec<&str> = metrics.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, data.metric_names());
    metrics
}

fn value(metrics: &Metrics, name: &str) -> f64 {
    metrics.iter().find(|(other, _)| *other == name).unwrap().1
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

#[wasm_bindgen_test(unsupported = test)]
fn an_evaluation_is_that_of_transformers_trainer() {
    let golden: Value = serde_json::from_slice(ROWS.file("rows.json").unwrap()).unwrap();
    let model = ROWS.load("fp32").unwrap();
    let data = data(&model, TrainingTask::TextClassification, &golden["eval_rows"]).unwrap();
    let expected = |name: &str| golden["eval_before_training"][name].as_f64().unwrap();
    for per_device_eval_batch_size in [1, 7, 8, 100] {
        let arguments = TrainingArguments { per_device_eval_batch_size, ..Default::default() };
        let found = metrics(&model, &data, &arguments);
        near(value(&found, "loss"), expected("loss"), 1e-5 * expected("loss"));
        near(value(&found, "accuracy"), expected("accuracy"), 1e-12);
        near(value(&found, "f1"), expected("f1_macro"), 1e-12);
    }
}
