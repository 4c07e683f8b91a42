//! Failing allocations. For a load or a call, each of its large allocations is made to fail in
//! turn. Each failure must be an `out_of_memory` error, the process must survive, and the next
//! attempt must succeed.
//!
//! Each attempt runs in its own process, because Rust aborts the process on some failed
//! allocations.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(unsafe_code, reason = "an allocator is made of it; what is tested has none")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::process::Command;
use std::rc::Rc;

use serde_json::json;
use webert::backend::cpu::Cpu;
use webert::batch::{Batch, Padded};
use webert::config::{Config, HeadKind};
use webert::engine::{Files, Folder, Inputs, LoadOptions, Model, ModelLoader};
use webert::model::{describe_encoder, describe_new_head};
use webert::tokenizer::{EncodeOptions, Padding, Tokenizer};
use webert::train::arguments::TrainingArguments;
use webert::train::run::save::{Dtype, safetensors_header};
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};
use webert::{Error, Result};

/// Allocations above this many bytes count while a file loads. The conversion buffer of 64 KiB does
/// not count.
const OF_LOADS: usize = 1 << 16;

/// Allocations above this many bytes count in a call.
const OF_CALLS: usize = 1 << 12;

/// The same for a call of an int8 model. The 7 KiB that a thread packs of its weights do not count.
const OF_CALLS_IN_Q8: usize = 1 << 13;

/// Counts only whole matrices, their gradients and moments.
const OF_MATRICES: usize = 1 << 19;

/// Which allocations of a thread count, and which one fails.
#[derive(Clone, Copy)]
struct Counter {
    /// Allocations above this many bytes count.
    limit: usize,
    /// Number of counted allocations.
    count: usize,
    /// Number of the allocation that fails. 0: none.
    refused: usize,
}

/// Counts nothing.
const OFF: Counter = Counter { limit: usize::MAX, count: 0, refused: 0 };

thread_local! {
    static COUNTER: Cell<Counter> = const { Cell::new(OFF) };
}

struct Refusing;

/// Returns true if an allocation of this size must fail.
fn is_refused(bytes: usize) -> bool {
    let count = |counter: &Cell<Counter>| {
        let Counter { limit, count, refused } = counter.get();
        let counts = bytes > limit;
        counter.set(Counter { limit, count: count + usize::from(counts), refused });
        counts && count + 1 == refused
    };
    COUNTER.try_with(count).unwrap_or(false)
}

