//! Attention by contents and relative positions for training, with and without dropout, and its
//! gradient.

use super::attention_disentangled::{batch_of, row};
use super::dropout::factors;
use super::finite_differences::{dot, gradient_error_by_parts, put};
use super::*;
use webert::backend::train::{Dropout, Train};
use webert::backend::{Disentangled, Distances};

/// What the oracle knows about a call.
struct Call<'a> {
    batch: &'a Batch,
    heads: usize,
    head_dim: usize,
    distances: Distances,
    first: usize,
    to_position: bool,
    to_content: bool,
    factor: usize,
    dropout: Option<&'a Dropout>,
    /// The dropout factors, `[rows · heads, longest sequence]`, and the length of that sequence.
    kept: Table,
    longest: usize,
}

/// Returns the largest errors of the results and of the gradients of qkv and of positions.
pub(crate) fn attention_disentangled_backward<B: Train>(b: &mut B) -> [f64; 3] {
    let mut random = Random(29);
    let mut worst = [0.0; 3];
    let exact = |span| Distances { span, buckets: 0, furthest: span };
    let log = |buckets, furthest| Distances { span: buckets, buckets, furthest };
    for (heads, head_dim, distances, [to_position, to_content], factor) in [
        (1, 1, exact(3), [true, true], 3),
        (2, 9, exact(12), [true, true], 3),
        (3, 8, log(8, 64), [true, true], 3),
        (1, 68, exact(40), [true, false], 2),
        (2, 12, log(8, 400), [false, true], 2),
        (2, 5, exact(1), [false, false], 1),
    ] {
        for rate in [0.0, 0.3] {
            // A tile has 64 rows.
            let long = if head_dim == 12 { 70 } else { 20 };
            let cases = [(1, 0, 0, 0), (long, 0, 0, 0), (9, 1, 0, 4), (7, 0, 3, 3)];
            for (cases, holes) in [(&cases[..], false), (&[(12, 0, 0, 0), (29, 1, 0, 2)], true)] {
                let dropout = Dropout { rate, seed: 78, site: 4, step: 3 };
                let batch = batch_of(cases, holes);
                let reach = i64::from(batch.columns.iter().max().copied().unwrap());
                let first = row(-reach, &distances);
                let dropout = (rate > 0.0).then_some(&dropout);
                let longest = batch.sequences.iter().map(|of| of.rows.len()).max().unwrap_or(0);
                let call = Call {
                    batch: &batch,
                    heads,
                    head_dim,
                    distances,
                    first,
                    to_position,
                    to_content,
                    factor,
                    dropout,
                    kept: factors(dropout, batch.columns.len() * heads, longest),
                    longest,
                };
                let count = row(reach, &distances) + 1 - first;
                for (worst, error) in worst.iter_mut().zip(errors(b, &mut random, &call, count)) {
                    *worst = f64::max(*worst, error);
                }
            }
        }
    }
    worst
}

fn errors<B: Train>(b: &mut B, random: &mut Random, of: &Call<'_>, count: usize) -> [f64; 3] {
    let (rows, width) = (of.batch.columns.len(), of.heads * of.head_dim);
    let numbers: Vec<_> = random.take(rows * 3 * width).iter().map(|x| 1.5 * x).collect();
    let (qkv, exact) = put(b, &numbers, 3 * width);
    let (table, exact_table) = put(b, &random.take(count * 2 * width), 2 * width);
    let (dy, dys) = put(b, &random.take(rows * width), width);
    let has_terms = of.to_position || of.to_content;
    let disentangled = Disentangled {
        positions: has_terms.then_some(&table),
        first: of.first,
        distances: of.distances,
        keys: of.to_position.then_some(width),
        queries: of.to_content.then_some(0),
        factor: of.factor,
    };
    let (batch, heads, dropout) = (b.upload(of.batch.clone()).unwrap(), of.heads, of.dropout);
    let [mut y, mut dqkv, mut dtable] = [(); 3].map(|()| B::Rows::default());
    b.attention_disentangled_forward(&qkv, &batch, heads, &disentangled, dropout, &mut y);
    let to = (&mut dqkv, &mut dtable);
    b.attention_disentangled_backward(&qkv, &batch, heads, &disentangled, dropout, &dy, to.0, to.1);
    let loss = |qkv: &[f64], table: &[f64], row: Option<usize>, head: usize| {
        let only = |of: &Sequence, at| at == head && row.is_none_or(|row| of.rows.contains(&row));
        dot(&attended(qkv, table, of, only), &dys)
    };
    let head_of = |n: usize| n % width / of.head_dim;
    let of_table = |table: &[f64], n| loss(&exact, table, None, head_of(n));
    let of_qkv = |qkv: &[f64], n| loss(qkv, &exact_table, Some(n / (3 * width)), head_of(n));
    [
        greatest(&read(b, &y), &attended(&exact, &exact_table, of, |_, _| true), |_| 1.0),
        gradient_error_by_parts(&read(b, &dqkv), &exact, of_qkv),
        match has_terms {
            true => gradient_error_by_parts(&read(b, &dtable), &exact_table, of_table),
            false => 0.0,
        },
    ]
}

/// Returns results, `[rows, width]`. A masked token's result is the mean of the values of all tokens
/// of its sequence, without dropout; its own values stand for all masked tokens. `includes`: whether
/// to compute the results of a sequence and a head; others stay 0.
fn attended(
    qkv: &[f64],
    table: &[f64],
    of: &Call<'_>,
    includes: impl Fn(&Sequence, usize) -> bool,
) -> Table {
    let Call { batch, heads, head_dim, .. } = *of;
    let width = heads * head_dim;
    let part = |row: usize, which: usize, head: usize| {
        &qkv[row * 3 * width + which * width + head * head_dim..][..head_dim]
    };
    let mut y = vec![0.0; batch.columns.len() * width];
    for (sequence, &masked) in batch.sequences.iter().zip(&batch.masked) {
        let heads_of = (0..heads).filter(|&head| includes(sequence, head));
        for (head, query) in
            heads_of.flat_map(|head| sequence.rows.clone().map(move |row| (head, row)))
        {
            let is_masked = !sequence.keys.contains(&query);
            let score = |key: usize| {
                let ahead = i64::from(batch.columns[query]) - i64::from(batch.columns[key]);
                let at = row(ahead, &of.distances) - of.first;
                let position = |which: usize| {
                    &table[at * 2 * width + which * width + head * head_dim..][..head_dim]
                };
                let (q, k) = (part(query, 0, head), part(key, 1, head));
                let mut sum = dot(q, k);
                sum += if of.to_position { dot(q, position(1)) } else { 0.0 };
                sum += if of.to_content { dot(k, position(0)) } else { 0.0 };
                sum / ((of.factor * head_dim) as f64).sqrt()
            };
            let share = |key| if is_masked { 1.0 } else { score(key).exp() };
            let mut shares: Vec<(usize, f64)> =
                sequence.keys.clone().map(|key| (key, share(key))).collect();
            if is_masked {
                shares.push((query, f64::from(masked)));
            }
            let total: f64 = shares.iter().map(|(_, share)| share).sum();
            for (key, share) in shares {
                let column = key - sequence.rows.start;
                let at = (query * heads + head) * of.longest + column;
                let weight = share / total * if is_masked { 1.0 } else { of.kept[at] };
                let to = &mut y[query * width + head * head_dim..][..head_dim];
                for (y, value) in to.iter_mut().zip(part(key, 2, head)) {
                    *y += weight * value;
                }
            }
        }
    }
    y
}
