//! Gradient of a linear layer with respect to its input.

use std::ops::Range;

use crate::gemm::f32::{Tiles, pack_rows};
use crate::gemm::transposed::{self, TransposedOperands};
use crate::gemm::{LANES, Matrix};
use crate::{OutOfMemory, Rows, Workspace};

/// Writes dy · weight to `dx`, `[rows, inputs]`: the gradient of y = x · weightᵀ + bias. `dy` is
/// `[rows, outputs]`, and `weight` is `[outputs, inputs]` in f32.
///
/// # Errors
/// Returns [`OutOfMemory`] if `dx` or the packed weights do not fit in memory.
pub fn linear_backward_input(
    dy: &Rows,
    weight: &Matrix,
    dx: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    dx.shape(dy.rows, weight.cols)?;
    transposed::gemm(&InputGradient { dy, weight }, &mut dx.data, workspace)
}

/// The product dx = dy · (Wᵀ)ᵀ.
struct InputGradient<'a> {
    dy: &'a Rows,
    weight: &'a Matrix,
}

impl TransposedOperands for InputGradient<'_> {
    const TILES: usize = 1;

    fn count(&self) -> usize {
        self.dy.rows
    }

    fn depth(&self) -> usize {
        self.weight.rows
    }

    fn columns(&self) -> usize {
        self.weight.cols
    }

    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]) {
        pack_rows(self.dy, &tiles, &block, packed);
    }

    fn pack_panels(&self, panels: Range<usize>, block: &Range<usize>, packed: &mut [[f32; LANES]]) {
        self.weight.transpose_panels(panels, block, packed);
    }

    fn initial(&self) -> Option<[[f32; 4]; 2]> {
        Some([[0.0; 4]; 2])
    }
}
