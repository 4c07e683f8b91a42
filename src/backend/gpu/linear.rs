//! Linear layers: the choice of the kernel by adapter, number of rows and precision of the weights.

use wgpu::Buffer;

use super::buffer_pool::PooledBuffer;
use super::kernels::Kernel;
use super::matrix::{BLOCK, GpuMatrix, MatrixPart, groups};
use super::params::LinearParams;
use super::record::{Grid, folded};
use super::variants::TileNumber;
use super::{Gpu, GpuRows};
use crate::backend::{Activation, Precision};

/// Number of 64 × 64 tiles below which 32 × 32 tiles keep more of the device busy.
const FEW_TILES: u32 = 64;

/// A kernel with its constants and its grid.
type Chosen = (Kernel, Vec<(&'static str, f64)>, Grid);

/// A variant of linear.wgsl, and the number of parts that its sums are computed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tiling {
    pub(super) tile: TileNumber,
    pub(super) parts: u32,
}

/// One layer over some rows.
struct Layer<'a> {
    x: &'a GpuRows,
    weight: &'a GpuMatrix,
    bias: &'a Buffer,
    activation: Activation,
}

impl Gpu {
    /// Records y = activation(x · weightᵀ + bias).
    pub(super) fn record_linear(
        &mut self,
        x: &GpuRows,
        weight: &GpuMatrix,
        bias: &Buffer,
        activation: Activation,
        y: &mut GpuRows,
    ) {
        let from = self.buffer(x);
        let to = self.shape(y, x.rows, weight.rows);
        let layer = Layer { x, weight, bias, activation };
        let integers = weight.precision == Precision::I8 && self.low_precision.int8;
        if !integers && !self.barrier_free && x.rows > 4 {
            return self.record_tiled(&layer, &from, &to);
        }
        let quantized = (integers && self.barrier_free).then(|| self.quantize_rows(x, &from));
        for part in &weight.parts {
            let (kernel, mut constants, grid) = self.choose(x.rows, weight.precision, part);
            constants.push(("ACTIVATION", f64::from(activation as u8)));
            let mut buffers = vec![(1, &to), (5, bias)];
            match &quantized {
                None => buffers.push((2, &from)),
                Some([values, scales]) => {
                    buffers.extend([(2, values.buffer()), (6, scales.buffer())]);
                }
            }
            buffers.extend(part.bindings());
            self.add_cost([x.rows, weight.cols, part.rows]);
            self.run(kernel, &constants, &layer.params(part), &buffers, grid);
        }
    }

    /// Records a layer in floats over five or more rows, by a variant of linear.wgsl.
    fn record_tiled(&mut self, layer: &Layer<'_>, from: &Buffer, to: &Buffer) {
        let &Layer { x, weight, bias, activation } = layer;
        let half = weight.precision == Precision::F16 && self.low_precision.half;
        let Tiling { tile, parts } = self.tiling(x.rows, weight);
        let all = groups(weight.cols) as u32;
        let part_groups = all.div_ceil(parts).next_multiple_of(tile.tile().groups);
        let parts = all.div_ceil(part_groups);
        let sums = (parts > 1).then(|| {
            let bytes = 16 * x.rows as u64 * groups(weight.rows) as u64 * u64::from(parts);
            self.activations.take(&mut self.device, bytes)
        });
        let constants = [
            ("ACTIVATION", f64::from(activation as u8)),
            ("IN_PARTS", f64::from(u8::from(sums.is_some()))),
        ];
        let kernel = if half {
            Kernel::LinearF16(weight.precision, tile)
        } else {
            Kernel::Linear(weight.precision, tile)
        };
        for part in &weight.parts {
            let to = sums.as_ref().map_or(to, PooledBuffer::buffer);
            let mut buffers = vec![(1, to), (2, from), (5, bias)];
            buffers.extend(part.bindings());
            let params = LinearParams { part_groups, ..layer.params(part) };
            let grid = [
                params.count.div_ceil(tile.tile().width()),
                params.rows.div_ceil(tile.tile().height()),
                parts,
            ];
            self.add_cost([x.rows, weight.cols, part.rows]);
            self.run(kernel, &constants, &params, &buffers, grid);
        }
        let Some(sums) = sums else { return };
        let count = weight.rows as u32;
        let params = LinearParams {
            rows: x.rows as u32,
            groups: all,
            outputs: count,
            first: 0,
            count,
            part_groups,
        };
        let constants = [constants[0], ("PARTS", f64::from(parts))];
        let buffers = [(1, to), (2, sums.buffer()), (5, bias)];
        let grid = folded((x.rows * groups(weight.rows)).div_ceil(64));
        self.run(Kernel::LinearSumParts, &constants, &params, &buffers, grid);
    }

