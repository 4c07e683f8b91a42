//! The gradient of a linear layer by its input.

use std::ops::Range;

use crate::gemm::f32::{Operands, Tiles, pack_rows, packed_panel};
use crate::gemm::{self, LANES, Matrix, NR};
use crate::simd::Aligned;
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// `dx` becomes dy · weight, `[rows, inputs]`, for y = x · weightᵀ + bias: `dy` is `[rows, outputs]`, `weight`
/// `[outputs, inputs]` in f32.
///
/// # Errors
/// [`OutOfMemory`] where `dx` does not fit in memory.
pub fn linear_backward_input(
    dy: &Rows,
    weight: &Matrix,
    dx: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let inputs = weight.cols;
    dx.shape(dy.rows, inputs)?;
    let operands = InputGradient { dy, weight };
    for rows in gemm::chunks(dy.rows, dy.cols.min(gemm::KC), workspace.threads()) {
        let dx = &mut dx.data[rows.start * inputs..rows.end * inputs];
        gemm::f32::gemm(&operands, rows, Activation::Identity, dx, workspace);
    }
    Ok(())
}

/// dx = dy · (Wᵀ)ᵀ. Panels of Wᵀ are transposed where they are needed: each then meets all rows of a chunk.
struct InputGradient<'a> {
    dy: &'a Rows,
    weight: &'a Matrix,
}

impl Operands for InputGradient<'_> {
    const TILES: usize = 1;
    const PANELS: usize = 4;

    fn depth(&self) -> usize {
        self.weight.rows
    }

    fn columns(&self) -> usize {
        self.weight.cols
    }

    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]) {
        pack_rows(self.dy, &tiles, &block, packed);
    }

    fn pack_panels(
        &self,
        panels: Range<usize>,
        block: &Range<usize>,
        packed: &mut Aligned<[f32; LANES]>,
    ) {
        self.weight.transpose_panels(panels, block, packed);
    }

    fn panel<'a>(
        &'a self,
        _: usize,
        packed: usize,
        block: &Range<usize>,
        buffer: &'a mut Aligned<[f32; LANES]>,
    ) -> [&'a [[f32; LANES]]; NR] {
        packed_panel(packed, block, buffer)
    }

    fn initial(&self, _: Range<usize>) -> Option<[[f32; 4]; 2]> {
        Some([[0.0; 4]; 2])
    }
}
