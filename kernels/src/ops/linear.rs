//! Linear layer, y = activation(x · Wᵀ + b), blocked for the caches.
//!
//! A chunk of rows is packed once and stays in the second-level cache. A panel of weights stays in
//! the first level while all tiles of the chunk use it. Threads share the packing by tiles and the
//! products by panels. If the rows are many, each thread computes its own rows instead.

use std::ops::Range;

use crate::gemm::f32::Forward;
use crate::gemm::{self, Matrix};
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// Writes activation(x · weightᵀ + bias) to `y`, `[rows, outputs]`. `x` is `[rows, inputs]`,
/// `weight` is `[outputs, inputs]`, and `bias` is `[outputs]`. For int8 weights each row of `x` is
/// quantized with a scale of its own.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` or the packed `x` does not fit in memory.
pub fn linear(
    x: &Rows,
    weight: &Matrix,
    bias: &[f32],
    activation: Activation,
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    y.shape(x.rows, weight.rows)?;
    let threads = workspace.threads();
    let part = |rows: &Range<usize>| rows.start * weight.rows..rows.end * weight.rows;
    match weight.int8() {
        Some(weight) => {
            for rows in gemm::chunks(x.rows, x.cols, threads) {
                let y = &mut y.data[part(&rows)];
                gemm::int8::gemm(x, rows, weight, bias, activation, y, workspace)?;
            }
        }
        None => {
            let operands = Forward { x, weight, bias };
            for rows in gemm::chunks(x.rows, x.cols.min(gemm::KC), threads) {
                let y = &mut y.data[part(&rows)];
                gemm::f32::gemm(&operands, rows, activation, y, workspace)?;
            }
        }
    }
    Ok(())
}
