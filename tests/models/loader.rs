//! The loader: any chunk size, every dtype, and damaged or hostile files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::common::file::{File, quantized};
use crate::common::{Golden, Model, code, inputs, outputs};
use half::{bf16, f16};
use serde_json::{Map, Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Files, Folder, LoadOptions, ModelLoader};
use webert::{Details, ErrorKind, Result};

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

/// Returns an F32 file with the numbers of an int8 file.
fn widened(file: &File) -> File {
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
fn int8_without_its_scales_is_refused() {
    let name = "bert.encoder.layer.0.intermediate.dense.weight";
    let mut without = quantized(&file());
    let scale = without.header.remove(&format!("{name}_scale")).unwrap();
    let mut renamed = scale;
    renamed["dtype"] = json!("F32");
    without.header.insert("other".to_owned(), renamed);
    refused(load(&without.bytes()), "bad_weights", &[name, "scales"]);
}

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
