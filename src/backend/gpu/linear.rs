//! Linear layers: the choice of the kernel by adapter, number of rows and precision of the weights.

use wgpu::Buffer;

use super::buffer_pool::PooledBuffer;
use super::kernels::Kernel;
use super::matrix::{BLOCK, GpuMatrix, MatrixPart, groups};
use super::params::LinearParams;
use super::record::{Grid, folded};
use super::{Gpu, GpuRows};
use crate::backend::{Activation, Precision};

/// Number of 64 × 64 tiles below which 32 × 32 tiles keep more of the device busy.
const FEW_TILES: u32 = 64;

/// A kernel with its constants and its grid.
type Chosen = (Kernel, Vec<(&'static str, f64)>, Grid);

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
        let integers = weight.precision == Precision::I8 && self.low_precision.int8;
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
            let numbers = [x.rows, groups(weight.cols), weight.rows, part.first, part.rows];
            let [rows, groups, outputs, first, count] = numbers.map(|n| n as u32);
            let params = LinearParams { rows, groups, outputs, first, count };
            self.add_cost([x.rows, weight.cols, part.rows]);
            self.run(kernel, &constants, &params, &buffers, grid);
        }
    }

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
        let kernel = match precision {
            Precision::I8 if integers => Kernel::LinearInt8,
            Precision::F16 if self.low_precision.half => Kernel::LinearF16(precision),
            _ => Kernel::Linear(precision),
        };
        let few = rows <= 32 || tiles(64, 64).iter().product::<u32>() < FEW_TILES;
        let size = self.tile_size.unwrap_or(if few { 32 } else { 64 });
        let threads = (size / 4) as f64;
        (kernel, vec![("THREADS_X", threads), ("THREADS_Y", threads)], tiles(size, size))
    }

    /// Records the quantization of rows. Returns the 8-bit values and the scales.
    fn quantize_rows(&mut self, x: &GpuRows, from: &Buffer) -> [PooledBuffer; 2] {
        let blocks = x.rows * x.cols.div_ceil(BLOCK);
        let [values, scales] = [BLOCK, 4]
            .map(|bytes| self.activations.take(&mut self.device, (blocks * bytes) as u64));
        let (rows, groups) = (x.rows as u32, groups(x.cols) as u32);
        let params = LinearParams { rows, groups, outputs: 0, first: 0, count: 0 };
        let buffers = [(1, values.buffer()), (2, from), (3, scales.buffer())];
        self.run(Kernel::QuantizeRows, &[], &params, &buffers, folded(blocks.div_ceil(32)));
        [values, scales]
    }
}
