//! Attention and its probabilities.

use super::*;

/// Returns the largest errors of attention's results and probabilities.
pub(crate) fn attention<B: Backend>(b: &mut B) -> [f64; 2] {
    let mut random = Random(5);
    let mut worst = [0.0, 0.0];
    for (heads, head_dim) in
        [(1, 9), (4, 9), (2, 10), (3, 32), (2, 64), (5, 3), (2, 20), (3, 35), (1, 100)]
    {
        let width = heads * head_dim;
        for lengths in [&[1][..], &[7, 130, 16, 1, 33], &[300]] {
            let mut sequences = Vec::new();
            let mut start = 0;
            for (n, length) in lengths.iter().enumerate() {
                // the first token of one sequence is masked
                let keys = start + usize::from(n == 2)..start + length;
                sequences.push(Sequence { rows: start..start + length, keys });
                start += length;
            }
            let (qkv, exact) = rows(b, &mut random, start, 3 * width, (0.0, 2.0));
            let (ids, zeros) = (vec![0; start], vec![0; start]);
            let batch = Batch {
                ids,
                types: zeros.clone(),
                positions: zeros,
                sequences,
                ..Batch::default()
            };
            let (want, shares) = attended(&exact, &batch, heads, head_dim);
            let batch = b.upload(batch).unwrap();
            let (mut y, mut p) = (B::Rows::default(), B::Rows::default());
            b.attention(&qkv, &batch, heads, &mut y, Some(&mut p));
            let got = pollster::block_on(b.read(&[&y, &p])).unwrap();
            raise(&mut worst, &got, [&want, &shares]);
        }
    }
    worst
}

/// Raises the largest errors of results and probabilities to the errors of `got`.
pub(super) fn raise(worst: &mut [f64; 2], got: &[Vec<f32>], want: [&[f64]; 2]) {
    for ((worst, got), want) in worst.iter_mut().zip(got).zip(want) {
        *worst = f64::max(*worst, greatest(got, want, |_| 1.0));
    }
}

/// Returns results `[rows, width]` and probabilities, `[heads, rows, keys]` for each sequence in
/// turn.
pub(super) fn attended(
    qkv: &[f64],
    batch: &Batch,
    heads: usize,
    head_dim: usize,
) -> (Table, Table) {
    let width = heads * head_dim;
    let part = |row: usize, which: usize, head: usize| {
        &qkv[row * 3 * width + which * width + head * head_dim..][..head_dim]
    };
    let (mut y, mut all) = (vec![0.0; batch.ids.len() * width], Vec::new());
    for sequence in &batch.sequences {
        for head in 0..heads {
            for row in sequence.rows.clone() {
                let score = |key| {
                    let pairs = part(row, 0, head).iter().zip(part(key, 1, head));
                    (pairs.map(|(q, k)| q * k).sum::<f64>() / (head_dim as f64).sqrt()).exp()
                };
                let shares: Table = sequence.keys.clone().map(score).collect();
                let total: f64 = shares.iter().sum();
                for (key, share) in sequence.keys.clone().zip(&shares) {
                    all.push(share / total);
                    for (c, value) in part(key, 2, head).iter().enumerate() {
                        y[row * width + head * head_dim + c] += share / total * value;
                    }
                }
            }
        }
    }
    (y, all)
}
