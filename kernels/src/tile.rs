//! The inner loop of every matrix product here: a tile of R rows against one or more panels, its
//! sums in registers throughout.

use crate::matrix::PANEL;
use crate::simd::F32x4;

/// Rows of the largest tile. The compiler loads all of a column's rows and both halves of the
/// panel before it multiplies, so with 16 vector registers 4 × 8 sums (8 + 4 + 2) are the most
/// that stay in registers; 6 × 8 spills and takes 1.4 times as long.
pub(crate) const MAX_ROWS: usize = 4;

/// Sums of R rows against P panels, two vectors a panel.
pub(crate) type Sums<const R: usize, const P: usize> = [[[F32x4; 2]; P]; R];

/// sums + rows · panelsᵀ. `rows` holds for each column the R values side by side, `panels` for
/// each column the 8 weights.
#[inline(always)]
pub(crate) fn tile<const R: usize, const P: usize>(
    rows: &[[f32; R]],
    panels: [&[[f32; PANEL]]; P],
    mut sums: Sums<R, P>,
) -> Sums<R, P> {
    let columns = rows.len();
    let panels = panels.map(|panel| &panel[..columns]);
    for column in 0..columns {
        let row = &rows[column];
        for p in 0..P {
            let (low, high) = halves(&panels[p][column]);
            for r in 0..R {
                let x = F32x4::splat(row[r]);
                sums[r][p][0] = x.mul_add(low, sums[r][p][0]);
                sums[r][p][1] = x.mul_add(high, sums[r][p][1]);
            }
        }
    }
    sums
}

#[inline(always)]
pub(crate) fn halves(group: &[f32; PANEL]) -> (F32x4, F32x4) {
    let [a, b, c, d, e, f, g, h] = *group;
    (F32x4::load(&[a, b, c, d]), F32x4::load(&[e, f, g, h]))
}

/// Splits `total` rows into tiles as even as can be, each of at most [`MAX_ROWS`]: calls `each`
/// with the first row and the number of rows.
pub(crate) fn for_tiles(total: usize, mut each: impl FnMut(usize, usize)) {
    let tiles = total.div_ceil(MAX_ROWS);
    let mut first = 0;
    for tile in 0..tiles {
        let rows = (total - first).div_ceil(tiles - tile);
        each(first, rows);
        first += rows;
    }
}

/// Runs `$body` with the constant `R` = `$rows`, 1 to [`MAX_ROWS`].
macro_rules! with_rows {
    ($rows:expr, $R:ident => $body:expr) => {
        match $rows {
            1 => {
                const $R: usize = 1;
                $body
            }
            2 => {
                const $R: usize = 2;
                $body
            }
            3 => {
                const $R: usize = 3;
                $body
            }
            _ => {
                const $R: usize = 4;
                $body
            }
        }
    };
}
pub(crate) use with_rows;

/// Packs R rows of `x` (row length `stride`, columns `columns`, from row `first`) for [`tile`].
#[inline]
pub(crate) fn pack<const R: usize>(
    x: &[f32],
    stride: usize,
    first: usize,
    columns: std::ops::Range<usize>,
    scale: f32,
    packed: &mut [f32],
) {
    let packed = packed.as_chunks_mut::<R>().0;
    for r in 0..R {
        let row = &x[(first + r) * stride..][columns.clone()];
        for (group, &value) in packed.iter_mut().zip(row) {
            group[r] = value * scale;
        }
    }
}
