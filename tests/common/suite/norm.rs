//! LayerNorm, with and without a residual.

use super::*;

/// Returns the largest error of norm and `add_norm`, in units of mean / deviation. Subtracting the
/// mean magnifies the f32 rounding of a row by this factor.
pub(crate) fn norm<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(3);
    let mut worst = 0.0;
    for cols in [3, 7, 10, 28, 384, 1000] {
        let (weight, bias) = (random.take(cols), random.take(cols));
        let norm = layer_norm(b, &weight, &bias, 1e-3);
        for (count, mean, deviation) in
            [(1, 10.0, 1.0), (7, 10.0, 1.0), (130, 10.0, 1.0), (7, 1000.0, 0.1)]
        {
            // The mean is far from 0, where the difference of two sums would lose digits.
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

pub(super) fn normed(x: &[f64], weight: &[f32], bias: &[f32], eps: f64) -> Table {
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
