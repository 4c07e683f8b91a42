//! Depthwise convolution: each column has a kernel of its own.

use super::unfold::{Neighbourhood, for_neighbours};
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
    let of = Neighbourhood { sequences, columns, taps, masked: true };
    for_neighbours(x, &of, x.cols, y, workspace, &|_, neighbours, to| {
        for (tap, from) in neighbours {
            let weights = weights.iter().skip(*tap).step_by(taps);
            for ((to, from), weight) in to.iter_mut().zip(*from).zip(weights) {
                *to += from * weight;
            }
        }
    })
}
