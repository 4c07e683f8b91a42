//! Low-rank adapters, added to the matrices that they change.

use serde_json::{Map, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Result;

use super::dtypes::widened;
use super::{file, load, logits, open, refused};
use crate::common::file::{File, quantized};
use crate::common::{Golden, Model};

/// Matrices of bert-mlm to adapt: one third of an attention's stacked projections, and two others.
const ADAPTED: [&str; 3] = [
    "bert.encoder.layer.0.attention.self.key",
    "bert.encoder.layer.1.attention.output.dense",
    "bert.encoder.layer.1.intermediate.dense",
];

const RANK: usize = 3;

fn shape(file: &File, name: &str) -> [usize; 2] {
    serde_json::from_value(file.header[name]["shape"].clone()).unwrap()
}

fn to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Returns adapters of all of `ADAPTED`, with factors that count through small numbers.
fn adapters(base: &File) -> File {
    let mut adapters = File { header: Map::new(), data: Vec::new() };
    for name in ADAPTED {
        let [rows, cols] = shape(base, &format!("{name}.weight"));
        for (factor, shape) in [("lora_B", [rows, RANK]), ("lora_A", [RANK, cols])] {
            let count = shape[0] * shape[1];
            let values: Vec<f32> =
                (0..count).map(|n| ((n * 37 % 19) as f32 - 9.0) / 90.0).collect();
            adapters.push(&format!("{name}.{factor}.weight"), "F32", &shape, &to_bytes(&values));
        }
    }
    adapters
}

/// Returns `base` with the products of the adapters' factors added.
fn merged(base: &File, adapters: &File) -> File {
    let mut merged = File { header: base.header.clone(), data: base.data.clone() };
    for name in ADAPTED {
        let weight = format!("{name}.weight");
        let [_, cols] = shape(base, &weight);
        let [left, right] = ["lora_B", "lora_A"].map(|factor| -> Vec<f32> {
            let bytes = adapters.tensor(&format!("{name}.{factor}.weight")).as_chunks::<4>().0;
            bytes.iter().map(|b| f32::from_le_bytes(*b)).collect()
        });
        for (n, value) in merged.tensor_mut(&weight).as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let product = |k| left[n / cols * RANK + k] * right[k * cols + n % cols];
            let sum = f32::from_le_bytes(*value) + (0..RANK).map(product).sum::<f32>();
            *value = sum.to_le_bytes();
        }
    }
    merged
}

/// Loads files in order, in pieces of `chunk` bytes, with an index.
fn load_files(files: &[&File], chunk: usize) -> Result<Model> {
    let tensors = files
        .iter()
        .enumerate()
        .flat_map(|(n, file)| file.header.keys().map(move |name| (n, name)));
    let mut map = Map::new();
    for (n, name) in tensors {
        map.entry(name).or_insert(json!(n.to_string()));
    }
    let index = serde_json::to_vec(&json!({ "weight_map": map })).unwrap();
    let mut small = Golden::named("bert-mlm").small_files();
    small.push(("model.safetensors.index.json".to_owned(), index));
    let mut loader = open(&small, None)?;
    for (n, file) in files.iter().enumerate() {
        loader.begin_file(&n.to_string())?;
        for piece in file.bytes().chunks(chunk) {
            loader.push(piece)?;
        }
    }
    pollster::block_on(loader.finish())
}

#[track_caller]
fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn low_rank_adapters_are_added_to_their_matrices() {
    let (base, adapters) = (file(), adapters(&file()));
    let expected = logits(load(&merged(&base, &adapters).bytes()));
    let plain = logits(load(&base.bytes()));
    assert!(expected.iter().zip(&plain).any(|(a, b)| (a - b).abs() > 0.01), "they change nothing");
    for chunk in [7, 1000, 1 << 20] {
        assert_near(&logits(load_files(&[&adapters, &base], chunk)), &expected);
    }
    let (small, base) = (quantized(&adapters), quantized(&base));
    let expected = merged(&widened(&file()), &widened(&adapters));
    assert_near(&logits(load_files(&[&small, &base], 7)), &logits(load(&expected.bytes())));
}

#[wasm_bindgen_test(unsupported = test)]
fn a_tensor_that_an_earlier_file_has_stays() {
    let of_file = adapters(&file());
    for (base, exact) in [(file(), file()), (quantized(&file()), widened(&file()))] {
        let (mut own, mut expected) = (adapters(&file()), merged(&exact, &of_file));
        for name in [
            "bert.encoder.layer.0.output.LayerNorm.weight",
            "bert.encoder.layer.1.attention.self.value.weight",
        ] {
            let shape = expected.header[name]["shape"].as_array().unwrap();
            let shape: Vec<_> = shape.iter().map(|n| n.as_u64().unwrap() as usize).collect();
            let values: Vec<_> =
                (0..shape.iter().product()).map(|n| (n % 7) as f32 / 9.0).collect();
            own.push(name, "F32", &shape, &to_bytes(&values));
            expected.tensor_mut(name).copy_from_slice(&to_bytes(&values));
        }
        let expected = logits(load(&expected.bytes()));
        assert_near(&logits(load_files(&[&own, &base], 1000)), &expected);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn an_adapter_that_does_not_fit_is_refused() {
    let base = file();
    let key = format!("{}.lora_A.weight", ADAPTED[0]);
    let [_, cols] = shape(&base, &format!("{}.weight", ADAPTED[0]));
    let without = |name: &str| {
        let mut some = adapters(&base);
        let entry = some.header.remove(name).unwrap();
        some.header.insert("other".to_owned(), entry);
        some
    };
    let instead = |dtype: &str, shape: &[usize], bytes: &[u8]| {
        let mut some = without(&key);
        some.push(&key, dtype, shape, bytes);
        some
    };
    let one = to_bytes(&vec![1.0; RANK * cols]);
    let mut endless = one.clone();
    endless[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let cases = [
        (without(&key), "lora_A has not come"),
        (without(&key.replace("_A", "_B")), "lora_B has not come"),
        (instead("F32", &[2, cols], &one[..8 * cols]), "rank 2"),
        (instead("F32", &[RANK, cols, 1], &one), "shape"),
        (instead("F32", &[cols, RANK], &one), "shape"),
        (instead("I16", &[RANK, cols], &one[..2 * RANK * cols]), "I16"),
        (instead("I8", &[RANK, cols], &one[..RANK * cols]), "row scales"),
        (instead("F32", &[RANK, cols], &endless), "infinity"),
    ];
    for (adapters, words) in cases {
        refused(load_files(&[&adapters, &base], 1 << 20), "bad_weights", &[ADAPTED[0], words]);
    }
    refused(load_files(&[&base, &adapters(&base)], 1 << 20), "bad_weights", &["must come before"]);
}
