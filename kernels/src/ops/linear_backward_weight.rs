//! The gradients of a linear layer by its weight and bias.

use std::array::from_fn;
use std::ops::Range;

use super::column_sums::add_column_sums;
use crate::gemm::f32::Operands;
use crate::gemm::{self, LANES, NR, pack, tile};
use crate::simd::Aligned;
use crate::{Activation, Rows, Workspace};

/// Adds dyᵀ · x to `dweight`, `[outputs, inputs]`, and the sums of dy's columns to `dbias`, `[1, outputs]`: `x` is
/// `[rows, inputs]`, `dy` `[rows, outputs]`.
pub fn linear_backward_weight(
    x: &Rows,
    dy: &Rows,
    dweight: &mut Rows,
    dbias: &mut Rows,
    workspace: &mut Workspace,
) {
    let operands = WeightGradient { x, dy };
    for outputs in gemm::chunks(dy.cols, dy.rows.min(gemm::KC), workspace.threads()) {
        let dweight = &mut dweight.data[outputs.start * x.cols..outputs.end * x.cols];
        gemm::f32::gemm(&operands, outputs, Activation::Identity, dweight, workspace);
    }
    add_column_sums(dy, dbias, workspace);
}

/// dW = dyᵀ · (xᵀ)ᵀ: rows are outputs, columns inputs, and the sums are over rows of x and dy.
struct WeightGradient<'a> {
    x: &'a Rows,
    dy: &'a Rows,
}

impl Operands for WeightGradient<'_> {
    fn depth(&self) -> usize {
        self.dy.rows
    }

    fn columns(&self) -> usize {
        self.x.cols
    }

    fn pack(&self, first: usize, height: usize, block: Range<usize>, packed: &mut [f32]) {
        pack::transposed(&self.dy.data, self.dy.cols, first, height, block, packed);
    }

    fn panel<'a>(
        &'a self,
        panel: usize,
        block: &Range<usize>,
        buffer: &'a mut Aligned<[f32; LANES]>,
    ) -> [&'a [[f32; LANES]]; NR] {
        let (first, count) = (block.start * LANES, block.len());
        let columns = tile::columns(panel, 0..self.x.cols);
        buffer.resize(NR * count);
        pack::transposed_panel(count, buffer, |row| match first + row {
            row if row < self.x.rows => {
                tile::load(&self.x.data[row * self.x.cols..][columns.clone()])
            }
            _ => [[0.0; LANES]; 2],
        });
        let buffer = &buffer[..];
        from_fn(|column| &buffer[column * count..][..count])
    }

    fn initial(&self, _: Range<usize>) -> Option<[[f32; 4]; 2]> {
        None
    }
}
