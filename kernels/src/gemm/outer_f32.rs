//! Micro-kernel of attention: multiplies a tile of rows by a panel, as a sum of outer products of
//! their columns.

use super::NR;
use super::tile::with_rows;
use crate::simd::F32x4;

/// Computes products = rows · panelᵀ for `height` rows. `rows` is `[columns, height]` (see
/// [`super::pack::columns`]), `panel` is `[columns, NR]`, and `products` is `[height, NR]`.
#[inline(never)] // one copy for all callers
pub(crate) fn multiply(
    height: usize,
    rows: &[f32],
    panel: &[[f32; NR]],
    products: &mut [[f32; NR]],
) {
    let panel = bytemuck::cast_slice(panel);
    with_rows!(height, R => {
        if let Some(to) = products.first_chunk_mut::<R>() {
            let sums = sums::<R>(rows.as_chunks().0, panel);
            // By index: an iterator over the array would go through memory.
            for r in 0..R {
                to[r] = bytemuck::cast(sums[r].map(F32x4::to_array));
            }
        }
    });
}

#[inline(always)]
fn sums<const R: usize>(rows: &[[f32; R]], panel: &[[[f32; 4]; 2]]) -> [[F32x4; 2]; R] {
    let mut sums = [[F32x4::ZERO; 2]; R];
    for (row, weights) in rows.iter().zip(panel) {
        let [low, high] = [F32x4::load(&weights[0]), F32x4::load(&weights[1])];
        for r in 0..R {
            let x = F32x4::splat(row[r]);
            sums[r][0] = x.mul_add(low, sums[r][0]);
            sums[r][1] = x.mul_add(high, sums[r][1]);
        }
    }
    sums
}
