//! Rotation by Hadamard matrices. It spreads a row's few large numbers (outliers) over many, so
//! that 8 bits hold the row well (QuaRot: Ashkboos et al. 2024). x · Wᵀ stays the same if rows of x
//! and of W are rotated alike. On MiniLM the quantization error becomes a tenth.

use std::array::from_fn;

use bytemuck::cast_mut;

use crate::simd::F32x4;

/// Order of the largest Hadamard matrix, in vectors of four lanes. With 32 the error is as small as
/// with 128.
const ORDER: usize = 32;

/// Factor by which [`rotate`] lengthens a row. Callers multiply by a scale anyway, so they also
/// normalise.
pub(crate) const ROTATION_GAIN: f32 = 4.0 * std::f32::consts::SQRT_2; // √ORDER

/// Rotates a row in place and multiplies it by [`ROTATION_GAIN`]. A second rotation restores the
/// row, multiplied by the gain twice.
///
/// Blocks of 2ⁿ vectors are multiplied, lane by lane, by Sylvester's Hadamard matrix. Up to three
/// last columns are not rotated.
pub(crate) fn rotate(row: &mut [f32]) {
    let (vectors, last) = row.as_chunks_mut::<4>();
    let (blocks, mut rest) = vectors.as_chunks_mut::<ORDER>();
    for block in blocks {
        let eights: &mut [[_; 8]; 4] = cast_mut(block);
        for eight in eights.iter_mut() {
            *eight = transform_8(eight.map(|v| F32x4::load(&v))).map(F32x4::to_array);
        }
        for n in 0..8 {
            let sums = transform_4(from_fn(|eight| F32x4::load(&eights[eight][n])));
            for (eight, vector) in eights.iter_mut().zip(sums) {
                vector.store(&mut eight[n]);
            }
        }
    }
    // Blocks shorter than ORDER normalise themselves below, so they take the gain of the others
    // here.
    for value in rest.as_flattened_mut().iter_mut().chain(last) {
        *value *= ROTATION_GAIN;
    }
    while !rest.is_empty() {
        let (block, more) = rest.split_at_mut(1 << rest.len().ilog2());
        let mut stride = 1;
        while stride < block.len() {
            block.chunks_exact_mut(2 * stride).for_each(butterflies);
            stride *= 2;
        }
        let scale = 1.0 / (block.len() as f32).sqrt();
        block.as_flattened_mut().iter_mut().for_each(|value| *value *= scale);
        rest = more;
    }
}

/// Computes three stages of butterflies at once, to load each vector once.
#[inline(always)]
fn transform_8([a, b, c, d, e, f, g, h]: [F32x4; 8]) -> [F32x4; 8] {
    let [a, b, c, d] = transform_4([a, b, c, d]);
    let [e, f, g, h] = transform_4([e, f, g, h]);
    [a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h]
}

/// Computes two stages of butterflies.
#[inline(always)]
fn transform_4([a, b, c, d]: [F32x4; 4]) -> [F32x4; 4] {
    let [s, t, u, v] = [a + b, a - b, c + d, c - d];
    [s + u, t + v, s - u, t - v]
}

/// Computes one stage of butterflies: the sums and the differences of both halves.
#[inline(always)]
fn butterflies(block: &mut [[f32; 4]]) {
    let (a, b) = block.split_at_mut(block.len() / 2);
    for (a, b) in a.iter_mut().zip(b) {
        let (x, y) = (F32x4::load(a), F32x4::load(b));
        (x + y).store(a);
        (x - y).store(b);
    }
}
