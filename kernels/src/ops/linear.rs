//! y = activation(x · Wᵀ + b), blocked for the caches: a chunk of rows is packed once and stays in
//! the second level, a panel of weights in the first, while the tiles of the chunk pass over it.
//! Threads share the packing by tiles, then the products by panels; where there are many rows, each
//! thread keeps to rows of its own.

use crate::gemm::{self, Matrix};
use crate::threads::even_part;
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// Numbers of a chunk and thread at most, packed: half a MB of the second-level cache.
const CHUNK: usize = 1 << 17;

/// `x` is `[rows, inputs]`, `weight` `[outputs, inputs]`, `bias` `[outputs]`; `y` becomes
/// `[rows, outputs]`. With weights in int8, rows of x are quantized on the way, each with a scale.
///
/// # Errors
/// [`OutOfMemory`] where `y` does not fit in memory.
pub fn linear(
    x: &Rows,
    weight: &Matrix,
    bias: &[f32],
    activation: Activation,
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    y.shape(x.rows, weight.rows)?;
    let width = if weight.int8().is_some() { x.cols } else { x.cols.min(gemm::KC) };
    let most = CHUNK.div_ceil(width.max(1)) * gemm::bands(x.rows, workspace.threads());
    let chunks = x.rows.div_ceil(most);
    for chunk in 0..chunks {
        let rows = even_part(x.rows, chunks, chunk);
        let y = &mut y.data[rows.start * weight.rows..rows.end * weight.rows];
        match weight.int8() {
            Some(weight) => gemm::int8::gemm(x, rows, weight, bias, activation, y, workspace),
            None => gemm::f32::gemm(x, rows, weight, bias, activation, y, workspace),
        }
    }
    Ok(())
}
