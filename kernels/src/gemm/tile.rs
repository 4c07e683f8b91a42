//! A tile of sums: up to [`MR`] rows of x by the [`NR`] outputs of a panel.

use std::ops::Range;

use super::NR;
use crate::Activation;
use crate::ops::activate;
use crate::threads::{Block, even_part};

/// Rows of the largest tile. Its sums, two vectors of a panel and one of a row fill the 15 vector
/// registers that V8 allocates on x86. Without a fused multiply-add, products need registers too.
/// This holds only if the loop computes in the order of the source, which scripts/wasm.mjs requests
/// from the compiler.
pub(crate) const MR: usize = if cfg!(target_feature = "relaxed-simd") { 6 } else { 4 };

/// Sums of a tile, `[rows, NR]`. A smaller tile uses the first rows.
pub(crate) type Sums = [[[f32; 4]; 2]; MR];

/// Initial sums. Do not use it in a loop: filling it is a `memory.fill`, for which V8 calls a
/// function.
pub(crate) const ZEROS: Sums = [[[0.0; 4]; 2]; MR];

/// Loads [`NR`] numbers; pads a shorter `from` with zeros.
#[inline(always)]
pub(crate) fn load(from: &[f32]) -> [[f32; 4]; 2] {
    // A copy of constant length compiles to a few loads and stores; any other calls memory.copy.
    match from.first_chunk::<NR>() {
        Some(from) => bytemuck::cast(*from),
        None => {
            let mut group = [[0.0; 4]; 2];
            group.as_flattened_mut()[..from.len()].copy_from_slice(from);
            group
        }
    }
}

/// Stores activation(sums) for `height` rows, beginning at row `row`, in the given `columns` of a
/// block of y.
#[inline(never)]
pub(crate) fn store(
    sums: &mut Sums,
    height: usize,
    activation: Activation,
    to: &mut Block<'_>,
    row: usize,
    columns: Range<usize>,
) {
    activate(activation, sums[..height].as_flattened_mut());
    for (r, sums) in sums[..height].iter().enumerate() {
        let to = &mut to.row(row + r)[columns.clone()];
        match to.first_chunk_mut() {
            Some(to) => *to = bytemuck::cast::<_, [f32; NR]>(*sums),
            None => to.copy_from_slice(&sums.as_flattened()[..to.len()]),
        }
    }
}

/// Returns the columns of y that a panel computes, within the columns `all`.
pub(crate) fn columns(panel: usize, all: Range<usize>) -> Range<usize> {
    let start = all.start + panel * NR;
    start..all.end.min(start + NR)
}

/// Splits `total` rows into tiles of at most `most` rows, as equal as possible. Calls `each` with
/// the first row and the number of rows of each tile.
pub(crate) fn for_tiles(total: usize, most: usize, mut each: impl FnMut(usize, usize)) {
    let tiles = total.div_ceil(most);
    for tile in 0..tiles {
        let rows = even_part(total, tiles, tile);
        each(rows.start, rows.len());
    }
}

/// Runs `$body` with the constant `R` = `$rows`, from 1 to [`MR`].
macro_rules! with_rows {
    ($rows:expr, $R:ident => $body:expr) => {
        with_rows!($rows, $R => $body, 1 2 3 4 5 6)
    };
    ($rows:expr, $R:ident => $body:expr, $($each:literal)+) => {
        match $rows {
            $($each if $each <= $crate::gemm::tile::MR => {
                const $R: usize = $each;
                $body
            })+
            _ => {}
        }
    };
}
pub(crate) use with_rows;
