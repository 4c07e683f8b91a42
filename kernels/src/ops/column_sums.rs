//! Sums over the columns of a matrix, for the gradients of biases.

use super::elementwise::update_slice;
use crate::threads::Bands;
use crate::threads::parallel_blocks;
use crate::{Rows, Workspace};

/// Columns per work item: a few cache lines of each row, read one after the other.
const COLUMNS: usize = 128;

/// Adds the sum of each column of `x` to `sums`, `[1, cols]`. Each sum runs in the order of the
/// rows, so it does not depend on the number of threads.
pub(super) fn add_column_sums(x: &Rows, sums: &mut Rows, workspace: &mut Workspace) {
    let cols = x.cols;
    let threads = &mut workspace.threads;
    parallel_blocks(threads, &mut sums.data, cols, Bands::Even(1), COLUMNS, &|_, mut block| {
        for start in block.columns.clone().step_by(COLUMNS) {
            let columns = start..block.columns.end.min(start + COLUMNS);
            let mut partial = [0.0; COLUMNS];
            for row in x.data.chunks_exact(cols) {
                update_slice(&row[columns.clone()], &mut partial[..columns.len()], |x, sum| {
                    sum + x
                });
            }
            let to = block.within(&columns);
            for (sum, partial) in block.row(0)[to].iter_mut().zip(partial) {
                *sum += partial;
            }
        }
    });
}
