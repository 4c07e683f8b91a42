//! Three steps of every head and loss against transformers and sentence-transformers: losses,
//! gradients, norms.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::rc::Rc;

use crate::common::{Golden, dims, flat, inputs};
use pollster::block_on;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::Processor;
use webert::backend::cpu::Cpu;
use webert::backend::train::Train;
use webert::batch::{Batch, Padded};
use webert::config::Config;
use webert::train::arguments::TrainingArguments;
use webert::train::data::padded::{PaddedLabels, Values, pack};
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};

/// Embeds folders of tests/goldens/training/heads.
macro_rules! heads {
    ($($name:literal)+) => {
        [$(Golden {
            name: $name,
            files: &[
                ("config.json", include_bytes!(concat!("../goldens/training/heads/", $name, "/config.json"))),
                (
                    "model.safetensors",
                    include_bytes!(concat!("../goldens/training/heads/", $name, "/model.safetensors")),
                ),
                ("training.json", include_bytes!(concat!("../goldens/training/heads/", $name, "/training.json"))),
            ],
        }),+]
    };
}

#[cfg(feature = "families")]
const DEBERTA: [Golden; 6] = heads!(
    "deberta-answers" "deberta-classes" "deberta-tokens" "deberta-v1-answers" "deberta-v1-classes" "deberta-v1-tokens"
);

/// Families that equal RoBERTa and BERT but for their names.
#[cfg(feature = "families")]
const ALIKE: [Golden; 3] = heads!("camembert-classes" "data2vec-tokens" "ernie-answers");

const HEADS: [Golden; 12] = heads!(
    "cosine-similarity" "fill-mask" "multi-label" "multiple-choice" "multiple-negatives" "multiple-negatives-triplets"
    "next-sentence-prediction" "question-answering" "regression" "replaced-token-detection" "single-label"
    "token-classification"
);

/// Returns labels with Hugging Face's names, if present.
fn values(value: &Value) -> Option<Values> {
    let data = || flat(value).into_iter().map(|number| number as f32).collect();
    (!value.is_null()).then(|| Values { dims: dims(value), data: data() })
}

/// Returns the batch of a golden with its labels. Embeddings have several inputs.
fn batch(config: &Config, training: &Value) -> (Batch, Labels) {
    let given = match &training["inputs"] {
        Value::Array(columns) => {
            columns.iter().map(|column| inputs(&json!({ "inputs": column }))).collect()
        }
        _ => vec![inputs(training)],
    };
    let of = |name: &str| values(&training["labels"][name]);
    let labels = PaddedLabels {
        labels: of("labels"),
        next_sentence_label: of("next_sentence_label"),
        start_positions: of("start_positions"),
        end_positions: of("end_positions"),
    };
    pack(config, config.head.unwrap(), &given, &labels).unwrap()
}

fn trainer(golden: &Golden) -> Trainer<Cpu> {
    trainer_on(golden, Cpu::default())
}

fn trainer_on<B: Train + Processor>(golden: &Golden, device: B) -> Trainer<B> {
    let model = Rc::new(golden.load_on(device, "fp32").unwrap());
    Trainer::new(model, Rates::default(), Freeze::None).unwrap()
}

/// Returns the arguments of a run, except its learning rate.
fn arguments(training: &Value, run: &Value) -> TrainingArguments {
    let mut json = run["options"].clone();
    for name in ["weight_decay", "max_grad_norm", "adam_beta1", "adam_beta2", "adam_epsilon"] {
        json[name] = training["optimizer"][name].clone();
    }
    serde_json::from_value(json).unwrap()
}

#[track_caller]
fn near(name: &str, found: f32, expected: &Value, relative: f64) {
    let expected = expected.as_f64().unwrap();
    let error = (f64::from(found) - expected).abs();
    assert!(error <= relative * expected.abs(), "{name}: {found}, expected {expected}");
}

/// Compares the length of each tensor's gradient, and its first numbers.
fn compare(name: &str, gradients: &[NamedTensor], summary: &Value) {
    let summary = summary.as_object().unwrap();
    for (tensor, expected) in summary {
        let is_tied = tensor.starts_with("cls.predictions.decoder");
        // A checkpoint of a bare encoder has names without the prefix.
        let is_of = |found: &&NamedTensor| {
            found.name.strip_prefix("bert.").unwrap_or(&found.name)
                == tensor.strip_prefix("bert.").unwrap_or(tensor)
        };
        let Some(found) = gradients.iter().find(is_of) else {
            assert!(is_tied, "{name}: no gradient of {tensor}");
            continue;
        };
        let length = expected["l2"].as_f64().unwrap();
        let limit = 1e-4 * length + 3e-7;
        let found_length: f64 = found.values.iter().map(|&x| f64::from(x).powi(2)).sum();
        let error = (found_length.sqrt() - length).abs();
        assert!(error <= limit, "{name}: the gradient of {tensor} is off by {error:e}");
        for (&found, expected) in found.values.iter().zip(flat(&expected["first8"])) {
            let error = (f64::from(found) - expected).abs();
            assert!(error <= limit, "{name}: the gradient of {tensor} is off by {error:e}");
        }
    }
}

