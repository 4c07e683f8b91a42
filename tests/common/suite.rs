//! Every kernel against a naive f64 oracle, for any backend, at odd sizes.

pub(crate) mod int8;
pub(crate) mod top;

use half::{bf16, f16};
use webert::backend::{Activation, Backend, Embeddings, Norm, Precision};
use webert::batch::{Batch, Sequence};

pub(crate) const PRECISIONS: [Precision; 4] =
    [Precision::F32, Precision::F16, Precision::Bf16, Precision::I8];

/// Numbers between -1 and 1 that look random (Steele and others 2014, `SplitMix`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn take(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// Row-major f64.
type Table = Vec<f64>;

fn wide(values: &[f32]) -> Table {
    values.iter().copied().map(f64::from).collect()
}

/// The numbers that a matrix of this precision holds where `values` were written.
fn stored(values: &[f32], cols: usize, precision: Precision) -> Table {
    match precision {
        Precision::F32 => wide(values),
        Precision::F16 => values.iter().map(|&v| f16::from_f32(v).to_f64()).collect(),
        Precision::Bf16 => values.iter().map(|&v| bf16::from_f32(v).to_f64()).collect(),
        Precision::I8 => {
            let row = |row: &[f32]| {
                let scale = row.iter().fold(0.0_f32, |max, v| max.max(v.abs())) / 127.0;
                let inverse = 1.0 / scale;
                let of = move |v: &f32| f64::from((v * inverse).round()) * f64::from(scale);
                row.iter().map(of).collect::<Vec<_>>()
            };
            values.chunks(cols).flat_map(row).collect()
        }
    }
}

fn matrix<B: Backend>(
    b: &mut B,
    values: &[f32],
    cols: usize,
    precision: Precision,
) -> (B::Matrix, Table) {
    let rows = values.len() / cols;
    let mut matrix = b.matrix(rows, cols, precision).unwrap();
    // in two pieces, as weights come
    let first = rows / 3;
    b.write(&mut matrix, 0, &values[..first * cols]);
    b.write(&mut matrix, first, &values[first * cols..]);
    (matrix, stored(values, cols, precision))
}

fn vector<B: Backend>(b: &mut B, values: &[f32]) -> B::Vector {
    let mut vector = b.vector(values.len()).unwrap();
    let (one, two) = values.split_at(values.len() / 3);
    b.write_vector(&mut vector, 0, one);
    b.write_vector(&mut vector, one.len(), two);
    vector
}

fn read<B: Backend>(b: &mut B, rows: &B::Rows) -> Vec<f32> {
    pollster::block_on(b.read(&[rows])).unwrap().remove(0)
}

/// One sequence of `rows` tokens with the ids 0, 1, 2 …
fn batch(rows: usize) -> Batch {
    Batch {
        ids: (0..rows as u32).collect(),
        types: vec![0; rows],
        positions: vec![0; rows],
        sequences: vec![Sequence { rows: 0..rows, keys: 0..rows }],
    }
}

/// Activations whose rows have the mean `mean` and about the deviation `deviation`. They come
/// through the embeddings, the one way in.
fn rows<B: Backend>(
    b: &mut B,
    random: &mut Random,
    count: usize,
    cols: usize,
    (mean, deviation): (f32, f32),
) -> (B::Rows, Table) {
    let (word, _) = matrix(b, &random.take(count * cols), cols, Precision::F32);
    let (position, _) = matrix(b, &vec![0.0; cols], cols, Precision::F32);
    let (weight, bias) = (vector(b, &vec![deviation; cols]), vector(b, &vec![mean; cols]));
    let norm = Norm { weight, bias, eps: 1e-5 };
    let tables = Embeddings { word, position, token_type: None, norm };
    let batch = b.upload(batch(count)).unwrap();
    let mut x = B::Rows::default();
    b.embed(&tables, &batch, &mut x);
    let values = read(b, &x);
    assert_eq!(values.len(), count * cols);
    (x, wide(&values))
}

