//! Inputs that the benchmarks share.

use webert::batch::{Batch, Sequence};

/// Returns `count` texts of `length` tokens. The tokens are arbitrary. A model with few positions,
/// as many as its vocabulary, uses some of them again.
pub(crate) fn batch(count: usize, length: usize, vocabulary: usize) -> Batch {
    let rows = count * length;
    let of = |n: usize| n * length..(n + 1) * length;
    Batch {
        ids: (0..rows).map(|n| (n * 7919 % vocabulary) as u32).collect(),
        types: vec![0; rows],
        positions: (0..rows).map(|n| (n % length.min(vocabulary)) as u32).collect(),
        sequences: (0..count).map(|n| Sequence { rows: of(n), keys: of(n) }).collect(),
        ..Batch::default()
    }
}
