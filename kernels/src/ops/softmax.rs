//! Exponentials of a row, for the losses: softmax(x) = e^(x - max x) / Σ e^(x - max x).

use crate::simd::{F32x4, Math};

/// Replaces each x by e^(x - maximum). Returns the maximum and the sum of the new values. NaN stays
/// NaN.
pub(super) fn exponentials(row: &mut [f32]) -> (f32, f64) {
    let maximum = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (math, shift) = (Math::new(), F32x4::splat(maximum));
    let exp = |x: [f32; 4]| math.exp(F32x4::load(&x) - shift);
    // A vocabulary of 30,000 is too long for one f32 sum, so each chunk has its own.
    let mut total = 0.0;
    for chunk in row.chunks_mut(256) {
        let (vectors, rest) = chunk.as_chunks_mut::<4>();
        let mut sum = F32x4::ZERO;
        for x in vectors {
            let e = exp(*x);
            sum = sum + e;
            e.store(x);
        }
        total += f64::from(sum.sum());
        for x in rest {
            *x = exp([*x; 4]).to_array()[0];
            total += f64::from(*x);
        }
    }
    (maximum, total)
}
