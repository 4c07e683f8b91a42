//! The GPU, native only, on any Vulkan adapter: operations, models and the device. One target
//! compiles the generic code once.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod attention;
#[cfg(feature = "families")]
mod attention_output;
mod autotune;
#[path = "../common/mod.rs"]
mod common;
mod device;
mod faults;
#[cfg(all(feature = "families", feature = "train"))]
mod kernel_bench;
mod limits;
mod linear;
mod models;
mod norm;
mod requests;
mod rows;
mod shaders;

use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::{Backend, Precision};
use webert::batch::{Batch, Sequence};
use webert::engine::{Model, Request};

use common::Golden;
use common::adapter::gpu;

/// Opens another GPU, after [`gpu`] has found one. Its variants are the defaults, whose results do
/// not depend on a measurement.
fn opened() -> Gpu {
    let mut gpu = pollster::block_on(Gpu::open()).unwrap();
    gpu.keep_defaults();
    gpu
}

/// Returns the GPU of the model before, with its compiled kernels, or opens one.
fn reused(before: Option<Gpu>) -> Gpu {
    let mut gpu = before.map_or_else(opened, Gpu::restarted);
    gpu.keep_defaults();
    gpu
}

const FLOATS: [Precision; 3] = [Precision::F32, Precision::F16, Precision::Bf16];

fn values(gpu: &mut Gpu, rows: &[&GpuRows]) -> Vec<Vec<f32>> {
    pollster::block_on(gpu.read(rows)).unwrap()
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

/// Loads a golden on the GPU, with the precision of the file.
fn loaded(golden: &Golden, gpu: Gpu) -> Model<Gpu> {
    golden.load_on(gpu, "auto").unwrap()
}

/// Returns sequences of these lengths, with all outputs requested.
fn request(lengths: &[usize]) -> Request {
    let mut batch = Batch::default();
    for &length in lengths {
        let start = batch.ids.len();
        batch.ids.extend((0..length as u32).map(|n| 5 + n % 50));
        batch.types.resize(start + length, 0);
        batch.positions.extend(0..length as u32);
        let rows = start..start + length;
        batch.sequences.push(Sequence { rows: rows.clone(), keys: rows });
    }
    Request {
        batch,
        head: true,
        tokens: Some(vec![0, 2]),
        states: vec![0, 1],
        attentions: true,
        best: None,
        layers: None,
    }
}

/// Milliseconds that a software adapter may take on a machine that does other work.
const PATIENCE: u32 = 600_000;

/// Returns a software adapter that is treated as hardware, with a matrix of each precision.
fn hardware(test: &str) -> Option<Gpu> {
    let mut gpu = gpu(test)?;
    gpu.claim_hardware();
    gpu.limit_patience(PATIENCE);
    for precision in [Precision::F32, Precision::I8] {
        gpu.matrix(1, 4, precision).unwrap();
    }
    Some(gpu)
}
