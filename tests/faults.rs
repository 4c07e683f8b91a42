//! Memory that cannot be had: of each large allocation that a file or a call makes, the first, the second, … is
//! refused in turn. Each time that is `out_of_memory` and no end of the process, and the next try works.
//!
//! A process of its own stands for each, as one that Rust gives up on ends there.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(unsafe_code, reason = "an allocator is made of it; what is tested has none")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::process::Command;
use std::rc::Rc;

use serde_json::json;
use webert::backend::cpu::Cpu;
use webert::batch::{Batch, Padded};
use webert::config::{Config, HeadKind};
use webert::engine::{Files, Folder, Inputs, Model, ModelLoader, Options};
use webert::model::{describe_encoder, describe_new_head};
use webert::tokenizer::{EncodeOptions, Padding, Tokenizer};
use webert::train::arguments::TrainingArguments;
use webert::train::dropout::Rates;
use webert::train::loss::Labels;
use webert::train::save::{Dtype, safetensors_header};
use webert::train::trainer::{Freeze, Trainer};
use webert::{Error, Result};

/// Allocations of more bytes count. Buffers of the kernels take half a megabyte a thread at most, whatever they compute.
const LARGE: usize = 1 << 19;

thread_local! {
    /// Large allocations of this thread so far, and the one that is refused; 0: none.
    static COUNTED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

struct Refusing;

/// Whether an allocation of so many bytes is the one to refuse.
fn is_refused(bytes: usize) -> bool {
    if bytes <= LARGE {
        return false;
    }
    let count = |counted: &Cell<(usize, usize)>| {
        let (count, refused) = counted.get();
        counted.set((count + 1, refused));
        count + 1 == refused
    };
    COUNTED.try_with(count).unwrap_or(false)
}

// SAFETY: every method is the system's allocator, or null, which stands for memory that there is not.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// What is tried: its inputs are made first, then it runs while allocations count.
type Scenario = (&'static str, fn() -> Box<dyn Fn() -> Result<()>>);

const SCENARIOS: [Scenario; 8] = [
    ("weights in fp32, whole", || loading("fp32", usize::MAX)),
    ("weights in fp32, in pieces", || loading("fp32", 1 << 16)),
    ("weights in fp16", || loading("fp16", 1 << 16)),
    ("weights in q8", || loading("q8", 1 << 16)),
    ("a long text", || encoding(EncodeOptions::default())),
    ("a padded text", || {
        let padding = Padding::MaxLength;
        encoding(EncodeOptions { padding, max_length: Some(1 << 18), ..EncodeOptions::default() })
    }),
    ("hidden states and attentions", || outputs(&[1, 512], true, HeadKind::MaskedLm)),
    ("a long sequence", || outputs(&[1, 3000], false, HeadKind::Bare)),
];

#[test]
fn memory_that_cannot_be_had_is_an_error_each_time() {
    if let Ok(asked) = std::env::var("WEBERT_FAULT") {
        return in_child(&asked);
    }
    let mut aborted = Vec::new();
    for (number, (name, _)) in SCENARIOS.iter().enumerate() {
        let whole = run(number, 0).unwrap_or_else(|end| panic!("{name} does not run: {end}"));
        let (count, code) = whole.split_once(' ').unwrap();
        assert_eq!(code, "ok ok", "{name}, where nothing is refused");
        let count: usize = count.parse().unwrap();
        assert!(count > 0, "{name} allocates nothing large");
        for refused in 1..=count {
            match run(number, refused) {
                Ok(line) if line.ends_with(" out_of_memory ok") => {}
                Ok(line) => {
                    aborted.push(format!("{name}, allocation {refused} of {count}: {line}"));
                }
                Err(end) => aborted.push(format!("{name}, allocation {refused} of {count}: {end}")),
            }
        }
        println!("{name}: {count} large allocations");
    }
    assert!(aborted.is_empty(), "{}", aborted.join("\n"));
}

#[test]
fn a_header_is_no_reason_to_take_the_memory_that_it_claims() {
    let mut files = files();
    let weights = weights(&files);
    files.truncate(1); // the config alone
    let options = Options::with_dtype("fp32", Some(HeadKind::MaskedLm)).unwrap();
    let folder = Folder::read(&files).unwrap();
    let mut loader = ModelLoader::new(folder, Cpu::default(), options).unwrap();
    loader.begin_file("model.safetensors").unwrap();
    let header = 8 + u64::from_le_bytes(weights[..8].try_into().unwrap()) as usize;
    // the table of words comes first: 5 MB, of which less than an eighth is there
    let (first, rest) = weights.split_at(header + (1 << 18));
    COUNTED.set((0, 0));
    loader.push(first).unwrap();
    assert_eq!(COUNTED.get().0, 0, "large allocations");
    loader.push(rest).unwrap();
    assert!(COUNTED.get().0 > 0, "the table is there");
    loader.end_file().unwrap();
    pollster::block_on(loader.finish()).unwrap();
}

#[test]
fn moments_that_there_is_no_memory_for_are_named_with_all_their_bytes() {
    let mut files = files();
    let weights = weights(&files);
    files.truncate(1);
    let model = load(&files, &weights, "fp32", weights.len(), HeadKind::MaskedLm).unwrap();
    let bytes = 2 * 4 * model.info().parameters;
    let padded = Padded { length: 3, ids: &[2, 7, 3], mask: None, types: None, positions: None };
    let (batch, _) = Batch::pack_padded(model.config(), padded).unwrap();
    let labels = Labels::Tokens(vec![-100, 8, -100]);
    let mut trainer = Trainer::new(Rc::new(model), Rates::default(), Freeze::None).unwrap();
    let mut step = || {
        let arguments = TrainingArguments::default();
        pollster::block_on(trainer.step(&batch, &labels, &arguments))
    };
    // the gradients are there, so that moments are the first that a step asks for
    COUNTED.set((0, 1));
    let error = step().unwrap_err();
    COUNTED.set((0, 0));
    assert_eq!(error.code(), "out_of_memory");
    assert_eq!(error.to_string(), format!("no memory for AdamW's moments: {bytes} bytes"));
    step().unwrap();
}

/// Runs a scenario in a process in which one allocation is refused: "allocations code code-of-the-next-try".
fn run(scenario: usize, refused: usize) -> std::result::Result<String, String> {
    let test = "memory_that_cannot_be_had_is_an_error_each_time";
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env("WEBERT_FAULT", format!("{scenario} {refused}"))
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&child.stdout);
    let line = stdout.lines().find_map(|line| line.split_once("outcome: "));
    line.map(|(_, outcome)| outcome.to_owned())
        .ok_or_else(|| String::from_utf8_lossy(&child.stderr).trim().to_owned())
}

fn in_child(asked: &str) {
    let (scenario, refused) = asked.split_once(' ').unwrap();
    let body = SCENARIOS[scenario.parse::<usize>().unwrap()].1();
    let code = |result: Result<()>| result.err().as_ref().map_or("ok", Error::code);
    COUNTED.set((0, refused.parse().unwrap()));
    let first = code(body());
    let (count, _) = COUNTED.replace((0, 0));
    let second = code(body());
    println!("outcome: {count} {first} {second}");
}

const VOCABULARY: usize = 20_000;

/// A model with a large vocabulary and a wide feed-forward layer.
fn files() -> Files {
    let config = json!({
        "model_type": "bert", "vocab_size": VOCABULARY, "hidden_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 1, "intermediate_size": 64, "max_position_embeddings": 1 << 12,
    });
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(str::to_owned);
    let words = (special.len()..VOCABULARY).map(|n| format!("w{n}"));
    let vocab: Vec<String> = special.into_iter().chain(words).collect();
    vec![
        ("config.json".into(), config.to_string().into_bytes()),
        ("vocab.txt".into(), vocab.join("\n").into_bytes()),
    ]
}

/// Its weights, all of them small.
fn weights(files: &Files) -> Vec<u8> {
    let config = Config::parse(&files[0].1).unwrap();
    let (encoder, head) =
        (describe_encoder(&config), describe_new_head(&config, HeadKind::MaskedLm));
    let leaves = encoder.leaves().into_iter().chain(head.leaves());
    let mut tensors = Vec::new();
    for spec in leaves.map(|leaf| leaf.into_inner()) {
        let shape = [spec.tensor_rows(), spec.cols];
        let dims = if spec.cols == 1 { 1 } else { 2 };
        tensors.extend(spec.tensors.iter().map(|name| (&name.checkpoint, shape, dims)));
    }
    let shapes: Vec<(&str, &[usize])> =
        tensors.iter().map(|(name, shape, dims)| (name.as_str(), &shape[..*dims])).collect();
    let mut bytes = safetensors_header(&shapes, Dtype::F32).unwrap();
    for (_, shape) in shapes {
        let count: usize = shape.iter().product();
        bytes.extend((0..count).flat_map(|n| ((n % 7) as f32 * 0.01 - 0.03).to_le_bytes()));
    }
    bytes
}

fn load(
    files: &Files,
    weights: &[u8],
    dtype: &str,
    piece: usize,
    head: HeadKind,
) -> Result<Model<Cpu>> {
    let options = Options::with_dtype(dtype, Some(head))?;
    let mut loader = ModelLoader::new(Folder::read(files)?, Cpu::default(), options)?;
    loader.begin_file("model.safetensors")?;
    weights.chunks(piece).try_for_each(|piece| loader.push(piece))?;
    loader.end_file()?;
    pollster::block_on(loader.finish())
}

fn loading(dtype: &'static str, piece: usize) -> Box<dyn Fn() -> Result<()>> {
    let mut files = files();
    let weights = weights(&files);
    files.truncate(1); // the config alone
    Box::new(move || {
        load(&files, &weights, dtype, piece.min(weights.len()), HeadKind::MaskedLm).map(drop)
    })
}

fn encoding(options: EncodeOptions) -> Box<dyn Fn() -> Result<()>> {
    let vocab = files().remove(1).1;
    let files = webert::tokenizer::Files { vocab_txt: Some(&vocab), ..Default::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let text = "w5 w17 ".repeat(1 << 15);
    Box::new(move || tokenizer.encode(&text, None, &options).map(drop))
}

/// A pass over a grid of this shape, with the head's outputs or with everything that a model can give.
fn outputs(dims: &[usize], all: bool, head: HeadKind) -> Box<dyn Fn() -> Result<()>> {
    let mut files = files();
    let weights = weights(&files);
    files.truncate(1);
    let model = load(&files, &weights, "fp32", weights.len(), head).unwrap();
    let ids = vec![7; dims.iter().product()];
    let inputs = Inputs { dims: dims.to_vec(), ids, ..Inputs::default() };
    let tick = || Box::pin(async { Ok(()) }) as _;
    Box::new(move || pollster::block_on(model.outputs(&inputs, all, all, &tick)).map(drop))
}
