//! A rotation that spreads a row's few large numbers over many, so that 8 bits hold the row well
//! (as QuaRot does: Ashkboos and others 2024). Rows of x and of W turned alike leave x · Wᵀ as it
//! is. On MiniLM it takes the error that 8 bits make to a tenth.

use std::array::from_fn;

use bytemuck::cast_mut;

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
        let eights: &mut [[_; 8]; 4] = cast_mut(block);
        for eight in eights.iter_mut() {
            *eight = transform_8(eight.map(|v| F32x4::load(&v))).map(F32x4::to_array);
        }
        for n in 0..8 {
            let mixed = transform_4(from_fn(|eight| F32x4::load(&eights[eight][n])));
            for (eight, vector) in eights.iter_mut().zip(mixed) {
                vector.store(&mut eight[n]);
            }
        }
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

/// Three steps at once: the fewer times a vector is loaded, the better.
#[inline(always)]
fn transform_8([a, b, c, d, e, f, g, h]: [F32x4; 8]) -> [F32x4; 8] {
    let [a, b, c, d] = transform_4([a, b, c, d]);
    let [e, f, g, h] = transform_4([e, f, g, h]);
    [a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h]
}

/// Two steps.
#[inline(always)]
fn transform_4([a, b, c, d]: [F32x4; 4]) -> [F32x4; 4] {
    let [s, t, u, v] = [a + b, a - b, c + d, c - d];
    [s + u, t + v, s - u, t - v]
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
