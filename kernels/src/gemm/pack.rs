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

/// Vectors that [`transposed_panels`] writes of a row before the next one: a cache line. Rows of 512 numbers, one after the
/// other, share so few sets of the first-level cache that a line would be gone before its next vector.
const STRIP: usize = 4;

/// Panels of the transpose of a matrix, each of [`super::NR`] of its columns: in vectors of [`LANES`] of its rows, `count`
/// of them, `packed` becomes `[panels, NR, count]`. `load` gives vector n of columns, counted from the first panel's, in
/// the rows of a vector: zeros where there are none.
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
                // one after the other, as a loop over them would go through memory
                a.store(&mut packed[vector]);
                b.store(&mut packed[count + vector]);
                c.store(&mut packed[2 * count + vector]);
                d.store(&mut packed[3 * count + vector]);
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
