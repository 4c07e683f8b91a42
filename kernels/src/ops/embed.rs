//! The embeddings of each token: a row of each table, summed and normalised.

use super::norm::norm_row;
use crate::gemm::Matrix;
use crate::threads::parallel_rows;
use crate::{OutOfMemory, Rows, Workspace};

/// Tokens of a band of work: some 2 µs.
const BAND: usize = 4;

/// An embedding table `[entries, width]`, and the row number that each token takes of it.
pub type Table<'a> = (&'a Matrix, &'a [u32]);

/// `y` becomes `[tokens, width]`: the sum of one row of each of the `tables`.
///
/// # Errors
/// [`OutOfMemory`] where `y` does not fit in memory.
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

/// `y` becomes `[tokens, width]`: LayerNorm over the sum of one row of each of the `tables`. `weight`
/// and `bias` of the norm are `[width]`, `eps` is added to the variance.
///
/// # Errors
/// [`OutOfMemory`] where `y` does not fit in memory.
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
