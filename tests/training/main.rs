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
mod initialize;
mod lora;
#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
mod on_gpu;
mod runs;

use std::collections::BTreeMap;
use std::rc::Rc;

use common::{Golden, go_on};
use pollster::block_on;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::Processor;
use webert::backend::cpu::Cpu;
use webert::backend::train::Train;
use webert::batch::{Batch, Padded};
use webert::config::{Config, HeadKind, Problem};
use webert::engine::{Folder, LoadOptions, Model, ModelLoader, OutputRequest};
use webert::tokenizer::{Encoding, Files, Tokenizer};
use webert::train::arguments::{Optimizer, TrainingArguments};
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::data::masking::Masking;
use webert::train::data::rows::{Example, Target};
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};
use webert::{Error, Result};

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
const LOSSES: &str = include_str!("../goldens/training/losses.json");

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

fn losses_gradients_and_steps<B: Train + Processor>(backend: B, run: &Run) {
    let (training, batch, labels) = golden_batch(run);
    let all = (Rates::default(), Freeze::None);
    let mut trainer = trainer(backend, run.config, run.model, all).unwrap();
    let arguments = golden_arguments();
    let before = training["loss_before_step"].as_array().unwrap();
    for (step, expected) in before.iter().enumerate() {
        let losses = block_on(trainer.loss(&batch, &labels)).unwrap();
        assert_close("loss", losses.loss, &expected["loss"], 1e-5);
        if let Some([mlm, nsp]) = losses.parts {
            assert_close("mlm_loss", mlm, &expected["mlm_loss"], 1e-5);
            assert_close("nsp_loss", nsp, &expected["nsp_loss"], 1e-5);
        }
        if step == 10 {
            break;
        }
        let taken = block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
        assert_close("loss of the step", taken.loss, &expected["loss"], 1e-5);
        if step == 0 {
            assert_close("norm", taken.grad_norm, &training["gradient_global_l2"], 1e-5);
            let gradients = block_on(trainer.gradients()).unwrap();
            compare(&gradients, run.gradients, |name, found, expected| {
                // Adding a number to all scores of a softmax changes nothing, so this gradient is
                // only rounding.
                let limit =
                    if name.ends_with("key.bias") { 1e-6 } else { 1e-4 * greatest(expected) };
                assert!(difference(found, expected) <= limit, "gradient of {name}");
            });
        }
    }
    assert_eq!(trainer.steps(), 10);
    let parameters = block_on(trainer.parameters()).unwrap();
    compare(&parameters, run.step10, |name, found, expected| {
        // AdamW's steps have full length even if a gradient is only rounding: ten such steps on
        // both sides.
        let limit = if name.ends_with("key.bias") { 2e-2 } else { 1e-5 };
        let difference = difference(found, expected);
        assert!(difference <= limit, "{name} after ten steps: {difference}");
    });
}

#[wasm_bindgen_test(unsupported = test)]
fn sequence_classification_trains_as_in_pytorch() {
    losses_gradients_and_steps(Cpu::default(), &SEQCLS);
}

#[wasm_bindgen_test(unsupported = test)]
fn pretraining_trains_as_in_pytorch() {
    losses_gradients_and_steps(Cpu::default(), &PRETRAINING);
}

