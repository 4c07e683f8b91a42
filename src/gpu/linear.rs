//! Which kernel computes a linear layer: by the kind of adapter, the number of rows and the
//! weights' precision.

use wgpu::Buffer;

use super::kernels::Kernel;
use super::matrix::{BLOCK, Matrix, Part, groups};
use super::pool::Loan;
use super::recording::{Grid, folded};
use super::{Gpu, Rows};
use crate::backend::{Activation, Precision};

/// Tiles of 64 × 64 below which tiles of 32 × 32 keep more of the device busy.
const FEW_TILES: u32 = 64;

/// A kernel with its constants.
type Chosen = (Kernel, Vec<(&'static str, f64)>, Grid);

impl Gpu {
    /// y = activation(x · weightᵀ + bias).
    pub(super) fn layer(
        &mut self,
        x: &Rows,
        weight: &Matrix,
        bias: &Buffer,
        activation: Activation,
        y: &mut Rows,
    ) {
        let from = self.buffer(x);
        let to = self.shape(y, x.rows, weight.rows);
        let integers = weight.precision == Precision::I8 && self.low.int8;
        let rounded = (integers && self.direct).then(|| self.round(x, &from));
        for part in &weight.parts {
            let (kernel, mut constants, grid) = self.choose(x.rows, weight.precision, part);
            constants.push(("ACTIVATION", f64::from(activation as u8)));
            let mut buffers = vec![(1, &to), (5, bias)];
            match &rounded {
                None => buffers.push((2, &from)),
                Some([values, scales]) => {
                    buffers.extend([(2, values.buffer()), (6, scales.buffer())]);
                }
            }
            buffers.extend(part.bindings());
            let numbers = [x.rows, groups(weight.cols), weight.rows, part.first, part.rows];
            self.announce([x.rows, weight.cols, part.rows]);
            self.run(kernel, &constants, &numbers.map(|n| n as u32), &buffers, grid);
        }
    }

    fn choose(&self, rows: usize, precision: Precision, part: &Part) -> Chosen {
        let tiles = |width: usize, height: usize| {
            [part.rows.div_ceil(width) as u32, rows.div_ceil(height) as u32, 1]
        };
        let integers = precision == Precision::I8 && self.low.int8;
        if self.direct {
            let tall = [1, 4, 8][usize::from(rows > 1) + usize::from(rows > 4)];
            let constants = vec![("ROWS", tall as f64)];
            let kernel =
                if integers { Kernel::LinearDirectInt8 } else { Kernel::LinearDirect(precision) };
            return (kernel, constants, tiles(256, tall));
        }
        if rows <= 4 {
            return if integers {
                let grid = folded(groups(part.rows).div_ceil(8));
                (Kernel::LinearFewInt8, vec![("ROWS", rows as f64)], grid)
            } else {
                let one = f64::from(u8::from(rows == 1));
                let grid = folded((4 * groups(part.rows)).div_ceil(8));
                (Kernel::LinearFew(precision), vec![("ONE", one)], grid)
            };
        }
        let kernel = match precision {
            Precision::I8 if integers => Kernel::LinearInt8,
            Precision::F16 if self.low.half => Kernel::LinearHalf(precision),
            _ => Kernel::Linear(precision),
        };
        let few = rows <= 32 || tiles(64, 64).iter().product::<u32>() < FEW_TILES;
        let side = self.side.unwrap_or(if few { 32 } else { 64 });
        let threads = (side / 4) as f64;
        (kernel, vec![("WIDE", threads), ("HIGH", threads)], tiles(side, side))
    }

    /// Rows in 8 bits: values and scales.
    fn round(&mut self, x: &Rows, from: &Buffer) -> [Loan; 2] {
        let blocks = x.rows * x.cols.div_ceil(BLOCK);
        let [values, scales] = [BLOCK, 4]
            .map(|bytes| self.activations.take(&mut self.device, (blocks * bytes) as u64));
        let params = [x.rows as u32, groups(x.cols) as u32, 0, 0, 0];
        let buffers = [(1, values.buffer()), (2, from), (3, scales.buffer())];
        self.run(Kernel::Round, &[], &params, &buffers, folded(blocks.div_ceil(32)));
        [values, scales]
    }
}
