//! A self-test of the kernels before their first use. Some GPUs and drivers compute wrong results
//! without reporting an error, above all in low precision.

use std::ops::Range;

use super::attention_output::IS_INCLUDED;
use super::choice::{Arithmetic, Layout, Op, Shape, Variant};
use super::linear::NARROW;
use super::{Gpu, GpuBatch, GpuMatrix, GpuRows};
use crate::backend::{Activation, Backend, Norm, NormKind, Precision};
use crate::batch::{Batch, Sequence};
use crate::{Error, Result};
use webert_kernels::top_indices;

/// The precisions of weights: name, and the error of a layer that rounding explains, in units of Σ
/// |x · w|.
pub(super) const TESTED: [(Precision, &str, f32); 4] = [
    (Precision::I8, "q8", 1e-2),
    (Precision::F16, "fp16", 4e-3),
    (Precision::Bf16, "bf16", 4e-3),
    (Precision::F32, "fp32", 1e-3),
];
/// Inputs of the tested layer: three blocks of 32 columns and a partial one.
pub(super) const INPUTS: usize = 100;
const OUTPUTS: usize = 70;
/// Outputs of the layer after attention, a multiple of 4: one tile of columns and a partial one.
const OUTPUTS_OF_ATTENTION: usize = 72;
/// Error of that layer which rounding of its weights explains, in units of Σ |x · w|.
const ROUNDED: f32 = 4e-3;
/// Outputs of a second layer for the kernels of few rows, which divide wide results otherwise.
const WIDE_OUTPUTS: usize = NARROW + 6;
/// Rows of x. Some kernels compute one to four rows only.
const ROWS: [usize; 2] = [3, 37];
/// Tokens of the tested attention: a block of 16 queries and keys, and a partial one.
pub(super) const LENGTH: usize = 19;
pub(super) const HEADS: usize = 4;
/// k of the tested top-k.
const TOP_K: usize = 3;
/// Largest error allowed for the other kernels.
pub(super) const TOLERANCE: f32 = 1e-3;

impl Gpu {
    /// Compares kernels with f32 results of the CPU: linear layers in the precisions of the
    /// matrices created so far, LayerNorm, attention and top-k, by the variants in use. A variant
    /// that is wrong is not used. If all variants in low precision are wrong, [`Gpu::note`] reports it.
    ///
    /// # Errors
    /// `Unsupported` if no variant of a kernel is right; `DeviceLost`.
    pub async fn self_test(&mut self) -> Result<()> {
        for (precision, ..) in TESTED {
            if !self.low_precision.used.contains(&precision) {
                continue;
            }
            if precision == Precision::I8 && !self.low_precision.int8 && self.device.slow_dot {
                let note = "this GPU multiplies floats faster than q8: computing in fp32";
                self.low_precision.note = Some(note.to_owned());
            }
            self.test_linear(precision).await?;
        }
        self.test_others().await
    }

    /// Returns which low-precision arithmetic is not used, and why.
    pub fn note(&self) -> Option<&str> {
        self.low_precision.note.as_deref()
    }

    /// Compiles the kernels of the self-test.
    pub(super) fn warm_up_self_test(&mut self) -> Result<()> {
        for (precision, ..) in TESTED {
            if self.low_precision.used.contains(&precision) {
                for variant in self.untested(Op::Linear(precision)) {
                    self.record_test(Op::Linear(precision), variant)?;
                }
            }
        }
        for op in self.attention_ops() {
            for variant in self.untested(op) {
                self.record_test(op, variant)?;
            }
        }
        self.warm_up_families()
    }

    /// Records what the self-test compares of a variant.
    pub(super) fn record_test(&mut self, op: Op, variant: Variant) -> Result<()> {
        let Op::Linear(precision) = op else { return self.record_others(op, variant).map(drop) };
        let weights = self.tested_weights(precision)?;
        self.record_layers(&weights, variant).map(drop)
    }

