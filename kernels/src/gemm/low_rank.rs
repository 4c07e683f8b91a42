//! Products of low rank, which adapters (LoRA) add to a weight matrix.

use super::LANES;
use crate::simd::F32x4;

/// Columns whose sums fit in registers at once.
const STRIP: usize = 4 * LANES;

/// Computes values += left · right. `values` is `[rows, cols]`, `left` is `[rows, rank]`, and
/// `right` is `[rank, cols]`, all row-major. A product of rank 0, or without rows or columns,
/// changes nothing.
pub fn add_product(values: &mut [f32], left: &[f32], right: &[f32], rank: usize) {
    let cols = right.len() / rank.max(1);
    if cols == 0 {
        return;
    }
    let whole = cols - cols % STRIP;
    // All rows are computed for one strip after the other: a strip of `right` stays in the
    // first-level cache.
    for first in (0..whole).step_by(STRIP) {
        for (row, weights) in values.chunks_exact_mut(cols).zip(left.chunks_exact(rank)) {
            add_strip(
                &mut row[first..],
                weights,
                right.chunks_exact(cols).map(|row| &row[first..]),
            );
        }
    }
    for (row, weights) in values.chunks_exact_mut(cols).zip(left.chunks_exact(rank)) {
        for (weight, right) in weights.iter().zip(right.chunks_exact(cols)) {
            let right = &right[whole..];
            row[whole..].iter_mut().zip(right).for_each(|(value, right)| *value += weight * right);
        }
    }
}

/// Adds the first [`STRIP`] numbers of each of `others`, multiplied by its weight, to the first
/// numbers of `row`.
fn add_strip<'a>(row: &mut [f32], weights: &[f32], others: impl Iterator<Item = &'a [f32]>) {
    let (vectors, _) = row.as_chunks_mut::<LANES>();
    let Some(strip) = vectors.first_chunk_mut::<{ STRIP / LANES }>() else { return };
    let mut sums = strip.map(|vector| F32x4::load(&vector));
    for (weight, other) in weights.iter().zip(others) {
        let weight = F32x4::splat(*weight);
        for (sum, other) in sums.iter_mut().zip(other.as_chunks::<LANES>().0) {
            *sum = F32x4::load(other).mul_add(weight, *sum);
        }
    }
    for (vector, sum) in strip.iter_mut().zip(sums) {
        sum.store(vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_the_product() {
        for (rows, rank, cols) in [(3, 2, 37), (5, 7, 16), (1, 1, 3), (4, 9, 50)] {
            let numbers = |count: usize, by: usize| -> Vec<f32> {
                (0..count).map(|n| (n * by % 23) as f32 - 11.0).collect()
            };
            let (left, right) = (numbers(rows * rank, 5), numbers(rank * cols, 7));
            let mut values = numbers(rows * cols, 3);
            let expected: Vec<f32> = values
                .iter()
                .enumerate()
                .map(|(at, value)| {
                    let (row, col) = (at / cols, at % cols);
                    let products = (0..rank).map(|n| left[row * rank + n] * right[n * cols + col]);
                    value + products.sum::<f32>()
                })
                .collect();
            add_product(&mut values, &left, &right, rank);
            assert_eq!(values, expected, "{rows} × {rank} × {cols}");
        }
    }

    #[test]
    fn changes_nothing_for_an_empty_product() {
        let mut values = [1.0, 2.0];
        add_product(&mut values, &[], &[], 0);
        add_product(&mut values, &[], &[1.0, 1.0], 1);
        add_product(&mut values, &[1.0], &[], 1);
        assert_eq!(values, [1.0, 2.0]);
    }
}
