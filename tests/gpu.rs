//! The GPU: shaders, the forward pass against the reference, memory, and device loss. Native only,
//! on any Vulkan adapter.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[cfg(feature = "families")]
#[path = "gpu/attention_output.rs"]
mod attention_output;
mod common;

use std::path::Path;

use common::adapter::gpu;
use common::{Golden, TOLERANCE, compare_all, inputs, outputs, suite};
use webert::backend::cpu::Cpu;
use webert::backend::gpu::{self, Gpu, GpuRows};
use webert::backend::{Activation, Backend, Embeddings, Norm, Precision, Rotation};
use webert::batch::{Batch, Sequence};
use webert::engine::{Folder, LoadOptions, Model, ModelLoader, Request};
#[cfg(feature = "families")]
use webert::engine::{Inputs, ScorePooling, Tensor};
use webert::tokenizer::{self, Tokenizer};

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

#[test]
fn every_shader_is_valid() {
    // Half floats are unpacked by a function that WebGPU always has; naga counts it as a
    // capability.
    let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32
        | naga::valid::Capabilities::SHADER_FLOAT16;
    let flags = naga::valid::ValidationFlags::all();
    let sources = gpu::sources();
    assert!(sources.len() >= if cfg!(feature = "train") { 57 } else { 31 });
    for (name, source) in sources {
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
        assert_eq!(module.entry_points.len(), 1, "{name}");
        naga::valid::Validator::new(flags, capabilities)
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
    }
}

#[test]
fn every_output_equals_the_reference() {
    if gpu("every_output_equals_the_reference").is_some() {
        // 16-bit arithmetic has tests of its own
        let load = |golden: &Golden, before: Option<Gpu>| {
            let mut gpu = reused(before);
            gpu.set_low_precision(false);
            golden.load_on(gpu, "auto").unwrap()
        };
        let greatest = compare_all(TOLERANCE, load);
        println!("greatest difference {greatest:.1e}");
    }
}

/// Outputs for SPLADE and ColBERT, with two masked tokens.
#[cfg(feature = "families")]
#[test]
fn outputs_for_retrieval_equal_those_of_the_cpu() {
    if gpu("outputs_for_retrieval_equal_those_of_the_cpu").is_none() {
        return;
    }
    let inputs = Inputs {
        dims: vec![2, 6],
        ids: (20..32).collect(),
        mask: Some(vec![1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1]),
        ..Inputs::default()
    };
    let pooling = ScorePooling::named("sum_log").unwrap();
    let near = |a: &Tensor, b: &Tensor| {
        assert_eq!(a.dims, b.dims);
        assert!(a.data.iter().zip(&b.data).all(|(a, b)| (a - b).abs() < 1e-4));
    };
    let golden = Golden::named("bert-mlm");
    let (cpu, gpu) = (golden.load("fp32").unwrap(), golden.load_on(opened(), "fp32").unwrap());
    let pooled = pollster::block_on(cpu.pooled_scores(&inputs, pooling, &common::go_on)).unwrap();
    near(
        &pooled,
        &pollster::block_on(gpu.pooled_scores(&inputs, pooling, &common::go_on)).unwrap(),
    );
    let states = pollster::block_on(cpu.whole_states(&inputs, &common::go_on)).unwrap();
    near(&states, &pollster::block_on(gpu.whole_states(&inputs, &common::go_on)).unwrap());
}

#[test]
fn activation() {
    let Some(mut gpu) = gpu("activation") else { return };
    for (name, error) in suite::activation(&mut gpu) {
        println!("{name}: {error:.1e}");
        assert!(error < 2e-6, "{name}: {error:e}");
    }
}

const FLOATS: [Precision; 3] = [Precision::F32, Precision::F16, Precision::Bf16];

#[test]
fn linear() {
    let Some(mut gpu) = gpu("linear") else { return };
    gpu.set_low_precision(false);
    for (barrier_free, side) in [(false, 32), (false, 64), (true, 32)] {
        gpu.set_barrier_free(barrier_free);
        gpu.set_tile_size(Some(side));
        for precision in FLOATS {
            let error = suite::linear(&mut gpu, precision);
            println!(
                "linear {precision:?}, barrier-free {barrier_free}, tiles of {side}: {error:.1e}"
            );
            assert!(
                error < 1e-6,
                "{precision:?}, barrier-free {barrier_free}, tiles of {side}: {error:e}"
            );
        }
    }
}

/// Every variant of linear.wgsl, with the sums of a row computed at once and in parts.
#[test]
fn variants_of_linear_layers() {
    let Some(mut gpu) = gpu("variants_of_linear_layers") else { return };
    gpu.set_barrier_free(false);
    // Sums in parts are the same lines in every variant.
    let in_parts = |tile: usize| if tile.is_multiple_of(4) { vec![1, 3] } else { vec![1] };
    let all = gpu.tilings(false).into_iter();
    for (tile, parts) in
        all.flat_map(|tile| in_parts(tile).into_iter().map(move |parts| (tile, parts)))
    {
        gpu.set_tiling(Some((tile, parts)));
        for (precision, half) in [(Precision::F32, false), (Precision::F16, true)] {
            gpu.set_low_precision(half);
            // beyond a tile in rows, columns and inputs, with parts of unequal size
            let shapes = [(28, 10), (300, 141)];
            let error = suite::linear_of(&mut gpu, precision, &shapes, &[5, 133]);
            println!("variant {tile}, {parts} parts, {precision:?}, half {half}: {error:.1e}");
            let tolerance = if half && gpu.has_half() { 2e-3 } else { 1e-6 };
            assert!(error < tolerance, "variant {tile}, {parts} parts, {precision:?}: {error:e}");
        }
    }
}

/// Every variant of linear.wgsl in 8-bit integers, over rows that are quantized once.
#[test]
fn variants_of_linear_layers_in_integers() {
    let Some(mut gpu) = gpu("variants_of_linear_layers_in_integers") else { return };
    gpu.claim_hardware();
    let (weight, bias) = (gpu.matrix(10, 300, Precision::I8).unwrap(), gpu.vector(10).unwrap());
    gpu.set_tiling(Some((0, 3)));
    gpu.begin_listing();
    let [mut x, mut y] = [(); 2].map(|()| GpuRows::default());
    gpu.lookup(&weight, &[0; 5], &mut x);
    gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
    let kernels: Vec<_> = gpu.end_listing().into_iter().map(|d| d.kernel).collect();
    assert_eq!(
        kernels[1..],
        ["QuantizeRows", "LinearQuantized(32x32/4x4/1/4/1)", "LinearSumParts"],
        "{kernels:?}"
    );
    // beyond a tile in rows, columns and inputs, with parts of unequal size and a partial block
    let shapes = [(28, 10), (300, 141)];
    for tile in gpu.tilings(true) {
        // The sums of parts are the same lines in every variant.
        let in_parts: &[u32] = if tile.is_multiple_of(4) { &[1, 3] } else { &[1] };
        for &parts in in_parts {
            for rounds in [false, true] {
                gpu.set_tiling(Some((tile, parts)));
                if rounds {
                    gpu.set_rounding_tiling(tile, parts);
                }
                let [worst, many] = suite::gpu_int8::linear_of(&mut gpu, true, &shapes, &[5, 133]);
                let of = format!("variant {tile}, {parts} parts, rounds {rounds}");
                println!("{of}: {worst:.1e}, {many:.1e} differ");
                // at most one step of one block
                assert!(worst < 2e-2, "{of}: {worst:e}");
                assert!(many < 1e-2, "{of}: {many:e} differ");
            }
        }
    }
}

/// Every variant that may normalize its input, and sums in parts before a norm.
#[test]
fn layers_that_normalize_their_input() {
    let Some(mut gpu) = gpu("layers_that_normalize_their_input") else { return };
    gpu.set_barrier_free(false);
    let shapes = [(28, 10), (300, 141), (384, 64)];
    // one to four rows, up to 32, which layers normalize, and more
    let counts = [1, 3, 5, 16, 19, 32, 33];
    let variants = gpu.tilings(false).into_iter().flat_map(|tile| [(tile, 1), (tile, 3)]);
    let tilings = variants.filter(|(tile, _)| [0, 1, 9, 10, 11].contains(tile)).map(Some);
    for tiling in tilings.chain([None]) {
        gpu.set_tiling(tiling);
        for (precision, low) in [
            (Precision::F32, false),
            (Precision::F16, true),
            (Precision::Bf16, false),
            (Precision::I8, false),
            (Precision::I8, true),
        ] {
            gpu.set_low_precision(low);
            if let (Precision::I8, true, Some((tile, parts))) = (precision, low, tiling) {
                gpu.set_rounding_tiling(tile, parts);
            }
            let [x, y, z] = suite::linear_of_normed(&mut gpu, precision, &shapes, &counts);
            let of = format!("{tiling:?}, {precision:?}, low {low}");
            println!("{of}: {x:.1e} {y:.1e} {z:.1e}");
            let tolerance = match precision {
                Precision::I8 => 2e-2,
                Precision::F16 if gpu.has_half() => 2e-3,
                _ => 2e-6,
            };
            // The second layer may round x otherwise than the first.
            let of_norm = if low { 2e-2 } else { 2e-5 };
            assert!(x < 1e-5 && y < tolerance && z < of_norm, "{of}: {x:e} {y:e} {z:e}");
        }
    }
}

