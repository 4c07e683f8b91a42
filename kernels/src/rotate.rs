//! A rotation that spreads a row's few large numbers over many, so that 8 bits hold the row well
//! (as QuaRot does: Ashkboos and others 2024). Rows of x and of W turned alike leave x · Wᵀ as it
//! is. On MiniLM it takes the error that 8 bits make to a tenth.

use std::array::from_fn;

use crate::simd::F32x4;

/// Vectors of four lanes that mix at most; with 32 the error is as small as with 128.
const ORDER: usize = 32;

/// What [`rotate`] multiplies the length of a row by: multiplications are left to who has some
/// anyway.
pub(crate) const GAIN: f32 = 4.0 * std::f32::consts::SQRT_2; // √ORDER

/// Turns a row in place, and makes it [`GAIN`] times as long; a second turn brings it back, longer
/// again. Blocks of vectors, a power of two of them, are multiplied lane by lane by a Hadamard
/// matrix (Sylvester's). Up to three last columns stay where they are.
pub(crate) fn rotate(row: &mut [f32]) {
    let (vectors, last) = row.as_chunks_mut::<4>();
    let (blocks, mut rest) = vectors.as_chunks_mut::<ORDER>();
    for block in blocks {
        transform::<8, 1>(block);
        transform::<4, 8>(block);
    }
    for value in rest.as_flattened_mut().iter_mut().chain(last) {
        *value *= GAIN;
    }
    while !rest.is_empty() {
        let (block, more) = rest.split_at_mut(1 << rest.len().ilog2());
        let mut stride = 1;
        while stride < block.len() {
            block.chunks_exact_mut(2 * stride).for_each(halves);
            stride *= 2;
        }
        let scale = 1.0 / (block.len() as f32).sqrt();
        block.as_flattened_mut().iter_mut().for_each(|value| *value *= scale);
        rest = more;
    }
}

/// As many steps of the fast transform at once as mix ORDER vectors, STRIDE apart: the fewer times
/// a vector is loaded, the better.
#[inline(always)]
fn transform<const ORDER: usize, const STRIDE: usize>(block: &mut [[f32; 4]]) {
    for group in block.chunks_exact_mut(ORDER * STRIDE) {
        for first in 0..STRIDE {
            let mut mixed: [_; ORDER] = from_fn(|n| F32x4::load(&group[first + n * STRIDE]));
            let mut step = 1;
            while step < ORDER {
                for n in (0..ORDER).filter(|n| n & step == 0) {
                    let (a, b) = (mixed[n], mixed[n + step]);
                    (mixed[n], mixed[n + step]) = (a + b, a - b);
                }
                step *= 2;
            }
            for (n, vector) in mixed.into_iter().enumerate() {
                vector.store(&mut group[first + n * STRIDE]);
            }
        }
    }
}

/// One step: the sums and the differences of both halves.
#[inline(always)]
fn halves(block: &mut [[f32; 4]]) {
    let (a, b) = block.split_at_mut(block.len() / 2);
    for (a, b) in a.iter_mut().zip(b) {
        let (x, y) = (F32x4::load(a), F32x4::load(b));
        (x + y).store(a);
        (x - y).store(b);
    }
}
