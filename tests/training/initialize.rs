//! Models with parameters that no file has: new heads on checkpoints, and models from config.json
//! only.

use std::collections::BTreeMap;
use std::rc::Rc;

use pollster::block_on;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::batch::Batch;
use webert::config::HeadKind;
use webert::engine::Initialize;
use webert::engine::{Folder, LoadOptions, Model, ModelLoader};
use webert::tokenizer::Encoding;
use webert::train::run::state::NamedTensor;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};

use super::common::Golden;
use super::common::file::{File, quantized};
use super::{
    PRETRAINING, SEQCLS, difference, examples, golden_arguments, golden_batch, greatest, load,
    numbers, places,
};

/// Returns options that initialize missing parameters.
fn drawing(seed: u64, output: bool) -> LoadOptions {
    let options = LoadOptions::with_dtype("fp32", None).unwrap();
    LoadOptions { initialize: Some(Initialize { seed, output }), ..options }
}

/// Returns a trainer on the CPU without dropout, and every parameter by name.
fn in_training(model: Model<Cpu>) -> (Trainer<Cpu>, BTreeMap<String, NamedTensor>) {
    let trainer = Trainer::new(Rc::new(model), Rates::default(), Freeze::None).unwrap();
    let parameters = block_on(trainer.parameters()).unwrap();
    let named = parameters.into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect();
    (trainer, named)
}

/// Returns a config with other fields.
fn with_fields(config_json: &[u8], fields: Value) -> Vec<u8> {
    let mut config: Value = serde_json::from_slice(config_json).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        config[name] = value.clone();
    }
    serde_json::to_vec(&config).unwrap()
}

/// Returns the losses before the first and after the last of these steps.
fn losses_around_steps(trainer: &mut Trainer<Cpu>, batch: &Batch, labels: &Labels) -> [f32; 2] {
    let before = block_on(trainer.loss(batch, labels)).unwrap().loss;
    for _ in 0..20 {
        block_on(trainer.step(batch, labels, &golden_arguments())).unwrap();
    }
    [before, block_on(trainer.loss(batch, labels)).unwrap().loss]
}

