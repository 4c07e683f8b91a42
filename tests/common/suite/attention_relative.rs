//! Attention by distance: within a window, with a bias, and both; also with tokens missing in
//! between.

use webert::backend::Relative;

use super::attention::raise;
use super::*;

const BUCKETS: usize = 32;

/// Returns the bucket of a distance, following the code of Raffel et al. 2020, in f64.
fn bucket(distance: i64) -> usize {
    let (half, exact) = (BUCKETS / 2, BUCKETS / 4);
    let far = distance.unsigned_abs() as f64;
    let within = if far < exact as f64 {
        far as usize
    } else {
        // Keeps a whole number from rounding down.
        let log = (far / exact as f64).ln() / (128.0 / exact as f64).ln() + 1e-9;
        half.min(exact + (log * (half - exact) as f64) as usize + 1) - 1
    };
    within + if distance > 0 { half } else { 0 }
}

/// Returns sequences of these lengths. With `holes`, every seventh token from the fourth on is
/// missing.
fn batch_of(lengths: &[usize], holes: bool) -> Batch {
    let mut batch = Batch::default();
    for length in lengths {
        let start = batch.columns.len();
        let stays = |column: &u32| !holes || column % 7 != 3;
        batch.columns.extend((0..*length as u32).filter(stays));
        let rows = start..batch.columns.len();
        batch.sequences.push(Sequence { keys: rows.clone(), rows });
    }
    let zeros = vec![0; batch.columns.len()];
    Batch { ids: zeros.clone(), types: zeros.clone(), positions: zeros, ..batch }
}

/// Returns the largest errors of results and probabilities.
pub(crate) fn attention_relative<B: Backend>(b: &mut B) -> [f64; 2] {
    let mut random = Random(17);
    let mut worst = [0.0, 0.0];
    compare_windows_and_biases(b, &mut random, &mut worst);
    compare_distance_vectors(b, &mut random, &mut worst);
    worst
}

/// Returns results and probabilities of the device.
fn computed<B: Backend>(
    b: &mut B,
    qkv: &B::Rows,
    batch: Batch,
    heads: usize,
    relative: &Relative<'_, B::Vector>,
) -> Vec<Vec<f32>> {
    let batch = b.upload(batch).unwrap();
    let (mut y, mut p) = (B::Rows::default(), B::Rows::default());
    b.attention_relative(qkv, &batch, heads, relative, &mut y, Some(&mut p));
    pollster::block_on(b.read(&[&y, &p])).unwrap()
}

fn compare_windows_and_biases<B: Backend>(b: &mut B, random: &mut Random, worst: &mut [f64; 2]) {
    for (heads, head_dim, reach, biased) in [
        (1, 9, Some(3), false),
        (3, 16, Some(8), false),
        (2, 64, Some(64), false),
        (4, 12, None, true),
        (2, 20, Some(20), true),
        (1, 8, Some(0), false),
    ] {
        let width = heads * head_dim;
        for (lengths, holes) in [(&[1, 70, 9][..], false), (&[300], false), (&[40, 150], true)] {
            let host = batch_of(lengths, holes);
            let (qkv, exact) = rows(b, random, host.columns.len(), 3 * width, (0.0, 2.0));
            let bias = random.take(BUCKETS * heads);
            let table = vector(b, &bias);
            let (want, shares) = attended(&exact, &host, (heads, head_dim), |head, distance| {
                let is_far = reach.is_some_and(|reach| distance.unsigned_abs() as usize > reach);
                let added = f64::from(bias[bucket(distance) * heads + head]);
                (!is_far).then_some(if biased { added } else { 0.0 })
            });
            let relative = Relative { reach, bias: biased.then_some(&table), distances: None };
            let got = computed(b, &qkv, host, heads, &relative);
            raise(worst, &got, [&want, &shares]);
        }
    }
}

fn compare_distance_vectors<B: Backend>(b: &mut B, random: &mut Random, worst: &mut [f64; 2]) {
    for (heads, head_dim, with_keys) in [(2, 9, false), (3, 16, true)] {
        let width = heads * head_dim;
        for (lengths, holes) in [(&[1, 30, 9][..], false), (&[40], true)] {
            let host = batch_of(lengths, holes);
            let count = host.columns.len();
            let (qkv, exact) = rows(b, random, count, 3 * width, (0.0, 1.0));
            let vectors = random.take((2 * 40 - 1) * head_dim);
            let on_device = vector(b, &vectors);
            let (want, shares) = attended_by(&exact, &host, (heads, head_dim), |head, row, key| {
                let distance = host.columns[row] as usize + 39 - host.columns[key] as usize;
                let vector = &vectors[distance * head_dim..][..head_dim];
                let part = |row: usize, which: usize| {
                    &exact[row * 3 * width + which * width + head * head_dim..][..head_dim]
                };
                let product = |of: &[f64]| -> f64 {
                    of.iter().zip(vector).map(|(x, e)| x * f64::from(*e)).sum()
                };
                let keys = if with_keys { product(part(key, 1)) } else { 0.0 };
                Some((product(part(row, 0)) + keys) / (head_dim as f64).sqrt())
            });
            let distances = Some((&on_device, with_keys));
            let relative = Relative { reach: None, bias: None, distances };
            let got = computed(b, &qkv, host, heads, &relative);
            raise(worst, &got, [&want, &shares]);
        }
    }
}

/// Like [`attended_by`], with a number for each distance.
fn attended(
    qkv: &[f64],
    batch: &Batch,
    shape: (usize, usize),
    added: impl Fn(usize, i64) -> Option<f64>,
) -> (Table, Table) {
    attended_by(qkv, batch, shape, |head, row, key| {
        added(head, i64::from(batch.columns[key]) - i64::from(batch.columns[row]))
    })
}

/// Returns results and probabilities. `added` returns the number added to a score, or `None` for a
/// key out of reach.
fn attended_by(
    qkv: &[f64],
    batch: &Batch,
    (heads, head_dim): (usize, usize),
    added: impl Fn(usize, usize, usize) -> Option<f64>,
) -> (Table, Table) {
    let width = heads * head_dim;
    let part = |row: usize, which: usize, head: usize| {
        &qkv[row * 3 * width + which * width + head * head_dim..][..head_dim]
    };
    let (mut y, mut all) = (vec![0.0; batch.columns.len() * width], Vec::new());
    for sequence in &batch.sequences {
        for head in 0..heads {
            for row in sequence.rows.clone() {
                let share = |key: usize| {
                    let Some(added) = added(head, row, key) else { return 0.0 };
                    let pairs = part(row, 0, head).iter().zip(part(key, 1, head));
                    let product = pairs.map(|(q, k)| q * k).sum::<f64>();
                    (product / (head_dim as f64).sqrt() + added).exp()
                };
                let shares: Table = sequence.keys.clone().map(share).collect();
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
