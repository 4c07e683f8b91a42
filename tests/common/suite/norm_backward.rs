//! LayerNorm for training, and its gradient.

use super::finite_differences::{dot, gradient_error, put};
use super::norm::normed;
use super::*;
use webert::backend::train::Train;

/// Returns the largest errors of the result with its stored values, and of the gradients.
pub(crate) fn norm_backward<B: Train>(b: &mut B) -> [f64; 2] {
    let mut random = Random(14);
    let mut worst = [0.0; 2];
    for (cols, count) in [(5, 1), (3, 5), (7, 1), (10, 33), (28, 2), (384, 6), (130, 40)] {
        for with_residual in [false, true] {
            let (weight, bias) = (random.take(cols), random.take(cols));
            let eps = 1e-3;
            let norm = layer_norm(b, &weight, &bias, eps);
            let (x, mut sum) = put(b, &random.take(count * cols), cols);
            let (residual, others) = put(b, &random.take(count * cols), cols);
            if with_residual {
                sum.iter_mut().zip(&others).for_each(|(x, other)| *x += other);
            }
            let residual = with_residual.then_some(&residual);
            let [mut y, mut normalized, mut inverse] = [(); 3].map(|()| B::Rows::default());
            b.norm_forward(&x, residual, &norm, &mut y, &mut normalized, &mut inverse);
            let (ones, zeros) = (vec![1.0; cols], vec![0.0; cols]);
            let want = normed(&sum, &weight, &bias, eps.into());
            let want_normalized = normed(&sum, &ones, &zeros, eps.into());
            let want_inverse: Table = sum.chunks(cols).map(|row| inverse_root(row, eps)).collect();
            for error in [
                greatest(&read(b, &y), &want, |_| 1.0),
                greatest(&read(b, &normalized), &want_normalized, |_| 1.0),
                greatest(&read(b, &inverse), &want_inverse, |n| want_inverse[n]),
            ] {
                worst[0] = f64::max(worst[0], error);
            }

            let (dy, dys) = put(b, &random.take(count * cols), cols);
            let mut dx = B::Rows::default();
            let (mut dweight, before) = put(b, &random.take(cols), cols);
            let (mut dbias, bias_before) = put(b, &random.take(cols), cols);
            b.norm_backward(&dy, &normalized, &inverse, &norm, &mut dx, &mut dweight, &mut dbias);
            let of_x = |x: &[f64]| dot(&normed(x, &weight, &bias, eps.into()), &dys);
            // Linear in weight and bias. Both gradients include the values from before.
            let scaled = |weight: &[f64]| {
                let products = want_normalized.iter().zip(&dys).enumerate();
                products.map(|(n, (x, dy))| x * dy * weight[n % cols]).sum::<f64>()
            };
            let of_bias = |bias: &[f64]| {
                dys.iter().enumerate().map(|(n, dy)| dy * bias[n % cols]).sum::<f64>()
            };
            for error in [
                gradient_error(&read(b, &dx), &sum, of_x),
                gradient_error(&read(b, &dweight), &wide(&weight), |w| scaled(w) + dot(w, &before)),
                gradient_error(&read(b, &dbias), &wide(&bias), |b| {
                    of_bias(b) + dot(b, &bias_before)
                }),
            ] {
                worst[1] = f64::max(worst[1], error);
            }
        }
    }
    worst
}

fn inverse_root(row: &[f64], eps: f32) -> f64 {
    let width = row.len() as f64;
    let mean = row.iter().sum::<f64>() / width;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width;
    1.0 / (variance + f64::from(eps)).sqrt()
}
