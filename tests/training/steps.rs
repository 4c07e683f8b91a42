//! Steps: threads, micro-batches, recomputation, and what they refuse.

use std::rc::Rc;

use pollster::block_on;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::engine::{LoadOptions, OutputRequest};
use webert::tokenizer::Encoding;
use webert::train::arguments::TrainingArguments;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};

use super::common::{Golden, go_on};
use super::heads::{heads, of_golden};
use super::{
    PRETRAINING, SEQCLS, assert_close, examples, golden_arguments, golden_batch, greatest, load,
    plain, trainer,
};

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
