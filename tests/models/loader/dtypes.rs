//! Numbers of every type.

use half::{bf16, f16};
use serde_json::{Map, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{file, load, logits, refused};
use crate::common::file::{File, quantized};

/// Returns an F32 file with the numbers of an int8 file.
pub(super) fn widened(file: &File) -> File {
    let mut widened = File { header: file.header.clone(), data: file.data.clone() };
    let rounded = quantized(file);
    for (name, info) in &file.header {
        let Some(scales) = rounded.header.get(&format!("{name}_scale")) else { continue };
        let data = widened.tensor_mut(name);
        let cols = info["shape"][1].as_u64().unwrap() as usize;
        assert_eq!(scales["dtype"], "F32");
        let scales = rounded.tensor(&format!("{name}_scale")).as_chunks::<4>().0;
        let values = data.as_chunks_mut::<4>().0.iter_mut().zip(rounded.tensor(name));
        for (n, (value, &byte)) in values.enumerate() {
            let scale = f32::from_le_bytes(scales[n / cols]);
            *value = (f32::from(byte as i8) * scale).to_le_bytes();
        }
    }
    widened
}

#[wasm_bindgen_test(unsupported = test)]
fn int8_files_hold_their_numbers_times_their_scales() {
    let logits = |file: &File| logits(load(&file.bytes()));
    assert_eq!(logits(&quantized(&file())), logits(&widened(&file())));
    assert_ne!(logits(&quantized(&file())), logits(&file()), "int8 is not f32");
}

/// Returns an int8 file whose scales have another `dtype`, with the bytes of `encode`.
fn with_scales(file: &File, dtype: &str, encode: impl Fn(f32) -> Vec<u8>) -> File {
    let mut changed = File { header: Map::new(), data: Vec::new() };
    let is_scale = |name: &str| name.ends_with("_scale");
    let (scales, others): (Vec<_>, Vec<_>) =
        file.header.iter().partition(|(name, _)| is_scale(name));
    for (name, info) in scales.into_iter().chain(others) {
        let shape: Vec<usize> = serde_json::from_value(info["shape"].clone()).unwrap();
        let bytes = file.tensor(name);
        if is_scale(name) {
            let scales = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
            changed.push(name, dtype, &shape, &scales.flat_map(&encode).collect::<Vec<_>>());
        } else {
            changed.push(name, info["dtype"].as_str().unwrap(), &shape, bytes);
        }
    }
    changed
}

#[wasm_bindgen_test(unsupported = test)]
fn scales_of_int8_are_floats_of_any_width() {
    let logits = |file: &File| logits(load(&file.bytes()));
    let exact = quantized(&file());
    let narrow = with_scales(&exact, "F16", |x| f16::from_f32(x).to_le_bytes().to_vec());
    let half = |x| f16::from_f32(x).to_f32();
    let wide = with_scales(&exact, "F32", |x| half(x).to_le_bytes().to_vec());
    assert_eq!(logits(&narrow), logits(&wide));
    assert_ne!(logits(&narrow), logits(&exact), "half floats round");
    let narrow = with_scales(&exact, "BF16", |x| bf16::from_f32(x).to_le_bytes().to_vec());
    let bfloat16 = |x| bf16::from_f32(x).to_f32();
    let wide = with_scales(&exact, "F32", |x| bfloat16(x).to_le_bytes().to_vec());
    assert_eq!(logits(&narrow), logits(&wide));
    let integers = with_scales(&exact, "I16", |x| (x as i16).to_le_bytes().to_vec());
    refused(load(&integers.bytes()), "bad_weights", &["_scale", "I16", "F32, F16 or BF16"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn float64_tensors_are_rounded_to_float32() {
    let exact = file();
    let mut wide = File { header: Map::new(), data: Vec::new() };
    for (name, info) in &exact.header {
        let shape: Vec<usize> = serde_json::from_value(info["shape"].clone()).unwrap();
        let values = exact.tensor(name).as_chunks::<4>().0.iter();
        let bytes: Vec<u8> =
            values.flat_map(|b| f64::from(f32::from_le_bytes(*b)).to_le_bytes()).collect();
        wide.push(name, "F64", &shape, &bytes);
    }
    assert_eq!(logits(load(&wide.bytes())), logits(load(&exact.bytes())));
}

#[wasm_bindgen_test(unsupported = test)]
fn int8_without_its_scales_is_refused() {
    let name = "bert.encoder.layer.0.intermediate.dense.weight";
    let mut without = quantized(&file());
    let scale = without.header.remove(&format!("{name}_scale")).unwrap();
    let mut renamed = scale;
    renamed["dtype"] = json!("F32");
    without.header.insert("other".to_owned(), renamed);
    refused(load(&without.bytes()), "bad_weights", &[name, "scales"]);
}