/// x = norm(first + second) with its residual, and a layer of x.
struct NormThenLayer {
    first: <Gpu as Backend>::Matrix,
    second: <Gpu as Backend>::Matrix,
    norm: Norm<<Gpu as Backend>::Vector>,
    weight: <Gpu as Backend>::Matrix,
    bias: <Gpu as Backend>::Vector,
}

impl NormThenLayer {
    const ROWS: usize = 9;
    const COLS: usize = 28;

    fn new(gpu: &mut Gpu) -> Self {
        let (count, cols) = (Self::ROWS, Self::COLS);
        let number =
            |n: usize, seed: usize| ((n + 1) * (seed + 7) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        let numbers = |count: usize, seed| (0..count).map(|n| number(n, seed)).collect::<Vec<_>>();
        let [mut first, mut second, mut weight] =
            [count, count, cols].map(|rows| gpu.matrix(rows, cols, Precision::F32).unwrap());
        gpu.write(&mut first, 0, &numbers(count * cols, 1));
        gpu.write(&mut second, 0, &numbers(count * cols, 2));
        gpu.write(&mut weight, 0, &numbers(cols * cols, 3));
        let mut norm = suite::zero_norm(gpu, cols, 1e-3);
        gpu.write_vector(&mut norm.weight, 0, &numbers(cols, 4));
        let bias = gpu.vector(cols).unwrap();
        Self { first, second, norm, weight, bias }
    }

    /// Returns x and its residual.
    fn normed(&self, gpu: &mut Gpu) -> (GpuRows, GpuRows) {
        let all: Vec<u32> = (0..Self::ROWS as u32).collect();
        let [mut x, mut residual] = [(); 2].map(|()| GpuRows::default());
        gpu.lookup(&self.first, &all, &mut x);
        gpu.lookup(&self.second, &all, &mut residual);
        gpu.add_norm(&mut x, &residual, &self.norm);
        (x, residual)
    }

    fn layer(&self, gpu: &mut Gpu, x: &GpuRows, y: &mut GpuRows) {
        gpu.linear(x, &self.weight, &self.bias, Activation::Identity, y);
    }

    /// Returns the values of x and of its layer.
    fn expected(&self, gpu: &mut Gpu) -> (Vec<f32>, Vec<f32>) {
        let (x, _) = self.normed(gpu);
        let want = values(gpu, &[&x]).remove(0);
        let mut y = GpuRows::default();
        self.layer(gpu, &x, &mut y);
        assert!(want.iter().any(|x| x.abs() > 0.5));
        (want, values(gpu, &[&y]).remove(0))
    }
}

fn values(gpu: &mut Gpu, rows: &[&GpuRows]) -> Vec<Vec<f32>> {
    pollster::block_on(gpu.read(rows)).unwrap()
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

/// A norm that the next layer may compute gives the same results in any order of calls.
#[test]
fn what_follows_a_norm_does_not_change_it() {
    let Some(mut gpu) = gpu("what_follows_a_norm_does_not_change_it") else { return };
    gpu.set_barrier_free(false);
    let calls = NormThenLayer::new(&mut gpu);
    let (want, want_y) = calls.expected(&mut gpu);
    let cols = NormThenLayer::COLS;

    // The layer writes over the residual.
    let (x, mut residual) = calls.normed(&mut gpu);
    calls.layer(&mut gpu, &x, &mut residual);
    let got = values(&mut gpu, &[&x, &residual]);
    assert!(near(&got[0], &want) && near(&got[1], &want_y));
    // Another call comes first, and the layer's result may take the place of dropped rows.
    let (x, residual) = calls.normed(&mut gpu);
    let [mut some, mut y] = [(); 2].map(|()| GpuRows::default());
    drop(residual);
    gpu.gather(&x, &[2, 0], &mut some);
    calls.layer(&mut gpu, &x, &mut y);
    let got = values(&mut gpu, &[&some, &y, &x]);
    assert!(near(&got[0][..cols], &want[2 * cols..3 * cols]));
    assert!(near(&got[0][cols..], &want[..cols]));
    assert!(near(&got[1], &want_y) && near(&got[2], &want));
    // The layer's result takes the place of the residual, which was dropped.
    let (x, residual) = calls.normed(&mut gpu);
    let mut y = GpuRows::default();
    drop(residual);
    calls.layer(&mut gpu, &x, &mut y);
    let got = values(&mut gpu, &[&y, &x]);
    assert!(near(&got[0], &want_y) && near(&got[1], &want));
    norms_that_follow_norms(&mut gpu, &calls, &want, &want_y);
}

fn norms_that_follow_norms(gpu: &mut Gpu, calls: &NormThenLayer, want: &[f32], want_y: &[f32]) {
    // Normalized rows are dropped before anything reads them.
    let (x, residual) = calls.normed(gpu);
    drop(x);
    let (x, _) = calls.normed(gpu);
    let mut y = GpuRows::default();
    calls.layer(gpu, &x, &mut y);
    let got = values(gpu, &[&y, &x, &residual]);
    assert!(near(&got[0], want_y) && near(&got[1], want));
    // The residual of a norm is itself not computed yet.
    let (mut other, _) = calls.normed(gpu);
    let (x, _) = calls.normed(gpu);
    gpu.add_norm(&mut other, &x, &calls.norm);
    let twice = values(gpu, &[&other]).remove(0);
    let (mut other, _) = calls.normed(gpu);
    let (x, _) = calls.normed(gpu);
    assert!(values(gpu, &[&x, &other]).iter().all(|x| near(x, want)));
    gpu.add_norm(&mut other, &x, &calls.norm);
    assert!(near(&values(gpu, &[&other])[0], &twice));
}

/// Kernels that compute several calls at once are not used if the device computes or compiles them
/// wrongly.
#[test]
fn fused_kernels_that_are_wrong_are_not_used() {
    let test = "fused_kernels_that_are_wrong_are_not_used";
    if gpu(test).is_none() {
        return;
    }
    for (from, to, want) in [
        ("", "", [true, true]),
        ("sum += position_weight(", "sum -= position_weight(", [false, true]),
        ("return before[at] + residual[at];", "return before[at];", [true, false]),
        ("normed[to * params.groups + group] =", "let unused =", [true, false]),
        ("var sum = parts_of_sums[at];", "var sum = no_sums[at];", [true, false]),
    ] {
        let mut gpu = hardware(test).unwrap();
        gpu.keep_defaults();
        // Sums of short texts have parts.
        gpu.set_tiling(Some((0, 3)));
        gpu.replace_in_shaders(from, to);
        gpu.begin_warm_up();
        let [word, position] = [(); 2].map(|()| gpu.matrix(9, 8, Precision::F32).unwrap());
        let norm = suite::zero_norm(&mut gpu, 8, 1.0);
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        gpu.embed(&tables, &batch, &mut GpuRows::default());
        gpu.end_warm_up().unwrap();
        pollster::block_on(gpu.settle()).unwrap();
        assert_eq!(gpu.is_fused(), want, "{from} {to}");
        for precision in [Precision::F32, Precision::I8] {
            let [x, y, z] = suite::linear_of_normed(&mut gpu, precision, &[(28, 10)], &[3, 9]);
            assert!(x < 1e-5 && y < 2e-2 && z < 2e-2, "{from} {to}: {x:e} {y:e} {z:e}");
        }
        let error = suite::embed(&mut gpu, Precision::F32, false);
        assert!(error < 4e-6, "{from} {to}: {error:e}");
    }
}

#[test]
fn linear_in_half_floats() {
    let Some(mut gpu) = gpu("linear_in_half_floats") else { return };
    assert!(gpu.has_half() || !gpu.name().contains("llvmpipe"));
    gpu.set_barrier_free(false);
    for side in [32, 64] {
        gpu.set_tile_size(Some(side));
        let error = suite::linear(&mut gpu, Precision::F16);
        println!("linear in half floats, tiles of {side}: {error:.1e}");
        // x and sums of four products are rounded to 11 bits.
        let tolerance = if gpu.has_half() { 2e-3 } else { 1e-6 };
        assert!(error < tolerance, "tiles of {side}: {error:e}");
        assert!(!gpu.has_half() || error > 1e-6, "{error:e}: not in half floats at all");
    }
}

#[test]
fn half_floats_end_at_their_greatest() {
    let Some(mut gpu) = gpu("half_floats_end_at_their_greatest") else { return };
    gpu.set_barrier_free(false);
    let (inputs, weights) = (40, vec![1.0 / 1024.0; 40]);
    let mut weight = gpu.matrix(1, inputs, Precision::F16).unwrap();
    gpu.write(&mut weight, 0, &weights);
    let bias = gpu.vector(1).unwrap();
    for large in [1e5, -1e5] {
        let word = gpu.matrix(1, inputs, Precision::F32).unwrap();
        let position = gpu.matrix(1, inputs, Precision::F32).unwrap();
        let mut norm = suite::zero_norm(&mut gpu, inputs, 1.0);
        gpu.write_vector(&mut norm.bias, 0, &vec![large; inputs]);
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        gpu.embed(&tables, &batch, &mut x);
        gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        let greatest = if gpu.has_half() { 65504_f32.copysign(large) } else { large };
        for got in &pollster::block_on(gpu.read(&[&y])).unwrap()[0] {
            assert!((got / (40.0 / 1024.0 * greatest) - 1.0).abs() < 1e-3, "{large}: {got}");
        }
    }
}

#[test]
fn linear_int8() {
    let Some(mut gpu) = gpu("linear_int8") else { return };
    for (barrier_free, integers, side) in [
        (false, true, 32),
        (false, true, 64),
        (true, true, 32),
        (false, false, 32),
        (false, false, 64),
        (true, false, 32),
    ] {
        gpu.set_barrier_free(barrier_free);
        gpu.set_tile_size(Some(side));
        gpu.set_low_precision(integers);
        let [worst, many] = suite::gpu_int8::linear(&mut gpu, integers);
        println!(
            "linear I8, barrier-free {barrier_free}, integers {integers}: {worst:.1e}, {many:.1e} differ"
        );
        // at most one step of one block
        assert!(worst < 2e-2, "barrier-free {barrier_free}, integers {integers}: {worst:e}");
        assert!(many < 1e-2, "barrier-free {barrier_free}, integers {integers}: {many:e} differ");
    }
}

#[test]
fn norm() {
    let Some(mut gpu) = gpu("norm") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let error = suite::norm(&mut gpu);
        println!("norm: {error:.1e}, barrier-free {barrier_free}");
        assert!(error < 1e-5, "barrier-free {barrier_free}: {error:e}");
    }
}

#[test]
fn embed() {
    let Some(mut gpu) = gpu("embed") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        for precision in FLOATS {
            let error = suite::embed(&mut gpu, precision, false);
            println!("embed {precision:?}, barrier-free {barrier_free}: {error:.1e}");
            assert!(error < 4e-6, "{precision:?}, barrier-free {barrier_free}: {error:e}");
        }
        let error = suite::gpu_int8::embed(&mut gpu);
        println!("embed I8, barrier-free {barrier_free}: {error:.1e}");
        assert!(error < 4e-6, "I8, barrier-free {barrier_free}: {error:e}");
    }
}

