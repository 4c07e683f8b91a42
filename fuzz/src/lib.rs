//! The fuzz targets, one per file. A target panics if a promise is broken. An error of the library
//! is a valid result if it has one of the documented codes.
//!
//! `fuzz_targets` runs them under libFuzzer. `tests/fuzz.rs` of the crate runs them over the seeds
//! and a fixed number of mutations in every test run.

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

pub mod bpe_codes;
pub mod config;
pub mod forward;
pub mod index;
pub mod onnx;
pub mod pytorch;
pub mod rows;
pub mod safetensors;
pub mod sentencepiece;
pub mod tasks;
pub mod text;
pub mod tokenizer_json;
pub mod vocab;
pub mod weights;

/// Name and function of a target. The function returns true if the library accepted the input.
pub type Target = (&'static str, fn(&[u8]) -> bool);

/// All targets. The seeds of each are in `fuzz/seeds/NAME`.
pub const TARGETS: [Target; 14] = [
    ("bpe_codes", bpe_codes::run),
    ("config", config::run),
    ("forward", forward::run),
    ("index", index::run),
    ("onnx", onnx::run),
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
