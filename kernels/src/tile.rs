//! The inner loop of attention's products: a tile of rows against a panel, its sums in registers
//! throughout; and what the tiles of linear layers have in common with it.

use std::ops::Range;

use crate::math::{Activation, activate};
use crate::matrix::PANEL;
use crate::simd::F32x4;
use crate::threads::{Block, even};

/// Rows of the largest tile: its sums, two vectors of a panel and one of a row fill the 15 vector
/// registers that V8 hands out on x86. They do only as long as the loop computes in the order it is
/// written in, which scripts/wasm.mjs asks of the compiler.
pub(crate) const MAX_ROWS: usize = 6;

/// A tile's sums; of its rows, those that it has.
pub(crate) type Sums = [[[f32; 4]; 2]; MAX_ROWS];

/// Sums to begin with. Not for use in a loop: to fill them with zeros is a call out of the module.
pub(crate) const ZEROS: Sums = [[[0.0; 4]; 2]; MAX_ROWS];

/// products = rows · panelᵀ for `tall` rows. `rows` holds for each column the rows' values side by
/// side, `panel` for each column the 8 weights.
#[inline(never)] // one copy for all who call it
pub(crate) fn multiply(
    tall: usize,
    rows: &[f32],
    panel: &[[f32; PANEL]],
    products: &mut [[f32; PANEL]],
) {
    let panel = bytemuck::cast_slice(panel);
    with_rows!(tall, R => {
        for (to, sums) in products.iter_mut().zip(sums::<R>(rows.as_chunks().0, panel)) {
            *to = bytemuck::cast(sums.map(F32x4::to_array));
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

/// Eight numbers, or as many as there are and zeros.
#[inline(always)]
pub(crate) fn load(from: &[f32]) -> [[f32; 4]; 2] {
    // one of a known length is a few loads and stores, others are a call out of the module
    match from.first_chunk::<PANEL>() {
        Some(from) => bytemuck::cast(*from),
        None => {
            let mut group = [[0.0; 4]; 2];
            group.as_flattened_mut()[..from.len()].copy_from_slice(from);
            group
        }
    }
}

/// Stores the sums of `tall` rows, activated, from row `row` on in `columns` of a block.
#[inline(never)]
pub(crate) fn store(
    sums: &mut Sums,
    tall: usize,
    activation: Activation,
    to: &mut Block<'_>,
    row: usize,
    columns: Range<usize>,
) {
    activate(activation, sums[..tall].as_flattened_mut());
    for (r, sums) in sums[..tall].iter().enumerate() {
        let to = &mut to.row(row + r)[columns.clone()];
        match to.first_chunk_mut() {
            Some(to) => *to = bytemuck::cast::<_, [f32; PANEL]>(*sums),
            None => to.copy_from_slice(&sums.as_flattened()[..to.len()]),
        }
    }
}

/// The columns of a panel among `all`.
pub(crate) fn columns(panel: usize, all: Range<usize>) -> Range<usize> {
    let start = all.start + panel * PANEL;
    start..all.end.min(start + PANEL)
}

/// Splits `total` rows into tiles as even as can be, each of at most `most`: calls `each` with the
/// first row and the number of rows.
pub(crate) fn for_tiles(total: usize, most: usize, mut each: impl FnMut(usize, usize)) {
    let tiles = total.div_ceil(most);
    for tile in 0..tiles {
        let rows = even(total, tiles, tile);
        each(rows.start, rows.len());
    }
}

/// Runs `$body` with the constant `R` = `$rows`, 1 to [`MAX_ROWS`].
macro_rules! with_rows {
    ($rows:expr, $R:ident => $body:expr) => {
        with_rows!($rows, $R => $body, 1 2 3 4 5 6)
    };
    ($rows:expr, $R:ident => $body:expr, $($each:literal)+) => {
        match $rows {
            $($each => {
                const $R: usize = $each;
                $body
            })+
            _ => {}
        }
    };
}
pub(crate) use with_rows;

/// Packs `tall` rows of `x` (row length `stride`, columns `columns`, from row `first`) for
/// [`multiply`].
pub(crate) fn pack(
    x: &[f32],
    stride: usize,
    first: usize,
    tall: usize,
    columns: Range<usize>,
    packed: &mut [f32],
) {
    with_rows!(tall, R => {
        let rows: [_; R] = std::array::from_fn(|r| &x[(first + r) * stride..][columns.clone()]);
        for (column, to) in packed.as_chunks_mut::<R>().0.iter_mut().take(columns.len()).enumerate() {
            *to = rows.map(|row| row[column]);
        }
    });
}
