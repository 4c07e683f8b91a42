//! BERT: tokenizers, the transformer encoder, its heads and the tasks over them, on the CPU or on
//! a GPU. The crate is what the npm package of the same name compiles to WebAssembly,
//! and runs natively as well.
//!
//! A model is loaded from the files of a checkpoint folder as they are: config and tokenizer at
//! once, then the safetensors in pieces of any size. Nothing here reads files or the network. Tasks
//! are `async`, as a GPU answers later; any executor runs them, here that of the crate `pollster`.
//!
//! # Example
//!
//! ```
//! use std::fs::read;
//!
//! use pollster::block_on;
//! use webert::engine::{Folder, ModelLoader, Options};
//! use webert::tasks::fill_mask::{self, Answer, fill_mask};
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
//! // "auto" rounds weights to int8 on the CPU, "fp32" keeps them as they are
//! let options = Options::with_dtype("auto", None)?;
//! let mut loader = ModelLoader::new(Folder::read(&files)?, Cpu::default(), options)?;
//! loader.begin_file("model.safetensors")?;
//! for piece in file("model.safetensors")?.chunks(1 << 20) {
//!     loader.push(piece)?;
//! }
//! loader.end_file()?;
//! let model = block_on(loader.finish())?;
//!
//! let texts = ["Paris is the [MASK] of France.".to_owned().into()];
//! let options = fill_mask::Options { top_k: 3, ..fill_mask::Options::default() };
//! let tick = || Box::pin(async { Ok(()) }) as _; // an error from it would end the call
//! let answers = block_on(fill_mask(&model, &texts, &options, &tick))?;
//! let [Answer::One(words)] = &answers[..] else { unreachable!("one text with one mask") };
//! assert_eq!(words.len(), 3);
//! assert_eq!(words[0].token_str, "capital");
//! assert_eq!(words[0].sequence, "paris is the capital of france.");
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! `examples/fill_mask.rs` does the same with any folder. The tokenizer alone is a
//! [`tokenizer::Tokenizer`].
//!
//! # Features
//!
//! - `cpu`, a default: [`backend::cpu`], the kernels of the crate `webert-kernels`
//! - `gpu`, a default: [`backend::gpu`], WGSL over the crate `wgpu`; Vulkan natively
//! - `tokenizers`, a default: all models and parts of a `tokenizer.json`, besides WordPiece with BERT's own parts
//! - `families`, a default: the models MPNet and ModernBERT, besides BERT, DistilBERT, ELECTRA, RoBERTa, XLM-RoBERTa and ALBERT
//! - `search`, a default: [`search`], which needs no backend
//! - `train`, a default: the module `train`, from rows to gradients, steps and metrics, and `tokenizer::train`, vocabularies
//!
//! One of `cpu` and `gpu` is needed, but for `search` alone.
//!
//! # Modules
//!
//! From the text inwards:
//!
//! - [`tokenizer`]: text and pairs to ids with byte ranges, and back
//! - [`config`]: `config.json`, validated
//! - [`batch`]: encodings laid end to end, without padding
//! - [`backend`]: the interface of a device, its kernels, with its implementations `cpu` and `gpu`,
//!   features of these names: the kernels crate on the CPU and shaders/ on WebGPU
//! - [`model`]: the parameters, declared once, and the forward pass of encoder and heads over a backend
//! - [`checkpoint`]: the streaming loader of safetensors
//! - [`engine`]: an encoder on its device, and the heads on it, each with its config and tokenizer
//! - [`tasks`]: from inputs to answers, one file a task
//! - [`search`], with the feature of that name: an index of vectors and words
//! - `train`, with the feature of that name: from rows to batches, gradients, steps and metrics
//! - `wasm`: all that JavaScript sees
//! - [`error`]: the one [`Error`] of the crate

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
/// All that JavaScript sees of a binary that only searches.
#[cfg(all(target_arch = "wasm32", not(any(feature = "cpu", feature = "gpu"))))]
#[path = "wasm/search.rs"]
mod wasm;

pub use error::{Error, Result};

#[cfg(not(any(feature = "cpu", feature = "gpu", feature = "search")))]
compile_error!(
    "a model runs on a backend: choose the feature cpu, gpu or both; or search, which needs none"
);
