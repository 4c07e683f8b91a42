//! The training kernels on the GPU: the suite of tests/train_kernels.rs, and GPU-specific tests.
//! Native only, on any Vulkan adapter.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::adapter::gpu;
use common::suite;
use webert::backend::cpu::Cpu;
use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::train::{AdamW, Clip, Dropout, Parameter, Train};
use webert::backend::{Activation, Backend, Norm, NormKind, Precision};
#[cfg(feature = "families")]
use webert::backend::{Disentangled, Distances};
use webert::batch::{Batch, Sequence};

/// Fails unless each error is below its limit.
fn assert_below<const N: usize>(name: &str, errors: [f64; N], limits: [f64; N]) {
    let shown = errors.map(|error| format!("{error:.1e}")).join(", ");
    println!("{name}: {shown}");
    let below = errors.iter().zip(&limits).all(|(error, limit)| error < limit);
    assert!(below, "{name}: {shown}, limits {limits:?}");
}

#[test]
fn rows() {
    let Some(mut gpu) = gpu("rows") else { return };
    suite::train_rows(&mut gpu);
}

#[test]
fn activation_backward() {
    let Some(mut gpu) = gpu("activation_backward") else { return };
    for (name, errors) in suite::activation_backward(&mut gpu) {
        assert_below(&name, errors, [2e-6, 2e-6]);
    }
}

#[test]
fn linear_backward() {
    let Some(mut gpu) = gpu("linear_backward") else { return };
    for side in [32, 64] {
        gpu.set_tile_size(Some(side));
        let errors = suite::linear_backward(&mut gpu);
        assert_below(&format!("tiles of {side}: input, weight, bias"), errors, [1e-6; 3]);
        let error = suite::linear_differences(&mut gpu);
        assert_below("by differences", [error], [1e-6]);
    }
}

#[test]
fn weights_in_another_precision_are_refused() {
    let Some(mut gpu) = gpu("weights_in_another_precision_are_refused") else { return };
    let error = suite::half_weights(&mut gpu).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("2 × 4: expected fp32 in training, got F16"), "{error}");
    suite::train_rows(&mut gpu); // the next request computes again
}

#[test]
fn norm_backward() {
    let Some(mut gpu) = gpu("norm_backward") else { return };
    let errors = suite::norm_backward(&mut gpu);
    assert_below("forward, backward", errors, [1e-6, 1e-5]);
}

#[test]
fn attention_backward() {
    let Some(mut gpu) = gpu("attention_backward") else { return };
    let errors = suite::attention_backward(&mut gpu);
    assert_below("y, log_sums, dqkv", errors, [1e-5, 1e-6, 1e-5]);
}

#[cfg(feature = "families")]
#[test]
fn attention_disentangled_backward() {
    let Some(mut gpu) = gpu("attention_disentangled_backward") else { return };
    let errors = suite::attention_disentangled_backward(&mut gpu);
    assert_below("y, dqkv, dpositions", errors, [1e-5; 3]);
}

#[test]
fn dropout() {
    let Some(mut gpu) = gpu("dropout") else { return };
    assert_below("elements", [suite::dropout(&mut gpu)], [2e-7]);
    assert_below("standard deviations", [suite::dropout_statistics(&mut gpu)], [4.0]);
}

#[test]
fn embed_backward() {
    let Some(mut gpu) = gpu("embed_backward") else { return };
    let errors = suite::embed_backward(&mut gpu);
    assert_below("sums, gradients", errors, [4e-7, 1e-6]);
}

#[test]
fn gather_backward() {
    let Some(mut gpu) = gpu("gather_backward") else { return };
    assert_below("gradient", [suite::gather_backward(&mut gpu)], [1e-6]);
}

#[test]
fn mean_pool() {
    let Some(mut gpu) = gpu("mean_pool") else { return };
    assert_below("means, gradient", suite::mean_pool(&mut gpu), [4e-7, 1e-6]);
}

#[test]
fn losses() {
    let Some(mut gpu) = gpu("losses") else { return };
    for (name, errors) in [
        ("cross_entropy", suite::cross_entropy(&mut gpu)),
        ("cross_entropy_of_groups", suite::cross_entropy_of_groups(&mut gpu)),
        ("binary_cross_entropy", suite::binary_cross_entropy(&mut gpu)),
        ("mean_square", suite::mean_square(&mut gpu)),
    ] {
        assert_below(name, errors, [1e-6, 1e-6]);
    }
    suite::nothing_counts(&mut gpu);
}

