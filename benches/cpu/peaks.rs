//! The peak rates of a thread: loops with the instructions of the kernels and nothing else.

use std::hint::black_box;

use core::arch::wasm32::{
    f32x4_add, f32x4_extract_lane, f32x4_splat, i32x4_add, i32x4_extract_lane, i32x4_splat, v128,
};
#[cfg(not(target_feature = "relaxed-simd"))]
use core::arch::wasm32::{f32x4_mul, i32x4_dot_i16x8};
#[cfg(target_feature = "relaxed-simd")]
use core::arch::wasm32::{f32x4_relaxed_madd, i32x4_relaxed_dot_i8x16_i7x16_add};

/// Number of independent sums: as many as in a tile, so that none waits for another.
const SUMS: usize = 12;

/// Runs `steps` steps of one f32 multiply-add per sum. Returns the number of operations.
#[inline(never)]
pub(crate) fn single(steps: usize) -> f64 {
    let x = f32x4_splat(1e-9);
    let sum = run(steps, x, |x, sum| {
        #[cfg(target_feature = "relaxed-simd")]
        return f32x4_relaxed_madd(x, x, sum);
        #[cfg(not(target_feature = "relaxed-simd"))]
        return f32x4_add(f32x4_mul(x, sum), x);
    });
    black_box(f32x4_extract_lane::<0>(f32x4_add(sum, x)));
    2.0 * 4.0 * (SUMS * steps) as f64
}

/// Like [`single`], with products of 8 bits (relaxed SIMD) or 16 bits (otherwise).
#[inline(never)]
pub(crate) fn int8(steps: usize) -> f64 {
    let x = i32x4_splat(0x0101_0101);
    let sum = run(steps, x, |x, sum| {
        #[cfg(target_feature = "relaxed-simd")]
        return i32x4_relaxed_dot_i8x16_i7x16_add(x, x, sum);
        #[cfg(not(target_feature = "relaxed-simd"))]
        return i32x4_add(i32x4_dot_i16x8(x, sum), x);
    });
    black_box(i32x4_extract_lane::<0>(i32x4_add(sum, x)));
    let each = if cfg!(target_feature = "relaxed-simd") { 16.0 } else { 8.0 };
    2.0 * each * (SUMS * steps) as f64
}

#[inline(always)]
fn run(steps: usize, x: v128, step: impl Fn(v128, v128) -> v128) -> v128 {
    let mut sums = [i32x4_splat(0); SUMS];
    for _ in 0..steps {
        // Otherwise the compiler places two steps of a sum next to each other, and the second
        // waits.
        let x = black_box(x);
        sums = sums.map(|sum| step(x, sum));
    }
    sums.into_iter().fold(i32x4_splat(0), |a, b| i32x4_add(a, b))
}
