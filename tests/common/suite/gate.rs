//! The gate of a feed-forward layer.

use super::*;

/// Returns the largest error.
pub(crate) fn gate<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(23);
    let mut worst = 0.0;
    for (count, width) in [(1, 1), (5, 7), (9, 44), (3, 130)] {
        let (x, exact) = rows(b, &mut random, count, 2 * width, (0.0, 2.0));
        let halves = exact.chunks(2 * width).map(|row| row.split_at(width));
        let product = |(a, b): (&f64, &f64)| a * b / (1.0 + (-a).exp());
        let want: Table = halves.flat_map(|(a, b)| a.iter().zip(b).map(product)).collect();
        let mut y = B::Rows::default();
        b.gate(&x, Activation::Silu, &mut y);
        worst = f64::max(worst, greatest(&read(b, &y), &want, |n| want[n].abs()));
    }
    worst
}
