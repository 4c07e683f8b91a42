//! Rows of x in the order in which a micro-kernel reads them.

use std::array::from_fn;
use std::ops::Range;

use super::LANES;
use super::tile::with_rows;

/// Packs `height` rows of `x` (row length `stride`), from row `first` on and of the columns `columns`, for
/// [`super::dot_f32::TileSums::add`]: `[vectors of a row, height, LANES]`, the last vector of each row
/// filled up with zeros.
pub(crate) fn vectors(
    x: &[f32],
    stride: usize,
    first: usize,
    height: usize,
    columns: Range<usize>,
    packed: &mut [f32],
) {
    let packed = packed.as_chunks_mut::<LANES>().0;
    for r in 0..height {
        let row = &x[(first + r) * stride..][columns.clone()];
        let (vectors, rest) = row.as_chunks::<LANES>();
        let mut to = packed[r..].iter_mut().step_by(height);
        for (vector, to) in vectors.iter().zip(to.by_ref()) {
            *to = *vector;
        }
        if let Some(to) = to.next() {
            *to = from_fn(|n| rest.get(n).copied().unwrap_or_default());
        }
    }
}

/// Packs the same for [`super::outer_f32::multiply`]: `[columns, height]`.
pub(crate) fn columns(
    x: &[f32],
    stride: usize,
    first: usize,
    height: usize,
    columns: Range<usize>,
    packed: &mut [f32],
) {
    with_rows!(height, R => {
        let rows: [_; R] = from_fn(|r| &x[(first + r) * stride..][columns.clone()]);
        for (column, to) in packed.as_chunks_mut::<R>().0.iter_mut().take(columns.len()).enumerate() {
            *to = rows.map(|row| row[column]);
        }
    });
}
