//! BERT in the browser: text goes in once, ids cross to the device once, logits come back once,
//! answers go out once.
//!
//! The rooms, from the text inwards:
//!
//! - [`tokenizer`]: text and pairs to WordPiece ids with byte ranges, and back
//! - [`config`]: `config.json`, validated
//! - [`batch`]: encodings laid end to end, without padding
//! - [`weights`]: the table of tensor names and shapes, and the streaming loader
//! - [`encoder`], [`heads`]: the forward pass, once, over
//! - [`backend`]: the seam, a few BERT-shaped kernels, with
//! - `cpu` and `gpu`, features of these names: its implementations, the kernels crate on the CPU and shaders/ on WebGPU
//! - [`network`], [`model`]: a loaded model, on its backend and with its tokenizer
//! - [`tasks`]: from inputs to answers, one file a task
//! - `wasm`: all that JavaScript sees
//! - [`error`]: the one [`Error`] of the crate

pub mod backend;
pub mod batch;
pub mod config;
#[cfg(feature = "cpu")]
pub mod cpu;
pub mod encoder;
pub mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod heads;
mod json;
pub mod model;
pub mod network;
mod ranking;
pub mod tasks;
pub mod tokenizer;
pub mod weights;

#[cfg(target_arch = "wasm32")]
mod wasm;

pub use error::{Error, Result};

#[cfg(not(any(feature = "cpu", feature = "gpu")))]
compile_error!("a model runs on a backend: choose the feature cpu, gpu or both");
