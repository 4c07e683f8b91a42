//! int8 against an oracle that quantizes like the shaders (shared/quantize.wgsl), number by number.

use super::activation::activate;
use super::norm::normed;
use super::*;

const BLOCK: usize = 32;

/// Rotates blocks of 32 columns: multiplies their groups by the Hadamard matrix of order 8. If
/// `quantized`, rounds each block to 8 bits. Returns `[rows, columns in whole blocks]`.
fn rotated(values: &[f64], cols: usize, quantized: bool) -> Table {
    let mut all = Vec::new();
    for block in values.chunks(cols).flat_map(|row| row.chunks(BLOCK)) {
        let at = |n: usize| block.get(n).copied().unwrap_or_default();
        let sum = |n: usize| {
            let signed =
                |g: usize| if (g & (n / 4)).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
            (0..8).map(|g| signed(g) * at(4 * g + n % 4)).sum::<f64>()
        };
        let rotated: Table = (0..BLOCK).map(sum).collect();
        let greatest = rotated.iter().fold(0.0, |max, v| f64::max(max, v.abs()));
        // In f32, because the last bit decides between two integers.
        let inverse = 127.0 / greatest as f32;
        let round = |v: f64| f64::from((v as f32 * inverse).round()) / 127.0 * greatest;
        all.extend(rotated.iter().map(|&v| if quantized && greatest > 0.0 { round(v) } else { v }));
    }
    all
}

/// Returns numbers with few digits, so that sums of eight are exact.
fn coarse(random: &mut Random, count: usize) -> Vec<f32> {
    random.take(count).into_iter().map(|v| (v * 64.0).round() / 64.0).collect()
}

/// Inputs and outputs of the layers.
const SHAPES: [(usize, usize); 5] = [(10, 28), (28, 10), (384, 130), (96, 515), (100, 3)];

/// Returns the error of a linear layer in units of Σ |x · w|: the largest, and the share of results
/// whose error exceeds the rounding of 32-bit sums. A number halfway between two integers may be
/// rounded to either. With `integers`, x is rounded as well.
pub(crate) fn linear<B: Backend>(b: &mut B, integers: bool) -> [f64; 2] {
    linear_of(b, integers, &SHAPES, &[1, 2, 3, 4, 5, 7, 33, 130])
}

/// As [`linear`], for layers of these inputs and outputs over these numbers of rows.
pub(crate) fn linear_of<B: Backend>(
    b: &mut B,
    integers: bool,
    shapes: &[(usize, usize)],
    counts: &[usize],
) -> [f64; 2] {
    let mut random = Random(7);
    let (mut worst, mut many, mut all) = (0.0, 0, 0);
    for &(inputs, outputs) in shapes {
        let values = coarse(&mut random, inputs * outputs);
        let (weight, _) = matrix(b, &values, inputs, Precision::I8);
        let exact = rotated(&wide(&values), inputs, true);
        let shift = random.take(outputs);
        let bias = vector(b, &shift);
        for (count, activation) in counts.iter().copied().zip(Activation::ALL.iter().cycle()) {
            let (x, rows) = rows(b, &mut random, count, inputs, (0.1, 1.0));
            let rows = rotated(&rows, inputs, integers);
            let mut y = B::Rows::default();
            b.linear(&x, &weight, &bias, *activation, &mut y);
            let padded = inputs.next_multiple_of(BLOCK);
            for (n, got) in read(b, &y).iter().enumerate() {
                let (x, w) = (&rows[n / outputs * padded..], &exact[n % outputs * padded..]);
                // Both operands are rotated, and the square of the matrix is 8.
                let products = x.iter().zip(w).take(padded).map(|(x, w)| x * w / 8.0);
                let (sum, size) = products.fold((0.0, 0.0), |(s, t), p| (s + p, t + p.abs()));
                let want = activate(*activation, sum + f64::from(shift[n % outputs]));
                let error = (f64::from(*got) - want).abs() / f64::max(size, 1.0);
                worst = f64::max(worst, if error.is_nan() { f64::INFINITY } else { error });
                many += usize::from(error > 1e-6);
                all += 1;
            }
        }
    }
    [worst, many as f64 / all as f64]
}

/// Returns the largest error of embeddings.
pub(crate) fn embed<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(8);
    let mut worst = 0.0;
    for cols in [10, 28, 100, 384] {
        let values = coarse(&mut random, 50 * cols);
        let (word, _) = matrix(b, &values, cols, Precision::I8);
        let (position, _) = matrix(b, &vec![0.0; cols], cols, Precision::I8);
        let (weight, bias) = (random.take(cols), random.take(cols));
        let norm = layer_norm(b, &weight, &bias, 1e-5);
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let batch = b.upload(batch(50)).unwrap();
        let mut y = B::Rows::default();
        b.embed(&tables, &batch, &mut y);
        // Quantized in rotated blocks, then rotated back.
        let padded = cols.next_multiple_of(BLOCK);
        let back = rotated(&rotated(&wide(&values), cols, true), padded, false);
        let of = |row: &[f64]| row[..cols].iter().map(|v| v / 8.0).collect::<Vec<_>>();
        let table: Table = back.chunks(padded).flat_map(of).collect();
        let want = normed(&table, &weight, &bias, 1e-5);
        worst = f64::max(worst, greatest(&read(b, &y), &want, |_| 1.0));
    }
    worst
}
