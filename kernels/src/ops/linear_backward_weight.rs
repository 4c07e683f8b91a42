//! Gradients of a linear layer with respect to its weight and bias.

use std::array::from_fn;
use std::ops::Range;

use super::column_sums::add_column_sums;
use crate::gemm::f32::Tiles;
use crate::gemm::transposed::{self, TransposedOperands};
use crate::gemm::{LANES, NR, pack};
use crate::simd::F32x4;
use crate::{OutOfMemory, Rows, Workspace};

/// Rows of dy whose tiles are packed at a time; a multiple of [`LANES`]. Few enough that rows of
/// 1,536 numbers, which compete for the same sets of the first-level cache, do not evict one
/// another.
const STRIP: usize = 16;

/// Adds dyᵀ · x to `dweight`, `[outputs, inputs]`, and the column sums of `dy` to `dbias`, `[1,
/// outputs]`. `x` is `[rows, inputs]` and `dy` is `[rows, outputs]`.
///
/// # Errors
/// Returns [`OutOfMemory`] if the packed `x` does not fit in memory. Some of the sums may then
/// already be added.
pub fn linear_backward_weight(
    x: &Rows,
    dy: &Rows,
    dweight: &mut Rows,
    dbias: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    transposed::gemm(&WeightGradient { x, dy }, &mut dweight.data, workspace)?;
    add_column_sums(dy, dbias, workspace);
    Ok(())
}

/// Loads four columns of four rows of `x`, with zeros beyond the last row and column.
#[inline(always)]
fn load_rows(x: &Rows, row: usize, column: usize) -> [F32x4; LANES] {
    let at = row * x.cols + column;
    if row + LANES <= x.rows && column + LANES <= x.cols {
        let load = |at: usize| x.data[at..].first_chunk().map_or(F32x4::ZERO, F32x4::load);
        return [load(at), load(at + x.cols), load(at + 2 * x.cols), load(at + 3 * x.cols)];
    }
    let number = |n: usize, lane: usize| {
        let inside = row + n < x.rows && column + lane < x.cols;
        if inside { x.data[at + n * x.cols + lane] } else { 0.0 }
    };
    from_fn(|n| F32x4::load(&from_fn(|lane| number(n, lane))))
}

/// The product dW = dyᵀ · (xᵀ)ᵀ. Its rows are outputs, its columns are inputs, and it sums over the
/// rows of x and dy.
struct WeightGradient<'a> {
    x: &'a Rows,
    dy: &'a Rows,
}

impl TransposedOperands for WeightGradient<'_> {
    const TILES: usize = 16;

    fn count(&self) -> usize {
        self.dy.cols
    }

    fn depth(&self) -> usize {
        self.dy.rows
    }

    fn columns(&self) -> usize {
        self.x.cols
    }

    /// Packs one strip of rows at a time, so that the columns of all tiles stay in the first-level
    /// cache.
    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]) {
        let width = block.len().next_multiple_of(LANES);
        for start in block.clone().step_by(STRIP) {
            let strip = start..block.end.min(start + STRIP);
            let mut rest = &mut *packed;
            for outputs in tiles.rows() {
                let height = outputs.len();
                let (packed, others) = rest.split_at_mut(height * width);
                let packed = &mut packed[(start - block.start) * height..];
                let (dy, cols) = (&self.dy.data, self.dy.cols);
                pack::transposed(dy, cols, outputs.start, height, strip.clone(), packed);
                rest = others;
            }
        }
    }

    fn pack_panels(&self, panels: Range<usize>, block: &Range<usize>, packed: &mut [[f32; LANES]]) {
        pack::transposed_panels(panels.len(), block.len(), packed, |n, vector| {
            let column = panels.start * NR + n * LANES;
            load_rows(self.x, (block.start + vector) * LANES, column)
        });
    }

    fn initial(&self) -> Option<[[f32; 4]; 2]> {
        None
    }
}
