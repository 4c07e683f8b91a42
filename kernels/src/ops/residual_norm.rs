//! Pre-norm LayerNorm: the residual stream stays unnormalized, the sublayer reads a normalized
//! copy.

use super::norm::{add, norm_row};
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Rows per work item: about 2 µs of work.
const BAND: usize = 4;

/// Computes residual += x, then x = norm(residual). Both are `[rows, width]`; `weight` and `bias`
/// are `[width]`.
pub fn residual_norm(
    x: &mut Rows,
    residual: &mut Rows,
    weight: &[f32],
    bias: &[f32],
    eps: f32,
    workspace: &mut Workspace,
) {
    let cols = x.cols;
    let bands = x.data.chunks_mut(BAND * cols).zip(residual.data.chunks_mut(BAND * cols));
    parallel_items(&mut workspace.threads, bands, &|_, (x, residual)| {
        for (x, residual) in x.chunks_exact_mut(cols).zip(residual.chunks_exact_mut(cols)) {
            add(residual, x);
            x.copy_from_slice(residual);
            norm_row(x, weight, bias, eps);
        }
    });
}
