//! LayerNorm in front of a sublayer: the sum that goes on is not normalised, its normalised copy is.

use super::norm::{add, norm_row};
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Rows of a band of work: some 2 µs.
const BAND: usize = 4;

/// residual += x, then x = norm(residual); both are `[rows, width]`, `weight` and `bias` `[width]`.
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
