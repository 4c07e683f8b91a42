//! Shared by the test suites: goldens, embedded so that WebAssembly tests have them as well, and
//! models loaded from them.

#![allow(dead_code, unused_imports, reason = "each suite uses a part")]

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
pub(crate) mod adapter;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod families;
pub(crate) mod file;
pub(crate) mod suite;
#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
pub(crate) mod weight_files;

use std::future::Future;
use std::pin::Pin;

use serde_json::{Value, json};
use webert::backend::Processor;
#[cfg(feature = "cpu")]
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Files, Folder, Inputs, LoadOptions, ModelLoader, Outputs, Tensor};

use webert::{Error, Result};

/// A model on the CPU.
#[cfg(feature = "cpu")]
pub(crate) type Model = webert::engine::Model<Cpu>;

/// A folder of tests/goldens/models.
pub(crate) struct Golden {
    pub(crate) name: &'static str,
    pub(crate) files: &'static [(&'static str, &'static [u8])],
}

macro_rules! goldens {
    ($($name:literal: $($file:literal)+;)+) => {
        &[$(Golden {
            name: $name,
            files: &[$((
                $file,
                include_bytes!(concat!("../goldens/models/", $name, "/", $file)),
            )),+],
        }),+]
    };
}

/// Every model golden. The outputs come from Hugging Face transformers, see
/// tests/goldens/README.md.
pub(crate) const GOLDENS: &[Golden] = goldens! {
    "albert-mlm": "config.json" "cases.json" "model.safetensors";
    "bert-base-gelu": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-base-gelu-new-h40": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-base-relu-eps": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-mlm": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-mlm-bf16": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-mlm-fp16": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-mlm-legacy-names": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-mlm-sharded": "config.json" "cases.json" "model.safetensors.index.json" "model-00001-of-00002.safetensors" "model-00002-of-00002.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-mlm-untied": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-mlm-vocab2000": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-multiplechoice": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-nsp": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-pretraining": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-qa": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-seqcls-3": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-seqcls-multilabel": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-seqcls-nli": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-seqcls-regression": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "bert-tokencls-bio": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "distilbert-mlm": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "distilbert-seqcls": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "electra-discriminator": "config.json" "cases.json" "model.safetensors" "vocab.txt" "tokenizer_config.json";
    "electra-mlm": "config.json" "cases.json" "model.safetensors";
    "roberta-mlm": "config.json" "cases.json" "model.safetensors";
};

impl Golden {
    pub(crate) fn named(name: &str) -> &'static Self {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(name) = name.strip_prefix("families/") {
            return families::golden(name);
        }
        GOLDENS.iter().find(|golden| golden.name == name).expect("a golden of that name")
    }

    pub(crate) fn file(&self, name: &str) -> Option<&'static [u8]> {
        self.files.iter().find(|(file, _)| *file == name).map(|(_, bytes)| *bytes)
    }

    pub(crate) fn cases(&self) -> Vec<Value> {
        let json: Value = serde_json::from_slice(self.file("cases.json").unwrap()).unwrap();
        json["cases"].as_array().unwrap().clone()
    }

    /// Returns the files without the weights.
    pub(crate) fn small_files(&self) -> Files {
        let small = self.files.iter().filter(|(name, _)| !name.ends_with(".safetensors"));
        small.map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect()
    }

    /// Returns the weight files, in order.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        self.files.iter().copied().filter(|(name, _)| name.ends_with(".safetensors"))
    }

    #[cfg(feature = "cpu")]
    pub(crate) fn load(&self, dtype: &str) -> Result<Model> {
        self.load_in_chunks(dtype, usize::MAX)
    }

    #[cfg(feature = "cpu")]
    pub(crate) fn load_in_chunks(&self, dtype: &str, chunk: usize) -> Result<Model> {
        self.load_from(&self.small_files(), dtype, None, chunk)
    }

    #[cfg(feature = "cpu")]
    pub(crate) fn load_head(&self, dtype: &str, head: Option<HeadKind>) -> Result<Model> {
        self.load_from(&self.small_files(), dtype, head, usize::MAX)
    }

    /// Loads the model with other small files.
    #[cfg(feature = "cpu")]
    pub(crate) fn load_from(
        &self,
        files: &Files,
        dtype: &str,
        head: Option<HeadKind>,
        chunk: usize,
    ) -> Result<Model> {
        let options = LoadOptions::with_dtype(dtype, head)?;
        self.fill(ModelLoader::new(Folder::read(files)?, Cpu::default(), options)?, chunk)
    }

    /// Loads the model on another device.
    pub(crate) fn load_on<B: Processor>(
        &self,
        device: B,
        dtype: &str,
    ) -> Result<webert::engine::Model<B>> {
        let folder = Folder::read(&self.small_files())?;
        let options = LoadOptions::with_dtype(dtype, None)?;
        self.fill(ModelLoader::new(folder, device, options)?, usize::MAX)
    }

    /// Pushes the weights into a loader.
    pub(crate) fn fill<B: Processor>(
        &self,
        mut loader: ModelLoader<B>,
        chunk: usize,
    ) -> Result<webert::engine::Model<B>> {
        for (name, bytes) in self.weights() {
            loader.begin_file(name)?;
            for chunk in bytes.chunks(chunk.min(bytes.len())) {
                loader.push(chunk)?;
            }
            loader.end_file()?;
        }
        pollster::block_on(loader.finish())
    }
}

