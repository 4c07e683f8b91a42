//! What every fuzz target does with its bytes, one target a file. A target panics where a promise is broken; an
//! error of the library is an answer, as long as it has one of the codes that its documentation names.
//!
//! `fuzz_targets` runs these under libFuzzer, `tests/fuzz.rs` of the crate runs them over the seeds and over a fixed
//! number of mutations in every test run.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a target fails by panicking, and is no part of the crate's interface"
)]

mod check;
mod source;
mod tiny;

pub mod config;
pub mod forward;
pub mod index;
pub mod pytorch;
pub mod rows;
pub mod safetensors;
pub mod sentencepiece;
pub mod tasks;
pub mod text;
pub mod tokenizer_json;
pub mod vocab;
pub mod weights;

/// A target by its name: whether the library took the input, rather than refusing it.
pub type Target = (&'static str, fn(&[u8]) -> bool);

/// All targets; the seeds of each are in `fuzz/seeds/NAME`.
pub const TARGETS: [Target; 12] = [
    ("config", config::run),
    ("forward", forward::run),
    ("index", index::run),
    ("pytorch", pytorch::run),
    ("rows", rows::run),
    ("safetensors", safetensors::run),
    ("sentencepiece", sentencepiece::run),
    ("tasks", tasks::run),
    ("text", text::run),
    ("tokenizer_json", tokenizer_json::run),
    ("vocab", vocab::run),
    ("weights", weights::run),
];
