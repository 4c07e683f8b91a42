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
    let of = Neighbourhood { sequences, columns, taps, masked };
    for_neighbours(x, &of, x.cols * taps, y, workspace, &|_, neighbours, to| {
        for (tap, from) in neighbours {
            to.iter_mut().skip(*tap).step_by(taps).zip(*from).for_each(|(to, from)| *to = *from);
        }
    })
}

/// Which rows are the neighbours of a row.
pub(super) struct Neighbourhood<'a> {
    pub(super) sequences: &'a [Sequence],
    /// The position of each row within its sequence, ascending.
    pub(super) columns: &'a [u32],
    /// Number of neighbours. Neighbour t is t - `taps` / 2 positions after the row.
    pub(super) taps: usize,
    /// If true, tokens that are no keys count as well.
    pub(super) masked: bool,
}

/// Sets `y`, `[rows, cols]`, to 0, and calls `add` for each of its rows: with the row's number, its
/// neighbours in `x`, and the row. Each neighbour has its number t; those outside the sequence are
/// left out.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub(super) fn for_neighbours(
    x: &Rows,
    of: &Neighbourhood<'_>,
    cols: usize,
    y: &mut Rows,
    workspace: &mut Workspace,
    add: &(impl Fn(usize, &[(usize, &[f32])], &mut [f32]) + Sync),
) -> Result<(), OutOfMemory> {
    y.shape(x.rows, cols)?;
    let keys = ranges(of.sequences, x.rows, of.masked);
    let (threads, bands) = (&mut workspace.threads, x.rows.div_ceil(4));
    parallel_rows(threads, &mut y.data, cols, bands, &|_, first, rows| {
        let mut neighbours = Vec::with_capacity(of.taps);
        for (row, to) in (first..).zip(rows.chunks_exact_mut(cols)) {
            neighbours.clear();
            neighbours.extend((0..of.taps).filter_map(|tap| {
                let from = neighbour(of.columns, &keys[row], row, tap, of.taps)?;
                Some((tap, &x.data[from * x.cols..][..x.cols]))
            }));
            to.fill(0.0);
            add(row, &neighbours, to);
        }
    });
    Ok(())
}

/// Returns the rows among which each row has its neighbours: the keys of its sequence, or all its
/// rows if `masked`.
fn ranges(sequences: &[Sequence], rows: usize, masked: bool) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(rows);
    for Sequence { rows, keys } in sequences {
        let range = if masked { rows } else { keys };
        ranges.extend(rows.clone().map(|_| range.clone()));
    }
    ranges
}

/// Returns the key `tap` - `taps` / 2 positions after `row`, if there is one.
fn neighbour(
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