/// A tick that never ends a call.
pub(crate) fn go_on() -> Pin<Box<dyn Future<Output = Result<()>>>> {
    Box::pin(async { Ok(()) })
}

/// Returns all numbers of nested arrays, row-major.
pub(crate) fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(flat).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

/// Returns the lengths of nested arrays.
pub(crate) fn dims(value: &Value) -> Vec<usize> {
    let mut dims = Vec::new();
    let mut value = value;
    while let Value::Array(values) = value {
        dims.push(values.len());
        value = &values[0];
    }
    dims
}

/// Returns the inputs of a case of cases.json.
pub(crate) fn inputs(case: &Value) -> Inputs {
    let ids = |name: &str| {
        let value = &case["inputs"][name];
        (!value.is_null()).then(|| flat(value).iter().map(|&id| id as u32).collect::<Vec<_>>())
    };
    Inputs {
        dims: dims(&case["inputs"]["input_ids"]),
        ids: ids("input_ids").unwrap(),
        mask: ids("attention_mask"),
        types: ids("token_type_ids"),
        positions: ids("position_ids"),
    }
}

pub(crate) fn outputs<B: Processor>(
    model: &mut webert::engine::Model<B>,
    inputs: &Inputs,
    all: bool,
) -> Result<Outputs> {
    pollster::block_on(model.outputs(inputs, all, all, &go_on))
}

/// Returns the largest difference, or a message if the shapes differ.
pub(crate) fn difference(got: &Tensor, want: &Value) -> std::result::Result<f64, String> {
    if got.dims != dims(want) || got.dims.iter().product::<usize>() != got.data.len() {
        return Err(format!(
            "dims {:?} with {} numbers, not {:?}",
            got.dims,
            got.data.len(),
            dims(want)
        ));
    }
    let pairs = got.data.iter().zip(flat(want));
    Ok(pairs.fold(0.0, |max, (&got, want)| {
        let difference = (f64::from(got) - want).abs();
        if difference.is_nan() { f64::INFINITY } else { f64::max(max, difference) }
    }))
}

pub(crate) fn code<T>(result: Result<T>) -> &'static str {
    result.err().as_ref().map_or("ok", Error::code)
}

/// Tolerance of f32 against f32. The goldens differ from an f64 forward pass by 1.2e-5.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// Compares every output of every golden with the reference. Returns the largest difference.
pub(crate) fn compare_all<B: Processor>(
    tolerance: f64,
    load: impl Fn(&Golden, Option<B>) -> webert::engine::Model<B>,
) -> f64 {
    compare_goldens(GOLDENS, tolerance, 170, load)
}

