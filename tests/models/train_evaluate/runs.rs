//! Whole runs, with an evaluation at their end.

use std::rc::Rc;

use pollster::block_on;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::OutputRequest;
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::run::training_loop::{Event, Progress, TrainingResult};
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::{Freeze, Trainer};

use super::rows::{pair_rows, scored_rows, text_rows};
use super::{ROWS, data, generator, metrics, model, near, value};
use crate::common::{Model, go_on};

/// Takes the steps of a run. Returns its result and the progress of each step.
fn train(
    trainer: &mut Trainer<Cpu>,
    data: &Dataset,
    arguments: &TrainingArguments,
) -> (TrainingResult, Vec<Progress>) {
    let mut steps = Vec::new();
    let result = block_on(trainer.train(data, None, arguments, &mut |event| {
        if let Event::Step(progress) = event {
            steps.push(*progress);
        }
        Box::pin(async { Ok(()) })
    }));
    (result.unwrap(), steps)
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_is_that_of_transformers_trainer() {
    let golden: Value = serde_json::from_slice(ROWS.file("rows.json").unwrap()).unwrap();
    let relative = |found: f64, expected: &Value, tolerance: f64| {
        let expected = expected.as_f64().unwrap();
        near(found, expected, tolerance * expected);
    };
    for (batch, accumulation, checkpointing) in [(4, 2, false), (8, 1, false), (4, 2, true)] {
        let mut json = golden["train_args"].clone();
        json["per_device_train_batch_size"] = batch.into();
        json["gradient_accumulation_steps"] = accumulation.into();
        json["gradient_checkpointing"] = checkpointing.into();
        json["max_length"] = 24.into();
        let arguments: TrainingArguments = serde_json::from_value(json).unwrap();
        let model = Rc::new(ROWS.load("fp32").unwrap());
        let data = data(&model, TrainingTask::TextClassification, &golden["train_rows"]).unwrap();
        let mut trainer = Trainer::new(model, Rates::default(), Freeze::None).unwrap();
        let (result, steps) = train(&mut trainer, &data, &arguments);
        assert_eq!((result.global_step, steps.len()), (3, 3));
        relative(result.training_loss, &golden["training_loss"], 2e-5);
        for (n, step) in steps.iter().enumerate() {
            relative(f64::from(step.loss), &golden["loss_before_step"][n], 2e-5);
            relative(f64::from(step.grad_norm), &golden["grad_norm"][n], 1e-4);
            relative(step.learning_rate, &golden["learning_rate"][n], 1e-9);
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn texts_that_belong_together_come_near_each_other() {
    let model = model("bert-mlm", Some(HeadKind::Bare));
    let arguments =
        TrainingArguments { max_steps: 12, learning_rate: 5e-3, ..TrainingArguments::default() };
    for rows in [pair_rows(), scored_rows()] {
        let data = data(&model, TrainingTask::FeatureExtraction, &rows).unwrap();
        let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::None).unwrap();
        let before = metrics(&model, &data, &arguments);
        let (_, steps) = train(&mut trainer, &data, &arguments);
        // A batch of a run has its texts in columns, a batch of an evaluation has them row by row.
        near(f64::from(steps[0].loss), value(&before, "loss"), 1e-4);
        let after = metrics(&model, &data, &arguments);
        assert!(value(&after, "loss") < 0.2 * value(&before, "loss"), "{before:?}, {after:?}");
        assert_eq!(after[1].1.round(), 1.0, "{after:?}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_of_replaced_tokens_has_a_generator() {
    let (model, generator) = (model("electra-discriminator", None), generator());
    let data = data(&model, TrainingTask::ReplacedTokenDetection, &text_rows()).unwrap();
    let arguments = TrainingArguments { max_steps: 4, ..TrainingArguments::default() };
    let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::None).unwrap();
    let none =
        block_on(trainer.train(&data, None, &arguments, &mut |_| Box::pin(async { Ok(()) })));
    assert!(
        none.unwrap_err()
            .to_string()
            .contains("expected a generator, which is a model that fills masks")
    );
    trainer.set_generator(Rc::clone(&generator)).unwrap();
    let weights = |model: &Model| {
        let encodings = &data.examples()[0].encodings;
        block_on(model.compute(encodings, OutputRequest::Logits, None, &go_on)).unwrap()
    };
    let before = [weights(&model), weights(&generator)];
    // All three texts form one batch, because each epoch replaces their tokens.
    let mut micro = data.collate(&[0, 1, 2], arguments.seed, 0);
    block_on(micro.replace(&generator, &[0, 1, 2], arguments.seed, 0)).unwrap();
    let (batch, labels) = micro.pack(model.config(), HeadKind::ReplacedToken).unwrap();
    let first = block_on(trainer.loss(&batch, &labels)).unwrap().loss;
    let (_, steps) = train(&mut trainer, &data, &arguments);
    near(f64::from(steps[0].loss), f64::from(first), 1e-5);
    assert_ne!(before[0], weights(&model));
    assert_eq!(before[1], weights(&generator));

    let classifier = self::model("bert-seqcls-3", None);
    let mut trainer = Trainer::new(classifier, Rates::default(), Freeze::None).unwrap();
    assert_eq!(trainer.set_generator(generator).unwrap_err().code(), "unsupported");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_pooler_that_embeddings_do_not_pass_stays() {
    let model = model("bert-nsp", Some(HeadKind::Bare));
    let data = data(&model, TrainingTask::FeatureExtraction, &pair_rows()).unwrap();
    let arguments =
        TrainingArguments { max_steps: 2, weight_decay: 0.5, ..TrainingArguments::default() };
    let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::None).unwrap();
    let before = block_on(trainer.parameters()).unwrap();
    train(&mut trainer, &data, &arguments);
    let after = block_on(trainer.parameters()).unwrap();
    let poolers = before.iter().filter(|tensor| tensor.name.contains("pooler")).count();
    assert_eq!(poolers, 2);
    for (before, after) in before.iter().zip(&after) {
        let stays = before.name.contains("pooler");
        assert_eq!(before.values == after.values, stays, "{}", before.name);
    }
    let nothing = Trainer::new(model, Rates::default(), Freeze::Encoder).err().unwrap();
    assert_eq!(nothing.to_string(), "freeze: expected something left to train");
}
