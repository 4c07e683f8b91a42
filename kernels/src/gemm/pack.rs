//! Packs rows of x in the order in which a micro-kernel reads them.

use std::array::from_fn;
use std::ops::Range;

use super::LANES;
use super::tile::with_rows;
use crate::simd::F32x4;

/// Packs `height` rows of `x` (row length `stride`) for [`super::dot_f32::TileSums::add`],
/// beginning at row `first` and restricted to the columns `columns`. The layout is `[vectors of a
/// row, height, LANES]`; the last vector of each row is padded with zeros.
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

/// Does the same as [`vectors`] for the transpose of `x`: packs `height` of its columns, beginning
/// at column `first`, restricted to the rows `rows`.
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
        let starts = rows.clone().step_by(LANES);
        for (to, row) in packed.as_chunks_mut::<R>().0.iter_mut().zip(starts) {
            let of = |n: usize| {
                let row = (row + n < rows.end).then(|| &x[(row + n) * stride + first..]);
                row.and_then(|row| row.first_chunk::<R>()).unwrap_or(&[0.0; R])
            };
            let (a, b, c, d) = (of(0), of(1), of(2), of(3));
            for r in 0..R {
                to[r] = [a[r], b[r], c[r], d[r]];
            }
        }
    });
}

/// Vectors that [`transposed_panels`] writes per row before the next row: one cache line. Rows of
/// 512 numbers share few sets of the first-level cache, so that a line would otherwise be evicted
/// before its next vector.
const STRIP: usize = 4;

/// Packs panels of the transpose of a matrix; each panel has [`super::NR`] of its columns. Writes
/// `[panels, NR, count]` vectors of [`LANES`] rows to `packed`.
///
/// `load(n)` returns the n-th vector of columns, counted from the first panel, in each row of a
/// vector. It must return zeros beyond the last row or column.
#[inline(always)]
pub(crate) fn transposed_panels(
    panels: usize,
    count: usize,
    packed: &mut [[f32; LANES]],
    load: impl Fn(usize, usize) -> [F32x4; LANES],
) {
    for first in (0..count).step_by(STRIP) {
        for (n, packed) in packed.chunks_exact_mut(LANES * count).enumerate().take(2 * panels) {
            for vector in first..count.min(first + STRIP) {
                let [a, b, c, d] = F32x4::transpose(load(n, vector));
                // The stores are written out: a loop over them would go through memory.
                a.store(&mut packed[vector]);
                b.store(&mut packed[count + vector]);
                c.store(&mut packed[2 * count + vector]);
                d.store(&mut packed[3 * count + vector]);
            }
        }
    }
}

/// Packs the same rows as [`vectors`] for [`super::outer_f32::multiply`]: `[columns, height]`.
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
