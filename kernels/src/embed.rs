//! The first vector of each token: a row of each table, summed and normalised.

use crate::matrix::{Matrix, OutOfMemory};
use crate::norm::norm_row;
use crate::threads::for_rows;
use crate::{Rows, Scratch};

/// Tokens that a thread takes at a time: some 2 µs of work.
const BAND: usize = 4;

/// A table, and for each token the row that it takes.
pub type Table<'a> = (&'a Matrix, &'a [u32]);

/// `y` becomes `[tokens, width]`: LayerNorm over the sum of the `tables`' rows.
///
/// # Errors
/// Where there is no memory for `y`.
pub fn embed(
    tables: &[Table<'_>],
    weight: &[f32],
    bias: &[f32],
    eps: f32,
    y: &mut Rows,
    scratch: &mut Scratch,
) -> Result<(), OutOfMemory> {
    let Some((first, ids)) = tables.first() else { return Ok(()) };
    let (cols, bands) = (first.cols(), ids.len().div_ceil(BAND));
    y.shape(ids.len(), cols)?;
    for_rows(&mut scratch.threads, &mut y.data, cols, bands, &|own, first, rows| {
        for (n, row) in rows.chunks_exact_mut(cols).enumerate() {
            row.fill(0.0);
            for (table, ids) in tables {
                table.add_row(ids[first + n] as usize, row, &mut own.row);
            }
            norm_row(row, weight, bias, eps);
        }
    });
    Ok(())
}
