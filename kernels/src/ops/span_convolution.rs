//! Span-based dynamic convolution of ConvBERT (Jiang et al. 2020): each token has kernels of its
//! own.

use super::unfold::{Neighbourhood, for_neighbours};
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
    let (taps, width) = (kernels.cols / heads, x.cols / heads);
    let of = Neighbourhood { sequences, columns, taps, masked: true };
    for_neighbours(x, &of, x.cols, y, workspace, &|row, neighbours, to| {
        let kernels = kernels.data[row * heads * taps..].chunks_exact(taps);
        for ((head, to), kernel) in to.chunks_exact_mut(width).enumerate().zip(kernels) {
            let maximum = kernel.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f32 = kernel.iter().map(|score| (score - maximum).exp()).sum();
            for (tap, from) in neighbours {
                let weight = (kernel[*tap] - maximum).exp() / sum;
                let from = &from[head * width..][..width];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += weight * from);
            }
        }
    })
}