#[test]
fn attention() {
    let Some(mut gpu) = gpu("attention") else { return };
    for (barrier_free, wide) in [(false, false), (false, true), (true, false)] {
        gpu.set_barrier_free(barrier_free);
        gpu.set_wide_attention(wide);
        let [results, probabilities] = suite::attention(&mut gpu);
        println!(
            "attention {results:.1e}, probabilities {probabilities:.1e}, barrier-free {barrier_free}, wide {wide}"
        );
        assert!(results < 1e-5, "barrier-free {barrier_free}: {results:e}");
        assert!(probabilities < 2e-6, "{probabilities:e}");
    }
}

#[test]
fn attention_relative() {
    let Some(mut gpu) = gpu("attention_relative") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let [results, probabilities] = suite::attention_relative(&mut gpu);
        println!("{results:.1e}, probabilities {probabilities:.1e}, barrier-free {barrier_free}");
        assert!(results < 1.5e-5, "barrier-free {barrier_free}: {results:e}");
        assert!(probabilities < 2e-6, "{probabilities:e}");
    }
}

#[test]
fn attention_disentangled() {
    let Some(mut gpu) = gpu("attention_disentangled") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let [results, probabilities] = suite::attention_disentangled(&mut gpu);
        println!("{results:.1e}, probabilities {probabilities:.1e}, barrier-free {barrier_free}");
        assert!(results < 1.5e-5, "barrier-free {barrier_free}: {results:e}");
        assert!(probabilities < 4e-6, "{probabilities:e}");
    }
    assert_eq!(suite::unfold(&mut gpu), 0.0);
    let [depthwise, span] = suite::depthwise(&mut gpu);
    assert!(depthwise < 4e-6 && span < 4e-6, "{depthwise:e} {span:e}");
    let [columns, sum] = suite::columns(&mut gpu);
    assert!(columns == 0.0 && sum < 1e-6, "{columns:e} {sum:e}");
    assert_eq!(suite::some_rows(&mut gpu), [0.0, 0.0]);
}

#[test]
fn kernels_of_other_families() {
    let Some(mut gpu) = gpu("kernels_of_other_families") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let errors = [
            // The angle is f32: for 400 turns of up to 1 rad, its last digit is 3e-5.
            ("rotary", suite::rotary(&mut gpu), 1e-4),
            ("gate", suite::gate(&mut gpu), 2e-6),
            ("residual_norm", suite::residual_norm(&mut gpu), 1e-5),
            ("scale_rows", suite::scale_rows(&mut gpu), 1e-6),
            ("mean", suite::mean(&mut gpu), 1e-6),
        ];
        for (name, error, tolerance) in errors {
            println!("{name} {error:.1e}, barrier-free {barrier_free}");
            assert!(error < tolerance, "{name}, barrier-free {barrier_free}: {error:e}");
        }
    }
}

/// Compares every output of the other families. Compiling the kernels takes most of the time, so each
/// kind of kernel has a test, and the two run on two cores.
fn compare_other_families(test: &str, barrier_free: bool) {
    if gpu(test).is_none() {
        return;
    }
    let load = |golden: &Golden, before: Option<Gpu>| {
        let mut gpu = reused(before);
        gpu.set_barrier_free(barrier_free);
        golden.load_on(gpu, "auto").unwrap()
    };
    // MobileBERT's states are not normalized: they reach 134, where a step of f32 is 1.5e-5.
    let is_mobile = |golden: &&'static Golden| golden.name.starts_with("mobilebert");
    let (mobile, others): (Vec<_>, Vec<_>) = common::families::goldens().partition(is_mobile);
    common::compare_goldens(others, TOLERANCE, 150, load);
    common::compare_goldens(mobile, 2.0 * TOLERANCE, 10, load);
}

#[test]
fn every_output_of_other_families_equals_the_reference() {
    compare_other_families("every_output_of_other_families_equals_the_reference", false);
}

#[test]
fn every_output_of_other_families_equals_the_reference_without_barriers() {
    let name = "every_output_of_other_families_equals_the_reference_without_barriers";
    compare_other_families(name, true);
}

/// 8-bit integers against transformers over the same rounded numbers, with and without rounding of
/// activations on the device.
#[cfg(feature = "families")]
#[test]
fn deberta_in_q8_equals_the_reference_over_rounded_numbers() {
    if gpu("deberta_in_q8_equals_the_reference_over_rounded_numbers").is_none() {
        return;
    }
    let goldens = ["deberta-v1-base", "deberta-v3-qa", "deberta-v3-seqcls"]
        .map(|name| common::families::with_cases(name, "q8-gpu.json"));
    for barrier_free in [true, false] {
        let load = |golden: &Golden, before: Option<Gpu>| {
            let mut gpu = reused(before);
            gpu.set_barrier_free(barrier_free);
            golden.load_on(gpu, "q8").unwrap()
        };
        let greatest = common::compare_goldens(&goldens, 2e-5, 24, load);
        println!("greatest difference {greatest:.1e}, barrier-free {barrier_free}");
    }
}

