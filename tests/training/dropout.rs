//! Dropout in every family: its gradients, and its effect on average.

use std::collections::BTreeMap;
use std::rc::Rc;

use pollster::block_on;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::batch::Batch;
use webert::batch::Sequence;
use webert::config::HeadKind;
use webert::engine::Initialize;
use webert::engine::{LoadOptions, Model};
use webert::train::arguments::{Optimizer, TrainingArguments};
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};

use super::heads::direction;
use super::load;

/// Returns a small model of a family with a head, with random weights, in training.
fn drawn(family: &str, head: HeadKind, labels: usize, rates: Rates) -> Trainer<Cpu> {
    let model = drawn_model(family, head, labels);
    Trainer::new(Rc::new(model), rates, Freeze::None).unwrap()
}

/// Returns a small model of a family with a head, with random weights.
pub(super) fn drawn_model(family: &str, head: HeadKind, labels: usize) -> Model<Cpu> {
    let names: BTreeMap<String, String> =
        (0..labels).map(|n| (n.to_string(), format!("label {n}"))).collect();
    let config = serde_json::json!({
        "model_type": family, "hidden_size": 24, "embedding_size": 12, "num_hidden_layers": 2,
        "num_attention_heads": 3, "intermediate_size": 40, "vocab_size": 30, "max_position_embeddings": 20,
        "hidden_act": "gelu", "initializer_range": 0.2, "id2label": names,
    });
    let options = LoadOptions {
        head: Some(head),
        initialize: Some(Initialize { seed: 3, output: false }),
        ..LoadOptions::with_dtype("fp32", None).unwrap()
    };
    let config = serde_json::to_vec(&config).unwrap();
    load(Cpu::default(), &config, None, options).unwrap()
}

/// Returns four sequences of five to eight tokens.
pub(super) fn four_sequences() -> Batch {
    let mut batch = Batch::default();
    for length in 5..9_u32 {
        let start = batch.ids.len();
        batch.ids.extend((0..length).map(|n| 2 + (7 * n + 3 * length) % 28));
        batch.types.extend((0..length).map(|_| 0));
        batch.positions.extend(2..2 + length);
        let rows = start..batch.ids.len();
        batch.sequences.push(Sequence { rows: rows.clone(), keys: rows });
    }
    batch
}

/// Returns labels for four sequences, or for two questions with two choices each.
fn labels(head: HeadKind, tokens: usize) -> Labels {
    let by_token = || (0..tokens as i32).map(|n| n % 3).collect();
    match head {
        HeadKind::TokenClassification => Labels::Tokens(by_token()),
        HeadKind::QuestionAnswering => {
            Labels::Answers { starts: vec![1, 2, 0, 3], ends: vec![2, 2, 4, 6] }
        }
        HeadKind::MultipleChoice => Labels::Classes(vec![1, 0]),
        HeadKind::PreTraining => {
            Labels::PreTraining { tokens: by_token(), next_sentence: vec![0, 1, 1, 0] }
        }
        _ => Labels::Classes(vec![0, 2, 1, 1]),
    }
}

/// Returns arguments with which a step changes nothing.
fn still(seed: u64) -> TrainingArguments {
    TrainingArguments { learning_rate: 0.0, optim: Optimizer::Sgd, seed, ..Default::default() }
}

#[wasm_bindgen_test(unsupported = test)]
fn gradients_through_dropout_match_finite_differences_in_every_family() {
    let rate = 0.25;
    let rates = Rates {
        hidden: 0.1,
        attention: 0.2,
        classifier: rate,
        tokens: rate,
        choices: rate,
        answers: rate,
        order: rate,
        pooler: 0.0,
    };
    let heads = [
        HeadKind::SequenceClassification,
        HeadKind::TokenClassification,
        HeadKind::MultipleChoice,
        HeadKind::QuestionAnswering,
    ];
    let families = ["bert", "distilbert", "roberta", "electra", "albert"];
    let all = families.iter().flat_map(|family| heads.map(|head| (*family, head)));
    for (family, head) in all.chain([("albert", HeadKind::PreTraining)]) {
        let mut trainer = drawn(family, head, 3, rates);
        let batch = four_sequences();
        let labels = labels(head, batch.ids.len());
        let config = trainer.model().config().clone();
        let state = block_on(trainer.state()).unwrap();
        block_on(trainer.step(&batch, &labels, &still(5))).unwrap();
        let gradients = block_on(trainer.gradients()).unwrap();
        let along = |tensor: &NamedTensor| {
            let signs = direction(&config, &tensor.name, tensor.values.len());
            tensor.values.iter().zip(signs).map(|(g, d)| f64::from(g * d)).sum::<f64>()
        };
        let slope: f64 = gradients.iter().map(along).sum();
        let mut loss = |step: f32| {
            let mut moved = state.clone();
            for tensor in &mut moved.parameters {
                let signs = direction(&config, &tensor.name, tensor.values.len());
                tensor.values.iter_mut().zip(signs).for_each(|(value, sign)| *value += step * sign);
            }
            trainer.resume(&moved).unwrap();
            f64::from(block_on(trainer.step(&batch, &labels, &still(5))).unwrap().loss)
        };
        let h = 2.0_f32.powi(-12);
        let found = (loss(h) - loss(-h)) / f64::from(2.0 * h);
        let error = (found - slope).abs() / slope.abs().max(1.0);
        println!("{family} {head:?}: slope {slope:.5}, differences {found:.5}: {error:.1e}");
        assert!(error < 5e-3, "{family} {head:?}: slope {slope}, found {found}");
    }
}

/// The score of a regression is linear in the values that dropout changes before the last layer,
/// and the gradient of its bias is twice the score minus the target. On average it must equal the
/// gradient without dropout.
#[wasm_bindgen_test(unsupported = test)]
fn the_last_layer_reads_on_average_what_it_does_without_dropout() {
    let head = HeadKind::SequenceClassification;
    let (batch, labels) = (four_sequences(), Labels::Scores(vec![0.5, -0.5, 0.0, 1.0]));
    let gradient = |trainer: &mut Trainer<Cpu>, seed: u64| {
        block_on(trainer.step(&batch, &labels, &still(seed))).unwrap();
        let gradients = block_on(trainer.gradients()).unwrap();
        let bias = gradients.iter().find(|tensor| tensor.name == "classifier.bias");
        f64::from(bias.unwrap().values[0])
    };
    for family in ["bert", "distilbert", "albert"] {
        let expected = gradient(&mut drawn(family, head, 1, Rates::default()), 0);
        let rates = Rates { classifier: 0.5, ..Rates::default() };
        let mut trainer = drawn(family, head, 1, rates);
        let found: Vec<f64> = (0..400).map(|seed| gradient(&mut trainer, seed)).collect();
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let variance = found.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        assert!(variance > 1e-6, "{family}: {variance}");
        let error = (mean - expected).abs();
        assert!(error < 4.0 * (variance / n).sqrt(), "{family}: {mean}, expected {expected}");
        // Other rates have no effect here.
        let others =
            Rates { tokens: 0.5, choices: 0.5, answers: 0.5, order: 0.5, ..Rates::default() };
        assert_eq!(gradient(&mut drawn(family, head, 1, others), 0), expected);
    }
}
