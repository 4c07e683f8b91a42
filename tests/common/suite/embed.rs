//! Embeddings.

use super::norm::normed;
use super::*;

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
            (table(50), table(20), table(2));
        let (weight, bias) = (random.take(cols), random.take(cols));
        let norm = layer_norm(b, &weight, &bias, 1e-5);
        let tables = Embeddings {
            position: Some(position),
            token_type: Some(kind),
            norm: Some(norm),
            ..Embeddings::new(word)
        };
        for count in [1, 7, 130] {
            let mut batch = batch(count);
            let row = |n: usize| ((n * 7 % 50), (n * 3 % 20), n % 2);
            for n in 0..count {
                let (id, position, kind) = row(n);
                batch.ids[n] = id as u32;
                batch.positions[n] = position as u32;
                batch.types[n] = kind as u32;
            }
            let sum: Table = (0..count * cols)
                .map(|at| {
                    let ((id, position, kind), c) = (row(at / cols), at % cols);
                    words[id * cols + c] + positions[position * cols + c] + kinds[kind * cols + c]
                })
                .collect();
            let batch = b.upload(batch).unwrap();
            let mut y = B::Rows::default();
            b.embed(&tables, &batch, &mut y);
            let want = normed(&sum, &weight, &bias, 1e-5);
            worst = f64::max(worst, greatest(&read(b, &y), &want, |_| 1.0));
        }
    }
    worst
}
