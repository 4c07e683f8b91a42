//! y = activation(x · Wᵀ + b), blocked for the caches: a chunk of rows is packed once and stays in
//! the second level, a panel of weights in the first, while the tiles of the chunk pass over it.
//! Threads share the packing by tiles, then the products by panels; where there are many rows, each
//! thread keeps to rows of its own.

use std::ops::Range;

use crate::gemm::f32::Forward;
use crate::gemm::{self, Matrix};
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// `x` is `[rows, inputs]`, `weight` `[outputs, inputs]`, `bias` `[outputs]`; `y` becomes
/// `[rows, outputs]`. With weights in int8, rows of x are quantized on the way, each with a scale.
///
/// # Errors
/// [`OutOfMemory`] where `y`, or what is packed of `x`, does not fit in memory.
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
