//! Bytes, four times: four products an instruction and lane, where relaxed SIMD has them in full.

use std::array::from_fn;

use bytemuck::cast;

use super::Factor;
use crate::int8::{Panel, Rounding};
use crate::integer::I32x4;
use crate::simd::F32x4;

impl Factor for [i8; 16] {
    const ROWS: usize = 6;

    fn rounding(unsigned: bool) -> Rounding {
        Rounding::to_bytes(unsigned)
    }

    #[inline(always)]
    fn round(vectors: &[[f32; 4]; 4], by: F32x4, rounding: Rounding) -> [Self; 4] {
        cast(rounding.bytes(vectors, by).lanes())
    }

    /// As many groups at a time as make eight sums or more: with fewer, each would wait for itself.
    #[inline(always)]
    fn product<const R: usize>(
        rows: &[[Self; R]],
        panel: Panel<'_>,
        unsigned: bool,
    ) -> [[I32x4; 2]; R] {
        match R {
            1 => product::<R, 4>(rows, panel, unsigned),
            2 | 3 => product::<R, 2>(rows, panel, unsigned),
            _ => product::<R, 1>(rows, panel, unsigned),
        }
    }
}

#[inline(always)]
fn product<const R: usize, const G: usize>(
    rows: &[[[i8; 16]; R]],
    panel: Panel<'_>,
    unsigned: bool,
) -> [[I32x4; 2]; R] {
    let mut sums = [[[I32x4::ZERO; 2]; R]; G];
    sums[0] = [start(&panel, unsigned).map(|start| I32x4::load(&start)); R];
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
fn start(panel: &Panel<'_>, unsigned: bool) -> [[i32; 4]; 2] {
    if unsigned { *panel.offsets } else { [[0; 4]; 2] }
}

/// Whether the relaxed dot product takes its second factor as unsigned bytes (x86 with VNNI) or
/// signed ones (ARM); `None` where it is neither, since sums of two saturate (x86 without).
pub(crate) fn unsigned_bytes() -> Option<bool> {
    let (least, ones) = std::hint::black_box(([-127; 16], [-1; 16]));
    match I32x4::ZERO.add_products(&least, &ones).to_array() {
        [-129_540, -129_540, -129_540, -129_540] => Some(true),
        [508, 508, 508, 508] => Some(false),
        _ => None,
    }
}
