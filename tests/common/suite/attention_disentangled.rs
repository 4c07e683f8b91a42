//! Attention that compares contents with relative positions: both terms, one, or none; with
//! buckets, with tokens missing in between, and with masked tokens.

use webert::backend::{Disentangled, Distances};

use super::attention::raise;
use super::finite_differences::dot;
use super::*;

/// Returns the row of the table, following `make_log_bucket_position` of transformers, in f64.
pub(super) fn row(ahead: i64, of: &Distances) -> usize {
    let (middle, far) = ((of.buckets / 2) as f64, ahead.abs() as f64);
    let bucket = if of.buckets == 0 || far <= middle {
        ahead
    } else {
        let log = (far / middle).ln() / ((of.furthest - 1) as f64 / middle).ln();
        ((log * (middle - 1.0) - 1e-6).ceil() + middle) as i64 * ahead.signum()
    };
    (bucket + of.span as i64).clamp(0, 2 * of.span as i64 - 1) as usize
}

/// A sequence: length, the first and the last key, and the number of masked tokens.
pub(super) type Case = (usize, usize, usize, u32);

/// Returns sequences. With `holes`, every seventh token from the fourth on is missing.
pub(super) fn batch_of(cases: &[Case], holes: bool) -> Batch {
    let mut batch = Batch::default();
    for &(length, first, last, masked) in cases {
        let start = batch.columns.len();
        let stays = |column: &u32| !holes || column % 7 != 3;
        batch.columns.extend((0..length as u32).filter(stays));
        let rows = start..batch.columns.len();
        batch.masked.push(masked);
        batch.sequences.push(Sequence { keys: start + first..rows.end - last, rows });
    }
    let zeros = vec![0; batch.columns.len()];
    Batch { ids: zeros.clone(), types: zeros.clone(), positions: zeros, ..batch }
}

/// Returns the largest errors of results and of probabilities. Probabilities of masked tokens are
/// not compared.
pub(crate) fn attention_disentangled<B: Backend>(b: &mut B) -> [f64; 2] {
    let mut random = Random(23);
    let mut worst = [0.0, 0.0];
    let exact = |span| Distances { span, buckets: 0, furthest: span };
    let log = |buckets, furthest| Distances { span: buckets, buckets, furthest };
    for (heads, head_dim, distances, [to_position, to_content], factor) in [
        (1, 9, exact(12), [true, true], 3),
        (3, 16, log(8, 64), [true, true], 3),
        (2, 64, log(256, 512), [true, true], 3),
        (4, 12, exact(400), [true, false], 2),
        (2, 20, log(8, 400), [false, true], 2),
        (2, 8, exact(1), [false, false], 1),
    ] {
        let width = heads * head_dim;
        for (cases, holes) in [
            (&[(1, 0, 0, 0), (70, 0, 0, 0), (9, 1, 0, 4), (17, 0, 3, 3)][..], false),
            (&[(300, 0, 0, 0)], false),
            (&[(40, 0, 0, 0), (150, 1, 0, 2)], true),
        ] {
            let host = batch_of(cases, holes);
            let (qkv, exact_qkv) = rows(b, &mut random, host.columns.len(), 3 * width, (0.0, 2.0));
            let reach = host.columns.iter().max().map_or(0, |&last| i64::from(last));
            let first = row(-reach, &distances);
            let count = row(reach, &distances) + 1 - first;
            let (table, exact_table) = rows(b, &mut random, count, 2 * width, (0.0, 1.0));
            let score = |query: usize, key: usize, head: usize| {
                let part = |row: usize, which: usize| {
                    &exact_qkv[row * 3 * width + which * width + head * head_dim..][..head_dim]
                };
                let ahead = i64::from(host.columns[query]) - i64::from(host.columns[key]);
                let at = row(ahead, &distances) - first;
                let position = |which: usize| {
                    &exact_table[at * 2 * width + which * width + head * head_dim..][..head_dim]
                };
                let (q, k) = (part(query, 0), part(key, 1));
                let mut sum = dot(q, k);
                sum += if to_position { dot(q, position(1)) } else { 0.0 };
                sum += if to_content { dot(k, position(0)) } else { 0.0 };
                sum / ((factor * head_dim) as f64).sqrt()
            };
            let (want, mut shares) = attended(&exact_qkv, &host, (heads, head_dim), score);
            let batch = b.upload(host).unwrap();
            let has_terms = to_position || to_content;
            let disentangled = Disentangled {
                positions: has_terms.then_some(&table),
                first,
                distances,
                keys: to_position.then_some(width),
                queries: to_content.then_some(0),
                factor,
            };
            let (mut y, mut p) = (B::Rows::default(), B::Rows::default());
            b.attention_disentangled(&qkv, &batch, heads, &disentangled, &mut y, Some(&mut p));
            let mut got = pollster::block_on(b.read(&[&y, &p])).unwrap();
            clear_masked(&mut got[1], &mut shares);
            raise(&mut worst, &got, [&want, &shares]);
        }
    }
    worst
}

/// Sets the probabilities of masked tokens, which are NaN in `want`, to zero.
fn clear_masked(got: &mut [f32], want: &mut [f64]) {
    for (got, want) in got.iter_mut().zip(want).filter(|(_, want)| want.is_nan()) {
        (*got, *want) = (0.0, 0.0);
    }
}

/// Returns results and probabilities. The result of a masked token is the mean of the values of
/// all tokens, where every masked token has its own values; its probabilities are NaN.
fn attended(
    qkv: &[f64],
    batch: &Batch,
    (heads, head_dim): (usize, usize),
    score: impl Fn(usize, usize, usize) -> f64,
) -> (Table, Table) {
    let width = heads * head_dim;
    let (mut y, mut all) = (vec![0.0; batch.columns.len() * width], Vec::new());
    for (sequence, &masked) in batch.sequences.iter().zip(&batch.masked) {
        for head in 0..heads {
            for row in sequence.rows.clone() {
                let is_masked = !sequence.keys.contains(&row);
                let share = |key| if is_masked { 1.0 } else { score(row, key, head).exp() };
                let mut shares: Vec<(usize, f64)> =
                    sequence.keys.clone().map(|key| (key, share(key))).collect();
                if is_masked {
                    all.extend(shares.iter().map(|_| f64::NAN));
                    shares.push((row, f64::from(masked)));
                }
                let total: f64 = shares.iter().map(|(_, share)| share).sum();
                if !is_masked {
                    all.extend(shares.iter().map(|(_, share)| share / total));
                }
                for (key, share) in shares {
                    let value = &qkv[key * 3 * width + 2 * width + head * head_dim..][..head_dim];
                    for (c, value) in value.iter().enumerate() {
                        y[row * width + head * head_dim + c] += share / total * value;
                    }
                }
            }
        }
    }
    (y, all)
}
