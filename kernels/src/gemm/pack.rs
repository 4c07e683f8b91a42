//! Rows of x in the order in which a micro-kernel reads them.

use std::array::from_fn;
use std::ops::Range;

use super::LANES;
use super::tile::with_rows;
use crate::simd::F32x4;

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

/// As [`vectors`], of the transpose of `x`: `height` of its columns, from column `first` on, and the rows `rows`.
pub(crate) fn transposed(
    x: &[f32],
    stride: usize,
    first: usize,
    height: usize,
    rows: Range<usize>,
    packed: &mut [f32],
) {
    let packed = packed.as_chunks_mut::<LANES>().0;
    with_rows!(height, R => {
        let numbers = |row| x[row * stride + first..].first_chunk::<R>().copied().unwrap_or([0.0; R]);
        for (to, row) in packed.as_chunks_mut::<R>().0.iter_mut().zip(rows.clone().step_by(LANES)) {
            let of: [_; LANES] = from_fn(|n| if row + n < rows.end { numbers(row + n) } else { [0.0; R] });
            *to = from_fn(|r| of.map(|row| row[r]));
        }
    });
}

/// A panel of the transpose of a matrix: [`super::NR`] of its columns, in vectors of [`LANES`] of its rows, `count` of
/// them; `packed` becomes `[NR, count]`. `row` gives those columns of a row, zeros beyond the last.
#[inline(always)]
pub(crate) fn transposed_panel(
    count: usize,
    packed: &mut [[f32; LANES]],
    row: impl Fn(usize) -> [[f32; LANES]; 2],
) {
    for vector in 0..count {
        let rows: [_; LANES] = from_fn(|n| row(vector * LANES + n));
        for half in 0..2 {
            let columns = F32x4::transpose(rows.map(|row| F32x4::load(&row[half])));
            for (n, column) in columns.into_iter().enumerate() {
                column.store(&mut packed[(half * LANES + n) * count + vector]);
            }
        }
    }
}

/// Packs what [`vectors`] packs for [`super::outer_f32::multiply`]: `[columns, height]`.
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
