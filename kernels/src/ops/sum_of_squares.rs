//! Sum of squares, for the norm of a gradient.

use crate::simd::F32x4;
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Numbers per partial sum. The parts must not depend on the number of threads: the result would
/// change with it.
const PART: usize = 1 << 13;

/// Adds the sum of the squares of `x` to `total`, `[1, 1]`.
pub fn sum_of_squares(x: &Rows, total: &mut Rows, workspace: &mut Workspace) {
    let mut partial = vec![0.0; x.data.len().div_ceil(PART)];
    let parts = x.data.chunks(PART).zip(&mut partial);
    parallel_items(&mut workspace.threads, parts, &|_, (x, sum)| *sum = f64::from(squares(x)));
    total.data[0] += partial.iter().sum::<f64>() as f32;
}

fn squares(x: &[f32]) -> f32 {
    let (groups, rest) = x.as_chunks::<16>();
    let mut sums = [F32x4::ZERO; 4];
    for group in groups {
        for (sum, x) in sums.iter_mut().zip(group.as_chunks::<4>().0) {
            let x = F32x4::load(x);
            *sum = x.mul_add(x, *sum);
        }
    }
    let [a, b, c, d] = sums;
    rest.iter().fold(((a + b) + (c + d)).sum(), |sum, x| sum + x * x)
}