/// Returns every case of `losses.json`: model, batch, labels and loss.
fn heads() -> Vec<(&'static Golden, Batch, Labels, Value)> {
    let losses: Value = serde_json::from_str(LOSSES).unwrap();
    let cases = losses["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 11);
    let heads = cases.iter().map(|case| {
        let golden = Golden::named(case["model"].as_str().unwrap());
        let config = Config::parse(golden.file("config.json").unwrap()).unwrap();
        let (batch, labels) = batch(&config, &case["inputs"], &case["labels"]);
        (golden, batch, labels, case["loss"].clone())
    });
    heads.collect()
}

fn of_golden(golden: &Golden, weights: &[u8], rates: Rates) -> Trainer<Cpu> {
    let config = golden.file("config.json").unwrap();
    trainer(Cpu::default(), config, weights, (rates, Freeze::None)).unwrap()
}

/// Like [`plain`], with a smooth activation: finite differences are wrong across the kink of ReLU.
fn smooth(golden: &Golden, weights: &[u8], rates: Rates) -> Trainer<Cpu> {
    let config = str::from_utf8(golden.file("config.json").unwrap()).unwrap();
    let config = config.replace("\"relu\"", "\"gelu\"");
    trainer(Cpu::default(), config.as_bytes(), weights, (rates, Freeze::None)).unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn losses_of_every_head_are_transformers() {
    // transformers scores padding as a possible answer as well.
    for (golden, batch, labels, expected) in
        heads().into_iter().filter(|(golden, ..)| golden.name != "bert-qa")
    {
        let weights = golden.file("model.safetensors").unwrap();
        let mut trainer = of_golden(golden, weights, Rates::default());
        let losses = block_on(trainer.loss(&batch, &labels)).unwrap();
        assert_close(golden.name, losses.loss, &expected, 1e-5);
    }
}

/// Returns the mean cross-entropy of each sequence's scores over its tokens, with these places as
/// targets.
fn cross_entropy(scores: &Value, mask: &Value, places: &[i32]) -> f64 {
    let rows = scores.as_array().unwrap().iter().zip(mask.as_array().unwrap());
    let losses = rows.zip(places).map(|((scores, mask), &place)| {
        let tokens = flat(scores).0.into_iter().zip(flat(mask).0).filter(|(_, mask)| *mask == 1.0);
        let scores: Vec<f64> = tokens.map(|(score, _)| score).collect();
        let sum: f64 = scores.iter().map(|score| score.exp()).sum();
        sum.ln() - scores[place as usize]
    });
    losses.sum::<f64>() / places.len() as f64
}

#[wasm_bindgen_test(unsupported = test)]
fn answers_are_looked_for_among_a_sequences_own_tokens() {
    let golden = Golden::named("bert-qa");
    let config = Config::parse(golden.file("config.json").unwrap()).unwrap();
    let cases = golden.cases();
    let case = cases.iter().find(|case| case["name"] == "random_padded").unwrap();
    let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
    let sequences = inputs["input_ids"].as_array().unwrap().len() as i32;
    let starts: Vec<i32> = (0..sequences).map(|sequence| sequence % 3).collect();
    let ends: Vec<i32> = (0..sequences).map(|sequence| 3 - sequence % 2).collect();
    let start = cross_entropy(&outputs["start_logits"], &inputs["attention_mask"], &starts);
    let end = cross_entropy(&outputs["end_logits"], &inputs["attention_mask"], &ends);
    let labels = serde_json::json!({ "start_positions": starts, "end_positions": ends });
    let (batch, mut labels) = batch(&config, inputs, &labels);
    let mut trainer =
        of_golden(golden, golden.file("model.safetensors").unwrap(), Rates::default());
    let expected = Value::from((start + end) / 2.0);
    let losses = block_on(trainer.loss(&batch, &labels)).unwrap();
    assert_close("both", losses.loss, &expected, 1e-5);

    let Labels::Answers { ends, .. } = &mut labels else { panic!("{labels:?}") };
    ends.fill(1000);
    let losses = block_on(trainer.loss(&batch, &labels)).unwrap();
    assert_close("ends are outside", losses.loss, &Value::from(start / 2.0), 1e-5);
}

/// Returns +1 or -1 for each parameter, from a hash of its name and place. Returns 0 for the
/// padding word, whose lookup has no gradient.
fn direction(config: &Config, name: &str, len: usize) -> Vec<f32> {
    let mut state = name.bytes().fold(17_u32, |hash, byte| hash.wrapping_mul(31) + u32::from(byte));
    let next = move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 1.0 } else { -1.0 }
    };
    let mut direction: Vec<f32> = (0..len).map(next).collect();
    if name.ends_with("word_embeddings.weight") {
        direction[config.pad_id as usize * config.embedding..][..config.embedding].fill(0.0);
    }
    direction
}

/// Returns the weights, moved by `step` along the direction.
fn moved(config: &Config, weights: &[u8], names: &[String], step: f32) -> Vec<u8> {
    let mut moved = weights.to_vec();
    let places = places(weights);
    for name in names {
        let place = places[name];
        let along = direction(config, name, (place[1] - place[0]) / 4);
        let values = numbers(weights, place).into_iter().zip(along);
        let bytes: Vec<u8> =
            values.flat_map(|(value, sign)| (value + step * sign).to_le_bytes()).collect();
        moved[place[0]..place[1]].copy_from_slice(&bytes);
    }
    moved
}

