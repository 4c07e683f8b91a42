//! The loader: any chunk size, every dtype, and damaged or hostile files.

mod adapters;
mod configs;
mod damaged;
mod dtypes;
mod names;

use wasm_bindgen_test::wasm_bindgen_test;
use webert::Result;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Files, Folder, LoadOptions, ModelLoader};

use crate::common::file::File;
use crate::common::{Golden, Model, inputs, outputs};

fn file() -> File {
    File::parse(Golden::named("bert-mlm").weights().next().unwrap().1)
}

/// Returns a loader on the CPU, in f32.
fn open(files: &Files, head: Option<HeadKind>) -> Result<ModelLoader<Cpu>> {
    ModelLoader::new(Folder::read(files)?, Cpu::default(), LoadOptions::with_dtype("fp32", head)?)
}

fn load(bytes: &[u8]) -> Result<Model> {
    load_with(bytes, "config.json", |config| config)
}

/// Loads `bytes` as the weights of bert-mlm, with one of its files changed.
fn load_with(bytes: &[u8], name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Result<Model> {
    let mut files = Golden::named("bert-mlm").small_files();
    for (other, bytes) in &mut files {
        if other == name {
            *bytes = change(std::mem::take(bytes));
        }
    }
    let mut loader = open(&files, None)?;
    loader.begin_file("model.safetensors")?;
    loader.push(bytes)?;
    loader.end_file()?;
    pollster::block_on(loader.finish())
}

fn message<T>(result: Result<T>) -> String {
    result.err().map_or("no error".to_owned(), |error| format!("{}: {error}", error.code()))
}

#[track_caller]
fn refused(result: Result<Model>, code: &str, words: &[&str]) {
    let message = message(result);
    assert!(message.starts_with(&format!("{code}: ")), "{message}");
    for word in words {
        assert!(message.contains(word), "\"{message}\" does not name {word}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn every_chunk_size_gives_the_same_model() {
    for name in ["bert-mlm", "bert-mlm-fp16", "bert-mlm-sharded"] {
        let golden = Golden::named(name);
        let input = inputs(&golden.cases()[0]);
        let whole = outputs(&mut golden.load("fp32").unwrap(), &input, false).unwrap();
        for chunk in [1, 7, 64, 1000, 65_536] {
            let mut model = golden.load_in_chunks("fp32", chunk).unwrap();
            assert_eq!(outputs(&mut model, &input, false).unwrap(), whole, "{name} by {chunk}");
        }
    }
}

/// Returns the logits for the first case of bert-mlm.
fn logits(model: Result<Model>) -> Vec<f32> {
    let input = inputs(&Golden::named("bert-mlm").cases()[0]);
    outputs(&mut model.unwrap(), &input, false).unwrap().tensors[0].1.data.clone()
}

#[cfg(not(target_arch = "wasm32"))]
mod properties {
    use proptest::prelude::*;

    use super::{file, load};

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = load(&bytes);
            let mut framed = (bytes.len() as u64).to_le_bytes().to_vec();
            framed.extend(bytes);
            let _ = load(&framed);
        }

        #[test]
        fn no_change_of_a_header_panics(at in 0_usize..6000, byte: u8, length in 0_usize..9000) {
            let mut bytes = file().bytes();
            bytes[at] = byte;
            let _ = load(&bytes);
            let _ = load(&bytes[..length]);
        }
    }
}
