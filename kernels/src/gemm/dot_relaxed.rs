//! Micro-kernel of bytes: four products per lane and instruction with the dot product of relaxed
//! SIMD, if the processor computes it without saturation.

use std::array::from_fn;
use std::hint::black_box;

use bytemuck::cast;

use super::dot_int8::{DotOperand, DotVariant};
use crate::quant::{Panel, Quantizer};
use crate::simd::{F32x4, I32x4};

/// Four i8 numbers (or u8, with 128 added), stored four times.
impl DotOperand for [i8; 16] {
    const MR: usize = 6;

    fn quantizer(variant: DotVariant) -> Quantizer {
        Quantizer::to_i8(variant == DotVariant::Vnni)
    }

    #[inline(always)]
    fn quantize(vectors: &[[f32; 4]; 4], inverse: F32x4, quantizer: Quantizer) -> [Self; 4] {
        cast(quantizer.to_bytes(vectors, inverse).broadcast_lanes())
    }

    /// Takes enough groups at a time for at least eight sums. With fewer sums the latency of an
    /// addition shows.
    #[inline(always)]
    fn product<const R: usize>(
        rows: &[[Self; R]],
        panel: Panel<'_>,
        variant: DotVariant,
    ) -> [[I32x4; 2]; R] {
        match R {
            1 => product::<R, 4>(rows, panel, variant),
            2 | 3 => product::<R, 2>(rows, panel, variant),
            _ => product::<R, 1>(rows, panel, variant),
        }
    }
}

#[inline(always)]
fn product<const R: usize, const G: usize>(
    rows: &[[[i8; 16]; R]],
    panel: Panel<'_>,
    variant: DotVariant,
) -> [[I32x4; 2]; R] {
    let mut sums = [[[I32x4::ZERO; 2]; R]; G];
    sums[0] = [initial(&panel, variant).map(|sums| I32x4::load(&sums)); R];
    let [first, second] = panel.halves.map(|groups| groups.as_chunks::<G>().0);
    for ((rows, first), second) in rows.as_chunks::<G>().0.iter().zip(first).zip(second) {
        for g in 0..G {
            for r in 0..R {
                for (sum, group) in sums[g][r].iter_mut().zip([&first[g], &second[g]]) {
                    *sum = sum.dot_accumulate(group, &rows[g][r]);
                }
            }
        }
    }
    let [first, others @ ..] = &sums[..] else { return [[I32x4::ZERO; 2]; R] };
    others.iter().fold(*first, |all, some| from_fn(|r| from_fn(|n| all[r][n] + some[r][n])))
}

/// Returns the initial sums. If 128 is added to x, they cancel its contribution.
fn initial(panel: &Panel<'_>, variant: DotVariant) -> [[i32; 4]; 2] {
    if variant == DotVariant::Vnni { *panel.offsets } else { [[0; 4]; 2] }
}

/// Returns the variant that matches the processor: the relaxed dot product takes its second factor
/// as unsigned or as signed bytes. Returns `None` if sums of two products saturate (x86 without
/// VNNI).
pub(super) fn detect() -> Option<DotVariant> {
    let (least, ones) = black_box(([-127; 16], [-1; 16]));
    match I32x4::ZERO.dot_accumulate(&least, &ones).to_array() {
        [-129_540, -129_540, -129_540, -129_540] => Some(DotVariant::Vnni),
        [508, 508, 508, 508] => Some(DotVariant::Sdot),
        _ => None,
    }
}