// SAFETY: every method calls the system's allocator or returns null, which means a failed
// allocation.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller upholds the contract.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// A scenario: name, smallest size of counted allocations, and a function that prepares the inputs
/// and returns the attempt.
type Scenario = (&'static str, usize, fn() -> Box<dyn Fn() -> Result<()>>);

const SCENARIOS: [Scenario; 12] = [
    ("weights in fp32, whole", OF_LOADS, || loading("fp32", usize::MAX)),
    ("weights in fp32, in pieces", OF_LOADS, || loading("fp32", 1 << 16)),
    ("weights in fp16", OF_LOADS, || loading("fp16", 1 << 16)),
    ("weights in q8", OF_LOADS, || loading("q8", 1 << 16)),
    ("weights of PyTorch", OF_LOADS, || loading_pytorch(1 << 16)),
    ("a long text", OF_CALLS, || encoding(EncodeOptions::default())),
    ("a padded text", OF_CALLS, || {
        let padding = Padding::MaxLength;
        encoding(EncodeOptions { padding, max_length: Some(1 << 18), ..EncodeOptions::default() })
    }),
    ("hidden states and attentions", OF_CALLS, || {
        outputs(BERT, "fp32", &[1, 512], true, HeadKind::MaskedLm)
    }),
    ("a long sequence", OF_CALLS, || outputs(BERT, "fp32", &[1, 1100], false, HeadKind::Bare)),
    ("a long sequence in q8", OF_CALLS_IN_Q8, || {
        outputs(BERT, "q8", &[1, 2200], false, HeadKind::Bare)
    }),
    ("a long sequence with distances", OF_CALLS, || {
        outputs(MPNET, "fp32", &[1, 1100], false, HeadKind::Bare)
    }),
    ("a step of training", OF_CALLS, training),
];

#[test]
fn memory_that_cannot_be_had_is_an_error_each_time() {
    if let Ok(asked) = std::env::var("WEBERT_FAULT") {
        return in_child(&asked);
    }
    let mut aborted = Vec::new();
    for (number, (name, ..)) in SCENARIOS.iter().enumerate() {
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
    let mut files = files(BERT, OF_FILES);
    let weights = weights(&files);
    files.truncate(1); // only the config
    let options = LoadOptions::with_dtype("fp32", Some(HeadKind::MaskedLm)).unwrap();
    let folder = Folder::read(&files).unwrap();
    let mut loader = ModelLoader::new(folder, Cpu::default(), options).unwrap();
    loader.begin_file("model.safetensors").unwrap();
    let header = 8 + u64::from_le_bytes(weights[..8].try_into().unwrap()) as usize;
    // The table of words comes first: 5 MB. Less than an eighth of it is pushed.
    let (first, rest) = weights.split_at(header + (1 << 18));
    COUNTER.set(Counter { limit: OF_MATRICES, ..OFF });
    loader.push(first).unwrap();
    assert_eq!(COUNTER.get().count, 0, "large allocations");
    loader.push(rest).unwrap();
    assert!(COUNTER.replace(OFF).count > 0, "the table is there");
    loader.end_file().unwrap();
    pollster::block_on(loader.finish()).unwrap();
}

#[test]
fn moments_beyond_the_memory_are_named_with_all_their_bytes() {
    let mut files = files(BERT, OF_FILES);
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
    // The gradients exist already, so the moments are the first allocation of a step.
    COUNTER.set(Counter { limit: OF_MATRICES, count: 0, refused: 1 });
    let error = step().unwrap_err();
    COUNTER.set(OFF);
    assert_eq!(error.code(), "out_of_memory");
    assert_eq!(error.to_string(), format!("no memory for AdamW's moments: {bytes} bytes"));
    step().unwrap();
}

/// Runs a scenario in a process in which one allocation fails. Returns "allocations code
/// code-of-the-next-attempt".
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
    let (_, limit, make) = SCENARIOS[scenario.parse::<usize>().unwrap()];
    let body = make();
    let code = |result: Result<()>| result.err().as_ref().map_or("ok", Error::code);
    COUNTER.set(Counter { limit, count: 0, refused: refused.parse().unwrap() });
    let first = code(body());
    let Counter { count, .. } = COUNTER.replace(OFF);
    let second = code(body());
    println!("outcome: {count} {first} {second}");
}

/// Size of the vocabulary. For loads, it makes the word table larger than what is allocated before
/// its bytes arrive.
const OF_FILES: usize = 20_000;
const OF_MODELS: usize = 4_096;

/// Families of models.
const BERT: &str = "bert";
const MPNET: &str = "mpnet";

/// Returns the files of a model with many positions.
fn files(family: &str, vocabulary: usize) -> Files {
    let config = json!({
        "model_type": family, "vocab_size": vocabulary, "hidden_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 1, "intermediate_size": 64, "max_position_embeddings": 1 << 12,
    });
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(str::to_owned);
    let words = (special.len()..vocabulary).map(|n| format!("w{n}"));
    let vocab: Vec<String> = special.into_iter().chain(words).collect();
    vec![
        ("config.json".into(), config.to_string().into_bytes()),
        ("vocab.txt".into(), vocab.join("\n").into_bytes()),
    ]
}

/// The tensors of a file: name, shape, and whether it has one dimension.
type Shapes = Vec<(String, [usize; 2], usize)>;

/// Returns the tensors of a model.
fn shapes(files: &Files) -> Shapes {
    let config = Config::parse(&files[0].1).unwrap();
    let (encoder, head) =
        (describe_encoder(&config), describe_new_head(&config, HeadKind::MaskedLm));
    let leaves = encoder.leaves().into_iter().chain(head.leaves());
    let mut tensors = Vec::new();
    for spec in leaves.map(|leaf| leaf.into_inner()) {
        let shape = [spec.tensor_rows(), spec.cols];
        let dims = if spec.cols == 1 { 1 } else { 2 };
        tensors.extend(spec.tensors.iter().map(|name| (name.checkpoint.clone(), shape, dims)));
    }
    tensors
}

/// Small numbers, little-endian.
fn numbers(count: usize) -> impl Iterator<Item = u8> {
    (0..count).flat_map(|n| ((n % 7) as f32 * 0.01 - 0.03).to_le_bytes())
}

/// The weights of a model as safetensors, all of them small.
fn weights(files: &Files) -> Vec<u8> {
    let tensors = shapes(files);
    let shapes: Vec<(&str, &[usize])> =
        tensors.iter().map(|(name, shape, dims)| (name.as_str(), &shape[..*dims])).collect();
    let mut bytes = safetensors_header(&shapes, Dtype::F32).unwrap();
    for (_, shape) in shapes {
        let count: usize = shape.iter().product();
        bytes.extend(numbers(count));
    }
    bytes
}

/// The same in PyTorch's older format, matrices column by column.
fn pytorch(files: &Files) -> Vec<u8> {
    let text =
        |text: &str| [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let number = |number: usize| [b"J", &(number as u32).to_le_bytes()[..]].concat();
    let tuple = |items: &[usize]| {
        let items: Vec<_> = items.iter().flat_map(|&item| number(item)).collect();
        [b"(", &items[..], b"t"].concat()
    };
    let mut bytes = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.".to_vec();
    bytes.extend(b"\x80\x02M\xe9\x03.\x80\x02}.\x80\x02}(");
    let tensors = shapes(files);
    for (key, (name, [rows, cols], dims)) in tensors.iter().enumerate() {
        bytes.extend(text(name));
        bytes.extend(b"ctorch._utils\n_rebuild_tensor\n((");
        bytes.extend(text("storage"));
        bytes.extend(b"ctorch\nFloatStorage\n");
        bytes.extend([text(&key.to_string()), text("cpu"), number(rows * cols)].concat());
        bytes.extend(b"NtQK\x00");
        bytes.extend([tuple(&[*rows, *cols][..*dims]), tuple(&[1, *rows][..*dims])].concat());
        bytes.extend(b"tR");
    }
    bytes.extend(b"u.\x80\x02](");
    (0..tensors.len()).for_each(|key| bytes.extend(text(&key.to_string())));
    bytes.extend(b"e.");
    for (_, [rows, cols], _) in tensors {
        bytes.extend((rows as u64 * cols as u64).to_le_bytes());
        bytes.extend(numbers(rows * cols));
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
    load_file("model.safetensors", files, weights, dtype, piece, head)
}

fn load_file(
    name: &str,
    files: &Files,
    weights: &[u8],
    dtype: &str,
    piece: usize,
    head: HeadKind,
) -> Result<Model<Cpu>> {
    let options = LoadOptions::with_dtype(dtype, Some(head))?;
    let mut loader = ModelLoader::new(Folder::read(files)?, Cpu::default(), options)?;
    loader.begin_file(name)?;
    weights.chunks(piece).try_for_each(|piece| loader.push(piece))?;
    loader.end_file()?;
    pollster::block_on(loader.finish())
}

fn loading(dtype: &'static str, piece: usize) -> Box<dyn Fn() -> Result<()>> {
    let mut files = files(BERT, OF_FILES);
    let weights = weights(&files);
    files.truncate(1); // only the config
    Box::new(move || {
        load(&files, &weights, dtype, piece.min(weights.len()), HeadKind::MaskedLm).map(drop)
    })
}

fn loading_pytorch(piece: usize) -> Box<dyn Fn() -> Result<()>> {
    let mut files = files(BERT, OF_FILES);
    let weights = pytorch(&files);
    files.truncate(1);
    let (name, head) = ("pytorch_model.bin", HeadKind::MaskedLm);
    Box::new(move || load_file(name, &files, &weights, "fp32", piece, head).map(drop))
}

fn encoding(options: EncodeOptions) -> Box<dyn Fn() -> Result<()>> {
    let vocab = files(BERT, OF_FILES).remove(1).1;
    let files = webert::tokenizer::Files { vocab_txt: Some(&vocab), ..Default::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let text = "w5 w17 ".repeat(1 << 15);
    Box::new(move || tokenizer.encode(&text, None, &options).map(drop))
}

fn model(family: &str, dtype: &str, head: HeadKind) -> Model<Cpu> {
    let mut files = files(family, OF_MODELS);
    let weights = weights(&files);
    files.truncate(1);
    load(&files, &weights, dtype, weights.len(), head).unwrap()
}

/// Runs a pass over a grid of this shape, with the head's outputs or with all outputs.
fn outputs(
    family: &str,
    dtype: &str,
    dims: &[usize],
    all: bool,
    head: HeadKind,
) -> Box<dyn Fn() -> Result<()>> {
    let model = model(family, dtype, head);
    let ids = vec![7; dims.iter().product()];
    let inputs = Inputs { dims: dims.to_vec(), ids, ..Inputs::default() };
    let tick = || Box::pin(async { Ok(()) }) as _;
    Box::new(move || pollster::block_on(model.outputs(&inputs, all, all, &tick)).map(drop))
}

/// Takes one step on a sequence, with dropout.
fn training() -> Box<dyn Fn() -> Result<()>> {
    let model = model(BERT, "fp32", HeadKind::MaskedLm);
    let ids = vec![7; 300];
    let padded = Padded { length: ids.len(), ids: &ids, mask: None, types: None, positions: None };
    let (batch, _) = Batch::pack_padded(model.config(), padded).unwrap();
    let labels = Labels::Tokens(vec![9; ids.len()]);
    let rates = Rates { hidden: 0.1, attention: 0.1, ..Rates::default() };
    let trainer = Trainer::new(Rc::new(model), rates, Freeze::None).unwrap();
    let trainer = RefCell::new(trainer);
    let arguments = TrainingArguments::default();
    Box::new(move || {
        pollster::block_on(trainer.borrow_mut().step(&batch, &labels, &arguments)).map(drop)
    })
}
