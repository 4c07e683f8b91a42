//! Gradients of embedding tables and of selected rows.

use std::ops::Range;

use crate::threads::{Bands, parallel_blocks};
use crate::{Rows, Workspace};

/// Columns per work item.
const COLUMNS: usize = 32;

/// Adds row n of `dy` to row `ids[n]` of `table`, `[entries, width]`, in the order of the rows.
/// Rows with the id `padding` are skipped.
pub fn embed_backward(
    dy: &Rows,
    ids: &[u32],
    padding: Option<u32>,
    table: &mut Rows,
    workspace: &mut Workspace,
) {
    let rows = ids.iter().enumerate().filter(|(_, id)| Some(**id) != padding);
    let rows = rows.map(|(n, &id)| (n, id as usize));
    add_rows(dy, rows, table, workspace);
}

/// Adds row n of `dy` to row `rows[n]` of `dx`. A row may occur twice.
pub fn gather_backward(dy: &Rows, rows: &[u32], dx: &mut Rows, workspace: &mut Workspace) {
    embed_backward(dy, rows, None, dx, workspace);
}

/// Adds row n of `dy`, divided by the length of range n, to all rows of that range in `dx`. This is
/// the gradient of [`super::mean_pool`].
pub fn mean_pool_backward(
    dy: &Rows,
    sequences: &[Range<usize>],
    dx: &mut Rows,
    workspace: &mut Workspace,
) {
    let cols = dx.cols;
    let threads = &mut workspace.threads;
    parallel_blocks(threads, &mut dx.data, cols, Bands::Even(1), COLUMNS, &|_, mut block| {
        for (n, rows) in sequences.iter().enumerate() {
            let from = &dy.data[n * cols..][block.columns.clone()];
            let share = 1.0 / rows.len() as f32;
            for row in rows.clone() {
                for (to, from) in block.row(row).iter_mut().zip(from) {
                    *to += share * from;
                }
            }
        }
    });
}

/// Adds rows of `dy` to rows of `to`, in the order of the pairs. Threads share the columns, not the
/// rows, because two pairs may name the same row.
fn add_rows(
    dy: &Rows,
    pairs: impl Iterator<Item = (usize, usize)> + Clone + Sync,
    to: &mut Rows,
    workspace: &mut Workspace,
) {
    let cols = to.cols;
    let threads = &mut workspace.threads;
    parallel_blocks(threads, &mut to.data, cols, Bands::Even(1), COLUMNS, &|_, mut block| {
        for (from, row) in pairs.clone() {
            let from = &dy.data[from * cols..][block.columns.clone()];
            for (to, from) in block.row(row).iter_mut().zip(from) {
                *to += from;
            }
        }
    });
}
