//! The gradients of the embedding tables, and of a selection of rows.

use std::ops::Range;

use crate::threads::{Bands, parallel_blocks};
use crate::{Rows, Workspace};

/// Columns that are added at a time.
const COLUMNS: usize = 32;

/// Adds row n of `dy` to row `ids[n]` of `table`, `[entries, width]`, in the order of the rows; a row of the id
/// `padding` is left out.
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

/// Adds row n of `dy` to row `rows[n]` of `dx`; a row may occur twice.
pub fn gather_backward(dy: &Rows, rows: &[u32], dx: &mut Rows, workspace: &mut Workspace) {
    embed_backward(dy, rows, None, dx, workspace);
}

/// Adds row `range` n of `dy`, divided by the length of the range, to all rows of the range in `dx`: the gradient of
/// [`super::mean_pool`].
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

/// Adds rows of `dy` to rows of `to`, in the order of these pairs. Threads share the columns.
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
