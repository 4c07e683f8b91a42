//! Attention for training, with and without dropout, and its gradient.

use super::dropout::factors;
use super::finite_differences::{batch_of, dot, gradient_error_by_parts, put};
use super::*;
use webert::backend::train::{Dropout, Train};

/// Returns the largest errors of the results, the stored logarithms and the gradient.
pub(crate) fn attention_backward<B: Train>(b: &mut B) -> [f64; 3] {
    let mut random = Random(16);
    let mut worst = [0.0; 3];
    for (heads, head_dim, lengths) in [
        (1, 1, &[1][..]),
        (1, 9, &[3]),
        (4, 9, &[7, 13, 16, 1, 9]),
        (3, 32, &[1, 2, 2]),
        (2, 10, &[33, 8, 9]),
        (5, 3, &[5, 1, 21]),
        (2, 64, &[20]),
        (1, 35, &[70, 1, 66]),
        (2, 16, &[130]),
    ] {
        for rate in [0.0, 0.3] {
            let dropout = Dropout { rate, seed: 77, site: 5, step: 9 };
            let dropout = (rate > 0.0).then_some(&dropout);
            let batch = batch_of(lengths);
            let width = heads * head_dim;
            let numbers: Vec<_> = random.take(batch.ids.len() * 3 * width);
            let numbers: Vec<_> = numbers.iter().map(|x| 1.5 * x).collect();
            let (qkv, exact) = put(b, &numbers, 3 * width);
            let (dy, dys) = put(b, &random.take(batch.ids.len() * width), width);
            let on_device = b.upload(batch.clone()).unwrap();
            let [mut y, mut log_sums, mut dqkv] = [(); 3].map(|()| B::Rows::default());
            b.attention_forward(&qkv, &on_device, heads, dropout, &mut y, &mut log_sums);
            b.attention_backward(&qkv, &on_device, heads, dropout, &y, &log_sums, &dy, &mut dqkv);
            let kept = factors(dropout, batch.ids.len() * heads, longest(&batch));
            let all = |_: &Sequence, _| true;
            let (want, want_log_sums) = attended(&exact, &batch, heads, head_dim, &kept, all);
            let loss = |qkv: &[f64], n: usize| {
                let (row, head) = (n / (3 * width), n % width / head_dim);
                let only = |of: &Sequence, at| at == head && of.rows.contains(&row);
                dot(&attended(qkv, &batch, heads, head_dim, &kept, only).0, &dys)
            };
            for (worst, error) in worst.iter_mut().zip([
                greatest(&read(b, &y), &want, |_| 1.0),
                greatest(&read(b, &log_sums), &want_log_sums, |n| want_log_sums[n].abs()),
                gradient_error_by_parts(&read(b, &dqkv), &exact, loss),
            ]) {
                *worst = f64::max(*worst, error);
            }
        }
    }
    worst
}

/// Returns the number of tokens of the longest sequence.
fn longest(batch: &Batch) -> usize {
    batch.sequences.iter().map(|sequence| sequence.rows.len()).max().unwrap_or(0)
}

/// Returns results `[rows, width]` and the logarithms of the sums `[rows, heads]`. `kept`: the
/// dropout factors `[rows · heads, longest sequence]`. `includes`: whether to compute the results of
/// a sequence and a head; others stay 0.
fn attended(
    qkv: &[f64],
    batch: &Batch,
    heads: usize,
    head_dim: usize,
    kept: &[f64],
    includes: impl Fn(&Sequence, usize) -> bool,
) -> (Table, Table) {
    let width = heads * head_dim;
    let columns = longest(batch);
    let part = |row: usize, which: usize, head: usize| {
        &qkv[row * 3 * width + which * width + head * head_dim..][..head_dim]
    };
    let mut y = vec![0.0; batch.ids.len() * width];
    let mut log_sums = vec![0.0; batch.ids.len() * heads];
    for sequence in &batch.sequences {
        let heads_of = (0..heads).filter(|&head| includes(sequence, head));
        for (head, row) in heads_of.flat_map(|head| sequence.rows.clone().map(move |r| (head, r))) {
            let score =
                |key| dot(part(row, 0, head), part(key, 1, head)) / (head_dim as f64).sqrt();
            let shares: Table = sequence.keys.clone().map(|key| score(key).exp()).collect();
            let total: f64 = shares.iter().sum();
            log_sums[row * heads + head] = total.ln();
            for (key, share) in sequence.keys.clone().zip(&shares) {
                let column = key - sequence.rows.start;
                let weight = share / total * kept[(row * heads + head) * columns + column];
                let to = &mut y[row * width + head * head_dim..][..head_dim];
                for (y, value) in to.iter_mut().zip(part(key, 2, head)) {
                    *y += weight * value;
                }
            }
        }
    }
    (y, log_sums)
}
