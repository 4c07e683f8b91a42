//! Linear layers in floats.

use super::activation::activate;
use super::*;

/// Returns the largest error of a linear layer, in units of Σ |x · w|.
pub(crate) fn linear<B: Backend>(b: &mut B, precision: Precision) -> f64 {
    let shapes = [(10, 28), (28, 10), (10, 3), (384, 130), (96, 515), (1100, 20)];
    linear_of(b, precision, &shapes, &[1, 2, 3, 4, 5, 7, 33, 130, 300])
}

/// Like [`linear`], for these inputs and outputs, and these numbers of rows.
pub(crate) fn linear_of<B: Backend>(
    b: &mut B,
    precision: Precision,
    shapes: &[(usize, usize)],
    counts: &[usize],
) -> f64 {
    let mut random = Random(2);
    let mut worst = 0.0;
    for &(inputs, outputs) in shapes {
        let (weight, exact) = matrix(b, &random.take(inputs * outputs), inputs, precision);
        let shift = random.take(outputs);
        let bias = vector(b, &shift);
        for (&count, activation) in counts.iter().zip(Activation::ALL.iter().cycle()) {
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
