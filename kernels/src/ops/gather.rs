//! Rows of activations by number.

use crate::{OutOfMemory, Rows};

/// y\[n\] = x\[rows\[n\]\]: `x` is `[rows of x, cols]`, `y` becomes `[rows.len(), cols]`.
///
/// # Errors
/// [`OutOfMemory`] where `y` does not fit in memory.
pub fn gather(x: &Rows, rows: &[u32], y: &mut Rows) -> Result<(), OutOfMemory> {
    y.shape(rows.len(), x.cols)?;
    for (to, &row) in y.data.chunks_exact_mut(x.cols).zip(rows) {
        to.copy_from_slice(&x.data[row as usize * x.cols..][..x.cols]);
    }
    Ok(())
}
