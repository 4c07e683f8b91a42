//! Depthwise convolution: each column has a kernel of its own.

use super::unfold::{neighbour, ranges};
use crate::threads::parallel_rows;
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
    let (cols, taps) = (x.cols, weights.len() / x.cols.max(1));
    y.shape(x.rows, cols)?;
    let places = ranges(sequences, x.rows, true);
    let (threads, bands) = (&mut workspace.threads, x.rows.div_ceil(4));
    parallel_rows(threads, &mut y.data, cols, bands, &|_, first, rows| {
        for (row, to) in (first..).zip(rows.chunks_exact_mut(cols)) {
            to.fill(0.0);
            for tap in 0..taps {
                let from = neighbour(columns, &places[row], row, tap, taps);
                let Some(from) = from.map(|from| &x.data[from * cols..][..cols]) else { continue };
                let weights = weights.iter().skip(tap).step_by(taps);
                for ((to, from), weight) in to.iter_mut().zip(from).zip(weights) {
                    *to += from * weight;
                }
            }
        }
    });
    Ok(())
}
