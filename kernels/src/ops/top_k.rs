//! The k greatest scores of each row, and the denominator of a softmax over the row.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::simd::{F32x4, Math};
use crate::{OutOfMemory, Rows};

/// Writes the k greatest numbers of each row of `x`, `[rows, cols]`, to `y`, `[rows, 1 + 2k]`. A
/// row of `y` is Σ exp(x - maximum), then the k numbers in descending order, then their columns.
/// Equal numbers are in ascending order of their columns. k must be from 1 to `x.cols`.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn top_k(x: &Rows, k: usize, y: &mut Rows) -> Result<(), OutOfMemory> {
    y.shape(x.rows, 1 + 2 * k)?;
    let rows = x.data.chunks_exact(x.cols.max(1));
    for (to, row) in y.data.chunks_exact_mut(1 + 2 * k).zip(rows) {
        let best = top_indices(row, k);
        to[0] = exp_sum(row, row[best[0]]);
        for (n, column) in best.into_iter().enumerate() {
            to[1 + n] = row[column];
            to[1 + k + n] = column as f32;
        }
    }
    Ok(())
}

/// A score and its index. Scores are compared first; of equal scores the smaller index ranks
/// higher.
#[derive(PartialEq)]
struct Ranked(f32, usize);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the indices of the `k` greatest scores in descending order, or of all scores if they are
/// fewer. Equal scores are in ascending order of their indices.
///
/// A heap holds the best scores so far, so most scores cost one comparison. Every ranking uses this
/// function, because each sort over another type adds kilobytes of code.
///
/// ```
/// assert_eq!(webert_kernels::top_indices(&[0.1, 0.7, 0.2, 0.7], 3), [1, 3, 2]);
/// ```
pub fn top_indices(scores: &[f32], k: usize) -> Vec<usize> {
    let mut best = BinaryHeap::with_capacity(k.min(scores.len()) + 1);
    for (index, &score) in scores.iter().enumerate() {
        let ranked = Reverse(Ranked(score, index));
        if best.len() < k {
            best.push(ranked);
        } else if best.peek().is_some_and(|least| ranked < *least) {
            best.pop();
            best.push(ranked);
        }
    }
    best.into_sorted_vec().into_iter().map(|Reverse(Ranked(_, index))| index).collect()
}

/// Returns Σ exp(x - maximum) over a row.
fn exp_sum(row: &[f32], maximum: f32) -> f32 {
    let (math, shift) = (Math::new(), F32x4::splat(maximum));
    let part = |vector: &[f32; 4]| math.exp(F32x4::load(vector) - shift);
    // A vocabulary of 30,000 is too long for one f32 sum, so each chunk has its own.
    let mut total = 0.0;
    for chunk in row.chunks(256) {
        let (vectors, rest) = chunk.as_chunks();
        let sum = vectors.iter().fold(F32x4::ZERO, |sum, vector| sum + part(vector)).sum();
        total += f64::from(sum);
        for &x in rest {
            let mut last = [0.0; 4];
            part(&[x; 4]).store(&mut last);
            total += f64::from(last[0]);
        }
    }
    total as f32
}
