//! Training of low-rank adapters against PyTorch and PEFT.

use std::rc::Rc;

use pollster::block_on;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Result;
use webert::backend::Processor;
use webert::backend::cpu::Cpu;
use webert::backend::train::Train;
use webert::config::HeadKind;
use webert::engine::LoadOptions;
use webert::train::arguments::TrainingArguments;
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::lora::LoraOptions;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::Trainer;

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
use super::common;
use super::{
    SEQCLS, assert_close, compare, difference, golden_arguments, golden_batch, load, numbers,
    places,
};

/// A case of tests/goldens/training/lora.
struct Case {
    json: &'static str,
    start: &'static [u8],
    end: &'static [u8],
}

macro_rules! case {
    ($name:literal) => {
        Case {
            json: include_str!(concat!("../goldens/training/lora/", $name, ".json")),
            start: include_bytes!(concat!(
                "../goldens/training/lora/",
                $name,
                "-start.safetensors"
            )),
            end: include_bytes!(concat!("../goldens/training/lora/", $name, "-end.safetensors")),
        }
    };
}

const DROPOUT: Case = case!("dropout");
const CASES: [Case; 4] = [case!("default"), case!("dense"), case!("layers"), DROPOUT];

fn with_lora<B: Train + Processor>(backend: B, options: LoraOptions) -> Result<Trainer<B>> {
    let how = LoadOptions::with_dtype("fp32", None).unwrap();
    let model = load(backend, SEQCLS.config, Some(SEQCLS.model), how)?;
    Trainer::with_lora(Rc::new(model), Rates::default(), options, 1)
}

/// Creates the trainer of a case, with PEFT's initial factors.
fn started<B: Train + Processor>(backend: B, case: &Case) -> (Trainer<B>, Value) {
    let golden: Value = serde_json::from_str(case.json).unwrap();
    let options = serde_json::from_value(golden["options"].clone()).unwrap();
    let mut trainer = with_lora(backend, options).unwrap();
    let start = places(case.start);
    let mut state = block_on(trainer.state()).unwrap();
    for tensor in &mut state.parameters {
        if let Some(place) = start.get(&format!("base_model.model.{}", tensor.name)) {
            tensor.values = numbers(case.start, *place);
        }
    }
    trainer.resume(&state).unwrap();
    (trainer, golden)
}

/// Returns the tensors that PEFT saves, with its names.
fn saved<B: Train + Processor>(trainer: &Trainer<B>) -> Vec<NamedTensor> {
    let trained = (0..trainer.parameter_count()).filter(|&index| trainer.is_trained(index));
    let tensors: Vec<_> =
        trained.flat_map(|index| block_on(trainer.parameter(index)).unwrap()).collect();
    let names = trainer.adapter_tensors().unwrap();
    assert_eq!(names.len(), tensors.len());
    let named = tensors.into_iter().zip(names).map(|(tensor, (name, shape))| {
        assert_eq!(tensor.shape, shape, "{name}");
        NamedTensor { name, ..tensor }
    });
    named.collect()
}

