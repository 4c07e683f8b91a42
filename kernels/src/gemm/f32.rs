//! Weights in f32, or widened to it: tiles of rows by panels of weights, block of columns by block.

use std::ops::Range;

use super::dot_f32::{self, TileSums};
use super::matrix::blocks;
use super::{LANES, Matrix, NR, bands, pack, tile};
use crate::threads::{Bands, even_part, parallel_blocks, parallel_rows};
use crate::{Activation, Rows, Workspace};

/// y = activation(x\[rows\] · Wᵀ + bias): `x` is `[any, inputs]`, `weight` `[outputs, inputs]`, `bias`
/// `[outputs]`, `y` `[rows.len(), outputs]`. The sums of the first block of columns start from the
/// bias, those of the next ones from what `y` holds.
pub(crate) fn gemm(
    x: &Rows,
    rows: Range<usize>,
    weight: &Matrix,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    workspace: &mut Workspace,
) {
    let (count, cols) = (rows.len(), weight.cols);
    let Workspace { packed, threads } = workspace;
    let (tiles, bands) = (count.div_ceil(dot_f32::MR), bands(count, threads.len()));
    for block in blocks(cols) {
        let columns = block.start * LANES..cols.min(block.end * LANES);
        let width = block.len() * LANES;
        packed.resize(count * width);
        parallel_rows(threads, packed, width, tiles, &|_, at, packed| {
            let height = packed.len() / width;
            pack::vectors(&x.data, cols, rows.start + at, height, columns.clone(), packed);
        });
        let activation = if columns.end == cols { activation } else { Activation::Identity };
        let cut = Bands::Tiles { tiles, bands };
        parallel_blocks(threads, y, weight.rows, cut, NR, &|local, mut y| {
            let mut tile_sums = TileSums::new();
            for panel in y.panels(NR) {
                let columns = tile::columns(panel, 0..weight.rows);
                let to_columns = y.within(&columns);
                let weights = weight.panel(panel, &block, &mut local.panel);
                for tile in even_part(tiles, bands, y.band) {
                    let rows = even_part(count, tiles, tile);
                    let (height, at) = (rows.len(), rows.start - y.rows.start);
                    let packed = &packed[rows.start * width..rows.end * width];
                    for (r, sums) in tile_sums.sums[..height].iter_mut().enumerate() {
                        *sums = tile::load(match block.start {
                            0 => &bias[columns.clone()],
                            _ => &y.row(at + r)[to_columns.clone()],
                        });
                    }
                    tile_sums.add(height, packed, &weights);
                    let (sums, to_columns) = (&mut tile_sums.sums, to_columns.clone());
                    tile::store(sums, height, activation, &mut y, at, to_columns);
                }
            }
        });
    }
}
