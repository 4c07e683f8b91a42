//! Neighbours of each token side by side, so that a convolution is one linear layer.

use std::ops::Range;

use crate::threads::parallel_rows;
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Writes the neighbours of each row of `x` to `y`, `[rows, cols · taps]`: column c · `taps` + t is
/// column c of the key that is t - `taps` / 2 positions after the row in its sequence, or 0 if there
/// is none. If `masked`, tokens that are no keys count as well. `columns` is the position of each
/// row within its sequence, ascending.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn unfold(
    x: &Rows,
    (sequences, columns): (&[Sequence], &[u32]),
    taps: usize,
    masked: bool,
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let cols = x.cols;
    y.shape(x.rows, cols * taps)?;
    let keys = ranges(sequences, x.rows, masked);
    let (threads, bands) = (&mut workspace.threads, x.rows.div_ceil(4));
    parallel_rows(threads, &mut y.data, cols * taps, bands, &|_, first, rows| {
        for (row, to) in (first..).zip(rows.chunks_exact_mut(cols * taps)) {
            for tap in 0..taps {
                let neighbour = neighbour(columns, &keys[row], row, tap, taps);
                let from = neighbour.map(|from| &x.data[from * cols..][..cols]);
                for (n, to) in to.iter_mut().skip(tap).step_by(taps).enumerate() {
                    *to = from.map_or(0.0, |from| from[n]);
                }
            }
        }
    });
    Ok(())
}

/// Returns the rows among which each row has its neighbours: the keys of its sequence, or all its
/// rows if `masked`.
pub(super) fn ranges(sequences: &[Sequence], rows: usize, masked: bool) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(rows);
    for Sequence { rows, keys } in sequences {
        let range = if masked { rows } else { keys };
        ranges.extend(rows.clone().map(|_| range.clone()));
    }
    ranges
}

/// Returns the key `tap` - `taps` / 2 positions after `row`, if there is one.
pub(super) fn neighbour(
    columns: &[u32],
    keys: &Range<usize>,
    row: usize,
    tap: usize,
    taps: usize,
) -> Option<usize> {
    let column = (columns[row] as usize + tap).checked_sub(taps / 2)?;
    let place = columns[keys.clone()].binary_search(&(column as u32)).ok()?;
    Some(keys.start + place)
}
