//! The products of 8-bit numbers, by the best instruction there is.

use std::array::from_fn;
use std::hint::black_box;

use bytemuck::Pod;

use crate::int8::{Group, Panel, Rounding};
use crate::integer::{I16x8, I32x4};
use crate::simd::F32x4;

#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod bytes;

/// How a processor multiplies 8-bit numbers fastest. The sums are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// As bytes, of which those of rows are unsigned, with 128 added (x86 with VNNI).
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    UnsignedBytes,
    /// As bytes (ARM).
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    SignedBytes,
    /// As words whose products are summed two by two in 32 bits, which x86 has an instruction for.
    Wide,
    /// As words whose products are summed two by two in 16 bits, in which they just fit (ARM, where
    /// engines take three instructions for x86's one).
    Narrow,
}

impl Way {
    /// That of this processor.
    pub(crate) fn of_processor() -> Self {
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        if let Some(way) = bytes::way() {
            return way;
        }
        // x86 gives a sign to the NaNs it makes, others do not
        let nan = black_box(f32::INFINITY) * 0.0;
        if nan.is_sign_negative() { Self::Wide } else { Self::Narrow }
    }
}

/// Four numbers of a row, as the processor's best instruction wants them: as often as they fill a
/// vector, because V8 loads such a one in one instruction and takes two to repeat numbers itself.
pub(crate) trait Factor: Pod {
    /// Rows of a tile: as many as leave what a turn of its loop holds in 15 vector registers.
    const ROWS: usize;

    /// What rounds to the numbers that a way wants.
    fn rounding(way: Way) -> Rounding;

    /// Numbers times `by`, rounded.
    fn round(vectors: &[[f32; 4]; 4], by: F32x4, rounding: Rounding) -> [Self; 4];

    /// rows · panelᵀ for R rows.
    fn product<const R: usize>(rows: &[[Self; R]], panel: Panel<'_>, way: Way) -> [[I32x4; 2]; R];
}

/// Words, twice: two products an instruction and lane, everywhere.
impl Factor for [i16; 8] {
    const ROWS: usize = 5;

    fn rounding(_: Way) -> Rounding {
        Rounding::to_words()
    }

    #[inline(always)]
    fn round(vectors: &[[f32; 4]; 4], by: F32x4, rounding: Rounding) -> [Self; 4] {
        rounding.words(vectors, by)
    }

    /// Half a panel at a time, whose products of two columns each take two vectors a row.
    #[inline(always)]
    fn product<const R: usize>(rows: &[[Self; R]], panel: Panel<'_>, way: Way) -> [[I32x4; 2]; R] {
        let halves = panel.halves.map(|groups| match way {
            Way::Narrow => narrow(rows, groups),
            _ => wide(rows, groups),
        });
        from_fn(|r| halves.map(|half| I32x4::pairs(half[r][0], half[r][1])))
    }
}

#[inline(always)]
fn wide<const R: usize>(rows: &[[[i16; 8]; R]], groups: &[Group]) -> [[I32x4; 2]; R] {
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

/// Two groups at a time: 2 · 127 · 127 is less than 2^15.
#[inline(always)]
fn narrow<const R: usize>(rows: &[[[i16; 8]; R]], groups: &[Group]) -> [[I32x4; 2]; R] {
    let mut sums = [[I32x4::ZERO; 2]; R];
    for ([row, next], [group, after]) in rows.as_chunks().0.iter().zip(groups.as_chunks().0) {
        let (weights, others) = (I16x8::widen(group), I16x8::widen(after));
        for r in 0..R {
            let (x, y) = (I16x8::load(&row[r]), I16x8::load(&next[r]));
            for n in 0..2 {
                sums[r][n] = sums[r][n] + (weights[n] * x + others[n] * y).pairs();
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// A number from -127 to 127, one in three of them the greatest or the least.
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
        for product in [wide, narrow] {
            let got = groups.each_ref().map(|half| product(&twice, half));
            let got: [[[i32; 4]; 2]; R] = from_fn(|r| {
                from_fn(|half| I32x4::pairs(got[half][r][0], got[half][r][1]).to_array())
            });
            assert_eq!(got, want, "{R} rows");
        }
    }

    #[wasm_bindgen_test(unsupported = test)]
    fn words_give_exact_sums_either_way() {
        sums_are_exact::<1>();
        sums_are_exact::<2>();
        sums_are_exact::<5>();
    }
}
