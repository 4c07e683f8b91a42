//! Pre-norm LayerNorm: the residual stream stays unnormalized, the sublayer reads a normalized
//! copy.

use super::norm::{NormKind, add, norm_row_of_kind};
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Rows per work item: about 2 µs of work.
const BAND: usize = 4;

/// Computes residual += x, then x = norm(residual) with a norm of this kind. Both are `[rows,
/// width]`; `weight` and `bias` are `[width]`.
pub fn residual_norm(
    kind: NormKind,
    x: &mut Rows,
    residual: &mut Rows,
    (weight, bias, eps): (&[f32], &[f32], f32),
    workspace: &mut Workspace,
) {
    let cols = x.cols;
    let bands = x.data.chunks_mut(BAND * cols).zip(residual.data.chunks_mut(BAND * cols));
    parallel_items(&mut workspace.threads, bands, &|_, (x, residual)| {
        for (x, residual) in x.chunks_exact_mut(cols).zip(residual.chunks_exact_mut(cols)) {
            add(residual, x);
            x.copy_from_slice(residual);
            norm_row_of_kind(kind, x, weight, bias, eps);
        }
    });
}
