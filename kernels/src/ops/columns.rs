//! Columns of two matrices side by side.

use std::ops::Range;

use crate::threads::parallel_rows;
use crate::{OutOfMemory, Rows, Workspace};

/// Rows per work item.
const BAND: usize = 16;

/// Writes the columns `ranges[0]` of `a` and then the columns `ranges[1]` of `b` to `y`,
/// `[rows, columns of both ranges]`. `a` and `b` have the same number of rows; an empty range reads
/// nothing.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn columns(
    [a, b]: [&Rows; 2],
    ranges: [Range<usize>; 2],
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let [first, second] = ranges;
    let width = first.len() + second.len();
    y.shape(a.rows, width)?;
    let bands = a.rows.div_ceil(BAND);
    parallel_rows(&mut workspace.threads, &mut y.data, width, bands, &|_, start, rows| {
        for (row, to) in (start..).zip(rows.chunks_exact_mut(width)) {
            let (left, right) = to.split_at_mut(first.len());
            left.copy_from_slice(&a.data[row * a.cols..][first.clone()]);
            if !right.is_empty() {
                right.copy_from_slice(&b.data[row * b.cols..][second.clone()]);
            }
        }
    });
    Ok(())
}