#[test]
fn optimizer() {
    let Some(mut gpu) = gpu("optimizer") else { return };
    assert_below("sum_of_squares", [suite::sum_of_squares(&mut gpu)], [1e-6]);
    assert_below("adamw: parameters, moments", suite::adamw(&mut gpu), [1e-6, 1e-6]);
    assert_below("sgd", [suite::sgd(&mut gpu)], [1e-6]);
    suite::clipping(&mut gpu);
}

#[test]
fn small_losses_keep_their_digits() {
    let Some(mut gpu) = gpu("small_losses_keep_their_digits") else { return };
    for logit in [0.0_f32, 0.5, 3.0, 8.0, 14.0] {
        let mut logits = put(&mut gpu, &[logit, -logit], 1);
        let mut loss = gpu.zeros(1, 1).unwrap();
        gpu.binary_cross_entropy(&mut logits, &[1.0, 0.0], 1.0, &mut loss);
        let got = f64::from(pollster::block_on(gpu.read(&[&loss])).unwrap()[0][0]);
        let want = (-f64::from(logit)).exp().ln_1p();
        assert!((got / want - 1.0).abs() < 1e-6, "{logit}: {got:e}, not {want:e}");
    }
}

#[test]
fn every_kernel_gives_the_cpus_numbers_and_the_same_again() {
    let Some(mut gpu) = gpu("every_kernel_gives_the_cpus_numbers_and_the_same_again") else {
        return;
    };
    let got = suite::train_numbers(&mut gpu);
    let want = suite::train_numbers(&mut Cpu::default());
    assert_eq!(got.len(), want.len());
    let last = want.len() - 1;
    for (n, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got.len(), want.len(), "number {n}");
        let worst = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let largest = want.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        // The last are weights after AdamW, which divides a gradient by its own size. If the
        // gradient is near 0, few digits are right.
        let limit = if n == last { 1e-4 } else { 1e-5 };
        assert!(worst <= limit * largest, "number {n}: {worst:e} of {largest:e}");
    }
    assert!(got == suite::train_numbers(&mut gpu), "the same again, bit for bit");
}

/// Returns `count` numbers between -1 and 1.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|n| ((n + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0).collect()
}

fn put<B: Train>(b: &mut B, values: &[f32], rows: usize) -> B::Rows {
    let mut y = B::Rows::default();
    b.put(values, rows, &mut y).unwrap();
    y
}

/// Returns dropout of ones.
fn dropped<B: Train>(b: &mut B, dropout: &Dropout) -> Vec<f32> {
    let mut x = put(b, &[1.0; 37 * 83], 37);
    b.dropout(&mut x, dropout);
    pollster::block_on(b.read(&[&x])).unwrap().remove(0)
}

#[test]
fn masks_match_the_cpu_bit_for_bit() {
    let Some(mut gpu) = gpu("masks_match_the_cpu_bit_for_bit") else { return };
    for (rate, seed) in [(0.1, 1), (0.5, u64::MAX - 3), (0.99, 1 << 40 | 77)] {
        for (site, step) in [(0, 0), (3, 1), (u32::MAX, u32::MAX)] {
            let dropout = Dropout { rate, seed, site, step };
            let got = dropped(&mut gpu, &dropout).into_iter().map(f32::to_bits);
            let want = dropped(&mut Cpu::default(), &dropout).into_iter().map(f32::to_bits);
            assert!(got.eq(want), "{dropout:?}");
        }
    }
}