fn trains_as_peft<B: Train + Processor>(backend: impl Fn() -> B) {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    for case in &CASES {
        let (mut trainer, golden) = started(backend(), case);
        compare(&saved(&trainer), case.start, |name, found, expected| {
            assert_eq!(found, expected, "{name}");
        });
        let (last, before) = golden["losses"].as_array().unwrap().split_last().unwrap();
        let norms = golden["norms"].as_array().unwrap();
        for (expected, norm) in before.iter().zip(norms) {
            let step = block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
            assert_close("loss", step.loss, expected, 1e-5);
            assert_close("norm", step.grad_norm, norm, 1e-5);
        }
        // The model itself has the sum of base and adapters.
        assert_close("loss", block_on(trainer.loss(&batch, &labels)).unwrap().loss, last, 1e-5);
        compare(&saved(&trainer), case.end, |name, found, expected| {
            let difference = difference(found, expected);
            assert!(difference <= 1e-5, "{name} after five steps: {difference}");
        });
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn adapters_train_as_in_peft() {
    trains_as_peft(Cpu::default);
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
#[test]
fn adapters_train_as_in_peft_on_the_gpu() {
    if common::adapter::gpu("adapters_train_as_in_peft_on_the_gpu").is_none() {
        return;
    }
    trains_as_peft(|| common::adapter::gpu("adapters_train_as_in_peft_on_the_gpu").unwrap());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_new_adapter_changes_no_output_and_only_its_factors_and_the_classifier_are_trained() {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let mut trainer = with_lora(Cpu::default(), LoraOptions::default()).unwrap();
    let mut plain = super::plain(&SEQCLS);
    let loss = |trainer: &mut Trainer<Cpu>| block_on(trainer.loss(&batch, &labels)).unwrap();
    assert_eq!(loss(&mut trainer), loss(&mut plain));
    let before = block_on(trainer.parameters()).unwrap();
    block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    for (before, after) in before.iter().zip(block_on(trainer.parameters()).unwrap()) {
        // The adapted matrices contain their adapters.
        let is_trained = ["lora_", "classifier", "query.weight", "value.weight"];
        let changes = is_trained.iter().any(|part| before.name.contains(part));
        assert_eq!(before.values != after.values, changes, "{}", before.name);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_config_is_peft_s() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let options = LoraOptions {
        target_modules: Some(names(&["all-linear"])),
        exclude_modules: names(&["pooler.dense"]),
        layers_to_transform: Some(vec![1]),
        lora_dropout: 0.1,
        ..LoraOptions::default()
    };
    let trainer = with_lora(Cpu::default(), options).unwrap();
    let config = trainer.adapter_config(Some("a/base")).unwrap();
    let config: Value = serde_json::from_str(&config).unwrap();
    let of_layer = |part: &str| format!("bert.encoder.layer.1.{part}");
    let parts = ["attention.self.query", "attention.self.key", "attention.self.value"];
    let parts =
        parts.into_iter().chain(["attention.output.dense", "intermediate.dense", "output.dense"]);
    assert_eq!(config["target_modules"], Value::from(parts.map(of_layer).collect::<Vec<_>>()));
    assert_eq!(config["task_type"], "SEQ_CLS");
    assert_eq!(config["base_model_name_or_path"], "a/base");
    assert_eq!(config["modules_to_save"], Value::from(names(&["classifier", "score"])));
    assert_eq!((&config["r"], &config["lora_alpha"]), (&Value::from(8), &Value::from(8)));
    assert_eq!(config["lora_dropout"], Value::from(0.1));
    let full = super::plain(&SEQCLS);
    assert!(full.adapter_tensors().is_none());
    assert_eq!(full.adapter_config(None).unwrap_err().code(), "bad_input");
}

#[wasm_bindgen_test(unsupported = test)]
fn options_that_do_not_fit_are_refused_by_name() {
    let refused = |json: Value, code: &str, text: &str| {
        let options = serde_json::from_value(json).unwrap();
        let error = with_lora(Cpu::default(), options).err().unwrap();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    refused(json!({ "r": 0 }), "bad_input", "peft.r: expected a rank of at least 1, got 0");
    let expected = "peft.lora_dropout: expected 0 or more and less than 1, got 1";
    refused(json!({ "lora_dropout": 1 }), "bad_input", expected);
    refused(
        json!({ "layers_to_transform": [2] }),
        "bad_input",
        "peft.layers_to_transform: expected layers below 2, got 2",
    );
    refused(json!({ "target_modules": ["query", "quary"] }), "bad_input", "\"quary\"");
    let every = ["query", "key", "value", "dense"];
    let none = "peft: expected linear layers to adapt, got none";
    let excluded = json!({ "target_modules": ["all-linear"], "exclude_modules": every });
    refused(excluded, "bad_input", none);
    refused(json!({ "target_modules": [] }), "bad_input", none);
    let all = json!({ "target_modules": ["query"], "layers_to_transform": [] });
    let trainer = with_lora(Cpu::default(), serde_json::from_value(all).unwrap()).unwrap();
    assert_eq!(
        trainer.adapter_tensors().unwrap().len(),
        2 * 2 + 2,
        "an empty list means all layers"
    );
    refused(
        json!({ "target_modules": ["word_embeddings"] }),
        "unsupported",
        "bert.embeddings.word_embeddings cannot be adapted",
    );
    refused(
        json!({ "modules_to_save": ["attention.output.dense"] }),
        "unsupported",
        "peft.modules_to_save: \"attention.output.dense\" is a part of the encoder",
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn a_resumed_run_of_adapters_continues_bit_for_bit() {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let step = |trainer: &mut Trainer<Cpu>| {
        block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    };
    let (mut whole, _) = started(Cpu::default(), &DROPOUT);
    let (mut first, _) = started(Cpu::default(), &DROPOUT);
    (0..4).for_each(|_| step(&mut whole));
    (0..2).for_each(|_| step(&mut first));
    let state = block_on(first.state()).unwrap();
    let (mut second, _) = started(Cpu::default(), &DROPOUT);
    second.resume(&state).unwrap();
    (0..2).for_each(|_| step(&mut second));
    let [whole, second] = [&whole, &second].map(|trainer| block_on(trainer.parameters()).unwrap());
    assert_eq!(whole, second);
}

#[wasm_bindgen_test(unsupported = test)]
fn recomputed_layers_have_the_masks_of_the_forward_pass() {
    let rates = Rates { hidden: 0.1, ..Rates::default() };
    // The layers of ALBERT share their adapters.
    for (family, module) in [("bert", "output.dense"), ("albert", "ffn_output")] {
        let options = LoraOptions {
            target_modules: Some(["query", "value", module].map(str::to_owned).to_vec()),
            lora_dropout: 0.3,
            ..LoraOptions::default()
        };
        let gradients = |gradient_checkpointing: bool| {
            let model = super::dropout::drawn_model(family, HeadKind::SequenceClassification, 3);
            let mut trainer =
                Trainer::with_lora(Rc::new(model), rates, options.clone(), 1).unwrap();
            let batch = super::dropout::four_sequences();
            let labels = Labels::Classes(vec![0, 2, 1, 1]);
            let arguments = TrainingArguments { gradient_checkpointing, ..golden_arguments() };
            // The second step has gradients of both factors.
            block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
            block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
            block_on(trainer.gradients()).unwrap()
        };
        let [kept, recomputed] = [gradients(false), gradients(true)];
        assert!(kept.iter().any(|tensor| tensor.name.contains("lora_A")), "{family}");
        assert_eq!(kept, recomputed, "{family}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_masked_language_model_trains_adapters_alone() {
    let config = include_bytes!("../goldens/models/bert-mlm/config.json");
    let weights = include_bytes!("../goldens/models/bert-mlm/model.safetensors");
    let how = LoadOptions::with_dtype("fp32", None).unwrap();
    let model = load(Cpu::default(), config, Some(weights), how).unwrap();
    let options = LoraOptions { lora_dropout: 0.1, ..LoraOptions::default() };
    let mut trainer = Trainer::with_lora(Rc::new(model), Rates::default(), options, 1).unwrap();
    let batch = super::dropout::four_sequences();
    let labels = Labels::Tokens(batch.ids.iter().map(|&id| id as i32).collect());
    let before = block_on(trainer.loss(&batch, &labels)).unwrap().loss;
    for _ in 0..5 {
        block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    }
    assert!(block_on(trainer.loss(&batch, &labels)).unwrap().loss < before);
    let tensors = trainer.adapter_tensors().unwrap();
    assert!(tensors.iter().all(|(name, _)| name.contains(".lora_")), "{tensors:?}");
}