#[test]
fn kernels_of_other_families_that_compute_wrongly_are_not_used() {
    let open = || gpu("kernels_of_other_families_that_compute_wrongly_are_not_used");
    if open().is_none() {
        return;
    }
    for (from, to) in [
        ("let sum = residual[at] + x[at];", "let sum = residual[at] - x[at];"),
        ("a * cosine - b * sine", "a * cosine + b * sine"),
        ("> params.reach", "> params.reach + 1u"),
        ("activate(a.w)) * b;", "activate(a.w));"),
        ("", ""),
    ] {
        let mut gpu = open().unwrap();
        // Loading a model compiles the kernels; here a call compiles them.
        let word = gpu.matrix(1, 12, Precision::F32).unwrap();
        let norm = suite::zero_norm(&mut gpu, 12, 1.0);
        let batch = Batch { columns: vec![0], ..suite::zero_batch(1) };
        let batch = gpu.upload(batch).unwrap();
        let mut x = GpuRows::default();
        gpu.embed(&Embeddings { norm: Some(norm), ..Embeddings::new(word) }, &batch, &mut x);
        if !from.is_empty() {
            gpu.replace_in_shaders(from, to);
        }
        let rotation = Rotation { theta: 10_000.0, interleaved: false, values: false };
        gpu.rotary(&mut x, &batch, 1, &rotation, None);
        let code = common::code(pollster::block_on(gpu.settle()));
        assert_eq!(code, if from.is_empty() { "ok" } else { "unsupported" }, "{from}");
    }
}

#[test]
fn gather() {
    let Some(mut gpu) = gpu("gather") else { return };
    suite::gather(&mut gpu);
}

#[test]
fn top_k() {
    let Some(mut gpu) = gpu("top_k") else { return };
    let error = suite::top_k(&mut gpu);
    println!("top_k: {error:.1e}");
    assert!(error < 1e-6, "{error:e}");
}

#[test]
fn half_floats_match_the_cpu() {
    if gpu("half_floats_match_the_cpu").is_none() {
        return;
    }
    let golden = Golden::named("bert-base-gelu");
    let mut cpu = golden.load_on(Cpu::default(), "fp16").unwrap();
    let mut gpu = golden.load_on(opened(), "fp16").unwrap();
    assert_eq!((cpu.info().device, gpu.info().device), ("wasm", "webgpu"));
    let mut worst = 0.0_f32;
    for case in golden.cases() {
        let a = outputs(&mut cpu, &inputs(&case), true).unwrap().hidden_states;
        let b = outputs(&mut gpu, &inputs(&case), true).unwrap().hidden_states;
        for (a, b) in a.iter().zip(&b) {
            assert_eq!(a.dims, b.dims);
            let pairs = a.data.iter().zip(&b.data);
            worst = pairs.fold(worst, |max, (a, b)| max.max((a - b).abs()));
        }
    }
    println!("fp16: {worst:.1e} from the CPU's");
    // A software adapter computes in 32 bits.
    let tolerance = if gpu.engine().backend().unwrap().is_software() { 1e-4 } else { 2e-2 };
    assert!(worst < tolerance, "{worst:e}");
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

#[test]
fn a_repeated_request_makes_no_buffer() {
    let Some(gpu) = gpu("a_repeated_request_makes_no_buffer") else { return };
    let model = loaded(Golden::named("bert-pretraining"), gpu);
    let run = |lengths: &[usize]| {
        let response = pollster::block_on(model.forward(request(lengths))).unwrap();
        (model.engine().backend().unwrap().buffers_made(), response)
    };
    let (loaded, first) = run(&[7, 9]);
    let (again, second) = run(&[7, 9]);
    assert_eq!(again, loaded);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    let (_, _) = run(&[30, 30, 30]);
    let (larger, _) = run(&[30, 30, 30]);
    let (smaller, third) = run(&[7, 9]);
    assert_eq!(smaller, larger);
    assert_eq!(format!("{first:?}"), format!("{third:?}"), "whatever was there before");
}

#[test]
fn a_long_request_is_submitted_in_pieces() {
    let Some(gpu) = gpu("a_long_request_is_submitted_in_pieces") else { return };
    let model = loaded(Golden::named("bert-pretraining"), gpu);
    let run = |multiply_adds: u64| {
        model.engine().backend().unwrap().limit_multiply_adds(multiply_adds);
        let before = model.engine().backend().unwrap().submissions();
        let response = pollster::block_on(model.forward(request(&[30, 30, 9])));
        (
            model.engine().backend().unwrap().submissions() - before,
            format!("{:?}", response.unwrap()),
        )
    };
    let (one, whole) = run(u64::MAX);
    assert_eq!(one, 1);
    let (many, pieces) = run(1);
    // four layers and attention in each layer of the model
    assert!(many > 5 * model.config().layers as u64, "{many}");
    assert!(whole == pieces);
    let work: u64 = 69 * 12 * model.config().hidden.pow(2) as u64;
    assert!((2..many).contains(&run(work).0));
    assert_eq!(run(u64::MAX), (1, whole), "as before");
}

#[test]
fn texts_of_a_full_pass_match_separate_passes() {
    for barrier_free in [false, true] {
        let test = "texts_of_a_full_pass_match_separate_passes";
        let Some(mut gpu) = gpu(test) else { return };
        gpu.set_barrier_free(barrier_free);
        let model = loaded(Golden::named("bert-pretraining"), gpu);
        let last_state = |lengths: &[usize]| {
            let response = pollster::block_on(model.forward(request(lengths))).unwrap();
            response.states[1].clone()
        };
        let lengths: Vec<usize> = (0..256).map(|n| n % 31 + 1).collect();
        let together = last_state(&lengths);
        assert_eq!(together.len(), 4_004 * model.config().hidden);
        let mut start = 0;
        for (n, &length) in lengths.iter().enumerate() {
            let end = start + length * model.config().hidden;
            // the first, the ones on both sides of each 1,024 rows, and the last
            if length > 2 && [5, 64, 65, 128, 130, 192, 194, 255].contains(&n) {
                let alone = last_state(&[length]);
                let apart = alone.iter().zip(&together[start..end]).map(|(a, b)| (a - b).abs());
                let worst = apart.fold(0.0, f32::max);
                assert!(
                    f64::from(worst) < TOLERANCE,
                    "text {n}, barrier-free {barrier_free}: {worst:e}"
                );
            }
            start = end;
        }
    }
}

#[test]
fn what_was_warmed_up_is_not_compiled_again() {
    let test = "what_was_warmed_up_is_not_compiled_again";
    let Some(mut defaults) = gpu(test) else { return };
    defaults.keep_defaults();
    let is_hardware = !defaults.is_software();
    let measuring = || hardware(test).unwrap();
    let layer = |gpu: &mut Gpu| {
        let weight = gpu.matrix(30, 40, Precision::I8).unwrap();
        let bias = gpu.vector(30).unwrap();
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        let table = gpu.matrix(1, 40, Precision::F32).unwrap();
        let norm = suite::zero_norm(gpu, 40, 1.0);
        let position = gpu.matrix(1, 40, Precision::F32).unwrap();
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(table) };
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        gpu.embed(&tables, &batch, &mut x);
        gpu.linear(&x, &weight, &bias, Activation::Relu, &mut y);
        y
    };
    // Hardware compiles more once the self-test is read, and a device that measures compiles the
    // kernels that it chooses.
    for (mut gpu, compiles_more) in [(defaults, is_hardware), (measuring(), true)] {
        gpu.begin_warm_up();
        layer(&mut gpu);
        let called = gpu.pipelines_made();
        gpu.end_warm_up().unwrap();
        let warmed_up = gpu.pipelines_made();
        assert!(called >= 2, "the layer's own: {called}");
        assert!(warmed_up > called, "the self-test's: {warmed_up}");
        pollster::block_on(gpu.settle()).unwrap();
        let settled = gpu.pipelines_made();
        assert_eq!(settled == warmed_up, !compiles_more, "{warmed_up}, then {settled}");
        let y = layer(&mut gpu);
        assert_eq!(pollster::block_on(gpu.read(&[&y])).unwrap()[0], [0.0; 270]);
        assert_eq!(gpu.pipelines_made(), settled);
    }
}

#[test]
fn a_lost_device_is_an_error_now_and_later() {
    let Some(gpu) = gpu("a_lost_device_is_an_error_now_and_later") else { return };
    let model = loaded(Golden::named("bert-mlm"), gpu);
    let run = || common::code(pollster::block_on(model.forward(request(&[4]))));
    assert_eq!(run(), "ok");
    model.engine().backend().unwrap().destroy();
    assert_eq!(run(), "device_lost");
    assert_eq!(run(), "device_lost");
}

