//! y = activation(x · Wᵀ + b), in f32 and in int8. Weights are stored in panels of [`NR`] rows; a
//! micro-kernel multiplies a tile of up to [`tile::MAX_MR`] rows of x by a panel, its sums in
//! registers.
//!
//! - `f32`, `transposed`, `int8`, `strassen`: which tile meets which panel, and on which thread
//! - `dot_f32`, `dot_int8`, `outer_f32`: the micro-kernels
//! - `pack`: rows of x in the order in which a micro-kernel reads them
//! - `low_rank`: what adapters add to weights
//! - `matrix`: weights, in the order in which a micro-kernel reads them
//! - `tile`: what the tiles have in common

mod dot_f32;
mod dot_int8;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod dot_relaxed;
pub(crate) mod f32;
pub(crate) mod int8;
mod low_rank;
mod matrix;
pub(crate) mod outer_f32;
pub(crate) mod pack;
mod strassen;
pub(crate) mod tile;
pub(crate) mod transposed;

pub use low_rank::add_product;
pub(crate) use matrix::zeros;
pub use matrix::{Matrix, OutOfMemory, Precision};

use std::ops::Range;

use crate::threads::even_part;

/// Rows of weights in a panel, and so columns of y in a tile: two vectors of sums.
pub(crate) const NR: usize = 8;
/// Numbers of a vector.
pub(crate) const LANES: usize = 4;
/// Columns of a block of x and W at most, so that panel and tile share 32 kB of first-level cache.
pub(crate) const KC: usize = 512;
/// Numbers of a chunk and thread at most, packed: half a MB of the second-level cache.
const CHUNK: usize = 1 << 17;
/// Rows for which a thread reads all weights, rather than all rows for some of the weights: what it
/// wrote before is in its own cache, and the weights are worth reading.
const BAND: usize = 48;

/// Bands of rows, each with all columns of y, that `rows` are worth cutting into for as many threads.
pub(crate) fn bands(rows: usize, threads: usize) -> usize {
    (rows / BAND).clamp(1, threads)
}

/// Divides the rows of x, of which `width` numbers each are packed at a time, into chunks that stay in the
/// second-level cache.
pub(crate) fn chunks(
    rows: usize,
    width: usize,
    threads: usize,
) -> impl Iterator<Item = Range<usize>> {
    let most = CHUNK.div_ceil(width.max(1)) * bands(rows, threads);
    let chunks = rows.div_ceil(most);
    (0..chunks).map(move |chunk| even_part(rows, chunks, chunk))
}