/// The greatest difference where each may be `scale` times as large; scale 1 at least.
fn greatest(got: &[f32], want: &[f64], scale: impl Fn(usize) -> f64) -> f64 {
    assert_eq!(got.len(), want.len());
    let pairs = got.iter().zip(want).enumerate();
    pairs.fold(0.0, |max, (n, (&got, want))| {
        let difference = (f64::from(got) - want).abs() / scale(n).max(1.0);
        if difference.is_nan() { f64::INFINITY } else { f64::max(max, difference) }
    })
}

/// By a series whose terms all have one sign.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, 0.0);
    for n in 0..200 {
        sum += term;
        term *= 2.0 * x * x / f64::from(2 * n + 3);
    }
    2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp() * sum
}

fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Gelu => 0.5 * x * (1.0 + erf(x / 2.0_f64.sqrt())),
        Activation::GeluTanh => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            0.5 * x * (1.0 + inner.tanh())
        }
        Activation::Relu => x.max(0.0),
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
    }
}

const ACTIVATIONS: [Activation; 6] = [
    Activation::Identity,
    Activation::Gelu,
    Activation::GeluTanh,
    Activation::Relu,
    Activation::Silu,
    Activation::Tanh,
];

/// The greatest error of each activation over ±12, by its name.
pub(crate) fn activations<B: Backend>(b: &mut B) -> Vec<(String, f64)> {
    let points: Vec<f32> = (-6000..=6000).map(|n| n as f32 / 500.0).collect();
    let (x, _) = rows(b, &mut Random(1), 2, 4, (0.0, 1.0));
    // nothing · x + point
    let (weight, _) = matrix(b, &vec![0.0; 4 * points.len()], 4, Precision::F32);
    let bias = vector(b, &points);
    let error = |activation| {
        let mut y = B::Rows::default();
        b.linear(&x, &weight, &bias, activation, &mut y);
        let want: Table = points.iter().map(|&x| activate(activation, x.into())).collect();
        let got = read(b, &y);
        (format!("{activation:?}"), greatest(&got, &want.repeat(2), |_| 1.0))
    };
    ACTIVATIONS.map(error).to_vec()
}

/// The greatest error of a linear layer, in units of Σ |x · w|.
pub(crate) fn linear<B: Backend>(b: &mut B, precision: Precision) -> f64 {
    let mut random = Random(2);
    let mut worst = 0.0;
    for (inputs, outputs) in [(10, 28), (28, 10), (10, 3), (384, 130), (96, 515), (1100, 20)] {
        let (weight, exact) = matrix(b, &random.take(inputs * outputs), inputs, precision);
        let shift = random.take(outputs);
        let bias = vector(b, &shift);
        for (count, activation) in
            [1, 2, 3, 4, 5, 7, 33, 130, 300].into_iter().zip(ACTIVATIONS.iter().cycle())
        {
            let (x, rows) = rows(b, &mut random, count, inputs, (0.1, 1.0));
            let mut y = B::Rows::default();
            b.linear(&x, &weight, &bias, *activation, &mut y);
            let at = |n: usize| {
                let (x, w) = (&rows[n / outputs * inputs..], &exact[n % outputs * inputs..]);
                x.iter().zip(w).take(inputs).map(|(x, w)| x * w)
            };
            let want: Table = (0..count * outputs)
                .map(|n| activate(*activation, at(n).sum::<f64>() + f64::from(shift[n % outputs])))
                .collect();
            let scale = |n| at(n).map(f64::abs).sum();
            worst = f64::max(worst, greatest(&read(b, &y), &want, scale));
        }
    }
    worst
}