/// Takes three steps of each run of a golden. Returns the number of runs.
fn trains_as_the_reference<B: Train + Processor>(golden: &Golden, open: &dyn Fn() -> B) -> usize {
    let training: Value = serde_json::from_slice(golden.file("training.json").unwrap()).unwrap();
    let config = Config::parse(golden.file("config.json").unwrap()).unwrap();
    let (batch, labels) = batch(&config, &training);
    let runs = training["runs"].as_array().unwrap();
    for run in runs {
        let name = format!("{} {}", golden.name, run["name"].as_str().unwrap());
        let mut trainer = trainer_on(golden, open());
        let mut arguments = arguments(&training, run);
        for step in 0..3 {
            arguments.learning_rate = run["learning_rate"][step].as_f64().unwrap();
            let taken = block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
            near(&name, taken.loss, &run["loss_before_step"][step], 2e-5);
            near(&name, taken.grad_norm, &run["grad_norm"][step], 1e-4);
            if step == 0 && !run["gradient_summary"].is_null() {
                let gradients = block_on(trainer.gradients()).unwrap();
                compare(&name, &gradients, &run["gradient_summary"]);
            }
        }
        if arguments.label_smoothing_factor == 0.0 && arguments.class_weights.is_none() {
            let after = block_on(trainer.loss(&batch, &labels)).unwrap();
            near(&name, after.loss, &run["loss_before_step"][3], 2e-5);
        }
    }
    runs.len()
}

#[wasm_bindgen_test(unsupported = test)]
fn every_head_trains_as_in_the_reference_implementations() {
    let runs = HEADS.iter().map(|golden| trains_as_the_reference(golden, &Cpu::default));
    assert_eq!(runs.sum::<usize>(), 20);
}

#[cfg(feature = "families")]
#[wasm_bindgen_test(unsupported = test)]
fn camembert_data2vec_and_ernie_train_as_in_transformers() {
    let runs = ALIKE.iter().map(|golden| trains_as_the_reference(golden, &Cpu::default));
    assert_eq!(runs.sum::<usize>(), 3);
}

#[cfg(feature = "families")]
#[wasm_bindgen_test(unsupported = test)]
fn deberta_trains_as_in_transformers() {
    let runs = DEBERTA.iter().map(|golden| trains_as_the_reference(golden, &Cpu::default));
    assert_eq!(runs.sum::<usize>(), 6);
}

#[cfg(feature = "families")]
#[wasm_bindgen_test(unsupported = test)]
fn variants_of_deberta_without_gradients_are_refused() {
    let golden = &DEBERTA[1];
    let config: Value = serde_json::from_slice(golden.file("config.json").unwrap()).unwrap();
    let arguments = TrainingArguments { gradient_checkpointing: true, ..Default::default() };
    let training: Value = serde_json::from_slice(golden.file("training.json").unwrap()).unwrap();
    let (batch, labels) = batch(&Config::parse(config.to_string().as_bytes()).unwrap(), &training);
    let error = block_on(trainer(golden).step(&batch, &labels, &arguments)).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("gradient_checkpointing"), "{error}");
    let model = Rc::new(Golden::named("families/deberta-v2-conv").load("fp32").unwrap());
    let error = Trainer::new(model, Rates::default(), Freeze::None).err().unwrap();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("with a convolution or narrow embeddings"), "{error}");
}

