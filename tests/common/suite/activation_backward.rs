//! Activations on their own, and their gradients.

use super::activation::activate;
use super::finite_differences::put;
use super::*;
use webert::backend::train::Train;

/// Returns the largest errors of each activation and its derivative over ±12, by name.
pub(crate) fn activation_backward<B: Train>(b: &mut B) -> Vec<(String, [f64; 2])> {
    // Skips 0, where ReLU has no derivative.
    let points: Vec<f32> = (-6000..6001).map(|n| (n as f32 + 0.5) / 500.0).collect();
    let (z, exact) = put(b, &points, 11);
    let error = |activation| {
        let mut y = B::Rows::default();
        b.activation(&z, activation, &mut y);
        let want: Table = exact.iter().map(|&x| activate(activation, x)).collect();
        let mut forward = greatest(&read(b, &y), &want, |n| want[n].abs().max(1.0));
        // A device may pad rows. The padding must be 0, as gradients and their norms read it.
        let (mut total, _) = put(b, &[0.0], 1);
        b.sum_of_squares(&y, &mut total);
        let sum = want.iter().map(|y| y * y).sum::<f64>();
        forward = forward.max(greatest(&read(b, &total), &[sum], |_| sum));
        let upstream = Random(11).take(points.len());
        let (mut dy, _) = put(b, &upstream, 11);
        b.activation_backward(&z, activation, &mut dy);
        let derivative = |x: f64| {
            let step = 1e-5;
            (activate(activation, x + step) - activate(activation, x - step)) / (2.0 * step)
        };
        let pairs = exact.iter().zip(&upstream);
        let want: Table = pairs.map(|(&x, &dy)| f64::from(dy) * derivative(x)).collect();
        let backward = greatest(&read(b, &dy), &want, |n| want[n].abs().max(1.0));
        (format!("{activation:?}"), [forward, backward])
    };
    Activation::ALL.iter().copied().map(error).collect()
}
