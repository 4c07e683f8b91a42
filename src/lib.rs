//! BERT and its relatives: tokenizers, the transformer encoder, its heads and the tasks over them,
//! on the CPU or on a GPU. The npm package of the same name is this crate compiled to WebAssembly;
//! it also runs natively.
//!
//! A model is loaded from the unchanged files of a checkpoint folder: first the config and the
//! tokenizer, then the safetensors files in chunks of any size. The crate reads no files and uses
//! no network. Tasks are `async`, because a GPU returns its results later. Any executor runs them,
//! e.g. the crate `pollster` as here.
//!
//! # Example
//!
//! ```
//! use std::fs::read;
//!
//! use pollster::block_on;
//! use webert::engine::{Folder, LoadOptions, ModelLoader};
//! use webert::tasks::fill_mask::{self, MaskAnswer, fill_mask};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(feature = "cpu")] {
//! use webert::backend::cpu::Cpu;
//!
//! let file = |name: &str| read(format!("models/minilm-mlm/{name}"));
//! let mut files = Vec::new();
//! for name in ["config.json", "tokenizer.json", "tokenizer_config.json"] {
//!     files.push((name.to_owned(), file(name)?));
//! }
//! // "auto" rounds weights to int8 on the CPU, "fp32" keeps them unchanged
//! let options = LoadOptions::with_dtype("auto", None)?;
//! let mut loader = ModelLoader::new(Folder::read(&files)?, Cpu::default(), options)?;
//! loader.begin_file("model.safetensors")?;
//! for piece in file("model.safetensors")?.chunks(1 << 20) {
//!     loader.push(piece)?;
//! }
//! loader.end_file()?;
//! let model = block_on(loader.finish())?;
//!
//! let texts = ["Paris is the [MASK] of France.".to_owned().into()];
//! let options = fill_mask::FillMaskOptions { top_k: 3, ..fill_mask::FillMaskOptions::default() };
//! let tick = || Box::pin(async { Ok(()) }) as _; // an error from it would end the call
//! let answers = block_on(fill_mask(&model, &texts, &options, &tick))?;
//! let [MaskAnswer::One(words)] = &answers[..] else { unreachable!("one text with one mask") };
//! assert_eq!(words.len(), 3);
//! assert_eq!(words[0].token_str, "capital");
//! assert_eq!(words[0].sequence, "paris is the capital of france.");
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! `examples/fill_mask.rs` does the same with any folder. To use a tokenizer alone, see
//! [`tokenizer::Tokenizer`].
//!
//! # Features
//!
//! - `cpu` (default): [`backend::cpu`], the kernels of the crate `webert-kernels`
//! - `gpu` (default): [`backend::gpu`], WGSL shaders through the crate `wgpu`; natively on Vulkan
//! - `tokenizers` (default): all models and parts of a `tokenizer.json`, besides WordPiece with
//!   BERT's own parts
//! - `families` (default): MPNet, ModernBERT, rare activations and `pytorch_model.bin`, besides
//!   BERT, DistilBERT, ELECTRA, RoBERTa, XLM-RoBERTa and ALBERT
//! - `search` (default): [`search`], which needs no backend
//! - `train` (default): the module `train`, which turns rows into gradients, steps and metrics, and
//!   `tokenizer::train`, which trains vocabularies
//!
//! `cpu` or `gpu` is required, unless only `search` is used.
//!
//! # Modules
//!
//! In the order in which a text passes through them:
//!
//! - [`tokenizer`]: text and pairs to ids with byte ranges, and back
//! - [`config`]: `config.json`, parsed and validated
//! - [`batch`]: encodings concatenated without padding
//! - [`backend`]: the interface of a device and its kernels, implemented by `backend::cpu` (the
//!   kernels crate) and `backend::gpu` (the WGSL of shaders/)
//! - [`model`]: the list of parameters, and the forward pass of encoder and heads over any backend
//! - [`checkpoint`]: the streaming loader of weights
//! - [`engine`]: an encoder on its device, with its heads, config and tokenizer
//! - [`tasks`]: from inputs to results, one file per task
//! - [`search`] (feature `search`): an index of vectors and words
//! - `train` (feature `train`): from rows to batches, gradients, steps and metrics
//! - `wasm`: the interface for JavaScript
//! - [`error`]: [`Error`], the error type of the crate

#![deny(clippy::too_many_lines)] // clippy.toml has the limit

#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod backend;
#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod batch;
#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod checkpoint;
#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod config;
#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod engine;
pub mod error;
#[cfg(any(feature = "cpu", feature = "gpu"))]
mod json;
#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod model;
#[cfg(feature = "train")]
pub mod random;
#[cfg(feature = "search")]
pub mod search;
#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod tasks;
#[cfg(any(feature = "cpu", feature = "gpu"))]
pub mod tokenizer;
#[cfg(feature = "train")]
pub mod train;

#[cfg(all(target_arch = "wasm32", any(feature = "cpu", feature = "gpu")))]
mod wasm;
/// The interface for JavaScript of a binary that only searches.
#[cfg(all(target_arch = "wasm32", not(any(feature = "cpu", feature = "gpu"))))]
#[path = "wasm/search.rs"]
mod wasm;

pub use error::{Details, Error, ErrorKind, Result};

#[cfg(not(any(feature = "cpu", feature = "gpu", feature = "search")))]
compile_error!("no backend: enable the feature cpu, gpu or both, or only search");
