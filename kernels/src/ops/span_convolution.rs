//! Span-based dynamic convolution of ConvBERT (Jiang et al. 2020): each token has kernels of its
//! own.

use super::unfold::{neighbour, ranges};
use crate::threads::parallel_rows;
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Writes Σ over t of w\[row, head, t\] · x\[row + t - taps / 2, c\] to `y`, `[rows, cols]`, for each
/// column c of a head. w is the softmax over t of `kernels`, `[rows, heads · taps]`. Masked tokens
/// count as neighbours; a neighbour outside the sequence is 0. `columns` is the position of each
/// row within its sequence, ascending.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn span_convolution(
    x: &Rows,
    kernels: &Rows,
    (sequences, columns): (&[Sequence], &[u32]),
    heads: usize,
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let (cols, taps, width) = (x.cols, kernels.cols / heads, x.cols / heads);
    y.shape(x.rows, cols)?;
    let places = ranges(sequences, x.rows, true);
    let (threads, bands) = (&mut workspace.threads, x.rows.div_ceil(4));
    parallel_rows(threads, &mut y.data, cols, bands, &|_, first, rows| {
        for (row, to) in (first..).zip(rows.chunks_exact_mut(cols)) {
            to.fill(0.0);
            let kernels = kernels.data[row * heads * taps..].chunks_exact(taps);
            for ((head, to), kernel) in to.chunks_exact_mut(width).enumerate().zip(kernels) {
                let maximum = kernel.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let sum: f32 = kernel.iter().map(|score| (score - maximum).exp()).sum();
                for (tap, score) in kernel.iter().enumerate() {
                    let Some(from) = neighbour(columns, &places[row], row, tap, taps) else {
                        continue;
                    };
                    let weight = (score - maximum).exp() / sum;
                    let from = &x.data[from * cols + head * width..][..width];
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += weight * from);
                }
            }
        }
    });
    Ok(())
}
