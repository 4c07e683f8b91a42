//! Models on the CPU: loading, engines, tasks and training. One target compiles the generic code of
//! models once; a target for each file would compile it thirteen times.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "../common/mod.rs"]
mod common;
mod engine;
mod examples;
mod loader;
mod onnx;
#[cfg(feature = "families")]
mod pytorch;
#[cfg(not(target_arch = "wasm32"))]
mod shared_encoder;
mod tasks;
mod text_ranking;
#[cfg(feature = "train")]
mod train_data;
#[cfg(feature = "train")]
mod train_evaluate;
#[cfg(feature = "train")]
mod train_explain;
#[cfg(feature = "train")]
mod train_goldens;
#[cfg(feature = "train")]
mod train_heads;
#[cfg(feature = "train")]
mod train_rows;
