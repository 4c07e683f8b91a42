//! Selection of rows by number.

use crate::{OutOfMemory, Rows};

/// Copies row `rows[n]` of `x` to row n of `y`, `[rows.len(), cols]`.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn gather(x: &Rows, rows: &[u32], y: &mut Rows) -> Result<(), OutOfMemory> {
    y.shape(rows.len(), x.cols)?;
    for (to, &row) in y.data.chunks_exact_mut(x.cols).zip(rows) {
        to.copy_from_slice(&x.data[row as usize * x.cols..][..x.cols]);
    }
    Ok(())
}
