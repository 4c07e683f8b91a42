//! The gradients of selected rows, and of means over sequences.

use super::finite_differences::{dot, gradient_error, put, ranges};
use super::*;
use std::ops::Range;
use webert::backend::train::Train;

/// Returns the largest error of the gradient of a gather.
pub(crate) fn gather_backward<B: Train>(b: &mut B) -> f64 {
    let mut random = Random(18);
    let mut worst = 0.0;
    for (cols, numbers) in [(1, &[2][..]), (3, &[8, 0, 7, 7, 7]), (28, &[]), (384, &[1, 1, 8])] {
        let x = wide(&random.take(9 * cols));
        let (dy, dys) = put(b, &random.take(numbers.len() * cols), cols);
        let (mut dx, before) = put(b, &random.take(9 * cols), cols);
        b.gather_backward(&dy, numbers, &mut dx);
        let gathered = |x: &[f64]| -> Table {
            numbers.iter().flat_map(|&n| x[n as usize * cols..][..cols].to_vec()).collect()
        };
        let loss = |x: &[f64]| dot(&gathered(x), &dys) + dot(x, &before);
        worst = f64::max(worst, gradient_error(&read(b, &dx), &x, loss));
    }
    worst
}

/// Returns the largest errors of means over sequences and of their gradient.
pub(crate) fn mean_pool<B: Train>(b: &mut B) -> [f64; 2] {
    let mut random = Random(19);
    let mut worst = [0.0; 2];
    for (cols, sequences) in
        [(1, &[0, 1][..]), (3, &[1, 9, 0, 1]), (28, &[0, 4, 5, 6, 6, 9]), (384, &[0, 9])]
    {
        let sequences = ranges(sequences);
        let (x, exact) = put(b, &random.take(9 * cols), cols);
        let mut y = B::Rows::default();
        b.mean_pool(&x, &sequences, &mut y);
        let want = means(&exact, &sequences, cols);
        worst[0] = f64::max(worst[0], greatest(&read(b, &y), &want, |_| 1.0));
        let (dy, dys) = put(b, &random.take(sequences.len() * cols), cols);
        let (mut dx, before) = put(b, &random.take(9 * cols), cols);
        b.mean_pool_backward(&dy, &sequences, &mut dx);
        let loss = |x: &[f64]| dot(&means(x, &sequences, cols), &dys) + dot(x, &before);
        worst[1] = f64::max(worst[1], gradient_error(&read(b, &dx), &exact, loss));
    }
    worst
}

fn means(x: &[f64], sequences: &[Range<usize>], cols: usize) -> Table {
    let mean = |rows: &Range<usize>, c: usize| {
        rows.clone().map(|row| x[row * cols + c]).sum::<f64>() / rows.len() as f64
    };
    sequences.iter().flat_map(|rows| (0..cols).map(move |c| mean(rows, c))).collect()
}
