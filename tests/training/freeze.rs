//! Frozen parameters, and the work that they save.

use std::pin::Pin;
use std::rc::Rc;

use pollster::block_on;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::engine::LoadOptions;
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::{Freeze, Trainer};

use super::common::Golden;
use super::heads::{heads, of_golden};
use super::{
    PRETRAINING, SEQCLS, compare, difference, examples, golden_arguments, golden_batch, greatest,
    load, trainer,
};

#[wasm_bindgen_test(unsupported = test)]
fn frozen_parameters_stay_bit_for_bit() {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let frozen = |freeze: Freeze, name: &str| match freeze {
        Freeze::None => false,
        Freeze::Layers(layers) => {
            name.starts_with("bert.embeddings")
                || (0..layers).any(|n| name.starts_with(&format!("bert.encoder.layer.{n}.")))
        }
        Freeze::Encoder => !name.starts_with("classifier") && !name.starts_with("bert.pooler"),
    };
    for freeze in [Freeze::None, Freeze::Layers(0), Freeze::Layers(1), Freeze::Encoder] {
        let rates = Rates::default();
        let mut trainer =
            trainer(Cpu::default(), SEQCLS.config, SEQCLS.model, (rates, freeze)).unwrap();
        block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
        let parameters = block_on(trainer.parameters()).unwrap();
        compare(&parameters, SEQCLS.model, |name, now, before| {
            assert_eq!(now == before, frozen(freeze, name), "{name}, {freeze:?}");
        });
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn gradients_are_the_same_whatever_else_is_frozen() {
    // A tied decoder: its bias is trained even if the word table is frozen.
    let (_, batch, labels) = golden_batch(&PRETRAINING);
    let gradients = |freeze: Freeze| {
        let (config, model) = (PRETRAINING.config, PRETRAINING.model);
        let mut trainer =
            trainer(Cpu::default(), config, model, (Rates::default(), freeze)).unwrap();
        block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
        block_on(trainer.gradients()).unwrap()
    };
    let all = gradients(Freeze::None);
    for (freeze, trained) in
        [(Freeze::Layers(0), 41), (Freeze::Layers(1), 25), (Freeze::Encoder, 9)]
    {
        let some = gradients(freeze);
        assert_eq!(some.len(), trained, "{freeze:?}");
        for gradient in some {
            let same = all.iter().find(|other| other.name == gradient.name).unwrap();
            let difference = difference(&gradient.values, &same.values);
            assert!(difference <= 1e-6 * greatest(&same.values), "{}: {difference}", same.name);
        }
    }
}

/// Returns a trainer of this golden's head only.
fn head_alone(golden: &Golden, rates: Rates) -> Trainer<Cpu> {
    let (config, weights) = ("config.json", "model.safetensors");
    let [config, weights] = [config, weights].map(|name| golden.file(name).unwrap());
    trainer(Cpu::default(), config, weights, (rates, Freeze::Encoder)).unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn every_head_has_its_gradients_over_a_frozen_encoder() {
    // A frozen encoder has no dropout, and neither do these heads.
    let rates = Rates { hidden: 0.2, attention: 0.2, ..Rates::default() };
    for (golden, batch, labels, _) in heads() {
        let mut all =
            of_golden(golden, golden.file("model.safetensors").unwrap(), Rates::default());
        let mut head = head_alone(golden, rates);
        let arguments = TrainingArguments { learning_rate: 0.0, ..golden_arguments() };
        let expected = block_on(all.step(&batch, &labels, &arguments)).unwrap();
        let expected_gradients = block_on(all.gradients()).unwrap();
        // The second time, the states exist already.
        for _ in 0..2 {
            let found = block_on(head.step(&batch, &labels, &arguments)).unwrap();
            assert!((found.loss - expected.loss).abs() <= 1e-5 * expected.loss, "{}", golden.name);
            for gradient in block_on(head.gradients()).unwrap() {
                let same = |other: &&NamedTensor| other.name == gradient.name;
                let other = expected_gradients.iter().find(same).unwrap();
                let difference = difference(&gradient.values, &other.values);
                let limit = 1e-5 * greatest(&other.values).max(1e-3);
                assert!(difference <= limit, "{} {}: {difference}", golden.name, other.name);
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn states_of_a_frozen_encoder_are_computed_once() {
    let rates = Rates { classifier: 0.1, ..Rates::default() };
    let frozen = (rates, Freeze::Encoder);
    let mut trainer = trainer(Cpu::default(), SEQCLS.config, SEQCLS.model, frozen).unwrap();
    let mut run = |data: &Dataset, num_train_epochs: f64| {
        let arguments = TrainingArguments {
            num_train_epochs,
            per_device_train_batch_size: 3,
            ..TrainingArguments::default()
        };
        let mut go_on = |_: &_| -> Pin<Box<dyn Future<Output = _>>> { Box::pin(async { Ok(()) }) };
        block_on(trainer.train(data, None, &arguments, &mut go_on)).unwrap();
        trainer.computed_states()
    };
    let data = examples();
    assert_eq!(run(&data, 3.0), data.examples().len());
    assert_eq!(run(&data, 5.0), data.examples().len());
    // only the row that was changed
    let mut changed = data.examples().to_vec();
    changed[1].encodings[0].ids[2] += 1;
    let task = TrainingTask::TextClassification;
    let changed = Dataset::of_examples(task, changed, None).unwrap();
    assert_eq!(run(&changed, 7.0), data.examples().len() + 1);
}

#[wasm_bindgen_test(unsupported = test)]
fn states_follow_the_current_weights() {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let still = TrainingArguments { learning_rate: 0.0, ..golden_arguments() };
    let options = LoadOptions::with_dtype("fp32", None).unwrap();
    let model = load(Cpu::default(), SEQCLS.config, Some(SEQCLS.model), options).unwrap();
    let model = Rc::new(model);
    let new = |freeze| Trainer::new(Rc::clone(&model), Rates::default(), freeze).unwrap();
    let (mut head, mut all) = (new(Freeze::Encoder), new(Freeze::None));
    let state = block_on(all.state()).unwrap();
    let first = block_on(head.step(&batch, &labels, &still)).unwrap().loss;
    let mut before = f32::INFINITY;
    for _ in 0..2 {
        let step = block_on(head.step(&batch, &labels, &still)).unwrap();
        let expected = block_on(head.loss(&batch, &labels)).unwrap().loss;
        assert!((step.loss - expected).abs() <= 1e-5 * expected, "{}, {expected}", step.loss);
        assert!(step.loss < before);
        before = step.loss;
        // Another trainer of the same model changes the encoder.
        block_on(all.step(&batch, &labels, &golden_arguments())).unwrap();
    }
    // So does resuming a state, here the initial one.
    head.resume(&state).unwrap();
    let again = block_on(head.step(&batch, &labels, &still)).unwrap();
    assert_eq!(again.loss, first);
    assert_eq!(head.computed_states(), batch.sequences.len());
}
