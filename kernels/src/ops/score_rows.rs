//! Dot products of one query with many rows, for an exhaustive nearest-neighbour search.

use std::array::from_fn;

use crate::simd::{F32x4, I16x8, I32x4};

/// Rows that share each load of the query.
const ROWS: usize = 4;

/// Greatest sum of a query's magnitudes for which no i32 sum overflows; rows are in -128..=127.
pub const QUERY_SUM_MAX: u32 = (i32::MAX / 128) as u32;

/// Writes the dot product of `query`, `[cols]`, with each row of `rows`, `[y.len(), cols]`, to `y`.
/// Sums are exact, in i32. The magnitudes of the query must add up to at most [`QUERY_SUM_MAX`].
///
/// ```
/// let mut y = [0; 2];
/// webert_kernels::score_rows(&[100, -200, 300], &[1, 2, 3, -4, 5, 6], &mut y);
/// assert_eq!(y, [600, 400]);
/// ```
///
/// # Panics
/// Panics if `rows` does not have `y.len()` rows.
pub fn score_rows(query: &[i16], rows: &[i8], y: &mut [i32]) {
    let cols = query.len();
    assert_eq!(rows.len(), y.len() * cols, "rows: expected [{}, {cols}]", y.len());
    let (vectors, last) = query.as_chunks::<16>();
    let (blocks, rest) = y.as_chunks_mut::<ROWS>();
    for (n, block) in blocks.iter_mut().enumerate() {
        let of = |row: usize| &rows[(n * ROWS + row) * cols..][..cols];
        *block = score_block(vectors, last, from_fn(of));
    }
    let done = blocks.len() * ROWS;
    for (n, y) in rest.iter_mut().enumerate() {
        [*y] = score_block(vectors, last, [&rows[(done + n) * cols..][..cols]]);
    }
}

#[inline(always)]
fn score_block<const N: usize>(query: &[[i16; 16]], last: &[i16], rows: [&[i8]; N]) -> [i32; N] {
    let rows = rows.map(|row| row.as_chunks::<16>());
    let mut sums = [I32x4::ZERO; N];
    for (n, numbers) in query.iter().enumerate() {
        let [low, high] = halves(numbers);
        for (sum, (vectors, _)) in sums.iter_mut().zip(&rows) {
            let [a, b] = I16x8::widen(&vectors[n]);
            *sum = *sum + a.dot(low) + b.dot(high);
        }
    }
    let tail = |row: &[i8]| -> i32 {
        row.iter().zip(last).map(|(&x, &q)| i32::from(x) * i32::from(q)).sum()
    };
    from_fn(|n| sums[n].to_array().iter().sum::<i32>() + tail(rows[n].1))
}

#[inline(always)]
fn halves(numbers: &[i16; 16]) -> [I16x8; 2] {
    let (halves, _) = numbers.as_chunks::<8>();
    from_fn(|n| I16x8::load(&halves[n]))
}

/// Does the same as [`score_rows`] in f32.
///
/// ```
/// let mut y = [0.0; 2];
/// webert_kernels::score_rows_f32(&[1.0, 0.5], &[2.0, 4.0, -1.0, 0.0], &mut y);
/// assert_eq!(y, [4.0, -1.0]);
/// ```
///
/// # Panics
/// Panics if `rows` does not have `y.len()` rows.
pub fn score_rows_f32(query: &[f32], rows: &[f32], y: &mut [f32]) {
    let cols = query.len();
    assert_eq!(rows.len(), y.len() * cols, "rows: expected [{}, {cols}]", y.len());
    let (vectors, last) = query.as_chunks::<16>();
    // `max(1)`: a query without columns has no chunks, but must not panic.
    for (y, row) in y.iter_mut().zip(rows.chunks_exact(cols.max(1))) {
        let (row, tail) = row.as_chunks::<16>();
        // Four sums run side by side: a single sum would wait for each of its own additions.
        let mut sums = [F32x4::ZERO; 4];
        for (x, q) in row.iter().zip(vectors) {
            let (x, q) = (quarters(x), quarters(q));
            sums = from_fn(|n| x[n].mul_add(q[n], sums[n]));
        }
        let [a, b, c, d] = sums;
        let rest: f32 = tail.iter().zip(last).map(|(x, q)| x * q).sum();
        *y = ((a + b) + (c + d)).sum() + rest;
    }
}

#[inline(always)]
fn quarters(numbers: &[f32; 16]) -> [F32x4; 4] {
    let (quarters, _) = numbers.as_chunks::<4>();
    from_fn(|n| F32x4::load(&quarters[n]))
}