/// Returns results, logarithms of sums and gradients of attention with dropout. The first token of
/// the first sequence is masked.
fn attention<B: Train>(b: &mut B, heads: usize, head_dim: usize) -> Vec<Vec<f32>> {
    let width = heads * head_dim;
    let sequences = vec![
        Sequence { rows: 0..70, keys: 1..70 },
        Sequence { rows: 70..71, keys: 70..71 },
        Sequence { rows: 71..104, keys: 71..104 },
    ];
    let [ids, types, positions] = [(); 3].map(|()| vec![0; 104]);
    let batch = b.upload(Batch { ids, types, positions, sequences, ..Batch::default() }).unwrap();
    let qkv = put(b, &numbers(104 * 3 * width, 1), 104);
    let dy = put(b, &numbers(104 * width, 2), 104);
    let dropout = Dropout { rate: 0.2, seed: 5, site: 6, step: 7 };
    let [mut y, mut log_sums, mut dqkv] = [(); 3].map(|()| B::Rows::default());
    let dropout = Some(&dropout);
    b.attention_forward(&qkv, &batch, heads, dropout, &mut y, &mut log_sums);
    b.attention_backward(&qkv, &batch, heads, dropout, &y, &log_sums, &dy, &mut dqkv);
    pollster::block_on(b.read(&[&y, &log_sums, &dqkv])).unwrap()
}

#[test]
fn attention_is_that_of_the_cpu() {
    let Some(mut gpu) = gpu("attention_is_that_of_the_cpu") else { return };
    // narrow heads, heads with several workgroups, and rows that end more than a group after their
    // last head
    for (heads, head_dim) in [(2, 8), (3, 3), (2, 36), (1, 100), (2, 130)] {
        let got = attention(&mut gpu, heads, head_dim);
        let want = attention(&mut Cpu::default(), heads, head_dim);
        for (got, want) in got.iter().zip(&want) {
            assert_eq!(got.len(), want.len());
            let worst = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let largest = want.iter().fold(1.0_f32, |max, x| max.max(x.abs()));
            assert!(worst < 1e-5 * largest, "{heads} × {head_dim}: {worst:e} of {largest}");
        }
        assert!(got == attention(&mut gpu, heads, head_dim), "the same again, bit for bit");
    }
}

/// Trains a single layer for one step, `[rows, inputs]` to 200 outputs. Returns its weights after
/// AdamW with clipping, and the gradient of its input.
fn step(gpu: &mut Gpu, rows: usize) -> [Vec<f32>; 2] {
    let (inputs, outputs) = (36, 200);
    let mut weight = gpu.matrix(outputs, inputs, Precision::F32).unwrap();
    gpu.write(&mut weight, 0, &numbers(outputs * inputs, 3));
    let bias = gpu.vector(outputs).unwrap();
    let x = put(gpu, &numbers(rows * inputs, 4), rows);
    let [mut gradient, mut first, mut second] =
        [(); 3].map(|()| gpu.zeros(outputs, inputs).unwrap());
    let mut bias_gradient = gpu.zeros(1, outputs).unwrap();
    let [mut loss, mut squares] = [(); 2].map(|()| gpu.zeros(1, 1).unwrap());
    let [mut y, mut dx] = [(); 2].map(|()| GpuRows::default());
    gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
    gpu.mean_square(&mut y, &numbers(rows * outputs, 5), 1.0, &mut loss);
    gpu.linear_backward_input(&y, &weight, &mut dx);
    gpu.linear_backward_weight(&x, &y, &mut gradient, &mut bias_gradient);
    gpu.sum_of_squares(&gradient, &mut squares);
    let adamw =
        AdamW { rate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weight_decay: 0.1, step: 1 };
    let clip = Clip { squares: &squares, max_norm: 1e-3 };
    let parameter = Parameter::Matrix(&mut weight);
    gpu.adamw(parameter, &gradient, &mut first, &mut second, &adamw, Some(&clip));
    let dx = pollster::block_on(gpu.read(&[&dx])).unwrap().remove(0);
    [pollster::block_on(gpu.read_matrix(&weight)).unwrap(), dx]
}

#[test]
fn matrices_in_several_buffers_are_trained_like_one_buffer() {
    let test = "matrices_in_several_buffers_are_trained_like_one_buffer";
    let Some(mut gpu) = gpu(test) else { return };
    for rows in [3, 70] {
        gpu.limit_weights(u64::MAX);
        let [weight, dx] = step(&mut gpu, rows);
        let before = gpu.buffers_made();
        gpu.limit_weights(64 * 36 * 4);
        let [split_weight, split_dx] = step(&mut gpu, rows);
        assert!(gpu.buffers_made() - before >= 4, "in four parts");
        assert!(weight == split_weight, "{rows} rows");
        assert!(weight != numbers(200 * 36, 3));
        let apart = dx.iter().zip(&split_dx).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-6, "{rows} rows: {apart:e}");
    }
}

