//! Depthwise convolution: each column has a kernel of its own.

use super::unfold::{Neighbourhood, for_neighbours};
use crate::simd::{Aligned, F32x4};
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Writes Σ over t of weights\[c, t\] · x\[row + t - taps / 2, c\] to `y`, `[rows, cols]`. `weights`
/// is `[cols, taps]`. Masked tokens count as neighbours; a neighbour outside the sequence is 0.
/// `columns` is the position of each row within its sequence, ascending.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn depthwise(
    x: &Rows,
    weights: &[f32],
    sequences: &[Sequence],
    columns: &[u32],
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let taps = weights.len() / x.cols.max(1);
    // The weights of a tap side by side, so that four columns are a vector.
    let mut by_tap = Aligned::<f32>::zeros(weights.len(), taps, x.cols)?;
    for (tap, to) in by_tap.chunks_exact_mut(x.cols.max(1)).enumerate() {
        let from = weights.iter().skip(tap).step_by(taps);
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
    let of = Neighbourhood { sequences, columns, taps, masked: true };
    for_neighbours(x, &of, x.cols, y, workspace, &|_, neighbours, to| {
        for (tap, from) in neighbours {
            add_products(from, &by_tap[tap * x.cols..][..x.cols], to);
        }
    })
}

/// Adds the products of two rows to a third one.
fn add_products(a: &[f32], b: &[f32], to: &mut [f32]) {
    let (to, to_rest) = to.as_chunks_mut::<4>();
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        F32x4::load(a).mul_add(F32x4::load(b), F32x4::load(to)).store(to);
    }
    for ((to, a), b) in to_rest.iter_mut().zip(a_rest).zip(b_rest) {
        *to += a * b;
    }
}