/// The greatest error of a linear layer whose weights are int8 and whose rows the device may round
/// to 8 bits, too, in units of |x| · |w| / sqrt(inputs). Rounding to 127 steps either way makes an
/// error of 1 / 127 / sqrt(12) of the greatest of numbers, which of 384 is some three deviations.
///
/// A row must not depend on those beside it, bit for bit, nor on what a wider layer leaves behind.
pub(crate) fn rounded_linear<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(7);
    let mut worst = 0.0;
    let (wide, _) = matrix(b, &random.take(8 * 1200), 1200, Precision::I8);
    let zeros = vector(b, &[0.0; 8]);
    for (inputs, outputs) in [(10, 28), (28, 10), (7, 3), (384, 130), (96, 515), (1100, 20)] {
        let (huge, _) = rows(b, &mut random, 2, 1200, (0.0, 1e6));
        b.linear(&huge, &wide, &zeros, Activation::Identity, &mut B::Rows::default());
        let numbers = random.take(inputs * outputs);
        let (weight, _) = matrix(b, &numbers, inputs, Precision::I8);
        let shift = random.take(outputs);
        let bias = vector(b, &shift);
        let (x, exact) = rows(b, &mut random, 130, inputs, (0.1, 1.0));
        let mut y = B::Rows::default();
        b.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        let all = read(b, &y);
        for (n, &got) in all.iter().enumerate() {
            let (x, w) =
                (&exact[n / outputs * inputs..][..inputs], &numbers[n % outputs * inputs..]);
            let pairs = || x.iter().zip(w).map(|(&x, &w)| (x, f64::from(w)));
            let want = pairs().map(|(x, w)| x * w).sum::<f64>() + f64::from(shift[n % outputs]);
            let lengths: f64 =
                pairs().map(|(x, _)| x * x).sum::<f64>() * pairs().map(|(_, w)| w * w).sum::<f64>();
            worst =
                f64::max(worst, (f64::from(got) - want).abs() / (lengths / inputs as f64).sqrt());
        }
        for count in (1..20).chain([32, 35, 61]) {
            let (mut some, mut few) = (B::Rows::default(), B::Rows::default());
            b.gather(&x, &(0..count).map(|n| n * 2).collect::<Vec<_>>(), &mut some);
            b.linear(&some, &weight, &bias, Activation::Identity, &mut few);
            for (n, row) in read(b, &few).chunks_exact(outputs).enumerate() {
                assert_eq!(row, &all[n * 2 * outputs..][..outputs], "row {n} of {count}");
            }
        }
    }
    worst
}

/// The greatest error of norm and `add_norm`, in units of mean / deviation: so much does f32's
/// rounding of a row with a mean far from 0 grow where the mean is taken away.
pub(crate) fn norm<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(3);
    let mut worst = 0.0;
    for cols in [3, 7, 10, 28, 384, 1000] {
        let (weight, bias) = (random.take(cols), random.take(cols));
        let norm = Norm { weight: vector(b, &weight), bias: vector(b, &bias), eps: 1e-3 };
        for (count, mean, deviation) in
            [(1, 10.0, 1.0), (7, 10.0, 1.0), (130, 10.0, 1.0), (7, 1000.0, 0.1)]
        {
            // a mean far from 0, where the difference of two sums would lose digits
            let (mut x, first) = rows(b, &mut random, count, cols, (mean, deviation));
            let (residual, second) = rows(b, &mut random, count, cols, (mean, deviation));
            let unit = f64::from(mean / deviation);
            b.norm(&mut x, &norm);
            let want = normed(&first, &weight, &bias, 1e-3);
            let got = read(b, &x);
            worst = f64::max(worst, greatest(&got, &want, |_| unit));
            b.add_norm(&mut x, &residual, &norm);
            let sum: Table = got.iter().zip(&second).map(|(&x, y)| f64::from(x) + y).collect();
            let want = normed(&sum, &weight, &bias, 1e-3);
            worst = f64::max(worst, greatest(&read(b, &x), &want, |_| unit));
        }
    }
    worst
}

fn normed(x: &[f64], weight: &[f32], bias: &[f32], eps: f64) -> Table {
    let row = |row: &[f64]| {
        let width = row.len() as f64;
        let mean = row.iter().sum::<f64>() / width;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width;
        let each = row.iter().zip(weight).zip(bias);
        let of = |((x, &w), &b): ((&f64, &f32), &f32)| {
            (x - mean) / (variance + eps).sqrt() * f64::from(w) + f64::from(b)
        };
        each.map(of).collect::<Vec<_>>()
    };
    x.chunks(weight.len()).flat_map(row).collect()
}

