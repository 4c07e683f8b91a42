//! Micro-kernels of int8: multiply a tile of rows by a panel of weights, with the fastest
//! instruction of the processor.

use std::array::from_fn;
use std::hint::black_box;

use bytemuck::Pod;

#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
use super::dot_relaxed;
use crate::quant::{Group, Panel, Quantizer};
use crate::simd::{F32x4, I16x8, I32x4};

/// The instruction that multiplies 8-bit numbers. All variants compute the same sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DotVariant {
    /// u8 × i8 → i32, four products per lane; 128 is added to x (x86 with VNNI).
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Vnni,
    /// i8 × i8 → i32, four products per lane (SDOT of ARM).
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Sdot,
    /// i16 × i16 → i32, two products per lane (PMADDWD of x86).
    Dot16,
    /// i16 × i16 → i16, then widened to i32; two products just fit in i16. For ARM without SDOT,
    /// where engines take three instructions for [`Self::Dot16`].
    Mul16,
}

impl DotVariant {
    /// Returns the fastest variant for this processor.
    pub(crate) fn detect() -> Self {
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        if let Some(variant) = dot_relaxed::detect() {
            return variant;
        }
        // WebAssembly cannot query the processor. x86 sets the sign of the NaNs it creates; other
        // processors do not.
        let nan = black_box(f32::INFINITY) * 0.0;
        if nan.is_sign_negative() { Self::Dot16 } else { Self::Mul16 }
    }
}

/// Four numbers of a row of x, repeated to fill a vector. V8 loads a repeated vector in one
/// instruction, but takes two to repeat the numbers itself.
pub(crate) trait DotOperand: Pod {
    /// Rows of a tile: as many as fit in 15 vector registers beside the operands of an iteration.
    const MR: usize;

    /// Returns the quantizer for the numbers that `variant` multiplies.
    fn quantizer(variant: DotVariant) -> Quantizer;

    /// Returns vectors · inverse, rounded.
    fn quantize(vectors: &[[f32; 4]; 4], inverse: F32x4, quantizer: Quantizer) -> [Self; 4];

    /// Returns rows · panelᵀ as `[R, NR]`; `rows` is `[groups, R]`.
    fn product<const R: usize>(
        rows: &[[Self; R]],
        panel: Panel<'_>,
        variant: DotVariant,
    ) -> [[I32x4; 2]; R];
}

/// Four i16 numbers, stored twice: two products per lane and instruction, on every processor.
impl DotOperand for [i16; 8] {
    const MR: usize = 4;

    fn quantizer(_: DotVariant) -> Quantizer {
        Quantizer::to_i16()
    }

    #[inline(always)]
    fn quantize(vectors: &[[f32; 4]; 4], inverse: F32x4, quantizer: Quantizer) -> [Self; 4] {
        quantizer.to_words(vectors, inverse)
    }

    /// Computes half a panel at a time. A row then has two vectors of sums, each for two columns
    /// and two rows of weights.
    #[inline(always)]
    fn product<const R: usize>(
        rows: &[[Self; R]],
        panel: Panel<'_>,
        variant: DotVariant,
    ) -> [[I32x4; 2]; R] {
        let halves = panel.halves.map(|groups| match variant {
            DotVariant::Mul16 => mul16(rows, groups),
            _ => dot16(rows, groups),
        });
        from_fn(|r| halves.map(|half| I32x4::add_neighbours(half[r][0], half[r][1])))
    }
}

/// Computes the sums of [`DotVariant::Dot16`].
#[inline(always)]
fn dot16<const R: usize>(rows: &[[[i16; 8]; R]], groups: &[Group]) -> [[I32x4; 2]; R] {
    let mut sums = [[I32x4::ZERO; 2]; R];
    for (row, group) in rows.iter().zip(groups) {
        let [low, high] = I16x8::widen(group);
        for r in 0..R {
            let x = I16x8::load(&row[r]);
            sums[r][0] = sums[r][0] + low.dot(x);
            sums[r][1] = sums[r][1] + high.dot(x);
        }
    }
    sums
}

/// Computes the sums of [`DotVariant::Mul16`], two groups at a time: 2 · 127 · 127 is less than
/// 2^15.
#[inline(always)]
fn mul16<const R: usize>(rows: &[[[i16; 8]; R]], groups: &[Group]) -> [[I32x4; 2]; R] {
    let mut sums = [[I32x4::ZERO; 2]; R];
    for ([row, next], [group, after]) in rows.as_chunks().0.iter().zip(groups.as_chunks().0) {
        let (weights, others) = (I16x8::widen(group), I16x8::widen(after));
        for r in 0..R {
            let (x, y) = (I16x8::load(&row[r]), I16x8::load(&next[r]));
            for n in 0..2 {
                sums[r][n] = sums[r][n] + (weights[n] * x + others[n] * y).add_neighbours();
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// Returns a number from -127 to 127; one in three is the greatest or the least.
    fn number(seed: &mut u32) -> i8 {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, _, value, which] = seed.to_le_bytes();
        match which % 6 {
            0 => 127,
            1 => -127,
            _ => i8::from_ne_bytes([value]).max(-127),
        }
    }

    fn sums_are_exact<const R: usize>() {
        let mut seed = 7;
        let groups: [[Group; 8]; 2] = from_fn(|_| from_fn(|_| from_fn(|_| number(&mut seed))));
        let rows: [[[i16; 4]; R]; 8] =
            from_fn(|_| from_fn(|_| from_fn(|_| number(&mut seed).into())));
        let twice = rows.map(|row| row.map(|[a, b, c, d]| [a, b, c, d, a, b, c, d]));
        let want: [[[i32; 4]; 2]; R] = from_fn(|r| {
            from_fn(|half| {
                from_fn(|lane| {
                    let weights = |group: usize, n| i32::from(groups[half][group][4 * lane + n]);
                    let of = |group: usize| {
                        (0..4).map(move |n| i32::from(rows[group][r][n]) * weights(group, n))
                    };
                    (0..8).flat_map(of).sum()
                })
            })
        });
        for product in [dot16, mul16] {
            let got = groups.each_ref().map(|half| product(&twice, half));
            let got: [[[i32; 4]; 2]; R] = from_fn(|r| {
                from_fn(|half| I32x4::add_neighbours(got[half][r][0], got[half][r][1]).to_array())
            });
            assert_eq!(got, want, "{R} rows");
        }
    }

    #[wasm_bindgen_test(unsupported = test)]
    fn sums_of_i16_products_are_exact() {
        sums_are_exact::<1>();
        sums_are_exact::<2>();
        sums_are_exact::<4>();
    }
}