    /// Compares a variant with the CPU. Strikes it out if it is wrong. Returns why. Errors: those
    /// that concern the whole device.
    pub(super) async fn test_variant(&mut self, op: Op, variant: Variant) -> Result<Option<Error>> {
        let tested = match op {
            Op::Linear(precision) => {
                let of = TESTED.iter().find(|(tested, ..)| *tested == precision);
                let (_, name, tolerance) = of.unwrap_or(&TESTED[3]);
                let error = self.linear_error(precision, variant).await;
                error.and_then(|error| check(name, error, *tolerance))
            }
            _ => self.test_attention(op, variant).await?,
        };
        self.judge(op, variant, tested)
    }

    /// Compiles the next variant in use that is untested, and returns it.
    async fn next_untested(&mut self, op: Op) -> Result<Option<Variant>> {
        while let Some(variant) = self.untested(op).first().copied() {
            self.warm_up(|gpu| gpu.record_test(op, variant))?;
            self.settle_pipelines().await?;
            if !self.choice.is_struck(op, variant) {
                return Ok(Some(variant));
            }
        }
        Ok(None)
    }

    /// Compares the variants of a linear layer in use and strikes out those that are wrong. Errors:
    /// `Unsupported` if no variant is left for some shape.
    async fn test_linear(&mut self, precision: Precision) -> Result<()> {
        let op = Op::Linear(precision);
        let mut failure = None;
        loop {
            // If one is wrong, the next one is used in its place.
            while let Some(variant) = self.next_untested(op).await? {
                failure = self.test_variant(op, variant).await?.or(failure);
            }
            let has_low = self.variants(op).iter().any(|v| v.arithmetic != Arithmetic::F32);
            let low = match precision {
                Precision::I8 => Some(&mut self.low_precision.int8),
                Precision::F16 => Some(&mut self.low_precision.half),
                _ => None,
            };
            // `take` disables the arithmetic and returns if it was enabled.
            if has_low || !low.is_some_and(std::mem::take) {
                break;
            }
            let mut struck = self.choice.struck.iter().filter(|(struck, ..)| *struck == op);
            let why = struck.find(|(_, v, _)| v.arithmetic != Arithmetic::F32);
            self.low_precision.note = why.map(|(.., why)| format!("{why}: computing in fp32"));
            // Without it there are more variants.
        }
        match failure {
            Some(failure) if !self.is_possible(op) => Err(failure),
            _ => Ok(()),
        }
    }