/// The greatest error of embeddings, against what a table in this precision holds or, where that
/// is the device's own affair, against the numbers `as_written`.
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
        let norm = Norm { weight: vector(b, &weight), bias: vector(b, &bias), eps: 1e-5 };
        let tables = Embeddings { word, position, token_type: Some(kind), norm };
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

/// The greatest error of attention's results and of its probabilities.
pub(crate) fn attention<B: Backend>(b: &mut B) -> [f64; 2] {
    let mut random = Random(5);
    let mut worst = [0.0, 0.0];
    for (heads, each) in
        [(1, 9), (4, 9), (2, 10), (3, 32), (2, 64), (5, 3), (2, 20), (3, 35), (1, 100)]
    {
        let width = heads * each;
        for lengths in [&[1][..], &[7, 130, 16, 1, 33], &[300]] {
            let mut sequences = Vec::new();
            let mut start = 0;
            for (n, length) in lengths.iter().enumerate() {
                // here and there the first token is masked
                let keys = start + usize::from(n == 2)..start + length;
                sequences.push(Sequence { rows: start..start + length, keys });
                start += length;
            }
            let (qkv, exact) = rows(b, &mut random, start, 3 * width, (0.0, 2.0));
            let (ids, zeros) = (vec![0; start], vec![0; start]);
            let batch = Batch { ids, types: zeros.clone(), positions: zeros, sequences };
            let (want, shares) = attended(&exact, &batch, heads, each);
            let batch = b.upload(batch).unwrap();
            let (mut y, mut p) = (B::Rows::default(), B::Rows::default());
            b.attention(&qkv, &batch, heads, &mut y, Some(&mut p));
            let got = pollster::block_on(b.read(&[&y, &p])).unwrap();
            worst[0] = f64::max(worst[0], greatest(&got[0], &want, |_| 1.0));
            worst[1] = f64::max(worst[1], greatest(&got[1], &shares, |_| 1.0));
        }
    }
    worst
}

/// Results `[rows, width]` and probabilities, for each sequence in turn `[heads, rows, keys]`.
fn attended(qkv: &[f64], batch: &Batch, heads: usize, each: usize) -> (Table, Table) {
    let width = heads * each;
    let part = |row: usize, which: usize, head: usize| {
        &qkv[row * 3 * width + which * width + head * each..][..each]
    };
    let (mut y, mut all) = (vec![0.0; batch.ids.len() * width], Vec::new());
    for sequence in &batch.sequences {
        for head in 0..heads {
            for row in sequence.rows.clone() {
                let score = |key| {
                    let pairs = part(row, 0, head).iter().zip(part(key, 1, head));
                    (pairs.map(|(q, k)| q * k).sum::<f64>() / (each as f64).sqrt()).exp()
                };
                let shares: Table = sequence.keys.clone().map(score).collect();
                let total: f64 = shares.iter().sum();
                for (key, share) in sequence.keys.clone().zip(&shares) {
                    all.push(share / total);
                    for (c, value) in part(key, 2, head).iter().enumerate() {
                        y[row * width + head * each + c] += share / total * value;
                    }
                }
            }
        }
    }
    (y, all)
}

/// Gathers rows, and reads several results at once; both must be exact.
pub(crate) fn gather<B: Backend>(b: &mut B) {
    let mut random = Random(6);
    for cols in [3, 10, 28, 384] {
        let (x, all) = rows(b, &mut random, 130, cols, (0.0, 1.0));
        let numbers = [129, 0, 7, 7, 64];
        let (mut some, mut none) = (B::Rows::default(), B::Rows::default());
        b.gather(&x, &numbers, &mut some);
        b.gather(&x, &[], &mut none);
        let got = pollster::block_on(b.read(&[&some, &none, &x, &some])).unwrap();
        let want: Table = numbers
            .iter()
            .flat_map(|&n| all[n as usize * cols..(n as usize + 1) * cols].iter().copied())
            .collect();
        assert_eq!(wide(&got[0]), want, "{cols} columns");
        assert_eq!(got[1], Vec::<f32>::new());
        assert_eq!(wide(&got[2]), all);
        assert_eq!(got[3], got[0]);
    }
}