    /// Returns the variant for a layer over this number of rows.
    fn tiling(&self, rows: usize, weight: &GpuMatrix) -> Tiling {
        if let Some(tiling) = self.tiling {
            return tiling;
        }
        let tile = TileNumber(u8::from(self.tile_side(rows, weight.rows) == 64));
        Tiling { tile, parts: 1 }
    }

    /// Returns the rows and columns of the tiles for a result of this size.
    fn tile_side(&self, rows: usize, outputs: usize) -> usize {
        let tiles = outputs.div_ceil(64) as u32 * rows.div_ceil(64) as u32;
        let few = rows <= 32 || tiles < FEW_TILES;
        self.tile_size.unwrap_or(if few { 32 } else { 64 })
    }

    /// Returns the kernel of a layer without a choice of variants.
    fn choose(&self, rows: usize, precision: Precision, part: &MatrixPart) -> Chosen {
        let tiles = |width: usize, height: usize| {
            [part.rows.div_ceil(width) as u32, rows.div_ceil(height) as u32, 1]
        };
        let integers = precision == Precision::I8 && self.low_precision.int8;
        // Software adapters: fewest loads first, see shaders/shared/barrier_free.wgsl.
        if self.barrier_free {
            let tall = [1, 4, 8][usize::from(rows > 1) + usize::from(rows > 4)];
            let constants = vec![("ROWS", tall as f64)];
            let kernel = if integers {
                Kernel::LinearBarrierFreeInt8
            } else {
                Kernel::LinearBarrierFree(precision)
            };
            return (kernel, constants, tiles(256, tall));
        }
        if rows <= 4 {
            return if integers {
                let grid = folded(groups(part.rows).div_ceil(8));
                (Kernel::LinearFewRowsInt8, vec![("ROWS", rows as f64)], grid)
            } else {
                let one = f64::from(u8::from(rows == 1));
                let grid = folded((4 * groups(part.rows)).div_ceil(8));
                (Kernel::LinearFewRows(precision), vec![("ONE_ROW", one)], grid)
            };
        }
        let size = self.tile_side(rows, part.rows);
        let threads = (size / 4) as f64;
        let constants = vec![("THREADS_X", threads), ("THREADS_Y", threads)];
        (Kernel::LinearInt8, constants, tiles(size, size))
    }

    /// Records the quantization of rows. Returns the 8-bit values and the scales.
    fn quantize_rows(&mut self, x: &GpuRows, from: &Buffer) -> [PooledBuffer; 2] {
        let blocks = x.rows * x.cols.div_ceil(BLOCK);
        let [values, scales] = [BLOCK, 4]
            .map(|bytes| self.activations.take(&mut self.device, (blocks * bytes) as u64));
        let (rows, groups) = (x.rows as u32, groups(x.cols) as u32);
        let params =
            LinearParams { rows, groups, outputs: 0, first: 0, count: 0, part_groups: groups };
        let buffers = [(1, values.buffer()), (2, from), (3, scales.buffer())];
        self.run(Kernel::QuantizeRows, &[], &params, &buffers, folded(blocks.div_ceil(32)));
        [values, scales]
    }
}

impl Layer<'_> {
    /// Returns the uniform for a part of the weights.
    fn params(&self, part: &MatrixPart) -> LinearParams {
        let Self { x, weight, .. } = self;
        let groups = groups(weight.cols);
        let numbers = [x.rows, groups, weight.rows, part.first, part.rows];
        let [rows, groups, outputs, first, count] = numbers.map(|n| n as u32);
        LinearParams { rows, groups, outputs, first, count, part_groups: groups }
    }
}
