//! Bytes, four times: four products an instruction and lane, where relaxed SIMD has them in full.

use std::array::from_fn;
use std::hint::black_box;

use bytemuck::cast;

use super::{Factor, Way};
use crate::int8::{Panel, Rounding};
use crate::integer::I32x4;
use crate::simd::F32x4;

impl Factor for [i8; 16] {
    const ROWS: usize = 6;

    fn rounding(way: Way) -> Rounding {
        Rounding::to_bytes(way == Way::UnsignedBytes)
    }

    #[inline(always)]
    fn round(vectors: &[[f32; 4]; 4], by: F32x4, rounding: Rounding) -> [Self; 4] {
        cast(rounding.bytes(vectors, by).lanes())
    }

    /// As many groups at a time as make eight sums or more: with fewer, each would wait for itself.
    #[inline(always)]
    fn product<const R: usize>(rows: &[[Self; R]], panel: Panel<'_>, way: Way) -> [[I32x4; 2]; R] {
        match R {
            1 => product::<R, 4>(rows, panel, way),
            2 | 3 => product::<R, 2>(rows, panel, way),
            _ => product::<R, 1>(rows, panel, way),
        }
    }
}

#[inline(always)]
fn product<const R: usize, const G: usize>(
    rows: &[[[i8; 16]; R]],
    panel: Panel<'_>,
    way: Way,
) -> [[I32x4; 2]; R] {
    let mut sums = [[[I32x4::ZERO; 2]; R]; G];
    sums[0] = [start(&panel, way).map(|start| I32x4::load(&start)); R];
    let [first, second] = panel.halves.map(|groups| groups.as_chunks::<G>().0);
    for ((rows, first), second) in rows.as_chunks::<G>().0.iter().zip(first).zip(second) {
        for g in 0..G {
            for r in 0..R {
                for (sum, group) in sums[g][r].iter_mut().zip([&first[g], &second[g]]) {
                    *sum = sum.add_products(group, &rows[g][r]);
                }
            }
        }
    }
    let [first, others @ ..] = &sums[..] else { return [[I32x4::ZERO; 2]; R] };
    others.iter().fold(*first, |all, some| from_fn(|r| from_fn(|n| all[r][n] + some[r][n])))
}

/// What sums start from, so that they come out as those of signed numbers: where 128 is added to
/// each of a row's, what that makes.
fn start(panel: &Panel<'_>, way: Way) -> [[i32; 4]; 2] {
    if way == Way::UnsignedBytes { *panel.offsets } else { [[0; 4]; 2] }
}

/// By whether the relaxed dot product takes its second factor as unsigned bytes or as signed ones;
/// `None` where it is neither, since sums of two saturate (x86 without VNNI).
pub(super) fn way() -> Option<Way> {
    let (least, ones) = black_box(([-127; 16], [-1; 16]));
    match I32x4::ZERO.add_products(&least, &ones).to_array() {
        [-129_540, -129_540, -129_540, -129_540] => Some(Way::UnsignedBytes),
        [508, 508, 508, 508] => Some(Way::SignedBytes),
        _ => None,
    }
}
