//! Damaged and hostile files.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::{Details, ErrorKind};

use super::{file, load, message, open, refused};
use crate::common::Golden;
use crate::common::file::{File, quantized};

#[wasm_bindgen_test(unsupported = test)]
fn a_file_cut_short_says_where() {
    let whole = file().bytes();
    for length in [0, 1, 7, 8, 9, 200, whole.len() / 2, whole.len() - 1] {
        refused(load(&whole[..length]), "bad_weights", &["model.safetensors", "cut short"]);
    }
    let mut longer = whole.clone();
    longer.push(0);
    refused(load(&longer), "bad_weights", &["model.safetensors", "after its last tensor"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn hostile_headers_are_refused() {
    let refuse = |change: &dyn Fn(&mut File), words: &[&str]| {
        let mut file = file();
        change(&mut file);
        refused(load(&file.bytes()), "bad_weights", words);
    };
    let mut huge = file().bytes();
    huge[..8].copy_from_slice(&(1_u64 << 60).to_le_bytes());
    refused(load(&huge), "bad_weights", &["1152921504606846976", "header"]);
    let bias = "cls.predictions.bias";
    let offsets = |file: &mut File, offsets: Value| file.header[bias]["data_offsets"] = offsets;
    refuse(&|file| offsets(file, json!([0, 960])), &["header is invalid"]); // overlaps another tensor
    refuse(
        &|file| offsets(file, json!([1_u64 << 40, (1_u64 << 40) + 960])),
        &["header is invalid"],
    );
    refuse(&|file| offsets(file, json!([960, 0])), &["header is invalid"]);
    refuse(
        &|file| file.header[bias]["shape"] = json!([u32::MAX, u32::MAX]),
        &["header is invalid"],
    );
    refuse(&|file| file.header[bias]["dtype"] = json!("F128"), &["header is invalid"]);
    let mut long = file().bytes();
    long[..8].copy_from_slice(&20_000_000_u64.to_le_bytes());
    refused(load(&long), "bad_weights", &["20000000", "header"]);
    let html = b"<!DOCTYPE html><html><body>404</body></html>";
    refused(load(html), "bad_weights", &["web page"]);
    refused(load(b"version https://git-lfs.github.com/spec/v1"), "bad_weights", &["LFS"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_header_may_have_any_length() {
    // The first byte of this length is 60, "<". A web page starts with the same byte.
    let whole = file().bytes();
    let length = u64::from_le_bytes(whole[..8].try_into().unwrap());
    let filled = (length..).find(|length| length % 256 == 60).unwrap();
    let mut bytes = filled.to_le_bytes().to_vec();
    bytes.extend(&whole[8..8 + length as usize]);
    bytes.resize(8 + filled as usize, b' ');
    bytes.extend(&whole[8 + length as usize..]);
    assert_eq!(message(load(&bytes)), "no error");
}

#[wasm_bindgen_test(unsupported = test)]
fn numbers_that_are_not_finite_are_refused() {
    let (weight, bias) =
        ("bert.encoder.layer.1.output.dense.weight", "bert.encoder.layer.0.output.LayerNorm.bias");
    for name in [weight, bias] {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut file = file();
            let last = file.tensor(name).len() - 4;
            file.tensor_mut(name)[last..].copy_from_slice(&value.to_le_bytes());
            refused(load(&file.bytes()), "bad_weights", &["model.safetensors", name, "finite"]);
        }
    }
    let mut scaled = quantized(&file());
    let scale = scaled.tensor_mut(&format!("{weight}_scale"));
    scale[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    refused(load(&scaled.bytes()), "bad_weights", &["model.safetensors", weight, "finite"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_size_that_the_header_does_not_make_is_refused_at_once() {
    let bytes = file().bytes();
    let files = Golden::named("bert-mlm").small_files();
    for (size, is_fine) in [(0, true), (1, false), (-1, false)] {
        let mut loader = open(&files, None).unwrap();
        loader.begin_file("model.safetensors").unwrap();
        let size = bytes.len() as i64 + size;
        loader.expect_size(size as u64).unwrap();
        let pushed = message(loader.push(&bytes));
        if is_fine {
            assert_eq!(pushed, "no error");
        } else {
            let words =
                ["bad_weights: ", "model.safetensors", &size.to_string(), &bytes.len().to_string()];
            assert!(words.iter().all(|word| pushed.contains(word)), "{pushed}");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn an_error_has_the_file_the_tensor_and_both_shapes_as_fields() {
    let mut changed = file();
    let name = "bert.embeddings.LayerNorm.weight";
    let shape = changed.header[name]["shape"].clone();
    changed.header[name]["shape"] = json!([1, shape[0]]);
    let error = load(&changed.bytes()).map(|_| ()).unwrap_err();
    let [file, item, expected, found] = error.details().map(Details::parts).unwrap();
    assert_eq!((error.kind(), file.as_str()), (ErrorKind::BadWeights, "model.safetensors"));
    assert_eq!(*item, format!("tensor \"{name}\""));
    assert_eq!([expected, found], [&format!("[{}]", shape[0]), &format!("[1, {}]", shape[0])]);
    assert_eq!(
        error.to_string(),
        format!("{file}: {item} has shape {found}, config.json makes it {expected}")
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn tensors_that_do_not_fit_are_named() {
    let bias = "bert.encoder.layer.1.output.dense.bias";
    let mut missing = file();
    let info = missing.header.remove(bias).unwrap();
    missing.header.insert("something.else".to_owned(), info);
    refused(load(&missing.bytes()), "bad_weights", &["1 of", "encoder.layer.1.output.dense.bias"]);
    let mut reshaped = file();
    reshaped.header[bias]["shape"] = json!([2, 24]);
    refused(load(&reshaped.bytes()), "bad_weights", &[bias, "[2, 24]", "[48]"]);
    let mut integers = file();
    integers.header[bias]["dtype"] = json!("I32");
    refused(load(&integers.bytes()), "bad_weights", &[bias, "I32"]);
}
