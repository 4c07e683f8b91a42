//! Evaluation against transformers' `Trainer`, and for every task against the results of its own
//! pipeline and the losses of training.

mod masking;
mod metrics;
mod rows;
mod runs;

use std::rc::Rc;

use pollster::block_on;
use serde_json::Value;
use webert::Result;
use webert::config::HeadKind;
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::data::rows::Offsets;
use webert::train::metrics::evaluate::{Metrics, evaluate};

use crate::common::{Golden, Model, go_on};

/// Embeds the files of tests/goldens/training/rows.
macro_rules! rows {
    ($($name:literal)+) => {
        Golden {
            name: "rows",
            files: &[$(($name, include_bytes!(concat!("../../goldens/training/rows/", $name)))),+],
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

/// Loads a golden's model with this head, or with its own.
fn model(name: &str, head: Option<HeadKind>) -> Rc<Model> {
    Rc::new(Golden::named(name).load_head("fp32", head).unwrap())
}

/// Returns the masked language model that replaces tokens for the discriminator. Its weights come
/// from another golden, its vocabulary from the discriminator.
fn generator() -> Rc<Model> {
    let (golden, other) =
        (Golden::named("bert-pretraining"), Golden::named("electra-discriminator"));
    let mut files = golden.small_files();
    files.retain(|(name, _)| name != "vocab.txt");
    files.push(("vocab.txt".to_owned(), other.file("vocab.txt").unwrap().to_vec()));
    Rc::new(golden.load_from(&files, "fp32", Some(HeadKind::MaskedLm), usize::MAX).unwrap())
}
