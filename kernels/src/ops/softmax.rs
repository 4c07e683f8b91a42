//! The exponentials of a row, for the losses.

use crate::simd::{F32x4, Math};

/// Each x becomes e^(x - maximum); gives the maximum and the sum of what the row becomes. NaN stays NaN.
pub(super) fn exponentials(row: &mut [f32]) -> (f32, f64) {
    let maximum = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (math, shift) = (Math::new(), F32x4::splat(maximum));
    let exp = |x: [f32; 4]| math.exp(F32x4::load(&x) - shift);
    // a vocabulary is too long for one sum in f32
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
