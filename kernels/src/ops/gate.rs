//! Gate of a feed-forward layer, e.g. GEGLU and SwiGLU (Shazeer 2020).

use super::activate_row;
use super::elementwise::update_slice;
use crate::threads::parallel_rows;
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// Rows per work item.
const BAND: usize = 4;

/// Writes activation(a) · b to `y`, `[rows, width]`. Each row of `x`, `[rows, 2 · width]`, holds
/// a, then b.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn gate(
    x: &Rows,
    activation: Activation,
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let width = x.cols / 2;
    y.shape(x.rows, width)?;
    let bands = x.rows.div_ceil(BAND);
    parallel_rows(&mut workspace.threads, &mut y.data, width, bands, &|_, first, rows| {
        let from = x.data[first * x.cols..].chunks_exact(x.cols);
        for (row, from) in rows.chunks_exact_mut(width).zip(from) {
            let (a, b) = from.split_at(width);
            row.copy_from_slice(a);
            activate_row(activation, row);
            update_slice(b, row, |b, a| a * b);
        }
    });
    Ok(())
}
