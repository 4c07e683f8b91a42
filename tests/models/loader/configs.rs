//! Configurations and indices of files.

use serde_json::{Map, Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Result;

use super::{file, load, load_with, message, open, refused};
use crate::common::file::File;
use crate::common::{Golden, Model, code, inputs, outputs};

/// Loads bert-mlm with one field of its config changed.
fn with_config(change: impl Fn(&mut Value)) -> Result<Model> {
    load_with(&file().bytes(), "config.json", |bytes| {
        let mut config: Value = serde_json::from_slice(&bytes).unwrap();
        change(&mut config);
        serde_json::to_vec(&config).unwrap()
    })
}

#[wasm_bindgen_test(unsupported = test)]
fn configs_that_are_none_of_ours_are_refused() {
    let field =
        |name: &'static str, value: Value| with_config(move |config| config[name] = value.clone());
    refused(field("model_type", json!("gpt2")), "unsupported", &["model_type", "gpt2"]);
    refused(field("hidden_act", json!("gegelu")), "unsupported", &["activation", "gegelu"]);
    refused(field("num_attention_heads", json!(5)), "bad_config", &["hidden_size 48", "5"]);
    refused(field("hidden_size", json!(0)), "bad_config", &["hidden_size"]);
    refused(field("hidden_size", json!(1_u64 << 40)), "bad_config", &["config.json"]);
    refused(
        field("num_labels", json!((1_u64 << 53) - 1)),
        "bad_config",
        &["labels", "9007199254740991"],
    );
    refused(field("id2label", json!(["A", "B"])), "bad_config", &["id2label", "a list"]);
    refused(
        field("intermediate_size", json!(97)),
        "bad_weights",
        &["intermediate", "[97]", "[96]"],
    );
    refused(
        field("position_embedding_type", json!("rotary")),
        "unsupported",
        &["position_embedding_type", "rotary"],
    );
    refused(
        field("architectures", json!(["BertForQuestionAnswering"])),
        "unsupported",
        &["question answering", "masked LM"],
    );
    let replaced =
        |bytes: &'static [u8]| load_with(&file().bytes(), "config.json", |_| bytes.to_vec());
    refused(replaced(b"\n<html>"), "bad_config", &["config.json", "web page"]);
    refused(replaced(b"version https://git-lfs.github.com/spec/v1"), "bad_config", &["LFS"]);
    refused(replaced(b" \n"), "bad_config", &["config.json is empty"]);
    refused(replaced(b"{\"model_type\": \"bert\""), "bad_config", &["config.json"]);
    refused(replaced(b"{}"), "unsupported", &["model_type"]);
    refused(replaced(b"{\"model_type\": \"bert\"}"), "bad_config", &["hidden_size"]);
    assert_eq!(code(with_config(|_| {})), "ok", "unchanged, all of this loads");
    let marked = |json: Vec<u8>| [&b"\xef\xbb\xbf"[..], &json].concat();
    assert_eq!(code(load_with(&file().bytes(), "config.json", marked)), "ok", "behind a mark");
}

#[wasm_bindgen_test(unsupported = test)]
fn an_index_that_is_none_is_refused() {
    let name = "model.safetensors.index.json";
    for (bytes, words) in [
        (&b"<!DOCTYPE html>"[..], "web page"),
        (b"version https://git-lfs.github.com/spec/v1", "LFS"),
        (b"{\"weight_map\": ", "cut short"),
        (b"{\"weight_map\": []}", "weight_map"),
    ] {
        let mut files = Golden::named("bert-mlm-sharded").small_files();
        files.iter_mut().find(|(other, _)| other == name).unwrap().1 = bytes.to_vec();
        let loader = open(&files, None);
        let message = message(loader);
        assert!(message.starts_with(&format!("bad_weights: {name}")), "{message}");
        assert!(message.contains(words), "{message}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn only_shards_with_a_tensor_of_the_model_are_wanted() {
    let file = file();
    let mut weight_map: Map<String, Value> =
        file.header.keys().map(|name| (name.clone(), json!("first"))).collect();
    weight_map.insert("adapter.weight".to_owned(), json!("first"));
    weight_map.insert("adapter.bias".to_owned(), json!("second"));
    let index = serde_json::to_vec(&json!({ "weight_map": weight_map })).unwrap();
    let mut files = Golden::named("bert-mlm").small_files();
    let without = open(&files, None).unwrap();
    assert!(without.wants("first") && without.wants("second"));
    files.push(("model.safetensors.index.json".to_owned(), index));
    let with = open(&files, None).unwrap();
    assert_eq!(["first", "second", "third"].map(|shard| with.wants(shard)), [true, false, false]);
}

#[wasm_bindgen_test(unsupported = test)]
fn tensors_that_nothing_needs_can_be_skipped() {
    let file = file();
    let mut longer = File { header: Map::new(), data: Vec::new() };
    longer.push("adapter.weight", "F32", &[3], &[0; 12]);
    longer.push("adapter.bias", "F32", &[5], &[0; 20]);
    for (name, info) in &file.header {
        let shape: Vec<usize> = serde_json::from_value(info["shape"].clone()).unwrap();
        longer.push(name, "F32", &shape, file.tensor(name));
    }
    let bytes = longer.bytes();
    let data = bytes.len() - longer.data.len();

    let mut loader = open(&Golden::named("bert-mlm").small_files(), None).unwrap();
    assert_eq!(loader.skippable(), 0, "no file has begun");
    loader.begin_file("model.safetensors").unwrap();
    assert_eq!(loader.skippable(), 0, "there is no header yet");
    loader.push(&bytes[..data]).unwrap();
    assert_eq!(loader.skippable(), 32);
    assert_eq!(code(loader.skip(33)), "bad_input");
    loader.push(&bytes[data..data + 2]).unwrap();
    assert_eq!(loader.skippable(), 30);
    loader.skip(4).unwrap();
    loader.skip(5).unwrap();
    assert_eq!(loader.skippable(), 21);
    loader.skip(21).unwrap();
    assert_eq!(loader.skippable(), 0, "what follows is the model's");
    loader.push(&bytes[data + 32..]).unwrap();
    loader.end_file().unwrap();
    let mut model = pollster::block_on(loader.finish()).unwrap();
    let input = inputs(&Golden::named("bert-mlm").cases()[0]);
    let whole = outputs(&mut load(&file.bytes()).unwrap(), &input, false).unwrap();
    assert_eq!(outputs(&mut model, &input, false).unwrap(), whole);
}
