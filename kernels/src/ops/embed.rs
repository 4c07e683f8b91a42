//! Token embeddings: the sum of one row of each table, with LayerNorm.

use super::norm::norm_row;
use crate::gemm::Matrix;
use crate::threads::parallel_rows;
use crate::{OutOfMemory, Rows, Workspace};

/// Tokens per work item: about 2 µs of work.
const BAND: usize = 4;

/// An embedding table `[entries, width]`, and the row number of each token.
pub type Table<'a> = (&'a Matrix, &'a [u32]);

/// Writes the sum of one row of each table to `y`, `[tokens, width]`.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn embed_sum(
    tables: &[Table<'_>],
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let Some((first, ids)) = tables.first() else { return Ok(()) };
    let (cols, bands) = (first.cols(), ids.len().div_ceil(BAND));
    y.shape(ids.len(), cols)?;
    parallel_rows(&mut workspace.threads, &mut y.data, cols, bands, &|local, first, rows| {
        for (n, row) in rows.chunks_exact_mut(cols).enumerate() {
            row.fill(0.0);
            for (table, ids) in tables {
                table.add_row(ids[first + n] as usize, row, &mut local.row);
            }
        }
    });
    Ok(())
}

/// Writes LayerNorm over the sum of one row of each table to `y`, `[tokens, width]`. `weight` and
/// `bias` of the norm are `[width]`; `eps` is added to the variance.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn embed(
    tables: &[Table<'_>],
    weight: &[f32],
    bias: &[f32],
    eps: f32,
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let Some((first, ids)) = tables.first() else { return Ok(()) };
    let (cols, bands) = (first.cols(), ids.len().div_ceil(BAND));
    y.shape(ids.len(), cols)?;
    parallel_rows(&mut workspace.threads, &mut y.data, cols, bands, &|local, first, rows| {
        for (n, row) in rows.chunks_exact_mut(cols).enumerate() {
            row.fill(0.0);
            for (table, ids) in tables {
                table.add_row(ids[first + n] as usize, row, &mut local.row);
            }
            norm_row(row, weight, bias, eps);
        }
    });
    Ok(())
}
