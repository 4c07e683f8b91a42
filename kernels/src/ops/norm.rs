//! LayerNorm over rows, with or without a residual added first.

use crate::simd::F32x4;
use crate::threads::parallel_rows;
use crate::{Rows, Workspace};

/// Rows of a band of work: some 2 µs.
const BAND: usize = 4;

/// Each row of `x`, `[rows, width]`, becomes (x - mean) / sqrt(variance + eps) · weight + bias; `weight`
/// and `bias` are `[width]`.
pub fn norm(x: &mut Rows, weight: &[f32], bias: &[f32], eps: f32, workspace: &mut Workspace) {
    let (cols, bands) = (x.cols, x.rows.div_ceil(BAND));
    parallel_rows(&mut workspace.threads, &mut x.data, cols, bands, &|_, _, rows| {
        for row in rows.chunks_exact_mut(cols) {
            norm_row(row, weight, bias, eps);
        }
    });
}

/// As [`norm`], of x + residual; `residual` is `[rows, width]`.
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

/// x += y.
pub(super) fn add(x: &mut [f32], y: &[f32]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

/// What a row is normalised by.
pub(super) struct Normalized {
    pub(super) mean: f32,
    /// 1 / √(variance + eps)
    pub(super) inverse: f32,
}

impl Normalized {
    /// The variance is the mean square of the differences, in a pass of its own: the difference of two large sums
    /// would lose digits.
    #[inline(always)]
    pub(super) fn of(row: &[f32], eps: f32) -> Self {
        let width = row.len() as f32;
        let mean = sum(row, 0.0, |x| x) / width;
        let center = F32x4::splat(mean);
        let squares = sum(row, mean, |x| (x - center) * (x - center));
        Self { mean, inverse: 1.0 / (squares / width + eps).sqrt() }
    }
}

/// LayerNorm of one row.
pub(crate) fn norm_row(row: &mut [f32], weight: &[f32], bias: &[f32], eps: f32) {
    let Normalized { mean, inverse } = Normalized::of(row, eps);
    let (weight, bias) = (&weight[..row.len()], &bias[..row.len()]);
    for ((x, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *x = (*x - mean) * inverse * weight + bias;
    }
}

/// Σ f(x) over a row, which is filled up to whole vectors with `fill`, where f is 0.
fn sum(row: &[f32], fill: f32, f: impl Fn(F32x4) -> F32x4) -> f32 {
    let (groups, rest) = row.as_chunks::<4>();
    let mut sums = [F32x4::ZERO; 2];
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
