//! Mean of the rows of each sequence.

use std::ops::Range;

use crate::threads::parallel_rows;
use crate::{OutOfMemory, Rows, Workspace};

/// Writes the mean over each range of rows of `x` to `y`, `[sequences, cols]`. Ranges must not be
/// empty.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn mean_pool(
    x: &Rows,
    sequences: &[Range<usize>],
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let cols = x.cols;
    y.shape(sequences.len(), cols)?;
    let (threads, bands) = (&mut workspace.threads, sequences.len());
    parallel_rows(threads, &mut y.data, cols, bands, &|_, sequence, mean| {
        let rows = &sequences[sequence];
        mean.fill(0.0);
        for row in x.data[rows.start * cols..rows.end * cols].chunks_exact(cols) {
            for (sum, x) in mean.iter_mut().zip(row) {
                *sum += x;
            }
        }
        let share = 1.0 / rows.len() as f32;
        mean.iter_mut().for_each(|sum| *sum *= share);
    });
    Ok(())
}
