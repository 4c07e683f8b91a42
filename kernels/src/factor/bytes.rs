//! Bytes: four products an instruction and lane, where relaxed SIMD has them in full.

use super::Factor;
use crate::int8::Panel;
use crate::integer::I32x4;

impl Factor for [i8; 4] {
    const ROWS: usize = 6;

    #[inline(always)]
    fn new(numbers: I32x4, unsigned: bool) -> Self {
        let flip = if unsigned { -128 } else { 0 };
        numbers.to_bytes().map(|byte| byte ^ flip)
    }

    #[inline(always)]
    fn product<const R: usize>(
        rows: &[[Self; R]],
        panel: Panel<'_>,
        unsigned: bool,
    ) -> [[I32x4; 2]; R] {
        let mut sums = [start(&panel, unsigned).map(|start| I32x4::load(&start)); R];
        for (row, group) in rows.iter().zip(panel.groups) {
            for r in 0..R {
                sums[r][0] = sums[r][0].add_products(&group[0], row[r]);
                sums[r][1] = sums[r][1].add_products(&group[1], row[r]);
            }
        }
        sums
    }
}

/// What sums start from, so that they come out as those of signed numbers: where 128 is added to
/// each of a row's, what that makes.
fn start(panel: &Panel<'_>, unsigned: bool) -> [[i32; 4]; 2] {
    if unsigned { *panel.offsets } else { [[0; 4]; 2] }
}

/// Whether the relaxed dot product takes its second factor as unsigned bytes (x86 with VNNI) or
/// signed ones (ARM); `None` where it is neither, since sums of two saturate (x86 without).
pub(crate) fn unsigned_bytes() -> Option<bool> {
    let (least, ones) = std::hint::black_box(([-127; 16], [-1; 4]));
    match I32x4::ZERO.add_products(&least, ones).to_array() {
        [-129_540, -129_540, -129_540, -129_540] => Some(true),
        [508, 508, 508, 508] => Some(false),
        _ => None,
    }
}