#[test]
fn a_step_is_one_submission_and_makes_no_buffer_again() {
    let test = "a_step_is_one_submission_and_makes_no_buffer_again";
    let Some(mut gpu) = gpu(test) else { return };
    let x = put(&mut gpu, &numbers(600, 1), 20);
    let [mut y, mut dx, mut loss] = [(); 3].map(|()| GpuRows::default());
    let mut weight = gpu.matrix(40, 30, Precision::F32).unwrap();
    let bias = gpu.vector(40).unwrap();
    let mut gradient = gpu.zeros(40, 30).unwrap();
    let mut bias_gradient = gpu.zeros(1, 40).unwrap();
    let mut made = Vec::new();
    for _ in 0..3 {
        let before = gpu.submissions();
        gpu.put(&[0.0], 1, &mut loss).unwrap();
        gpu.clear(&mut gradient);
        gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        gpu.mean_square(&mut y, &numbers(800, 5), 1.0, &mut loss);
        gpu.linear_backward_input(&y, &weight, &mut dx);
        gpu.linear_backward_weight(&x, &y, &mut gradient, &mut bias_gradient);
        gpu.sgd(Parameter::Matrix(&mut weight), &gradient, 0.5, 0.0, None);
        let loss = pollster::block_on(gpu.read(&[&loss])).unwrap()[0][0];
        assert_eq!(gpu.submissions() - before, 1);
        made.push((gpu.buffers_made(), loss));
    }
    assert_eq!(made[1].0, made[2].0, "buffers");
    assert!(made[2].1 < 0.99 * made[0].1, "the loss falls: {made:?}");
}

#[test]
fn a_batch_is_the_same_after_a_read() {
    let Some(mut gpu) = gpu("a_batch_is_the_same_after_a_read") else { return };
    let [types, positions] = [(); 2].map(|()| vec![0; 5]);
    let sequences = vec![Sequence { rows: 0..5, keys: 0..5 }];
    let batch = Batch { ids: vec![3, 1, 4, 1, 2], types, positions, sequences, ..Batch::default() };
    let batch = gpu.upload(batch).unwrap();
    let qkv = put(&mut gpu, &numbers(60, 1), 5);
    let run = |gpu: &mut Gpu| {
        let mut y = GpuRows::default();
        gpu.attention(&qkv, &batch, 1, &mut y, None);
        pollster::block_on(gpu.read(&[&y])).unwrap().remove(0)
    };
    let first = run(&mut gpu);
    // It would take the batch's memory if that were free.
    let other = put(&mut gpu, &numbers(200, 9), 20);
    assert_eq!(first, run(&mut gpu));
    assert_eq!(pollster::block_on(gpu.read(&[&other])).unwrap()[0], numbers(200, 9));
}

/// Kernels read whole groups of columns, so padding must be 0 whatever the memory held before.
#[test]
fn rows_are_filled_up_with_zeros() {
    let Some(mut gpu) = gpu("rows_are_filled_up_with_zeros") else { return };
    let garbage: Vec<_> = (0..40).map(|_| put(&mut gpu, &[f32::NAN; 1024], 1)).collect();
    drop(garbage);
    let (rows, heads, cols) = (7, 3, 9);
    let [ids, types, positions] = [(); 3].map(|()| vec![0; rows]);
    let sequences = vec![Sequence { rows: 0..rows, keys: 0..rows }];
    let batch = gpu.upload(Batch { ids, types, positions, sequences, ..Batch::default() }).unwrap();
    let [x, qkv] = [cols, 3 * cols].map(|cols| put(&mut gpu, &numbers(rows * cols, 1), rows));
    let weight = gpu.matrix(cols, cols, Precision::F32).unwrap();
    let [mut scale, shift] = [(); 2].map(|()| gpu.vector(cols).unwrap());
    gpu.write_vector(&mut scale, 0, &numbers(cols, 2));
    let norm = Norm { weight: scale, bias: shift, eps: 1.0, kind: NormKind::Layer };
    let [mut y, mut log_sums, mut dqkv, mut z, mut normalized, mut inverse, mut dx, mut pooled] =
        [(); 8].map(|()| GpuRows::default());
    gpu.attention_forward(&qkv, &batch, heads, None, &mut y, &mut log_sums);
    gpu.attention_backward(&qkv, &batch, heads, None, &y, &log_sums, &x, &mut dqkv);
    gpu.norm_forward(&x, None, &norm, &mut z, &mut normalized, &mut inverse);
    let [mut dweight, mut dbias] = [(); 2].map(|()| gpu.zeros(1, cols).unwrap());
    let mut dz = GpuRows::default();
    gpu.norm_backward(&x, &normalized, &inverse, &norm, &mut dz, &mut dweight, &mut dbias);
    gpu.linear_backward_input(&x, &weight, &mut dx);
    gpu.mean_pool(&x, &[0..3, 3..7], &mut pooled);
    for (n, rows) in
        [y, log_sums, dqkv, z, normalized, inverse, dz, dweight, dx, pooled].iter().enumerate()
    {
        // This sum includes the padding.
        let mut total = gpu.zeros(1, 1).unwrap();
        gpu.sum_of_squares(rows, &mut total);
        let got = pollster::block_on(gpu.read(&[&total, rows])).unwrap();
        let want: f32 = got[1].iter().map(|x| x * x).sum();
        assert!((got[0][0] - want).abs() <= 1e-5 * want, "number {n}: {}, not {want}", got[0][0]);
    }
}