#[test]
fn what_does_not_fit_is_named() {
    let Some(mut gpu) = gpu("what_does_not_fit_is_named") else { return };
    gpu.limit_weights(100 << 10);
    let error = gpu.matrix(4000, 768, Precision::F32).err().unwrap();
    assert_eq!(error.code(), "unsupported");
    let want =
        "weight matrix of 4000 × 768: expected at most 100 kB per 64 rows on this GPU, got 192 kB";
    assert_eq!(error.to_string(), want);
    gpu.limit_weights(u64::MAX);

    // Results that do not fit fail the request, but not later ones.
    let weight = gpu.matrix(1_000_000, 4, Precision::I8).unwrap();
    let bias = gpu.vector(1_000_000).unwrap();
    let rows = |gpu: &mut Gpu, count| {
        let word = gpu.matrix(1, 4, Precision::F32).unwrap();
        let norm = suite::zero_norm(gpu, 4, 1.0);
        let position = gpu.matrix(1, 4, Precision::F32).unwrap();
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let batch = gpu.upload(suite::zero_batch(count)).unwrap();
        let mut x = GpuRows::default();
        gpu.embed(&tables, &batch, &mut x);
        x
    };
    for (count, code) in [(1200, "unsupported"), (1, "ok")] {
        let x = rows(&mut gpu, count);
        let mut y = GpuRows::default();
        gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        assert_eq!(common::code(pollster::block_on(gpu.read(&[&y]))), code);
    }
}

/// Returns the embedded model's states and five best words for one mask, on the GPU with this
/// precision.
fn minilm(gpu: Gpu, precision: Precision, batch: &Batch, masks: &[u32]) -> (Vec<f32>, Vec<f32>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/minilm-mlm");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let options = LoadOptions { precision: Some(precision), ..LoadOptions::default() };
    let files = vec![("config.json".to_owned(), read("config.json"))];
    let mut loader = ModelLoader::new(Folder::read(&files).unwrap(), gpu, options).unwrap();
    loader.begin_file("model.safetensors").unwrap();
    loader.push(&read("model.safetensors")).unwrap();
    let model = pollster::block_on(loader.finish()).unwrap();
    let request = Request {
        batch: batch.clone(),
        head: true,
        tokens: Some(masks.to_vec()),
        best: Some(5),
        layers: None,
        states: vec![model.config().layers],
        attentions: false,
    };
    let mut response = pollster::block_on(model.forward(request)).unwrap();
    (response.states.remove(0), response.logits)
}