#[cfg(all(feature = "gpu", feature = "families", not(target_arch = "wasm32")))]
#[test]
fn deberta_trains_on_the_gpu_as_in_transformers() {
    let name = "deberta_trains_on_the_gpu_as_in_transformers";
    if crate::common::adapter::gpu(name).is_none() {
        return;
    }
    let open = || crate::common::adapter::gpu(name).unwrap();
    let runs = DEBERTA.iter().map(|golden| trains_as_the_reference(golden, &open));
    assert_eq!(runs.sum::<usize>(), 6);
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
#[test]
fn every_head_trains_on_the_gpu_as_in_the_reference_implementations() {
    let name = "every_head_trains_on_the_gpu_as_in_the_reference_implementations";
    if crate::common::adapter::gpu(name).is_none() {
        return;
    }
    let open = || crate::common::adapter::gpu(name).unwrap();
    let runs = HEADS.iter().map(|golden| trains_as_the_reference(golden, &open));
    assert_eq!(runs.sum::<usize>(), 20);
}

/// Checks a loss beyond f32 whose gradients are finite. Only the head's biases are trained, and
/// they are far apart.
fn stops_before_an_infinite_loss<B: Train + Processor>(device: B) {
    let golden = HEADS.iter().find(|golden| golden.name == "single-label").unwrap();
    let training: Value = serde_json::from_slice(golden.file("training.json").unwrap()).unwrap();
    let config = Config::parse(golden.file("config.json").unwrap()).unwrap();
    let (batch, _) = batch(&config, &training);
    let model = Rc::new(golden.load_on(device, "fp32").unwrap());
    let set_biases = |biases: &[f32]| {
        let mut head = model.head_mut().unwrap();
        let bias = &mut head.output.as_mut().unwrap().bias;
        model.engine().backend().unwrap().write_vector(bias, 0, biases);
    };
    let mut biases = vec![-3e38; config.labels.len()];
    biases[0] = 3e38;
    set_biases(&biases);
    let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::Encoder).unwrap();
    let before = block_on(trainer.parameters()).unwrap();
    let labels = Labels::Classes(vec![1; batch.sequences.len()]);
    let arguments = TrainingArguments { learning_rate: 0.1, ..TrainingArguments::default() };
    let error = block_on(trainer.step(&batch, &labels, &arguments)).unwrap_err();
    assert_eq!(error.code(), "bad_input");
    // On a GPU, the difference of infinite numbers may be NaN.
    let messages = ["inf", "NaN"]
        .map(|loss| format!("step 1: the loss is {loss}; the weights are those before the step"));
    assert!(messages.contains(&error.to_string()), "{error}");
    assert!(block_on(trainer.parameters()).unwrap() == before, "weights have changed");
    assert_eq!(trainer.steps(), 0);
    set_biases(&vec![0.0; biases.len()]);
    let step = block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
    assert!(step.loss > 0.0, "the trainer goes on");
}

#[wasm_bindgen_test(unsupported = test)]
fn an_infinite_loss_stops_before_weights_change() {
    stops_before_an_infinite_loss(Cpu::default());
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
#[test]
fn an_infinite_loss_stops_before_weights_change_on_the_gpu() {
    let Some(gpu) =
        crate::common::adapter::gpu("an_infinite_loss_stops_before_weights_change_on_the_gpu")
    else {
        return;
    };
    stops_before_an_infinite_loss(gpu);
}

#[wasm_bindgen_test(unsupported = test)]
fn texts_and_scores_that_do_not_fit_are_refused() {
    let golden = &HEADS[0];
    let training: Value = serde_json::from_slice(golden.file("training.json").unwrap()).unwrap();
    let config = Config::parse(golden.file("config.json").unwrap()).unwrap();
    let (batch, _) = batch(&config, &training);
    let mut trainer = trainer(golden);
    let mut refused = |columns: usize, scores: Option<Vec<f32>>| {
        let labels = Labels::Similarity { columns, scores };
        let error = block_on(trainer.loss(&batch, &labels)).unwrap_err();
        assert_eq!(error.code(), "bad_input", "{error}");
        error.to_string()
    };
    assert!(refused(3, None).starts_with(
        "texts: expected two or more columns of equal length, got 8 texts in 3 columns"
    ));
    assert!(refused(1, None).starts_with(
        "texts: expected two or more columns of equal length, got 8 texts in 1 columns"
    ));
    assert!(refused(2, Some(vec![0.0; 3])).contains("3 scores for 2 columns"));
    assert!(refused(4, Some(vec![0.0; 4])).contains("4 scores for 4 columns"));
    assert!(
        refused(2, Some(vec![f32::NAN; 4])).contains("labels: expected finite numbers, got NaN")
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn padding_has_its_rows_where_all_tokens_are_packed() {
    let config = Config::parse(HEADS[7].file("config.json").unwrap()).unwrap();
    let pack = |mask: &[u32]| {
        let padded = Padded {
            length: 3,
            ids: &[2, 5, 3, 2, 3, 0],
            mask: Some(mask),
            types: None,
            positions: None,
        };
        Batch::pack_whole(&config, padded)
    };
    let batch = pack(&[0, 1, 1, 1, 1, 0]).unwrap();
    assert_eq!(batch.positions, [0, 1, 2, 0, 1, 2]);
    let of = |n: usize| (batch.sequences[n].rows.clone(), batch.sequences[n].keys.clone());
    assert_eq!([of(0), of(1)], [(0..3, 1..3), (3..6, 3..5)]);
    for mask in [[1, 1, 1, 1, 0, 1], [1, 1, 1, 0, 0, 0]] {
        let error = pack(&mask).unwrap_err();
        assert!(error.to_string().contains("attention_mask of sequence 1"), "{error}");
    }
    assert!(pack(&[1, 1]).unwrap_err().to_string().contains("attention_mask: expected"));
}
