//! The products of 8-bit numbers, by the best instruction there is.

use std::array::from_fn;

use bytemuck::Pod;

use crate::int8::{Panel, Rounding};
use crate::integer::{I16x8, I32x4};
use crate::simd::F32x4;

#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod bytes;

#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub(crate) use bytes::unsigned_bytes;

/// Four numbers of a row, as the processor's best instruction wants them: as often as they fill a
/// vector, because V8 loads such a one in one instruction and takes two to repeat numbers itself.
pub(crate) trait Factor: Pod {
    /// Rows of a tile: as many as leave what a turn of its loop holds in 15 vector registers.
    const ROWS: usize;

    /// `unsigned`: bytes are wanted with 128 added.
    fn rounding(unsigned: bool) -> Rounding;

    /// Numbers times `by`, rounded.
    fn round(vectors: &[[f32; 4]; 4], by: F32x4, rounding: Rounding) -> [Self; 4];

    /// rows · panelᵀ for R rows.
    fn product<const R: usize>(
        rows: &[[Self; R]],
        panel: Panel<'_>,
        unsigned: bool,
    ) -> [[I32x4; 2]; R];
}

/// Words, twice: two products an instruction and lane, everywhere.
impl Factor for [i16; 8] {
    const ROWS: usize = 5;

    fn rounding(_: bool) -> Rounding {
        Rounding::to_words()
    }

    #[inline(always)]
    fn round(vectors: &[[f32; 4]; 4], by: F32x4, rounding: Rounding) -> [Self; 4] {
        rounding.words(vectors, by)
    }

    /// Half a panel at a time, whose products of two columns each take two vectors a row.
    #[inline(always)]
    fn product<const R: usize>(rows: &[[Self; R]], panel: Panel<'_>, _: bool) -> [[I32x4; 2]; R] {
        let [first, second] = panel.halves.map(|groups| {
            let mut pairs = [[I32x4::ZERO; 2]; R];
            for (row, group) in rows.iter().zip(groups) {
                let [low, high] = I16x8::widen(group);
                for r in 0..R {
                    let x = I16x8::load(&row[r]);
                    pairs[r][0] = pairs[r][0] + low.dot(x);
                    pairs[r][1] = pairs[r][1] + high.dot(x);
                }
            }
            pairs.map(|[low, high]| I32x4::pairs(low, high))
        });
        from_fn(|r| [first[r], second[r]])
    }
}
