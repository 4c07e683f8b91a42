//! Shared by the training suites: gradients of an f64 oracle by finite differences.

use super::*;
use std::ops::Range;
use webert::backend::train::Train;

/// Largest number of coordinates compared per tensor.
const SAMPLES: usize = 150;

/// Copies numbers to the device, `[values.len() / cols, cols]`. Returns them there and as f64.
pub(super) fn put<B: Train>(b: &mut B, values: &[f32], cols: usize) -> (B::Rows, Table) {
    let mut rows = B::Rows::default();
    b.put(values, values.len() / cols, &mut rows).unwrap();
    (rows, wide(values))
}

/// Returns the largest difference of `got` from the gradient of `loss` at `x`, divided by the
/// largest number of the gradient. For a large tensor, compares some coordinates, including the
/// first and the last.
pub(super) fn gradient_error(got: &[f32], x: &[f64], loss: impl Fn(&[f64]) -> f64) -> f64 {
    gradient_error_by_parts(got, x, |x, _| loss(x))
}

/// The same for a `loss` that also receives the index of the coordinate. It may leave out terms that
/// do not depend on that coordinate: they cancel out in the differences.
pub(super) fn gradient_error_by_parts(
    got: &[f32],
    x: &[f64],
    loss: impl Fn(&[f64], usize) -> f64,
) -> f64 {
    assert_eq!(got.len(), x.len());
    let count = x.len().min(SAMPLES);
    let of = |n: usize| n * (x.len() - 1) / (count - 1).max(1);
    let mut x = x.to_vec();
    let (mut worst, mut largest) = (0.0_f64, 1e-3_f64);
    for n in (0..count).map(of) {
        let (at, step) = (x[n], 1e-4);
        let mut value = |offset: f64| {
            x[n] = at + offset;
            loss(&x, n)
        };
        // fourth order in the step
        let near = value(step) - value(-step);
        let far = value(2.0 * step) - value(-2.0 * step);
        x[n] = at;
        let want = (8.0 * near - far) / (12.0 * step);
        let difference = (f64::from(got[n]) - want).abs();
        worst = if difference.is_nan() { f64::INFINITY } else { worst.max(difference) };
        largest = largest.max(want.abs());
    }
    worst / largest
}

/// Σ a · b
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns sequences of these lengths. The first token of the third sequence is masked.
pub(super) fn batch_of(lengths: &[usize]) -> Batch {
    let mut sequences = Vec::new();
    let mut start = 0;
    for (n, length) in lengths.iter().enumerate() {
        let keys = start + usize::from(n == 2)..start + length;
        sequences.push(Sequence { rows: start..start + length, keys });
        start += length;
    }
    Batch {
        ids: vec![0; start],
        types: vec![0; start],
        positions: vec![0; start],
        sequences,
        ..Batch::default()
    }
}

/// Returns ranges of rows from pairs of start and end.
pub(super) fn ranges(ends: &[usize]) -> Vec<Range<usize>> {
    ends.chunks(2).map(|ends| ends[0]..ends[1]).collect()
}