/// Like [`compare_all`], for these goldens. They must have at least `least` outputs. `load` takes the
/// device of the model before.
pub(crate) fn compare_goldens<'a, B: Processor>(
    goldens: impl IntoIterator<Item = &'a Golden>,
    tolerance: f64,
    least: usize,
    load: impl Fn(&Golden, Option<B>) -> webert::engine::Model<B>,
) -> f64 {
    let (mut passed, mut failed, mut greatest) = (0, Vec::new(), 0.0);
    let mut device = None;
    for golden in goldens {
        let mut model = load(golden, device.take());
        for case in golden.cases() {
            let is_there = |name| case["outputs"].get(name).is_some();
            let all = is_there("attentions") || is_there("hidden_states");
            let got = outputs(&mut model, &inputs(&case), all).unwrap();
            for (name, want) in case["outputs"].as_object().unwrap() {
                for (part, difference) in
                    compare(golden, &got, name, want, &case["inputs"]["attention_mask"])
                {
                    if difference.as_ref().is_ok_and(|&difference| difference <= tolerance) {
                        passed += 1;
                        greatest = f64::max(greatest, difference.unwrap());
                    } else {
                        failed.push(format!(
                            "{} {} {part}: {difference:?}",
                            golden.name, case["name"]
                        ));
                    }
                }
            }
        }
        device = model.into_backend();
    }
    assert!(failed.is_empty(), "{passed} equal, {} not:\n{}", failed.len(), failed.join("\n"));
    assert!(passed >= least, "only {passed} outputs compared");
    greatest
}

/// Returns the largest difference of each tensor of a named output, at unmasked positions.
fn compare(
    golden: &Golden,
    got: &Outputs,
    name: &str,
    want: &Value,
    mask: &Value,
) -> Vec<(String, std::result::Result<f64, String>)> {
    let list = match name {
        "hidden_states" => &got.hidden_states,
        "attentions" => &got.attentions,
        _ => {
            let Some((_, tensor)) = got.tensors.iter().find(|(n, _)| *n == name) else {
                return vec![(name.to_owned(), Err("is not there".to_owned()))];
            };
            return vec![(
                name.to_owned(),
                difference(tensor, &masked(golden, name, want, mask, tensor)),
            )];
        }
    };
    let wanted = want.as_array().unwrap();
    assert_eq!(list.len(), wanted.len(), "{name}");
    let each = list.iter().zip(wanted).enumerate();
    each.map(|(n, (got, want))| {
        (format!("{name}[{n}]"), difference(got, &masked(golden, name, want, mask, got)))
    })
    .collect()
}

/// Returns the reference with zeros at masked positions, like webert's outputs. `want` is
/// `[batch, length, …]` or, for attention, `[batch, heads, length, length]`.
fn masked(golden: &Golden, name: &str, want: &Value, mask: &Value, got: &Tensor) -> Value {
    let mut want = want.clone();
    let by_token = got.dims.len() > 2
        || matches!(name, "start_logits" | "end_logits")
        || golden.name == "electra-discriminator";
    if mask.is_null() || dims(mask).len() != 2 || !by_token {
        return want;
    }
    let length = dims(mask)[1];
    let zero = |value: &Value| {
        let mut value = value.clone();
        fill(&mut value);
        value
    };
    for (b, row) in mask.as_array().unwrap().iter().enumerate() {
        for (i, kept) in flat(row).iter().enumerate().filter(|(_, kept)| **kept == 0.0) {
            assert_eq!(*kept, 0.0);
            match want[b].as_array().map(Vec::len) {
                Some(_) if name != "attentions" => want[b][i] = zero(&want[b][i]),
                Some(heads) => {
                    for head in 0..heads {
                        want[b][head][i] = zero(&want[b][head][i]);
                        for query in 0..length {
                            want[b][head][query][i] = json!(0.0);
                        }
                    }
                }
                None => panic!("{name} has no row for each position"),
            }
        }
    }
    want
}

fn fill(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(fill),
        other => *other = json!(0.0),
    }
}