/// Checks the gradients of every head along a direction that moves all parameters, with and without
/// dropout.
#[wasm_bindgen_test(unsupported = test)]
fn gradients_of_every_head_match_finite_differences() {
    let still = TrainingArguments {
        learning_rate: 0.0,
        optim: Optimizer::Sgd,
        ..TrainingArguments::default()
    };
    let (tokens, choices, answers, order) = (0.4, 0.4, 0.4, 0.4);
    let dropped = Rates {
        hidden: 0.2,
        attention: 0.3,
        classifier: 0.4,
        tokens,
        choices,
        answers,
        order,
        pooler: 0.0,
    };
    for (golden, batch, labels, _) in heads() {
        let config = Config::parse(golden.file("config.json").unwrap()).unwrap();
        for rates in [Rates::default(), dropped] {
            let weights = golden.file("model.safetensors").unwrap();
            let mut trainer = smooth(golden, weights, rates);
            block_on(trainer.step(&batch, &labels, &still)).unwrap();
            let gradients = block_on(trainer.gradients()).unwrap();
            let along = |tensor: &NamedTensor| {
                let signs = direction(&config, &tensor.name, tensor.values.len());
                tensor.values.iter().zip(signs).map(|(g, d)| f64::from(g * d)).sum::<f64>()
            };
            let slope: f64 = gradients.iter().map(along).sum();
            let names: Vec<String> = gradients.into_iter().map(|tensor| tensor.name).collect();
            let loss = |step: f32| {
                let mut trainer = smooth(golden, &moved(&config, weights, &names, step), rates);
                f64::from(block_on(trainer.step(&batch, &labels, &still)).unwrap().loss)
            };
            let h = 2.0_f32.powi(-12);
            let found = (loss(h) - loss(-h)) / f64::from(2.0 * h);
            let error = (found - slope).abs() / slope.abs().max(1.0);
            println!("{}: slope {slope:.5}, differences {found:.5}: {error:.1e}", golden.name);
            assert!(error < 5e-3, "{}, {rates:?}: slope {slope}, found {found}", golden.name);
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn tasks_run_over_the_weights_in_training() {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let Labels::Classes(classes) = &labels else { panic!("{labels:?}") };
    let mut trainer = plain(&SEQCLS);
    let encodings: Vec<Encoding> =
        examples().examples().iter().flat_map(|example| example.encodings.clone()).collect();
    let mut before = f64::INFINITY;
    for _ in 0..3 {
        block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
        let model = Rc::clone(trainer.model());
        let scores =
            block_on(model.compute(&encodings, OutputRequest::Logits, None, &go_on)).unwrap();
        let losses = scores.iter().zip(classes).map(|(scores, &class)| {
            let sum: f64 = scores.data.iter().map(|&score| f64::from(score).exp()).sum();
            sum.ln() - f64::from(scores.data[class as usize])
        });
        let mean = losses.sum::<f64>() / classes.len() as f64;
        let losses = block_on(trainer.loss(&batch, &labels)).unwrap();
        assert_close("the scores' loss", losses.loss, &Value::from(mean), 1e-5);
        assert!(mean < before, "{before} → {mean}");
        before = mean;
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn weights_in_another_precision_are_refused() {
    let options = LoadOptions::with_dtype("q8", None).unwrap();
    let model = load(Cpu::default(), SEQCLS.config, Some(SEQCLS.model), options).unwrap();
    let error = Trainer::new(Rc::new(model), Rates::default(), Freeze::None).err().unwrap();
    assert_eq!(error.code(), "unsupported");
    assert_eq!(error.to_string(), "training: expected F32 weights, got I8");
}

#[wasm_bindgen_test(unsupported = test)]
fn steps_are_the_same_with_any_number_of_threads() {
    let (_, batch, labels) = golden_batch(&PRETRAINING);
    let rates = Rates { hidden: 0.1, attention: 0.1, classifier: 0.1, ..Rates::default() };
    let after = |threads: usize| {
        let mut cpu = Cpu::default();
        cpu.set_threads(threads);
        let (config, model) = (PRETRAINING.config, PRETRAINING.model);
        let mut trainer = trainer(cpu, config, model, (rates, Freeze::None)).unwrap();
        for _ in 0..3 {
            block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
        }
        block_on(trainer.parameters()).unwrap()
    };
    assert!(after(1) == after(3));
}

#[wasm_bindgen_test(unsupported = test)]
fn micro_batches_of_a_step_are_one_batch() {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let (mut once, mut twice) = (plain(&SEQCLS), plain(&SEQCLS));
    let arguments = golden_arguments();
    let one = block_on(once.step(&batch, &labels, &arguments)).unwrap();
    let halves = [(&batch, &labels), (&batch, &labels)];
    let two = block_on(twice.step_of(&halves, &arguments, arguments.learning_rate)).unwrap();
    assert!((one.loss - two.loss).abs() < 1e-6 && (one.grad_norm - two.grad_norm).abs() < 1e-6);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_loss_that_is_not_finite_ends_the_run_and_changes_nothing() {
    let golden = Golden::named("bert-seqcls-regression");
    let (_, batch, _, _) =
        heads().into_iter().find(|(found, ..)| found.name == golden.name).unwrap();
    let weights = golden.file("model.safetensors").unwrap();
    let mut trainer = of_golden(golden, weights, Rates::default());
    let arguments = golden_arguments();
    let fine = Labels::Scores(vec![1.0; batch.sequences.len()]);
    block_on(trainer.step(&batch, &fine, &arguments)).unwrap();
    let before = block_on(trainer.parameters()).unwrap();
    let bad = Labels::Scores(vec![f32::MAX; batch.sequences.len()]);
    let error = block_on(trainer.step(&batch, &bad, &arguments)).unwrap_err();
    assert_eq!(error.code(), "bad_input");
    assert!(error.to_string().starts_with("step 2: the loss is inf"), "{error}");
    assert!(block_on(trainer.parameters()).unwrap() == before);
    block_on(trainer.step(&batch, &fine, &arguments)).unwrap();
    assert_eq!(trainer.steps(), 2);
}

#[wasm_bindgen_test(unsupported = test)]
fn labels_that_do_not_fit_are_refused_before_the_step() {
    let (_, batch, _) = golden_batch(&SEQCLS);
    let mut trainer = plain(&SEQCLS);
    for (labels, message) in [
        (Labels::Classes(vec![0]), "labels: expected 4 entries, got 1"),
        (Labels::Classes(vec![0, 1, 2, 3]), "labels: expected -100 or one of 3 classes, got 3"),
        (Labels::Tokens(vec![0; 4]), "labels: expected labels for "),
    ] {
        let error = block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap_err();
        assert_eq!(error.code(), "bad_input");
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_resumed_run_continues_bit_for_bit() {
    let (_, batch, labels) = golden_batch(&PRETRAINING);
    let rates = Rates { hidden: 0.1, attention: 0.1, classifier: 0.1, ..Rates::default() };
    let new = || {
        let (config, model) = (PRETRAINING.config, PRETRAINING.model);
        trainer(Cpu::default(), config, model, (rates, Freeze::None)).unwrap()
    };
    let train = |trainer: &mut Trainer<Cpu>, steps: usize| {
        for _ in 0..steps {
            block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
        }
    };
    let (mut whole, mut first, mut second) = (new(), new(), new());
    train(&mut whole, 10);
    train(&mut first, 5);
    let state = block_on(first.state()).unwrap();
    second.resume(&state).unwrap();
    train(&mut second, 5);
    assert_eq!(second.steps(), 10);
    assert!(block_on(whole.state()).unwrap() == block_on(second.state()).unwrap());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_state_of_another_model_is_refused() {
    let state = block_on(plain(&SEQCLS).state()).unwrap();
    let mut trainer = plain(&PRETRAINING);
    let before = block_on(trainer.parameters()).unwrap();
    let error = trainer.resume(&state).unwrap_err();
    assert_eq!(error.code(), "bad_input");
    let message = "saved state: bert.embeddings.word_embeddings.weight: expected shape [113, 28], got [80, 20]";
    assert_eq!(error.to_string(), message);
    assert!(block_on(trainer.parameters()).unwrap() == before);
}

#[wasm_bindgen_test(unsupported = test)]
fn what_is_computed_again_is_what_was_kept() {
    let (_, batch, labels) = golden_batch(&PRETRAINING);
    let rates = Rates { hidden: 0.1, attention: 0.1, classifier: 0.1, ..Rates::default() };
    for freeze in [Freeze::None, Freeze::Layers(0), Freeze::Layers(1), Freeze::Encoder] {
        let after = |gradient_checkpointing: bool| {
            let (config, model) = (PRETRAINING.config, PRETRAINING.model);
            let mut trainer = trainer(Cpu::default(), config, model, (rates, freeze)).unwrap();
            let arguments = TrainingArguments { gradient_checkpointing, ..golden_arguments() };
            for _ in 0..3 {
                block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
            }
            block_on(trainer.parameters()).unwrap()
        };
        assert!(after(true) == after(false), "{freeze:?}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_word_of_padding_has_no_gradient_of_its_look_up() {
    let golden = Golden::named("bert-seqcls-regression");
    let (_, batch, labels, _) =
        heads().into_iter().find(|(found, ..)| found.name == golden.name).unwrap();
    assert!(batch.ids.contains(&0) && batch.ids.contains(&1));
    let weights = golden.file("model.safetensors").unwrap();
    let mut trainer = of_golden(golden, weights, Rates::default());
    block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    let gradients = block_on(trainer.gradients()).unwrap();
    let words = gradients.iter().find(|tensor| tensor.name.ends_with("word_embeddings.weight"));
    let mut rows = words.unwrap().values.chunks(words.unwrap().shape[1]);
    assert_eq!(greatest(rows.next().unwrap()), 0.0);
    assert!(greatest(rows.next().unwrap()) > 0.0);
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
