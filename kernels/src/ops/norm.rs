//! LayerNorm (Ba, Kiros and Hinton 2016) over rows, with or without a residual added first.
//!
//! ```text
//! mean     = Σ x / width
//! variance = Σ (x - mean)² / width
//! y        = (x - mean) / √(variance + eps) · weight + bias
//! ```
//!
//! RMSNorm (Zhang and Sennrich 2019) has mean 0. MobileBERT's NoNorm (Sun et al. 2020) also has
//! variance 1 and eps 0.

use super::elementwise::update_slice;
use crate::simd::F32x4;
use crate::threads::parallel_rows;
use crate::{Rows, Workspace};

/// Rows per work item: about 2 µs of work.
const BAND: usize = 4;

/// What a norm computes of a row before weight and bias.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NormKind {
    /// LayerNorm: mean and deviation.
    #[default]
    Layer,
    /// RMSNorm: the deviation from 0.
    Rms,
    /// NoNorm: neither.
    Affine,
}

/// Replaces each row of `x`, `[rows, width]`, by (x - mean) / √(variance + eps) · weight + bias.
/// `weight` and `bias` are `[width]`.
pub fn norm(x: &mut Rows, weight: &[f32], bias: &[f32], eps: f32, workspace: &mut Workspace) {
    let (cols, bands) = (x.cols, x.rows.div_ceil(BAND));
    parallel_rows(&mut workspace.threads, &mut x.data, cols, bands, &|_, _, rows| {
        for row in rows.chunks_exact_mut(cols) {
            norm_row(row, weight, bias, eps);
        }
    });
}

/// Replaces each row of `x`, `[rows, width]`, by a norm of this kind of x + residual. `residual`, if
/// given, is `[rows, width]`; `weight` and `bias` are `[width]`.
pub fn norm_of_kind(
    kind: NormKind,
    x: &mut Rows,
    residual: Option<&Rows>,
    (weight, bias, eps): (&[f32], &[f32], f32),
    workspace: &mut Workspace,
) {
    let (cols, bands) = (x.cols, x.rows.div_ceil(BAND));
    parallel_rows(&mut workspace.threads, &mut x.data, cols, bands, &|_, first, rows| {
        for (n, row) in rows.chunks_exact_mut(cols).enumerate() {
            if let Some(residual) = residual {
                add(row, &residual.data[(first + n) * cols..][..cols]);
            }
            norm_row_of_kind(kind, row, weight, bias, eps);
        }
    });
}

/// Replaces `x` by [`norm`] of x + residual; `residual` is `[rows, width]`.
pub fn add_norm(
    x: &mut Rows,
    residual: &Rows,
    weight: &[f32],
    bias: &[f32],
    eps: f32,
    workspace: &mut Workspace,
) {
    let (cols, bands) = (x.cols, x.rows.div_ceil(BAND));
    parallel_rows(&mut workspace.threads, &mut x.data, cols, bands, &|_, first, rows| {
        let residuals = residual.data[first * cols..].chunks_exact(cols);
        for (row, residual) in rows.chunks_exact_mut(cols).zip(residuals) {
            add(row, residual);
            norm_row(row, weight, bias, eps);
        }
    });
}

/// Computes x += y.
pub(super) fn add(x: &mut [f32], y: &[f32]) {
    update_slice(y, x, |y, x| x + y);
}

/// Mean and inverse deviation of a row.
pub(super) struct Normalized {
    pub(super) mean: f32,
    /// 1 / √(variance + eps)
    pub(super) inverse: f32,
}

impl Normalized {
    /// Returns the mean and inverse deviation of `row`.
    ///
    /// The variance takes a second pass over the row: the difference E[x²] - E[x]² of two large
    /// sums would lose digits.
    #[inline(always)]
    pub(super) fn of(row: &[f32], eps: f32) -> Self {
        let width = row.len() as f32;
        let mean = sum(row, 0.0, |x| x) / width;
        let center = F32x4::splat(mean);
        let squares = sum(row, mean, |x| (x - center) * (x - center));
        Self { mean, inverse: 1.0 / (squares / width + eps).sqrt() }
    }
}

/// Applies LayerNorm to one row.
pub(crate) fn norm_row(row: &mut [f32], weight: &[f32], bias: &[f32], eps: f32) {
    let Normalized { mean, inverse } = Normalized::of(row, eps);
    scale(row, mean, inverse, weight, bias);
}

/// Replaces each x of a row by (x - mean) · inverse · weight + bias. Vectors are written out, because
/// the binaries are optimised for size, which leaves loops over numbers as they are.
fn scale(row: &mut [f32], mean: f32, inverse: f32, weight: &[f32], bias: &[f32]) {
    let (means, inverses) = (F32x4::splat(mean), F32x4::splat(inverse));
    let (vectors, rest) = row.as_chunks_mut::<4>();
    let (weights, rest_weight) = weight.as_chunks::<4>();
    let (biases, rest_bias) = bias.as_chunks::<4>();
    for ((x, weight), bias) in vectors.iter_mut().zip(weights).zip(biases) {
        let scaled = (F32x4::load(x) - means) * inverses * F32x4::load(weight);
        (scaled + F32x4::load(bias)).store(x);
    }
    for ((x, weight), bias) in rest.iter_mut().zip(rest_weight).zip(rest_bias) {
        *x = (*x - mean) * inverse * weight + bias;
    }
}

/// Applies a norm of this kind to one row.
pub(super) fn norm_row_of_kind(
    kind: NormKind,
    row: &mut [f32],
    weight: &[f32],
    bias: &[f32],
    eps: f32,
) {
    let inverse = match kind {
        NormKind::Layer => return norm_row(row, weight, bias, eps),
        NormKind::Rms => 1.0 / (sum(row, 0.0, |x| x * x) / row.len() as f32 + eps).sqrt(),
        NormKind::Affine => 1.0,
    };
    scale(row, 0.0, inverse, weight, bias);
}

/// Returns Σ f(x) over a row. The last vector is padded with `fill`, for which f must be 0.
fn sum(row: &[f32], fill: f32, f: impl Fn(F32x4) -> F32x4) -> f32 {
    let (groups, rest) = row.as_chunks::<4>();
    let mut sums = [F32x4::ZERO; 2];
    // Two sums run side by side: an addition does not wait for the one before it.
    let (pairs, single) = groups.as_chunks::<2>();
    for [a, b] in pairs {
        sums = [sums[0] + f(F32x4::load(a)), sums[1] + f(F32x4::load(b))];
    }
    for group in single {
        sums[0] = sums[0] + f(F32x4::load(group));
    }
    if !rest.is_empty() {
        let mut last = [fill; 4];
        last[..rest.len()].copy_from_slice(rest);
        sums[1] = sums[1] + f(F32x4::load(&last));
    }
    (sums[0] + sums[1]).sum()
}