#[test]
fn a_gradient_that_does_not_fit_is_named() {
    let Some(mut gpu) = gpu("a_gradient_that_does_not_fit_is_named") else { return };
    let error = gpu.zeros(1 << 30, 1 << 10).err().unwrap();
    assert_eq!(error.code(), "out_of_memory");
    let named = "gradient of 1073741824 × 1024: expected at most ";
    assert!(error.to_string().starts_with(named), "{error}");
    suite::train_rows(&mut gpu);
}

#[test]
fn kernels_that_compute_wrongly_are_named_before_the_first_step() {
    let test = "kernels_that_compute_wrongly_are_named_before_the_first_step";
    let Some(mut right) = gpu(test) else { return };
    pollster::block_on(right.settle_train()).unwrap();
    let made = right.pipelines_made();
    pollster::block_on(right.settle_train()).unwrap();
    assert_eq!(right.pipelines_made(), made, "once is enough");
    let mut missed = Vec::new();
    for (from, to, name) in [
        ("value - params.rate", "value - 2.0 * params.rate", "gradient descent"),
        ("params.decay * parameter", "parameter", "AdamW"),
        ("four += value * value", "four += value", "AdamW"),
        (
            "random < vec4<u32>(params.threshold)",
            "random < vec4<u32>()",
            "an activation with dropout",
        ),
        ("0.39894228 * exp", "0.5 * exp", "the gradient of GELU"),
        ("1.0 - tanh * tanh", "1.0 - tanh", "the gradient of tanh"),
        ("dx[at] = value", "dx[at] = 2.0 * value", "the gradient of a layer's input"),
        ("group + at.x, d)", "group + at.x, c)", "the gradient of a layer's weight"),
        ("sum += x[i];", "sum = x[i];", "the gradient of a layer's bias"),
        ("- normalized[first + g] * mean_product", "", "the gradient of LayerNorm"),
        ("log(sums[index])", "sums[index]", "attention in training"),
        ("(factor * dp - delta)", "(dp - delta)", "the gradient of attention"),
        ("sum += bitcast<f32>(list[i + 1u])", "sum = bitcast<f32>(list[i + 1u])", "embeddings"),
        ("(1.0 - params.smoothing) * four", "four", "cross-entropy"),
        ("p - select(0.0, 1.0, row", "p - select(0.0, 0.9, row", "cross-entropy of groups"),
        ("sigmoid - wanted", "wanted - sigmoid", "binary cross-entropy"),
        ("2.0 * difference)", "difference)", "mean square"),
    ] {
        let mut gpu = gpu(test).unwrap();
        gpu.replace_in_shaders(from, to);
        let text = match pollster::block_on(gpu.settle_train()) {
            Err(error) if error.code() == "unsupported" => error.to_string(),
            other => format!("{other:?}"),
        };
        if !text.contains(&format!("{name} wrongly: error ")) {
            missed.push(format!("{from}: {text}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn the_tiles_of_gradients_are_chosen_among_those_that_are_right() {
    let test = "the_tiles_of_gradients_are_chosen_among_those_that_are_right";
    let Some(mut right) = gpu(test) else { return };
    right.claim_hardware();
    pollster::block_on(right.settle_train()).unwrap();
    let chosen = right.chosen();
    println!("{chosen:?} in {} µs", right.measured_micros());
    for op in ["linear_backward_input", "linear_backward_weight"] {
        assert_eq!(chosen.iter().filter(|(chosen, ..)| *chosen == op).count(), 2, "{chosen:?}");
    }
    assert_eq!(right.struck(), []);
    for (from, op) in
        [("dx[at] = ", "linear_backward_input"), ("group + at.x, d)", "linear_backward_weight")]
    {
        let to = match op {
            "linear_backward_input" => "dx[at] = f32(THREADS_X < 16u) * ",
            _ => "group + at.x, f32(THREADS_X < 16u) * d)",
        };
        let mut gpu = gpu(test).unwrap();
        gpu.claim_hardware();
        gpu.replace_in_shaders(from, to);
        pollster::block_on(gpu.settle_train()).unwrap();
        let struck: Vec<_> = gpu.struck().into_iter().map(|(op, name, _)| (op, name)).collect();
        assert_eq!(struck, [(op, "f32 64x64".to_owned())]);
        let is_small =
            |(chosen, _, name): &(&str, &str, String)| *chosen != op || name == "f32 32x32";
        assert!(gpu.chosen().iter().all(is_small), "{:?}", gpu.chosen());
    }
}

/// Calls attention by relative positions once, as a model of DeBERTa does when it loads.
#[cfg(feature = "families")]
fn call_with_positions(gpu: &mut Gpu) {
    let (qkv, table) = (put(gpu, &[0.5; 24], 1), put(gpu, &[0.5; 16], 1));
    let sequences = vec![Sequence { rows: 0..1, keys: 0..1 }];
    let [ids, types, positions, columns] = [(); 4].map(|()| vec![0]);
    let batch = Batch { ids, types, positions, columns, sequences, ..Batch::default() };
    let batch = gpu.upload(batch).unwrap();
    let of = Disentangled {
        positions: Some(&table),
        first: 2,
        distances: Distances { span: 2, buckets: 0, furthest: 2 },
        keys: Some(8),
        queries: Some(0),
        factor: 3,
    };
    gpu.attention_disentangled(&qkv, &batch, 1, &of, &mut GpuRows::default(), None);
}

#[cfg(feature = "families")]
#[test]
fn gradients_of_positions_that_are_wrong_are_named_before_the_first_step() {
    let test = "gradients_of_positions_that_are_wrong_are_named_before_the_first_step";
    let Some(mut right) = gpu(test) else { return };
    pollster::block_on(right.settle_train()).unwrap();
    let made = right.pipelines_made();
    call_with_positions(&mut right);
    pollster::block_on(right.settle_train()).unwrap();
    assert!(right.pipelines_made() > made + 4, "tested when a model needs them");
    let mut missed = Vec::new();
    for (from, to, name) in [
        ("maximum + log(total)", "maximum", "the gradient of attention by positions"),
        ("sum += weights[i] *", "sum +=", "attention by positions in training"),
        ("kept * product -", "share * product -", "the gradient of attention by positions"),
        ("sum += dscores[i] *", "sum +=", "the gradient of attention by positions"),
        ("dk += dscores[i] *", "dk +=", "the gradient of attention by positions"),
        ("dv += shares[i] *", "dv +=", "the gradient of attention by positions"),
        ("as_query += dscores[i] *", "as_query +=", "the gradient of attention by positions"),
        (
            "dpositions[at + i] +=",
            "dpositions[at + i] -=",
            "the gradient of attention by positions",
        ),
    ] {
        let mut gpu = gpu(test).unwrap();
        gpu.replace_in_shaders(from, to);
        call_with_positions(&mut gpu);
        let text = match pollster::block_on(gpu.settle_train()) {
            Err(error) if error.code() == "unsupported" => error.to_string(),
            other => format!("{other:?}"),
        };
        if !text.contains(&format!("{name} wrongly: error ")) {
            missed.push(format!("{from}: {text}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