    /// Strikes out a variant if the device computes or compiles it wrongly. Returns why. Errors:
    /// those that concern the whole device.
    pub(super) fn judge(
        &mut self,
        op: Op,
        variant: Variant,
        tested: Result<()>,
    ) -> Result<Option<Error>> {
        self.choice.tested.push((op, variant));
        match tested {
            Ok(()) => Ok(None),
            Err(error @ Error::Unsupported(_)) => {
                self.choice.strike(op, variant, error.to_string());
                Ok(Some(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the largest error of a variant of a linear layer, in units of Σ |x · w|.
    async fn linear_error(&mut self, precision: Precision, variant: Variant) -> Result<f32> {
        let numbers_of = |weight: &GpuMatrix| numbers(weight.rows * INPUTS, 1);
        let mut weights = self.tested_weights(precision)?;
        for weight in &mut weights {
            let numbers = numbers_of(weight);
            self.write(weight, 0, &numbers);
        }
        let made = self.record_layers(&weights, variant)?;
        let got = self.read(&made.iter().map(|(_, y)| y).collect::<Vec<_>>()).await?;
        let mut most = 0.0_f32;
        for ((x, y), got) in made.iter().zip(&got) {
            let Some(weight) = weights.iter().find(|weight| weight.rows == y.cols) else {
                continue;
            };
            let x = numbers(x.rows * INPUTS, 2);
            most = most.max(linear_difference(got, &x, &numbers_of(weight)));
        }
        Ok(most)
    }

    /// Returns the matrices of the tested layers: a narrow and a wide one.
    fn tested_weights(&mut self, precision: Precision) -> Result<[GpuMatrix; 2]> {
        let [narrow, wide] = [OUTPUTS, WIDE_OUTPUTS].map(|n| self.matrix(n, INPUTS, precision));
        Ok([narrow?, wide?])
    }

    /// Records the layers by one variant: one for each number of rows that it supports, or for few
    /// rows one for each matrix. Returns pairs of x and y.
    fn record_layers(
        &mut self,
        [narrow, wide]: &[GpuMatrix; 2],
        variant: Variant,
    ) -> Result<Vec<(GpuRows, GpuRows)>> {
        let bias = self.vector(WIDE_OUTPUTS)?;
        let layers = match variant.layout {
            Layout::FewRows => [(ROWS[0], narrow), (ROWS[0], wide)],
            _ => ROWS.map(|rows| (rows, narrow)),
        };
        let inputs = layers.map(|(rows, _)| self.input(rows, INPUTS, 2));
        self.choice.forced = Some(variant);
        self.choice.in_all_parts = true;
        let made = layers.into_iter().zip(inputs).map(|((_, weight), x)| {
            let mut y = GpuRows::default();
            self.linear(&x, weight, &bias, Activation::Identity, &mut y);
            (x, y)
        });
        let made = made.collect();
        self.choice.in_all_parts = false;
        self.choice.forced = None;
        Ok(made)
    }

    /// Compares the other kernels. Each result is compared with the CPU's result for the GPU's
    /// input.
    async fn test_others(&mut self) -> Result<()> {
        let mut failure = None;
        for op in self.attention_ops() {
            loop {
                let variant = match self.next_untested(op).await? {
                    Some(untested) => untested,
                    // All is compared again for every model, at least by the variant in use.
                    None if op == Op::Attention => self.variant((op, Shape::Medium)),
                    None => break,
                };
                failure = self.test_variant(op, variant).await?.or(failure);
                if !self.is_possible(op) {
                    return failure.map_or(Ok(()), Err);
                }
                if self.untested(op).is_empty() {
                    break;
                }
            }
        }
        self.test_families().await
    }

    /// Compares LayerNorm, attention by one variant, also with the layer after it, and top-k. Returns
    /// whether attention is right. Errors: `Unsupported` if another kernel is wrong.
    async fn test_attention(&mut self, op: Op, variant: Variant) -> Result<Result<()>> {
        let [_, x, y, best, z] = self.record_others(op, variant)?;
        let got = match self.read(&[&x, &y, &best, &z]).await {
            Err(error @ Error::Unsupported(_)) => return Ok(Err(error)),
            got => got?,
        };
        let [x, y, best, z] = [&got[0], &got[1], &got[2], &got[3]];
        let cols = 3 * HEADS * self.head_dim;
        check("LayerNorm", difference(x, &normed(&sums([3, 4], cols), cols)), TOLERANCE)?;
        let want = attended_everywhere(x, self.head_dim);
        let attention = check("attention", difference(y, &want), TOLERANCE);
        let want = ranked(y, HEADS * self.head_dim);
        check("the best scores", difference(best, &want), TOLERANCE)?;
        if !IS_INCLUDED || op == Op::Attention {
            return Ok(attention);
        }
        let weights = numbers(OUTPUTS_OF_ATTENTION * cols / 3, 1);
        let error = product_difference(z, y, &weights, cols / 3);
        Ok(attention.and_then(|()| check("the layer after attention", error, ROUNDED)))
    }

    /// Records LayerNorm with a residual, attention over its result by one variant, and top-k over
    /// the attention. Returns the residual and the three results, and the result of the layer after
    /// attention if that is tested.
    fn record_others(&mut self, op: Op, variant: Variant) -> Result<[GpuRows; 5]> {
        let cols = 3 * HEADS * self.head_dim;
        let [residual, x] = [3, 4].map(|seed| self.input(LENGTH, cols, seed));
        let [mut y, mut best, mut z] = [(); 3].map(|()| GpuRows::default());
        self.shape(&mut z, 1, 4);
        let mut norm = Norm {
            weight: self.vector(cols)?,
            bias: self.vector(cols)?,
            eps: 0.0,
            kind: NormKind::Layer,
        };
        if !self.warming_up {
            self.write_vector(&mut norm.weight, 0, &vec![1.0; cols]);
        }
        // The kernels that compute the norm with other calls have a test of their own.
        self.record_norm(&x, Some(&residual), &norm);
        let batch = self.upload_sequence(LENGTH)?;
        self.choice.forced = Some(variant);
        self.attention(&x, &batch, HEADS, &mut y, None);
        if let (Op::AttentionOutput(precision), true) = (op, IS_INCLUDED) {
            let mut weight = self.matrix(OUTPUTS_OF_ATTENTION, cols / 3, precision)?;
            let bias = self.vector(OUTPUTS_OF_ATTENTION)?;
            if !self.warming_up {
                self.write(&mut weight, 0, &numbers(OUTPUTS_OF_ATTENTION * cols / 3, 1));
            }
            self.linear(&y, &weight, &bias, Activation::Identity, &mut z);
        }
        self.choice.forced = None;
        self.top(&y, TOP_K, &mut best);
        Ok([residual, x, y, best, z])
    }

    /// Uploads one sequence of this number of tokens.
    pub(super) fn upload_sequence(&mut self, length: usize) -> Result<GpuBatch> {
        let sequences = vec![Sequence { rows: 0..length, keys: 0..length }];
        let ids = vec![0; length];
        let (types, positions) = (ids.clone(), ids.clone());
        self.upload(Batch { ids, types, positions, sequences, ..Batch::default() })
    }

    /// Returns rows of [`numbers`]; `cols` must be a multiple of 4. The rows are written before any
    /// recorded command runs, so no command may have been recorded since the last read: it might
    /// use the same buffer.
    pub(super) fn input(&mut self, rows: usize, cols: usize, seed: usize) -> GpuRows {
        let mut x = GpuRows::default();
        let buffer = self.shape(&mut x, rows, cols);
        if !self.warming_up {
            self.device.write(&buffer, 0, bytemuck::cast_slice(&numbers(rows * cols, seed)));
        }
        x
    }
}

pub(super) fn check(name: &str, error: f32, tolerance: f32) -> Result<()> {
    if error <= tolerance {
        return Ok(());
    }
    let (error, tolerance) = (thousandths(error), thousandths(tolerance));
    Err(Error::Unsupported(format!(
        "this GPU computes {name} wrongly: error {error}, expected {tolerance}"
    )))
}

/// Returns a number for a message. Formatting floats would add 17 kB of WebAssembly.
fn thousandths(number: f32) -> String {
    format!("{}/1000", (1e3 * number).round() as u16)
}

/// Returns pseudo-random numbers between -1 and 1. The numbers of a layer's first row all have the
/// block's largest magnitude after rotation, so sums of products reach their limits.
pub(super) fn numbers(count: usize, seed: usize) -> Vec<f32> {
    let of = |n: usize| {
        if n < INPUTS {
            return if n % 32 < 4 { 1.0 } else { 0.0 };
        }
        ((n + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0
    };
    (0..count).map(of).collect()
}

/// Returns the largest difference of `got` from x · weightᵀ, in units of Σ |x · w|.
pub(super) fn linear_difference(got: &[f32], x: &[f32], weights: &[f32]) -> f32 {
    product_difference(got, x, weights, INPUTS)
}

/// As [`linear_difference`], for a layer with other inputs.
pub(super) fn product_difference(got: &[f32], x: &[f32], weights: &[f32], inputs: usize) -> f32 {
    let mut most = 0.0_f32;
    let outputs = weights.len() / inputs;
    for (x, got) in x.chunks_exact(inputs).zip(got.chunks_exact(outputs)) {
        for (w, got) in weights.chunks_exact(inputs).zip(got) {
            let products = x.iter().zip(w).map(|(x, w)| x * w);
            let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
            most = most.max(nan_to_infinity((got - sum).abs() / size));
        }
    }
    most
}

/// Returns the largest absolute difference.
pub(super) fn difference(got: &[f32], want: &[f32]) -> f32 {
    let errors = got.iter().zip(want).map(|(got, want)| nan_to_infinity((got - want).abs()));
    errors.fold(0.0, f32::max)
}

/// Returns the error, or infinity if it is NaN, because NaN compares as not larger.
fn nan_to_infinity(error: f32) -> f32 {
    if error.is_nan() { f32::INFINITY } else { error }
}

/// Returns the sums of two inputs, `[LENGTH, cols]`.
pub(super) fn sums(seeds: [usize; 2], cols: usize) -> Vec<f32> {
    let [a, b] = seeds.map(|seed| numbers(LENGTH * cols, seed));
    a.iter().zip(&b).map(|(a, b)| a + b).collect()
}

/// Returns LayerNorm of rows, without weight and bias.
pub(super) fn normed(x: &[f32], cols: usize) -> Vec<f32> {
    let mut y = x.to_vec();
    for row in y.chunks_exact_mut(cols) {
        let mean = row.iter().sum::<f32>() / cols as f32;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / cols as f32;
        row.iter_mut().for_each(|v| *v = (*v - mean) / variance.sqrt());
    }
    y
}

/// Returns [`attended`] over all keys.
pub(super) fn attended_everywhere(x: &[f32], head_dim: usize) -> Vec<f32> {
    attended(x, head_dim, |_| 0..LENGTH, |_, _, _| 0.0)
}

/// Returns attention over rows of queries, keys and values. `near` returns the keys that a row
/// attends to; `bias` returns the number added to the score of a row, a key and a head.
pub(super) fn attended(
    x: &[f32],
    head_dim: usize,
    near: impl Fn(usize) -> Range<usize>,
    bias: impl Fn(usize, usize, usize) -> f32,
) -> Vec<f32> {
    let width = HEADS * head_dim;
    let part = |row, which, number| &x[(3 * row + which) * width + number * head_dim..][..head_dim];
    let mut y = vec![0.0; LENGTH * width];
    for (n, y) in y.chunks_exact_mut(head_dim).enumerate() {
        let (row, number) = (n / HEADS, n % HEADS);
        let share = |key| {
            let pairs = part(row, 0, number).iter().zip(part(key, 1, number));
            let product = pairs.map(|(q, k)| q * k).sum::<f32>();
            (product / (head_dim as f32).sqrt() + bias(row, key, number)).exp()
        };
        let shares: Vec<f32> = near(row).map(share).collect();
        let total: f32 = shares.iter().sum();
        for (key, share) in near(row).zip(&shares) {
            let values = y.iter_mut().zip(part(key, 2, number));
            values.for_each(|(y, value)| *y += share / total * value);
        }
    }
    y
}

/// Returns the expected result of [`Backend::top`] for rows.
fn ranked(x: &[f32], cols: usize) -> Vec<f32> {
    let row = |row: &[f32]| {
        let best = top_indices(row, TOP_K);
        let sum = row.iter().map(|score| (score - row[best[0]]).exp()).sum::<f32>();
        let scores = best.iter().map(|&n| row[n]);
        let columns = best.iter().map(|&n| n as f32);
        std::iter::once(sum).chain(scores).chain(columns).collect::<Vec<_>>()
    };
    x.chunks_exact(cols).flat_map(row).collect()
}
