//! Tensors under other names, and those that a head needs.

use serde_json::{Map, Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::config::HeadKind;

use super::{file, load, load_with, logits, message, open, refused};
use crate::common::file::File;
use crate::common::{Golden, code, inputs, outputs};

/// Returns bert-mlm with its word table stored only under the decoder's name.
fn under_the_decoder() -> File {
    let mut file = file();
    let table = file.header.remove("bert.embeddings.word_embeddings.weight").unwrap();
    file.header.insert("cls.predictions.decoder.weight".into(), table);
    file
}

#[wasm_bindgen_test(unsupported = test)]
fn tied_weights_load_under_either_name() {
    let loaded = logits(load(&under_the_decoder().bytes()));
    assert_eq!(loaded, logits(load(&file().bytes())));
    let mut untied = Golden::named("bert-mlm").small_files();
    for (_, bytes) in untied.iter_mut().filter(|(name, _)| name == "config.json") {
        let mut config: Value = serde_json::from_slice(bytes).unwrap();
        config["tie_word_embeddings"] = json!(false);
        *bytes = serde_json::to_vec(&config).unwrap();
    }
    let mut loader = open(&untied, None).unwrap();
    loader.begin_file("model.safetensors").unwrap();
    loader.push(&under_the_decoder().bytes()).unwrap();
    refused(pollster::block_on(loader.finish()), "bad_weights", &["word_embeddings"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_class_whose_layer_would_be_ignored_is_refused() {
    let mut file = file();
    file.push("linear.weight", "F32", &[1, 1], &[0; 4]);
    let with = |architecture: &str| {
        load_with(&file.bytes(), "config.json", |bytes| {
            let mut config: Value = serde_json::from_slice(&bytes).unwrap();
            config["architectures"] = json!([architecture]);
            serde_json::to_vec(&config).unwrap()
        })
    };
    refused(with("HF_ColBERT"), "unsupported", &["HF_ColBERT", "linear.weight"]);
    assert_eq!(code(with("BertForMaskedLM")), "ok");
}

#[wasm_bindgen_test(unsupported = test)]
fn heads_over_a_pooler_are_refused_where_the_family_has_none() {
    let golden = Golden::named("distilbert-mlm");
    let mut file = File::parse(golden.weights().next().unwrap().1);
    file.push("cls.seq_relationship.weight", "F32", &[2, 40], &[0; 2 * 40 * 4]);
    file.push("cls.seq_relationship.bias", "F32", &[2], &[0; 2 * 4]);
    let files = golden.small_files();
    for (head, name) in
        [(HeadKind::NextSentence, "next sentence"), (HeadKind::PreTraining, "pre-training")]
    {
        let mut loader = open(&files, Some(head)).unwrap();
        loader.begin_file("model.safetensors").unwrap();
        let message = message(loader.push(&file.bytes()));
        let words = ["unsupported: ", "no head for", name, "masked LM"];
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

/// Loads bert-base-gelu in two files, without an index that names the second.
#[wasm_bindgen_test(unsupported = test)]
fn what_a_later_file_adds_is_left_out() {
    let golden = Golden::named("bert-base-gelu");
    let whole = File::parse(golden.weights().next().unwrap().1);
    let mut files = [(); 2].map(|()| File { header: Map::new(), data: Vec::new() });
    for (name, info) in &whole.header {
        let shape: Vec<usize> = serde_json::from_value(info["shape"].clone()).unwrap();
        let file = usize::from(name.starts_with("pooler."));
        files[file].push(name, info["dtype"].as_str().unwrap(), &shape, whole.tensor(name));
    }
    assert_eq!(files[1].header.len(), 2);
    let small = golden.small_files();
    let mut loader = open(&small, None).unwrap();
    for (name, file) in ["one", "two"].into_iter().zip(&files) {
        loader.begin_file(name).unwrap();
        loader.push(&file.bytes()).unwrap();
    }
    let mut model = pollster::block_on(loader.finish()).unwrap();
    let input = inputs(&golden.cases()[0]);
    let got = outputs(&mut model, &input, false).unwrap();
    assert!(got.tensors.iter().all(|(name, _)| *name != "pooler_output"));
}