#[test]
fn eight_bits_are_near_the_same_weights_in_32() {
    if gpu("eight_bits_are_near_the_same_weights_in_32").is_none() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/minilm-mlm");
    let json = std::fs::read(folder.join("tokenizer.json")).unwrap();
    let files = tokenizer::Files { tokenizer_json: Some(&json), ..Default::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let mask = tokenizer.special().mask.clone().unwrap().id;
    let texts = [
        "Paris is the capital of France.",
        "The doctor told the man to rest and drink a lot of water.",
        "She plays the violin in a small orchestra near the sea.",
        "He closed the window because it was cold outside.",
        "The train leaves the station at nine in the morning.",
    ];
    let mut batch = Batch::default();
    for text in texts {
        let ids = tokenizer.encode(text, None, &Default::default()).unwrap().remove(0).ids;
        for place in (1..ids.len() - 2).step_by(2) {
            let start = batch.ids.len();
            batch.ids.extend(&ids);
            batch.ids[start + place] = mask;
            batch.positions.extend(0..ids.len() as u32);
            let rows = start..batch.ids.len();
            batch.sequences.push(Sequence { rows: rows.clone(), keys: rows });
        }
    }
    batch.types = vec![0; batch.ids.len()];
    let masks: Vec<u32> =
        (0..).zip(&batch.ids).filter(|(_, id)| **id == mask).map(|(n, _)| n).collect();
    assert_eq!(masks.len(), batch.sequences.len());
    let (exact, best) = minilm(gpu("").unwrap(), Precision::F32, &batch, &masks);
    for barrier_free in [true, false] {
        let mut gpu = gpu("").unwrap();
        gpu.set_barrier_free(barrier_free);
        let (states, got) = minilm(gpu, Precision::I8, &batch, &masks);
        let cosine = |(a, b): (&[f32], &[f32])| {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        let width = exact.len() / batch.ids.len();
        let worst = exact.chunks(width).zip(states.chunks(width)).map(cosine).fold(1.0, f32::min);
        let ids = |row: &[f32]| row[6..].to_vec();
        let same = got.chunks(11).zip(best.chunks(11)).map(|(a, b)| {
            let b = ids(b);
            ids(a).iter().filter(|id| b.contains(id)).count()
        });
        let same: usize = same.sum();
        println!(
            "barrier-free {barrier_free}: worst cosine {worst:.5}, {same} of {} words agree",
            5 * masks.len()
        );
        assert!(worst > 0.999, "barrier-free {barrier_free}: {worst}");
        assert!(
            same * 20 >= 5 * masks.len() * 19,
            "barrier-free {barrier_free}: {same} words agree"
        );
    }
}

#[test]
fn matrices_in_several_buffers_match_one_buffer() {
    let Some(mut gpu) = gpu("matrices_in_several_buffers_match_one_buffer") else { return };
    let (rows, cols) = (1000, 100);
    let values: Vec<f32> =
        (0..rows * cols).map(|n| (n * 7919 % 2003) as f32 / 1001.0 - 1.0).collect();
    for (precision, limit) in [
        (Precision::F32, 64 * 400 + 8),
        (Precision::F16, 300 * 200),
        (Precision::Bf16, 64 * 200),
        (Precision::I8, 130 * 128),
    ] {
        // Split tables are added one by one, which rounds otherwise than all at once.
        gpu.set_fused(false);
        gpu.limit_weights(u64::MAX);
        let mut results = Vec::new();
        for split in [false, true] {
            if split {
                gpu.limit_weights(limit);
            }
            let before = gpu.buffers_made();
            let mut matrix = || {
                let mut matrix = gpu.matrix(rows, cols, precision).unwrap();
                gpu.write(&mut matrix, 0, &values[..333 * cols]);
                gpu.write(&mut matrix, 333, &values[333 * cols..]);
                matrix
            };
            let (word, position, weight) = (matrix(), matrix(), matrix());
            assert!(gpu.buffers_made() - before >= if split { 9 } else { 3 });
            let mut norm = suite::zero_norm(&mut gpu, cols, 1e-5);
            gpu.write_vector(&mut norm.weight, 0, &vec![1.0; cols]);
            let mut bias = gpu.vector(rows).unwrap();
            gpu.write_vector(&mut bias, 0, &values[..rows]);
            let tables =
                Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
            for barrier_free in [false, true] {
                gpu.set_barrier_free(barrier_free);
                for count in [1, 3, 70] {
                    let numbers = |step: usize| {
                        (0..count).map(|n| (n * step % rows) as u32).collect::<Vec<_>>()
                    };
                    let (ids, positions) = (numbers(997), numbers(331));
                    let batch = Batch { ids, positions, ..suite::zero_batch(count) };
                    let batch = gpu.upload(batch).unwrap();
                    let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
                    gpu.embed(&tables, &batch, &mut x);
                    gpu.linear(&x, &weight, &bias, Activation::Relu, &mut y);
                    results.push(pollster::block_on(gpu.read(&[&x, &y])).unwrap());
                }
            }
        }
        let (whole, split) = results.split_at(results.len() / 2);
        assert!(whole == split, "{precision:?}");
        assert!(whole[0][1].iter().any(|y| *y > 0.0));
    }
}

/// A layer normalizes its input only if its workgroups load less than a dispatch costs.
#[test]
fn a_norm_that_many_workgroups_would_compute_has_a_dispatch_of_its_own() {
    let test = "a_norm_that_many_workgroups_would_compute_has_a_dispatch_of_its_own";
    let Some(mut gpu) = gpu(test) else { return };
    gpu.claim_hardware();
    for (count, cols, outputs, want) in [
        (16, 384, 1536, vec!["Normed"]),
        (32, 384, 768, vec!["Normed"]),
        (1, 768, 2304, vec!["Normed"]),
        (16, 768, 3072, vec!["SumNorm", "Linear"]),
        (4, 1024, 4096, vec!["SumNorm", "LinearFewRows"]),
        (33, 384, 384, vec!["Norm", "Linear"]),
        (16, 30, 64, vec!["Norm", "Linear"]),
    ] {
        let weight = gpu.matrix(outputs, cols, Precision::F32).unwrap();
        let table = gpu.matrix(1, cols, Precision::F32).unwrap();
        let norm = suite::zero_norm(&mut gpu, cols, 1.0);
        let bias = gpu.vector(outputs).unwrap();
        let [mut x, mut residual, mut y] = [(); 3].map(|()| GpuRows::default());
        gpu.begin_listing();
        gpu.lookup(&table, &vec![0; count], &mut x);
        gpu.lookup(&table, &vec![0; count], &mut residual);
        gpu.add_norm(&mut x, &residual, &norm);
        gpu.linear(&x, &weight, &bias, Activation::Gelu, &mut y);
        let listed = gpu.end_listing();
        let names: Vec<_> =
            listed[2..].iter().map(|d| d.kernel.split('(').next().unwrap()).collect();
        assert_eq!(names, want, "{count} × {cols} → {outputs}");
    }
}

#[test]
fn what_is_listed_is_what_is_run() {
    let Some(mut gpu) = gpu("what_is_listed_is_what_is_run") else { return };
    gpu.claim_hardware();
    let cols = 8;
    let word = gpu.matrix(4, cols, Precision::F32).unwrap();
    let norm = suite::zero_norm(&mut gpu, cols, 1.0);
    let tables = Embeddings { norm: Some(norm), ..Embeddings::new(word) };
    let weight = gpu.matrix(3 * cols, cols, Precision::F32).unwrap();
    let bias = gpu.vector(3 * cols).unwrap();
    let call = |gpu: &mut Gpu| {
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        let [mut x, mut qkv, mut y] = [(); 3].map(|()| GpuRows::default());
        gpu.embed(&tables, &batch, &mut x);
        gpu.linear(&x, &weight, &bias, Activation::Gelu, &mut qkv);
        gpu.attention(&qkv, &batch, 2, &mut y, None);
        gpu.add_norm(&mut y, &x, tables.norm.as_ref().unwrap());
        let mut z = GpuRows::default();
        gpu.linear(&y, &weight, &bias, Activation::Gelu, &mut z);
        y
    };
    let (pipelines, submissions) = (gpu.pipelines_made(), gpu.submissions());
    gpu.begin_listing();
    call(&mut gpu);
    let listed = gpu.end_listing();
    assert_eq!((gpu.pipelines_made(), gpu.submissions()), (pipelines, submissions));
    let names: Vec<_> = listed.iter().map(|d| format!("{} {:?}", d.kernel, d.params)).collect();
    // The embeddings' norm and the norm before the second layer have no dispatch of their own.
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(listed[1].workgroups, [1, 1, 1]);
    let timed = gpu.time();
    let y = call(&mut gpu);
    let values = pollster::block_on(gpu.read(&[&y])).unwrap();
    assert_eq!(values[0].len(), 9 * cols);
    assert_eq!(gpu.submissions() - submissions, listed[3].submission as u64 + 1);
    assert!(timed || !gpu.name().contains("llvmpipe"));
    if timed {
        let run: Vec<_> = gpu.times().into_iter().map(|(name, _)| name).collect();
        assert_eq!(run, names);
    }
}

/// What a device does about a kernel that computes wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fallback {
    /// It refuses to run.
    Rejected,
    /// It computes in fp32, and a note says so.
    Fp32,
    /// It uses another variant and strikes out the variant of this name.
    Variant(&'static str),
}

/// A fault in the shaders, as a wrong driver would cause.
#[derive(Clone, Copy, Debug)]
struct Fault {
    /// Text in the sources of the shaders, and its replacement.
    replaced: &'static [(&'static str, &'static str)],
    barrier_free: bool,
    precision: Precision,
    fallback: Fallback,
}

impl Fault {
    const fn new(
        replaced: &'static [(&'static str, &'static str)],
        precision: Precision,
        fallback: Fallback,
    ) -> Self {
        Self { replaced, barrier_free: false, precision, fallback }
    }

    /// Runs the barrier-free kernels.
    const fn barrier_free(self) -> Self {
        Self { barrier_free: true, ..self }
    }
}

/// Faults in tiles of 64 × 64. `half`: the GPU has half floats.
fn tile_faults(half: bool) -> [Fault; 3] {
    let replaced = &[(
        "column + 4u * (at.x + 0u * THREADS_X), sum0_0);",
        "column + 4u * (at.x + 0u * THREADS_X), f32(THREADS_X < 16u) * sum0_0);",
    )];
    let f16 = if half { "f16 64x64/4x4/1/4/1" } else { "f32 64x64/4x4/1/4/1" };
    [
        Fault::new(replaced, Precision::I8, Fallback::Variant("int8 64x64/4x4/1/4/1")),
        Fault::new(replaced, Precision::F16, Fallback::Variant(f16)),
        Fault::new(replaced, Precision::F32, Fallback::Variant("f32 64x64/4x4/1/4/1")),
    ]
}

/// Faults in kernels that compute in fp32.
fn f32_faults() -> [Fault; 7] {
    let fault = |replaced, fallback| Fault::new(replaced, Precision::F32, fallback);
    [
        fault(
            &[("rescale * sum + tile_sum(query)", "tile_sum(query)")],
            Fallback::Variant("f32 16 queries"),
        ),
        fault(
            &[("mean_of(reduce_sum(index, sum))", "mean_of(reduce_sum(index, -sum))")],
            Fallback::Rejected,
        ),
        fault(&[("a.value > b.value ||", "a.value < b.value ||")], Fallback::Rejected)
            .barrier_free(),
        // does not compile
        fault(&[("fn tile_sum(", "fn tile_sum")], Fallback::Variant("f32 16 queries")),
        fault(&[("fn reduce_sum(", "fn reduce_sum")], Fallback::Rejected),
        // wide results alone, and sums in parts alone
        fault(
            &[("parts[index] = sums;", "parts[index] = f32(LANES > 8u) * sums;")],
            Fallback::Variant("f32 few rows"),
        ),
        fault(
            &[("y[(part * params.rows + row)", "y[(0u * params.rows + row)")],
            Fallback::Variant("f32 16x32/2x4/4/16/1 by 4"),
        ),
    ]
}

/// Faults in kernels that compute in int8.
fn int8_faults() -> [Fault; 6] {
    let fault = |replaced, fallback| Fault::new(replaced, Precision::I8, fallback);
    [
        fault(&[("dot4I8Packed(a.x, b.x)", "dot4I8Packed(a.x, a.x)")], Fallback::Fp32),
        // does not compile
        fault(&[("dot4I8Packed(a.x, b.x)", "none(a.x, a.x)")], Fallback::Fp32),
        // like hardware whose sums saturate at 16 bits
        fault(
            &[("f32>(products)", "f32>(min(products, vec4<i32>(32767)))")],
            Fallback::Variant("int8 few rows"),
        ),
        fault(&[("scale.y * unpack4x8snorm(b)", "scale.y * unpack4x8snorm(a)")], Fallback::Fp32)
            .barrier_free(),
        fault(&[("inverse * a", "a")], Fallback::Fp32),
        fault(
            &[("= unpack4x8snorm", "= 0.5 * unpack4x8snorm"), ("dot16(sums.x, x, a)", "0")],
            Fallback::Rejected,
        ),
    ]
}

/// Faults in kernels over weights of half floats. `half`: the GPU computes in half floats, too.
fn f16_faults(half: bool) -> Vec<Fault> {
    let products = Fault::new(
        &[
            ("narrow(value)", "narrow(BROKEN * value)"),
            ("alias Operand4 = vec4<f32>;", "const BROKEN = 1.0; alias Operand4 = vec4<f32>;"),
            ("enable f16;", "enable f16; const BROKEN = 0.5;"),
        ],
        Precision::F16,
        Fallback::Fp32,
    );
    let unpacked = &[("unpack2x16float(bits.x)", "vec2<f32>()")];
    let unpacking = Fault::new(unpacked, Precision::F16, Fallback::Rejected).barrier_free();
    half.then_some(products).into_iter().chain([unpacking]).collect()
}

#[test]
fn arithmetic_that_is_wrong_is_not_used() {
    rejects_wrong_arithmetic("arithmetic_that_is_wrong_is_not_used", false);
}

#[test]
fn arithmetic_that_is_wrong_is_not_used_after_a_warm_up() {
    rejects_wrong_arithmetic("arithmetic_that_is_wrong_is_not_used_after_a_warm_up", true);
}

fn rejects_wrong_arithmetic(test: &str, warms_up: bool) {
    let Some(mut right) = gpu(test) else { return };
    accepts_right_arithmetic(&mut right);
    let half = right.has_half();
    let (tiles, f16) = (tile_faults(half), f16_faults(half));
    for fault in tiles.into_iter().chain(f32_faults()).chain(int8_faults()).chain(f16) {
        let mut gpu = gpu(test).unwrap();
        if settles(&mut gpu, &fault, warms_up) {
            assert_struck(&gpu, &fault);
            assert_correct(&mut gpu, &fault);
        }
    }
}

fn accepts_right_arithmetic(gpu: &mut Gpu) {
    for precision in [Precision::I8, Precision::F16] {
        gpu.matrix(1, 4, precision).unwrap();
    }
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        assert_eq!(common::code(pollster::block_on(gpu.self_test())), "ok");
        assert_eq!(gpu.note(), None);
        assert_eq!(gpu.struck(), []);
    }
}

/// Returns true if the device can be used in spite of the fault.
fn settles(gpu: &mut Gpu, fault: &Fault, warms_up: bool) -> bool {
    gpu.set_barrier_free(fault.barrier_free);
    if matches!(fault.fallback, Fallback::Variant(name) if name.ends_with(" by 4")) {
        // Only a device that measures tests variants other than the defaults.
        gpu.claim_hardware();
        gpu.limit_patience(PATIENCE);
    }
    fault.replaced.iter().for_each(|(from, to)| gpu.replace_in_shaders(from, to));
    gpu.matrix(1, 4, fault.precision).unwrap();
    if warms_up {
        gpu.begin_warm_up();
        gpu.end_warm_up().unwrap();
    }
    let code = common::code(pollster::block_on(gpu.settle()));
    let rejected = fault.fallback == Fallback::Rejected;
    assert_eq!(code, if rejected { "unsupported" } else { "ok" }, "{fault:?}");
    !rejected
}

/// Asserts that the note and the variants struck out name what the fault broke.
fn assert_struck(gpu: &Gpu, fault: &Fault) {
    let note = gpu.note().unwrap_or_default();
    let is_fp32 = fault.fallback == Fallback::Fp32;
    assert_eq!(note.contains(": computing in fp32"), is_fp32, "{fault:?}: {note}");
    let struck = gpu.struck();
    if let Fallback::Variant(name) = fault.fallback {
        assert!(struck.iter().any(|(_, variant, _)| *variant == name), "{fault:?}: {struck:?}");
    } else {
        assert!(struck.iter().all(|(_, v, _)| !v.starts_with("f32")), "{fault:?}: {struck:?}");
    }
    assert!(struck.iter().all(|(.., why)| why.contains("GPU")), "{fault:?}: {struck:?}");
}

/// Asserts that the kernels in place of the broken ones compute correctly.
fn assert_correct(gpu: &mut Gpu, fault: &Fault) {
    let is_fp32 = fault.fallback == Fallback::Fp32;
    let (error, tolerance) = match fault.precision {
        Precision::I8 => {
            let error = suite::gpu_int8::linear(gpu, !is_fp32)[0];
            (error, if is_fp32 { 1e-6 } else { 2e-2 })
        }
        Precision::F16 if gpu.has_half() && !is_fp32 => (suite::linear(gpu, fault.precision), 2e-3),
        _ => (suite::linear(gpu, fault.precision), 1e-6),
    };
    assert!(error < tolerance, "{fault:?}: {error:e}");
    let [results, _] = suite::attention(gpu);
    assert!(results < 1e-5, "{fault:?}: {results:e}");
}

/// Measurements report kernels one by one.
#[cfg(all(feature = "families", feature = "train"))]
#[test]
fn every_measured_kernel_equals_the_cpu_and_runs_again() {
    let name = "every_measured_kernel_equals_the_cpu_and_runs_again";
    let Some(gpu) = gpu(name) else { return };
    let mut bench = gpu::KernelBench::new(gpu, true).unwrap();
    let cases = bench.cases().to_vec();
    let mut inexact = 0;
    for (number, case) in cases.iter().enumerate() {
        let difference = pollster::block_on(bench.compare(number)).unwrap();
        assert!(difference <= case.tolerance, "{case:?}: {difference}");
        inexact += usize::from(difference > 0.0);
        pollster::block_on(bench.run(number, 1)).unwrap();
    }
    assert!(inexact > 15, "a comparison of nothing is exact: {inexact}");
    for (kernel, difference) in pollster::block_on(bench.compare_training()).unwrap() {
        assert!(difference <= 1e-3, "{kernel}: {difference}");
    }
    bench.gpu().destroy();
    assert!(pollster::block_on(bench.run(0, 1)).is_err());
}

/// Kernels with workgroup memory, in tiles of both sizes, are those of real GPUs.
#[cfg(all(feature = "families", feature = "train"))]
#[test]
fn measured_kernels_of_real_devices_equal_the_cpu() {
    let Some(mut gpu) = gpu("measured_kernels_of_real_devices_equal_the_cpu") else { return };
    gpu.set_barrier_free(false);
    let mut bench = gpu::KernelBench::new(gpu, false).unwrap();
    let cases = bench.cases().to_vec();
    assert!(cases.iter().any(|case| case.variant == gpu::Variant::Tile(1, 1)));
    for (number, case) in cases.iter().enumerate() {
        if case.kernel == "linear" && case.rows() > 128 {
            continue; // compared over as many rows as 128
        }
        let difference = pollster::block_on(bench.compare(number)).unwrap();
        assert!(difference <= case.tolerance, "{case:?}: {difference}");
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

#[test]
fn variants_are_measured_once_and_never_on_a_software_adapter() {
    let test = "variants_are_measured_once_and_never_on_a_software_adapter";
    let Some(mut gpu) = hardware(test) else { return };
    pollster::block_on(gpu.settle()).unwrap();
    let (chosen, micros) = (gpu.chosen(), gpu.measured_micros());
    println!("{chosen:?} in {micros} µs");
    for shape in ["few", "short", "medium", "large", "many"] {
        for op in ["linear_fp32", "linear_q8"] {
            assert_eq!(
                chosen.iter().filter(|c| (c.0, c.1) == (op, shape)).count(),
                1,
                "{chosen:?}"
            );
        }
    }
    let both = ["attention", "attention_output_fp32"];
    for op in both.into_iter().take(if cfg!(feature = "families") { 2 } else { 1 }) {
        assert!(chosen.iter().any(|(chosen, ..)| *chosen == op), "{chosen:?}");
    }
    assert_eq!(gpu.struck(), []);
    // The budget is 0.3 s. Only the first timing has no forecast.
    assert!((1..1_500_000).contains(&micros), "{micros} µs");
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!((gpu.chosen(), gpu.measured_micros()), (chosen, micros));
    let error = suite::linear(&mut gpu, Precision::F32);
    assert!(error < 1e-6, "{error:e}");

    let mut gpu = common::adapter::gpu(test).unwrap();
    gpu.matrix(1, 4, Precision::F32).unwrap();
    pollster::block_on(gpu.settle()).unwrap();
    if gpu.is_software() {
        assert_eq!((gpu.chosen(), gpu.measured_micros()), (Vec::new(), 0));
    }
}

#[test]
fn kept_kernels_are_used_again_while_they_are_right() {
    let test = "kept_kernels_are_used_again_while_they_are_right";
    let Some(mut gpu) = hardware(test) else { return };
    pollster::block_on(gpu.settle()).unwrap();
    let (text, chosen) = (gpu.kernels(), gpu.chosen());
    println!("{text}");
    assert_eq!(gpu.kernels().lines().count(), 1 + chosen.len());
    let reopened = |text: &str| {
        let mut gpu = hardware(test).unwrap();
        gpu.restore(text);
        gpu
    };

    let mut again = reopened(&text);
    let sorted = |mut chosen: Vec<(&'static str, &'static str, String)>| {
        chosen.sort_unstable();
        chosen
    };
    // Only classes that were reached within the budget are kept.
    let kept = again.chosen().len();
    assert!(kept > 0 && again.chosen().iter().all(|one| chosen.contains(one)));
    pollster::block_on(again.settle()).unwrap();
    assert_eq!(again.measured_micros() == 0, kept == chosen.len());
    if kept == chosen.len() {
        assert_eq!(sorted(again.chosen()), sorted(chosen));
        // All but the time of the measurement is said again.
        let rest = |text: &str| text.split(' ').skip(2).collect::<Vec<_>>().join(" ");
        assert_eq!(rest(&again.kernels()), rest(&text));
    }

    // Other kernels, a line of nonsense, and a variant that there is not.
    let other = format!("0{}", &text[1..]);
    assert_eq!(reopened(&other).chosen(), []);
    let (head, _) = text.split_once('\n').unwrap();
    let lines = "linear_fp32 short x f32 32x32\nlinear_fp32 many 7 f32 1x1\n\nattention";
    assert_eq!(reopened(&format!("{head}\n{lines}")).chosen(), []);

    // A kept variant that is wrong now is struck out, and the others are measured.
    let large = "f32 64x64/4x4/1/4/1";
    let lines = ["few", "short", "medium", "large", "many"]
        .map(|shape| format!("\nlinear_fp32 {shape} 7 {large}"))
        .concat();
    let mut gpu = reopened(&format!("{head}{lines}"));
    assert_eq!(gpu.chosen().len(), 2, "calls of few results have no such variant");
    let from = "column + 4u * (at.x + 0u * THREADS_X), sum0_0);";
    let to = "column + 4u * (at.x + 0u * THREADS_X), f32(THREADS_X < 16u) * sum0_0);";
    gpu.replace_in_shaders(from, to);
    pollster::block_on(gpu.settle()).unwrap();
    assert!(gpu.struck().iter().any(|(op, name, _)| *op == "linear_fp32" && name == large));
    assert!(gpu.measured_micros() > 0);
    assert!(!gpu.chosen().iter().any(|(op, _, name)| *op == "linear_fp32" && name == large));
}

#[test]
fn a_device_that_is_lost_during_the_measurement_is_an_error() {
    let test = "a_device_that_is_lost_during_the_measurement_is_an_error";
    let Some(mut gpu) = hardware(test) else { return };
    let before = gpu.submissions();
    gpu.postpone(false);
    pollster::block_on(gpu.settle()).unwrap();
    let tested = gpu.submissions() - before;
    for later in [0, tested + 1] {
        let mut gpu = hardware(test).unwrap();
        gpu.lose_after(later);
        assert_eq!(common::code(pollster::block_on(gpu.settle())), "device_lost", "{later}");
        assert!(gpu.is_lost());
    }
    // A choice that was postponed fails as well, and leaves the defaults.
    gpu.lose_after(1);
    let improved = pollster::block_on(async {
        while gpu.improve().await? {}
        Ok(())
    });
    assert_eq!(common::code(improved), "device_lost");
    assert!(gpu.is_lost() && gpu.chosen().is_empty());
}

#[test]
fn a_postponed_choice_is_made_in_parts_between_requests() {
    let test = "a_postponed_choice_is_made_in_parts_between_requests";
    let Some(mut gpu) = hardware(test) else { return };
    gpu.postpone(false);
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!((gpu.chosen(), gpu.measured_micros()), (Vec::new(), 0));
    let defaults = gpu.kernels();
    let settled = gpu.pipelines_made();
    let layer = |gpu: &mut Gpu| suite::linear_of(gpu, Precision::F32, &[(40, 30)], &[3, 9, 70]);
    let mut parts = 0;
    loop {
        let (submissions, waiting) = (gpu.submissions(), gpu.chosen().is_empty());
        let more = pollster::block_on(gpu.improve()).unwrap();
        assert!(gpu.submissions() - submissions <= 1, "part {parts}");
        if !more {
            break;
        }
        assert!(waiting, "part {parts}");
        if parts % 20 == 0 {
            // A request between two parts is right, and the next part does not notice it.
            let error = layer(&mut gpu);
            assert!(error < 1e-6, "part {parts}: {error:e}");
        }
        parts += 1;
    }
    println!("{parts} parts, {} µs", gpu.measured_micros());
    assert!(parts > 60 && gpu.pipelines_made() > settled + 10);
    assert!(gpu.chosen().len() >= 11 && gpu.measured_micros() > 0);
    assert_eq!(gpu.struck(), []);
    assert_ne!(gpu.kernels(), defaults);
    assert!(layer(&mut gpu) < 1e-6);
    let chosen = gpu.chosen();
    assert!(!pollster::block_on(gpu.improve()).unwrap());
    assert_eq!(gpu.chosen(), chosen);
}

#[test]
fn a_postponed_choice_strikes_out_a_variant_that_is_wrong() {
    let test = "a_postponed_choice_strikes_out_a_variant_that_is_wrong";
    let Some(mut gpu) = gpu(test) else { return };
    gpu.claim_hardware();
    gpu.limit_patience(PATIENCE);
    gpu.matrix(1, 4, Precision::F32).unwrap();
    gpu.replace_in_shaders("y[(part * params.rows + row)", "y[(0u * params.rows + row)");
    gpu.postpone(false);
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!(gpu.struck(), [], "the defaults are right");
    while pollster::block_on(gpu.improve()).unwrap() {}
    let wrong = |name: &str| name.contains(" by ");
    assert!(gpu.struck().iter().all(|(_, name, _)| wrong(name)) && !gpu.struck().is_empty());
    assert!(!gpu.chosen().is_empty() && !gpu.chosen().iter().any(|(.., name)| wrong(name)));
}

#[test]
fn defaults_are_measured_for_a_comparison_with_the_cpu() {
    let test = "defaults_are_measured_for_a_comparison_with_the_cpu";
    let Some(mut gpu) = hardware(test) else { return };
    gpu.postpone(true);
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!(gpu.chosen(), []);
    let text = gpu.kernels();
    let default_times: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("~ ")).collect();
    let calls: Vec<_> =
        default_times.iter().map(|line| line.split(' ').collect::<Vec<_>>()).collect();
    assert_eq!(calls.len(), 2, "{text}");
    for call in &calls {
        assert!(call[0].starts_with("linear_") && call[1] == "short", "{text}");
        assert!(call[2].parse::<u32>().unwrap() > 0, "{text}");
    }
    // A later load chooses for these calls, too.
    let mut again = hardware(test).unwrap();
    again.restore(&text);
    assert_eq!(again.chosen(), []);
    while pollster::block_on(gpu.improve()).unwrap() {}
    assert!(!gpu.kernels().contains('~') && !gpu.chosen().is_empty());
}

#[test]
fn a_driver_that_hangs_is_not_waited_for() {
    let Some(mut gpu) = hardware("a_driver_that_hangs_is_not_waited_for") else { return };
    gpu.limit_patience(0);
    let error = pollster::block_on(gpu.settle()).unwrap_err();
    assert_eq!(error.to_string(), "the GPU device was lost: it did not answer in time");
    assert_eq!(error.code(), "device_lost");
    assert!(gpu.is_lost());
}

#[test]
fn a_device_with_the_least_limits_computes_everything() {
    if gpu("a_device_with_the_least_limits_computes_everything").is_none() {
        return;
    }
    let least = || {
        let mut gpu = pollster::block_on(Gpu::open_least()).unwrap();
        gpu.claim_hardware();
        assert!(!gpu.has_half());
        gpu
    };
    let reused = |before: Option<Gpu>| {
        let mut gpu = before.map_or_else(least, Gpu::restarted);
        gpu.claim_hardware();
        gpu
    };
    // 128 MiB may be bound at once, so a larger table is split.
    let mut gpu = least();
    let before = gpu.buffers_made();
    let (rows, cols) = (350_000, 100);
    let mut table = gpu.matrix(rows, cols, Precision::F32).unwrap();
    assert_eq!(gpu.buffers_made() - before, 2);
    let values: Vec<f32> = (0..cols).map(|n| n as f32).collect();
    for row in [0, rows - 1] {
        gpu.write(&mut table, row, &values);
    }
    let mut y = GpuRows::default();
    gpu.lookup(&table, &[rows as u32 - 1, 1, 0], &mut y);
    let got = pollster::block_on(gpu.read(&[&y])).unwrap().remove(0);
    assert_eq!(got, [&values[..], &vec![0.0; cols], &values].concat());
    drop((gpu, table, y));
    for precision in ["fp32", "fp16", "q8"] {
        let model = Golden::named("bert-base-gelu").load_on(least(), precision).unwrap();
        let response = pollster::block_on(model.forward(request(&[7, 9]))).unwrap();
        assert!(response.states[1].iter().all(|x| x.is_finite()));
    }
    let greatest =
        compare_all(TOLERANCE, |golden, before| golden.load_on(reused(before), "auto").unwrap());
    println!("greatest difference {greatest:.1e}");
}

#[test]
fn no_kernel_needs_more_than_every_device_has() {
    let capabilities = naga::valid::Capabilities::all();
    let flags = naga::valid::ValidationFlags::all();
    for (name, source) in gpu::sources() {
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        let info = naga::valid::Validator::new(flags, capabilities).validate(&module).unwrap();
        let used = module.global_variables.iter().filter(|(handle, variable)| {
            matches!(variable.space, naga::AddressSpace::Storage { .. })
                && !info.get_entry_point(0)[*handle].is_empty()
        });
        let storage = used.count();
        // maxStorageBuffersPerShaderStage
        // Kernels for weights in 8 bits have more, and are used where the device allows it.
        let of_8_bits = ["I8", "Int8", "LinearRounded"].iter().any(|of| name.contains(of));
        let most = match name.split_once('(').map_or("", |(kernel, _)| kernel) {
            "Embed" if of_8_bits => 10,
            "Normed" if of_8_bits => 9,
            _ => 8,
        };
        assert!((1..=most).contains(&storage), "{name}: {storage} storage buffers");
    }
}
