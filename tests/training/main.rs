//! Training against PyTorch: losses, gradients and steps. Gradients of every head against finite
//! differences.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "../common/mod.rs"]
mod common;
mod distillation;
mod dropout;
mod freeze;
mod goldens;
mod heads;
mod initialize;
mod lora;
#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
mod on_gpu;
mod runs;
mod state;
mod steps;

use std::collections::BTreeMap;
use std::rc::Rc;

use pollster::block_on;
use serde_json::Value;
use webert::Result;
use webert::backend::Processor;
use webert::backend::cpu::Cpu;
use webert::backend::train::Train;
use webert::batch::{Batch, Padded};
use webert::config::{Config, HeadKind, Problem};
use webert::engine::{Folder, LoadOptions, Model, ModelLoader};
use webert::tokenizer::Encoding;
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::data::rows::{Example, Target};
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};

/// A folder of tests/goldens/training.
struct Run {
    config: &'static [u8],
    model: &'static [u8],
    gradients: &'static [u8],
    step10: &'static [u8],
    training: &'static str,
}

macro_rules! run {
    ($name:literal) => {
        Run {
            config: include_bytes!(concat!("../goldens/training/", $name, "/config.json")),
            model: include_bytes!(concat!("../goldens/training/", $name, "/model.safetensors")),
            gradients: include_bytes!(concat!(
                "../goldens/training/",
                $name,
                "/gradients.safetensors"
            )),
            step10: include_bytes!(concat!(
                "../goldens/training/",
                $name,
                "/params_step10.safetensors"
            )),
            training: include_str!(concat!("../goldens/training/", $name, "/training.json")),
        }
    };
}

const SEQCLS: Run = run!("seqcls");

const PRETRAINING: Run = run!("pretraining");

/// Returns the optimizer settings of the goldens.
fn golden_arguments() -> TrainingArguments {
    TrainingArguments {
        learning_rate: 1e-3,
        weight_decay: 0.01,
        max_grad_norm: 0.0,
        ..TrainingArguments::default()
    }
}

/// Creates a trainer on this device.
fn trainer<B: Train + Processor>(
    backend: B,
    config_json: &[u8],
    weights: &[u8],
    (rates, freeze): (Rates, Freeze),
) -> Result<Trainer<B>> {
    let options = LoadOptions::with_dtype("fp32", None).unwrap();
    let model = load(backend, config_json, Some(weights), options)?;
    Trainer::new(Rc::new(model), rates, freeze)
}

/// Loads a model from config.json and, if given, weights.
fn load<B: Processor>(
    backend: B,
    config_json: &[u8],
    weights: Option<&[u8]>,
    options: LoadOptions,
) -> Result<Model<B>> {
    let files = vec![("config.json".to_owned(), config_json.to_vec())];
    let mut loader = ModelLoader::new(Folder::read(&files)?, backend, options)?;
    if let Some(weights) = weights {
        loader.begin_file("model.safetensors")?;
        loader.push(weights)?;
    }
    block_on(loader.finish())
}

/// Creates a trainer without dropout, on the CPU.
fn plain(run: &Run) -> Trainer<Cpu> {
    trainer(Cpu::default(), run.config, run.model, (Rates::default(), Freeze::None)).unwrap()
}

/// Returns the numbers of a list of lists, in order, and the length of its innermost lists.
fn flat(value: &Value) -> (Vec<f64>, usize) {
    match value.as_array() {
        None => (vec![value.as_f64().unwrap()], 1),
        Some(list) => {
            let inner: Vec<_> = list.iter().map(flat).collect();
            let length = if list[0].is_array() { inner[0].1 } else { list.len() };
            (inner.into_iter().flat_map(|(numbers, _)| numbers).collect(), length)
        }
    }
}

fn ids(value: &Value) -> Option<Vec<u32>> {
    (!value.is_null()).then(|| flat(value).0.into_iter().map(|number| number as u32).collect())
}

fn classes(value: &Value) -> Vec<i32> {
    flat(value).0.into_iter().map(|number| number as i32).collect()
}

