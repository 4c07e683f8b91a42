//! Rows times factors.

use crate::threads::parallel_rows;
use crate::{Rows, Workspace};

/// Rows per work item.
const BAND: usize = 16;

/// Multiplies each row of `x`, `[rows, cols]`, by one of `factors`, `[rows]`.
pub fn scale_rows(x: &mut Rows, factors: &[f32], workspace: &mut Workspace) {
    let (cols, bands) = (x.cols, x.rows.div_ceil(BAND));
    parallel_rows(&mut workspace.threads, &mut x.data, cols, bands, &|_, first, rows| {
        for (row, factor) in rows.chunks_exact_mut(cols).zip(&factors[first..]) {
            row.iter_mut().for_each(|x| *x *= factor);
        }
    });
}