/// Checks the mean, and the second and fourth moment in units of powers of the deviation, within
/// four standard errors. The variances of powers 1, 2 and 4 of a normal distribution are 1, 2 and
/// 96.
fn assert_normal(name: &str, values: &[f32], deviation: f64) {
    let n = values.len() as f64;
    let moment =
        |power| values.iter().map(|&x| (f64::from(x) / deviation).powi(power)).sum::<f64>() / n;
    for (power, expected, variance) in [(1, 0.0, 1.0_f64), (2, 1.0, 2.0), (4, 3.0, 96.0)] {
        let error = (moment(power) - expected).abs();
        assert!(error < 4.0 * (variance / n).sqrt(), "{name}: moment {power} is off by {error}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn what_is_drawn_is_distributed_as_in_transformers() {
    let roberta = Golden::named("roberta-mlm").file("config.json").unwrap();
    let unnamed = with_fields(roberta, serde_json::json!({ "initializer_range": null }));
    for (config, deviation) in [(roberta, 0.2), (&unnamed, 0.02)] {
        let (_, tensors) =
            in_training(load(Cpu::default(), config, None, drawing(7, false)).unwrap());
        for (name, NamedTensor { shape, values, .. }) in &tensors {
            let is_table = name.contains("word_embeddings") || name.contains("position_embeddings");
            match shape[..] {
                [_, cols] if is_table => {
                    let padding = cols..2 * cols; // "pad_token_id": 1
                    assert_eq!(greatest(&values[padding.clone()]), 0.0, "{name}");
                    let others = [&values[..padding.start], &values[padding.end..]].concat();
                    assert_normal(name, &others, deviation);
                }
                [_, _] => assert_normal(name, values, deviation),
                _ => {
                    let value = if name.ends_with("orm.weight") { 1.0 } else { 0.0 };
                    assert!(values.iter().all(|&found| found == value), "{name}");
                }
            }
        }
        // two layers with 16 tensors each, 5 of the embeddings, and 5 of the head, whose decoder is
        // the word table
        assert_eq!(tensors.len(), 2 * 16 + 5 + 5);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn numbers_depend_only_on_seed_and_name() {
    let draw = |weights, seed| {
        in_training(load(Cpu::default(), SEQCLS.config, weights, drawing(seed, true)).unwrap()).1
    };
    let (all, again, other) = (draw(None, 1), draw(None, 1), draw(None, 2));
    assert!(all == again);
    let name = "bert.encoder.layer.0.attention.self.query.weight";
    assert!(all[name] != other[name]);
    assert!(all[name].values != all[&name.replace("query", "key")].values);
    // drawn alone, with a file that has the rest
    let one = draw(Some(SEQCLS.model), 1);
    assert_eq!(one["classifier.weight"], all["classifier.weight"]);
    assert!(one[name] != all[name]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_new_head_over_a_masked_lm_checkpoint_trains() {
    let golden = Golden::named("bert-mlm");
    let weights = golden.file("model.safetensors").unwrap();
    let labels = serde_json::json!({ "0": "refund", "1": "login", "2": "bug" });
    let fields = serde_json::json!({
        "architectures": ["BertForSequenceClassification"], "id2label": labels,
    });
    let config = with_fields(golden.file("config.json").unwrap(), fields);
    let refused = load(Cpu::default(), &config, Some(weights), drawing_nothing()).err().unwrap();
    assert_eq!(refused.code(), "unsupported");

    let model = load(Cpu::default(), &config, Some(weights), drawing(7, false)).unwrap();
    let (mut trainer, tensors) = in_training(model);
    let file = places(weights);
    let (drawn, read): (Vec<_>, Vec<_>) =
        tensors.iter().partition(|(name, _)| !file.contains_key(*name));
    let drawn: Vec<&str> = drawn.into_iter().map(|(name, _)| name.as_str()).collect();
    let head = ["classifier.bias", "classifier.weight"];
    assert_eq!(
        drawn,
        [&["bert.pooler.dense.bias", "bert.pooler.dense.weight"], &head[..]].concat()
    );
    for (name, tensor) in read {
        assert_eq!(tensor.values, numbers(weights, file[name]), "{name}");
    }
    let examples: Vec<Encoding> =
        examples().examples().iter().flat_map(|example| example.encodings.clone()).collect();
    let batch = Batch::pack(trainer.model().config(), &examples).unwrap();
    let [before, after] =
        losses_around_steps(&mut trainer, &batch, &Labels::Classes(vec![0, 1, 2, 0]));
    assert!(after < 0.5 * before, "{before} → {after}");
}

fn drawing_nothing() -> LoadOptions {
    LoadOptions::with_dtype("fp32", None).unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn an_output_layer_of_other_labels_is_drawn_and_the_pooler_stays() {
    let labels = serde_json::json!({ "0": "a", "1": "b", "2": "c", "3": "d", "4": "e" });
    let config = with_fields(SEQCLS.config, serde_json::json!({ "id2label": labels }));
    let error = load(Cpu::default(), &config, Some(SEQCLS.model), drawing(7, false)).err().unwrap();
    assert!(error.to_string().contains("config.json makes it [5"), "{error}");
    let model = load(Cpu::default(), &config, Some(SEQCLS.model), drawing(7, true)).unwrap();
    let (_, tensors) = in_training(model);
    assert_eq!(tensors["classifier.weight"].shape, [5, 20]);
    let pooler = "bert.pooler.dense.weight";
    assert_eq!(tensors[pooler].values, numbers(SEQCLS.model, places(SEQCLS.model)[pooler]));
}

#[wasm_bindgen_test(unsupported = test)]
fn a_model_of_config_json_alone_trains() {
    let (_, batch, labels) = golden_batch(&PRETRAINING);
    let model = load(Cpu::default(), PRETRAINING.config, None, drawing(7, false)).unwrap();
    let (mut trainer, tensors) = in_training(model);
    // As many tensors as in the model's file, which stores tied tensors twice.
    let file = places(PRETRAINING.model);
    assert!(tensors.keys().all(|name| file.contains_key(name)));
    assert!(!tensors.contains_key("cls.predictions.decoder.weight"));
    let [before, after] = losses_around_steps(&mut trainer, &batch, &labels);
    assert!(after < 0.9 * before, "{before} → {after}");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_head_is_drawn_over_the_encoder_of_another_model() {
    let first =
        load(Cpu::default(), PRETRAINING.config, Some(PRETRAINING.model), drawing_nothing());
    let first = first.unwrap();
    let fields = serde_json::json!({ "architectures": ["BertForTokenClassification"] });
    let config = with_fields(PRETRAINING.config, fields);
    let folder = Folder::read(&vec![("config.json".to_owned(), config)]).unwrap();
    let loader = ModelLoader::attach(first.engine(), folder, drawing(7, false)).unwrap();
    let second = block_on(loader.finish()).unwrap();
    assert!(Rc::ptr_eq(first.engine(), second.engine()));
    let (_, tensors) = in_training(second);
    assert_normal("classifier.weight", &tensors["classifier.weight"].values, 0.2);
}

#[wasm_bindgen_test(unsupported = test)]
fn what_a_checkpoint_must_have_is_not_drawn() {
    // a missing tensor of the encoder, though a file exists
    let mut file = File::parse(SEQCLS.model);
    let tensor = file.header.remove("bert.encoder.layer.1.output.dense.weight").unwrap();
    file.header.insert("other".into(), tensor);
    let error =
        load(Cpu::default(), SEQCLS.config, Some(&file.bytes()), drawing(7, true)).err().unwrap();
    assert!(error.to_string().contains("1 of 39 tensors are missing"), "{error}");
    // a head that the family does not have
    let config = Golden::named("distilbert-mlm").file("config.json").unwrap();
    for head in [HeadKind::NextSentence, HeadKind::PreTraining, HeadKind::ReplacedToken] {
        let options = LoadOptions { head: Some(head), ..drawing(7, false) };
        let error = load(Cpu::default(), config, None, options).err().unwrap();
        assert_eq!(error.to_string(), format!("distilbert has no head for {}", head.name()));
    }
    let config = with_fields(SEQCLS.config, serde_json::json!({ "initializer_range": -1 }));
    let files = vec![("config.json".to_owned(), config)];
    assert_eq!(Folder::read(&files).err().unwrap().code(), "bad_config");
}

#[wasm_bindgen_test(unsupported = test)]
fn an_int8_checkpoint_trains_in_f32() {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let bytes = quantized(&File::parse(SEQCLS.model)).bytes();
    let model = load(Cpu::default(), SEQCLS.config, Some(&bytes), drawing(7, false)).unwrap();
    let (mut trainer, tensors) = in_training(model);
    let name = "classifier.weight";
    let exact = numbers(SEQCLS.model, places(SEQCLS.model)[name]);
    let error = difference(&tensors[name].values, &exact);
    assert!(error > 0.0 && error <= greatest(&exact) / 254.0 + 1e-6, "{error}");
    let [before, after] = losses_around_steps(&mut trainer, &batch, &labels);
    assert!(after < 0.5 * before, "{before} → {after}");
}
