//! The best of many scores. All that is put in order here goes through this one function: each
//! sort over another type would be kilobytes of code again.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A score and its place; the greater of two is the better one, of equals the first.
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

/// The indices of the `k` greatest scores, greatest first; equal ones in their order. A heap of
/// the best so far: most scores cost one comparison.
pub(crate) fn top_k(scores: &[f32], k: usize) -> Vec<usize> {
    let mut best = BinaryHeap::with_capacity(k.min(scores.len()) + 1);
    for (place, &score) in scores.iter().enumerate() {
        let ranked = Reverse(Ranked(score, place));
        if best.len() < k {
            best.push(ranked);
        } else if best.peek().is_some_and(|least| ranked < *least) {
            best.pop();
            best.push(ranked);
        }
    }
    best.into_sorted_vec().into_iter().map(|Reverse(Ranked(_, place))| place).collect()
}
