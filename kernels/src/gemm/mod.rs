//! Linear layers, y = activation(x · Wᵀ + b), in f32 and int8. Weights are stored in panels of
//! [`NR`] rows. A micro-kernel multiplies a tile of up to [`tile::MR`] rows of x by a panel and
//! keeps the sums in registers.
//!
//! - `f32`, `transposed`, `int8`, `strassen`: order of tiles and panels, and their division among
//!   threads
//! - `dot_f32`, `dot_int8`, `outer_f32`: micro-kernels
//! - `pack`: rows of x in the order in which a micro-kernel reads them
//! - `low_rank`: products that adapters add to weights
//! - `matrix`: weights in the order in which a micro-kernel reads them
//! - `tile`: code shared by the tiles

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

/// Rows of weights in a panel, which are columns of y in a tile: two vectors of sums.
pub(crate) const NR: usize = 8;
/// Numbers in a vector.
pub(crate) const LANES: usize = 4;
/// Maximum columns of a block of x and W. A panel and a tile then share 32 kB of first-level cache.
pub(crate) const KC: usize = 512;
/// Maximum packed numbers per chunk and thread: half a megabyte of the second-level cache.
const CHUNK: usize = 1 << 17;
/// Minimum rows for which a thread computes all columns of its own rows, instead of all rows for
/// some columns. The rows it wrote before are in its own cache, and are then worth reading all
/// weights for.
const BAND: usize = 48;

/// Returns the number of bands to cut `rows` into for `threads` threads. Each band has all columns
/// of y.
pub(crate) fn bands(rows: usize, threads: usize) -> usize {
    (rows / BAND).clamp(1, threads)
}

/// Divides the rows of x into chunks that stay in the second-level cache. `width` numbers are
/// packed per row at a time.
pub(crate) fn chunks(
    rows: usize,
    width: usize,
    threads: usize,
) -> impl Iterator<Item = Range<usize>> {
    let most = CHUNK.div_ceil(width.max(1)) * bands(rows, threads);
    let chunks = rows.div_ceil(most);
    (0..chunks).map(move |chunk| even_part(rows, chunks, chunk))
}