/// Packs inputs and labels with Hugging Face's names into a batch without padding and its labels.
fn batch(config: &Config, inputs: &Value, labels: &Value) -> (Batch, Labels) {
    let ids_of_all = ids(&inputs["input_ids"]).unwrap();
    let (mask, types) = (ids(&inputs["attention_mask"]), ids(&inputs["token_type_ids"]));
    let padded = Padded {
        length: flat(&inputs["input_ids"]).1,
        ids: &ids_of_all,
        mask: mask.as_deref(),
        types: types.as_deref(),
        positions: None,
    };
    let (batch, places) = Batch::pack_padded(config, padded).unwrap();
    let tokens = |labels: &Value| {
        let all = classes(labels);
        places.iter().map(|&place| all[place]).collect::<Vec<_>>()
    };
    let named = &labels["labels"];
    let labels = match config.head.unwrap() {
        HeadKind::PreTraining => Labels::PreTraining {
            tokens: tokens(named),
            next_sentence: classes(&labels["next_sentence_label"]),
        },
        HeadKind::MaskedLm | HeadKind::TokenClassification | HeadKind::ReplacedToken => {
            Labels::Tokens(tokens(named))
        }
        HeadKind::QuestionAnswering => Labels::Answers {
            starts: classes(&labels["start_positions"]),
            ends: classes(&labels["end_positions"]),
        },
        _ if matches!(config.problem, Some(Problem::MultiLabel | Problem::Regression)) => {
            Labels::Scores(flat(named).0.into_iter().map(|number| number as f32).collect())
        }
        _ => Labels::Classes(classes(named)),
    };
    (batch, labels)
}

/// Returns the batch of a golden.
fn golden_batch(run: &Run) -> (Value, Batch, Labels) {
    let training: Value = serde_json::from_str(run.training).unwrap();
    let config = Config::parse(run.config).unwrap();
    let (batch, labels) = batch(&config, &training["inputs"], &training["labels"]);
    (training, batch, labels)
}

/// Returns the start and end of each f32 tensor in a safetensors file.
fn places(file: &[u8]) -> BTreeMap<String, [usize; 2]> {
    let header = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&file[8..8 + header]).unwrap();
    let tensors = json.as_object().unwrap().iter().filter(|(name, _)| *name != "__metadata__");
    let place = |value: &Value| 8 + header + value.as_u64().unwrap() as usize;
    tensors
        .map(|(name, tensor)| {
            assert_eq!(tensor["dtype"], "F32");
            let offsets = &tensor["data_offsets"];
            (name.clone(), [place(&offsets[0]), place(&offsets[1])])
        })
        .collect()
}

fn numbers(file: &[u8], [start, end]: [usize; 2]) -> Vec<f32> {
    let bytes = file[start..end].chunks_exact(4);
    bytes.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// Returns the largest difference of two tensors.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn greatest(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |greatest, value| greatest.max(value.abs()))
}

fn assert_close(name: &str, found: f32, expected: &Value, relative: f64) {
    let expected = expected.as_f64().unwrap();
    let error = (f64::from(found) - expected).abs() / expected.abs();
    assert!(error < relative, "{name}: {found}, expected {expected}");
}

/// Compares each tensor of a golden with the model's. The model must have no others. Tied tensors
/// are in the file once.
fn compare(tensors: &[NamedTensor], file: &[u8], check: impl Fn(&str, &[f32], &[f32])) {
    let places = places(file);
    let names: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    let expected: Vec<&str> = places.keys().map(String::as_str).collect();
    for name in &expected {
        assert!(names.contains(name) || name.starts_with("cls.predictions.decoder"), "{name}");
    }
    for tensor in tensors {
        let place = places.get(&tensor.name).unwrap_or_else(|| panic!("no golden {}", tensor.name));
        check(&tensor.name, &tensor.values, &numbers(file, *place));
    }
}

/// Returns the sequences of a golden's batch as examples with their classes.
fn examples() -> Dataset {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let Labels::Classes(classes) = labels else { panic!("{labels:?}") };
    let sequences = batch.sequences.iter().zip(classes).enumerate();
    let example = |(row, (sequence, class)): (usize, (&webert::batch::Sequence, i32))| {
        let encoding = Encoding {
            ids: batch.ids[sequence.rows.clone()].to_vec(),
            type_ids: batch.types[sequence.rows.clone()].to_vec(),
            attention_mask: vec![1; sequence.rows.len()],
            ..Encoding::default()
        };
        Example { row, encodings: vec![encoding], target: Target::Class(class) }
    };
    let examples = sequences.map(example).collect();
    Dataset::of_examples(TrainingTask::TextClassification, examples, None).unwrap()
}
