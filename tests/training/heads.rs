//! The losses of every head, and gradients against finite differences.

use pollster::block_on;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::batch::Batch;
use webert::config::Config;
use webert::train::arguments::{Optimizer, TrainingArguments};
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};

use super::common::Golden;
use super::{assert_close, batch, flat, numbers, places, trainer};

const LOSSES: &str = include_str!("../goldens/training/losses.json");

/// Returns every case of `losses.json`: model, batch, labels and loss.
pub(super) fn heads() -> Vec<(&'static Golden, Batch, Labels, Value)> {
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

pub(super) fn of_golden(golden: &Golden, weights: &[u8], rates: Rates) -> Trainer<Cpu> {
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
pub(super) fn direction(config: &Config, name: &str, len: usize) -> Vec<f32> {
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
