//! Embeddings.

use super::norm::normed;
use super::*;

/// Number of rows of the tables of words, positions and types.
pub(super) const ENTRIES: [usize; 3] = [50, 20, 2];

/// Returns the rows of the tables that token `n` reads.
fn entries(n: usize) -> [usize; 3] {
    [n * 7 % ENTRIES[0], n * 3 % ENTRIES[1], n % ENTRIES[2]]
}

/// Returns one sequence whose tokens read many rows of the tables.
pub(super) fn batch_of_entries(count: usize) -> Batch {
    let column = |which: usize| (0..count).map(|n| entries(n)[which] as u32).collect();
    Batch { ids: column(0), positions: column(1), types: column(2), ..batch(count) }
}

/// Returns the largest error of embeddings, against the values that a table with this precision
/// holds. With `as_written`, against the original values, for devices that store differently.
pub(crate) fn embed<B: Backend>(b: &mut B, precision: Precision, as_written: bool) -> f64 {
    let mut random = Random(4);
    let mut worst = 0.0;
    for cols in [10, 28, 384] {
        let mut table = |rows: usize| {
            let numbers = random.take(rows * cols);
            let (matrix, held) = matrix(b, &numbers, cols, precision);
            (matrix, if as_written { wide(&numbers) } else { held })
        };
        let ((word, words), (position, positions), (kind, kinds)) =
            (table(ENTRIES[0]), table(ENTRIES[1]), table(ENTRIES[2]));
        let (weight, bias) = (random.take(cols), random.take(cols));
        let norm = layer_norm(b, &weight, &bias, 1e-5);
        let tables = Embeddings {
            position: Some(position),
            token_type: Some(kind),
            norm: Some(norm),
            ..Embeddings::new(word)
        };
        for count in [1, 7, 130] {
            let sum: Table = (0..count * cols)
                .map(|at| {
                    let ([id, position, kind], c) = (entries(at / cols), at % cols);
                    words[id * cols + c] + positions[position * cols + c] + kinds[kind * cols + c]
                })
                .collect();
            let batch = b.upload(batch_of_entries(count)).unwrap();
            let mut y = B::Rows::default();
            b.embed(&tables, &batch, &mut y);
            let want = normed(&sum, &weight, &bias, 1e-5);
            worst = f64::max(worst, greatest(&read(b, &y), &want, |_| 1.0));
        }
    }
    worst
}
