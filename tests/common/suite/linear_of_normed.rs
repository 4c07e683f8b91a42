//! Linear layers over rows that the layer itself may normalize.

use super::norm::normed;
use super::*;

/// Returns the largest errors of x = norm(x + residual), of a linear layer over x, and of a norm
/// after the layer, in units of 1, of Σ |x · w| and of 1, for these inputs and outputs and these
/// numbers of rows.
pub(crate) fn linear_of_normed<B: Backend>(
    b: &mut B,
    precision: Precision,
    shapes: &[(usize, usize)],
    counts: &[usize],
) -> [f64; 3] {
    let mut random = Random(31);
    let mut worst = [0.0; 3];
    for &(inputs, outputs) in shapes {
        let (weight, exact) = matrix(b, &random.take(inputs * outputs), inputs, precision);
        let shift = random.take(outputs);
        let bias = vector(b, &shift);
        let (scale, offset) = (random.take(inputs), random.take(inputs));
        let norm = layer_norm(b, &scale, &offset, 1e-3);
        let last = layer_norm(b, &shift, &shift, 1e-3);
        for &count in counts {
            let (mut x, first) = rows(b, &mut random, count, inputs, (3.0, 1.0));
            let (residual, second) = rows(b, &mut random, count, inputs, (-1.0, 2.0));
            let mut y = B::Rows::default();
            b.add_norm(&mut x, &residual, &norm);
            b.linear(&x, &weight, &bias, Activation::Identity, &mut y);
            let sum: Table = first.iter().zip(&second).map(|(a, b)| a + b).collect();
            let x_normed = normed(&sum, &scale, &offset, 1e-3);
            let at = |n: usize| {
                let (x, w) = (&x_normed[n / outputs * inputs..], &exact[n % outputs * inputs..]);
                x.iter().zip(w).take(inputs).map(|(x, w)| x * w)
            };
            let want: Table = (0..count * outputs)
                .map(|n| at(n).sum::<f64>() + f64::from(shift[n % outputs]))
                .collect();
            let size = |n| at(n).map(f64::abs).sum();
            let got = read(b, &y);
            worst[1] = f64::max(worst[1], greatest(&got, &want, size));
            worst[0] = f64::max(worst[0], greatest(&read(b, &x), &x_normed, |_| 1.0));
            let (residual, third) = rows(b, &mut random, count, outputs, (0.5, 1.0));
            b.linear(&x, &weight, &bias, Activation::Identity, &mut y);
            b.add_norm(&mut y, &residual, &last);
            let sum: Table = got.iter().zip(&third).map(|(&a, b)| f64::from(a) + b).collect();
            let want = normed(&sum, &shift, &shift, 1e-3);
            worst[2] = f64::max(worst[2], greatest(&read(b, &y), &want, |_| 1.0));
        }
    }
    worst
}
