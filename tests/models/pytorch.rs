//! Files of PyTorch: their tensors equal `torch.load`'s bit by bit, and hostile files are refused.
//! tests/goldens/make/make_pytorch.py makes the files; `WEBERT_PYTORCH_FILES` names a folder with others.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;

use crate::common::file::File;
use crate::common::weight_files::{WeightFiles, check_cut, load_by_tens};
use crate::common::{Golden, Model, inputs, outputs};
use serde_json::Value;
use webert::Result;
use webert::backend::cpu::Cpu;
use webert::checkpoint::to_safetensors;
use webert::config::HeadKind;
use webert::engine::{self, Folder, LoadOptions, ModelLoader};

fn open() -> WeightFiles {
    WeightFiles::open("pytorch", "WEBERT_PYTORCH_FILES")
}

/// dtype, shape and bytes by name.
fn tensors(safetensors: &[u8]) -> BTreeMap<String, (Value, Value, Vec<u8>)> {
    let file = File::parse(safetensors);
    let of = |name: &str, entry: &Value| {
        (entry["dtype"].clone(), entry["shape"].clone(), file.tensor(name).to_vec())
    };
    file.header.iter().map(|(name, entry)| (name.clone(), of(name, entry))).collect()
}

#[test]
fn tensors_are_those_of_torch_bit_by_bit() {
    let files = open();
    let mut count = 0;
    for name in files
        .rows
        .iter()
        .filter(|(name, row)| !name.starts_with("model") && row.get("tensors").is_some())
        .map(|(name, _)| name)
    {
        let found = to_safetensors(name, files.part(name, "bytes")).unwrap();
        let (found, expected) = (tensors(&found), tensors(files.part(name, "tensors")));
        let keys = |tensors: &BTreeMap<String, _>| tensors.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&found), keys(&expected), "{name}");
        for (tensor, expected) in expected {
            assert_eq!(found[&tensor], expected, "{name}: {tensor}");
        }
        count += 1;
    }
    assert!(count > 50, "{count} files");
}

#[test]
fn hostile_and_damaged_files_are_refused_by_name() {
    let files = open();
    let count = files.check_refused("pytorch_model.bin", |name| {
        let bytes = files.part(name, "bytes");
        vec![to_safetensors("pytorch_model.bin", bytes).map(|_| ()).expect_err(name)]
    });
    assert!(count > 80, "{count} files");
}

/// A loader of electra-mlm with its small files.
fn loader(head: Option<HeadKind>, more: engine::Files) -> Result<ModelLoader<Cpu>> {
    let mut files = Golden::named("electra-mlm").small_files();
    files.extend(more);
    ModelLoader::new(Folder::read(&files)?, Cpu::default(), LoadOptions::with_dtype("fp32", head)?)
}

fn load(bytes: &[u8], chunk: usize) -> Result<Model> {
    let mut loader = loader(None, engine::Files::new())?;
    loader.begin_file("pytorch_model.bin")?;
    bytes.chunks(chunk).try_for_each(|piece| loader.push(piece))?;
    loader.end_file()?;
    pollster::block_on(loader.finish())
}

fn logits(model: &mut Model) -> Vec<u32> {
    let input = inputs(&Golden::named("electra-mlm").cases()[0]);
    let outputs = outputs(model, &input, false).unwrap();
    outputs.tensors[0].1.data.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn a_model_is_the_same_as_from_safetensors_by_pieces_of_any_size() {
    let expected = logits(&mut Golden::named("electra-mlm").load("fp32").unwrap());
    let files = open();
    for name in ["model", "model-legacy", "model-views"] {
        let bytes = files.part(name, "bytes");
        for chunk in [1, 7, 64, 1000, 65_536, usize::MAX] {
            let mut model = load(bytes, chunk).unwrap();
            assert_eq!(logits(&mut model), expected, "{name} by {chunk}");
        }
    }
}

#[test]
fn every_part_of_a_file_is_refused_as_cut_short() {
    let files = open();
    for name in ["model", "model-legacy"] {
        let bytes = files.part(name, "bytes");
        for length in (0..bytes.len()).step_by(bytes.len() / 97) {
            let error = load(&bytes[..length], usize::MAX).map(|_| ()).expect_err(name);
            check_cut(&error, "pytorch_model.bin");
        }
    }
}

#[test]
fn bytes_that_no_head_needs_are_skipped() {
    let files = open();
    for name in ["model", "model-legacy", "model-views"] {
        let bytes = files.part(name, "bytes");
        let load = |skips| {
            let loader = loader(Some(HeadKind::Bare), engine::Files::new()).unwrap();
            load_by_tens(loader, "pytorch_model.bin", bytes, skips).unwrap()
        };
        let (mut all, _) = load(false);
        let (mut less, skipped) = load(true);
        assert!(skipped > 1000, "{name}: {skipped} bytes");
        assert_eq!(logits(&mut all), logits(&mut less), "{name}");
    }
}

#[test]
fn an_index_of_pytorch_files_says_which_shards_are_wanted() {
    let index =
        br#"{"weight_map": {"electra.embeddings.word_embeddings.weight": "a.bin", "x": "b.bin"}}"#;
    let more = vec![("pytorch_model.bin.index.json".to_owned(), index.to_vec())];
    let loader = loader(Some(HeadKind::Bare), more).unwrap();
    assert!(loader.wants("a.bin"));
    assert!(!loader.wants("b.bin"));
}

#[test]
fn errors_name_the_tensor_as_those_of_safetensors_do() {
    let all = open();
    let bytes = all.part("model", "bytes");
    let mut files = Golden::named("electra-mlm").small_files();
    for (name, bytes) in &mut files {
        if name == "config.json" {
            let mut config: Value = serde_json::from_slice(bytes).unwrap();
            config["intermediate_size"] =
                (config["intermediate_size"].as_u64().unwrap() + 8).into();
            *bytes = serde_json::to_vec(&config).unwrap();
        }
    }
    let options = LoadOptions::with_dtype("fp32", None).unwrap();
    let folder = Folder::read(&files).unwrap();
    let mut loader = ModelLoader::new(folder, Cpu::default(), options).unwrap();
    loader.begin_file("pytorch_model.bin").unwrap();
    let error = loader.push(bytes).expect_err("another size").to_string();
    assert!(error.contains("pytorch_model.bin: tensor \"electra.encoder.layer.0"), "{error}");
    assert!(error.contains("has shape"), "{error}");
}
