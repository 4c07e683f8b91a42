//! y = activation(x · Wᵀ + b), blocked for the caches: a chunk of rows is packed once and stays in
//! the second level, a panel of weights in the first, while the tiles of the chunk pass over it.
//! Threads share the packing by tiles, then the products by panels; where there are many rows, each
//! keeps to rows of its own.

use std::ops::Range;

use crate::dot;
use crate::linear_int8;
use crate::math::Activation;
use crate::matrix::{COLUMNS, Matrix, OutOfMemory, PANEL, VECTOR, blocks};
use crate::threads::{Bands, even, for_blocks, for_rows};
use crate::tile;
use crate::{Rows, Scratch};

/// Numbers of a chunk and thread at most, packed: half a MB of the second-level cache.
const CHUNK: usize = 1 << 17;
/// Rows for which a thread reads all weights, rather than all rows for some of the weights: what it
/// wrote before is in its own cache, and the weights are worth reading.
const BAND: usize = 48;
/// `x` is `[rows, inputs]`, `weight` `[outputs, inputs]`, `bias` `[outputs]`; `y` becomes
/// `[rows, outputs]`.
///
/// # Errors
/// Where there is no memory for `y`.
pub fn linear(
    x: &Rows,
    weight: &Matrix,
    bias: &[f32],
    activation: Activation,
    y: &mut Rows,
    scratch: &mut Scratch,
) -> Result<(), OutOfMemory> {
    y.shape(x.rows, weight.rows)?;
    let width = if weight.int8().is_some() { x.cols } else { x.cols.min(COLUMNS) };
    let most = CHUNK.div_ceil(width.max(1)) * bands(x.rows, scratch.threads());
    let chunks = x.rows.div_ceil(most);
    for chunk in 0..chunks {
        let rows = even(x.rows, chunks, chunk);
        let y = &mut y.data[rows.start * weight.rows..rows.end * weight.rows];
        match weight.int8() {
            Some(weight) => linear_int8::linear(x, rows, weight, bias, activation, y, scratch),
            None => linear_f32(x, rows, weight, bias, activation, y, scratch),
        }
    }
    Ok(())
}

/// Bands that `rows` are worth cutting into, for as many threads.
pub(crate) fn bands(rows: usize, threads: usize) -> usize {
    (rows / BAND).clamp(1, threads)
}

/// A chunk, block of columns by block: the first starts from the bias, the next go on from what
/// `y` holds.
fn linear_f32(
    x: &Rows,
    rows: Range<usize>,
    weight: &Matrix,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    scratch: &mut Scratch,
) {
    let (count, cols) = (rows.len(), weight.cols);
    let Scratch { packed, threads } = scratch;
    let (tiles, bands) = (count.div_ceil(dot::ROWS), bands(count, threads.len()));
    for block in blocks(cols) {
        let columns = block.start * VECTOR..cols.min(block.end * VECTOR);
        let width = block.len() * VECTOR;
        packed.resize(count * width);
        for_rows(threads, packed, width, tiles, &|_, at, packed| {
            let tall = packed.len() / width;
            dot::pack(&x.data, cols, rows.start + at, tall, columns.clone(), packed);
        });
        let activation = if columns.end == cols { activation } else { Activation::Identity };
        for_blocks(threads, y, weight.rows, Bands::Tiles(tiles, bands), PANEL, &|own, mut y| {
            let mut of_tile = dot::Tile::new();
            for panel in y.panels(PANEL) {
                let columns = tile::columns(panel, 0..weight.rows);
                let to_columns = y.within(&columns);
                let weights = weight.panel(panel, &block, &mut own.panel);
                for tile in even(tiles, bands, y.band) {
                    let rows = even(count, tiles, tile);
                    let (tall, at) = (rows.len(), rows.start - y.rows.start);
                    let packed = &packed[rows.start * width..rows.end * width];
                    for (r, sums) in of_tile.sums[..tall].iter_mut().enumerate() {
                        *sums = tile::load(match block.start {
                            0 => &bias[columns.clone()],
                            _ => &y.row(at + r)[to_columns.clone()],
                        });
                    }
                    of_tile.add(tall, packed, &weights);
                    tile::store(
                        &mut of_tile.sums,
                        tall,
                        activation,
                        &mut y,
                        at,
                        to_columns.clone(),
                    );
                }
            }
        });
    }
}
