//! The gradients of a linear layer.
//!
//! Like the forward pass, both products are bound by arithmetic. With 1,024 rows, 384 inputs and
//! 1,536 outputs, each takes 604 M multiply-adds, or 1.2 GFLOP. It moves 10.2 MB: x or dx 1.6 MB,
//! dy 6.3 MB, weight or its gradient 2.4 MB. That is 118 FLOP per byte. An integrated GPU of 1
//! TFLOP/s and 50 GB/s requires 20 FLOP per byte, a discrete one of 15 TFLOP/s and 450 GB/s
//! requires 33.
//!
//! From the caches a tile of 64 × 64 reads 16 FLOP per byte. From workgroup memory it reads 128
//! bytes for 64 multiply-adds: half the rate of an NVIDIA multiprocessor (128 bytes and 128
//! multiply-adds per cycle), as in linear.wgsl. All accesses to memory are groups of 16 bytes, and
//! neighbours access neighbouring groups: 64 bytes of a row of dy for dx, otherwise 256.

use super::super::choice::{Layout, Op, Shape};
use super::super::matrix::{GpuMatrix, groups};
use super::super::record::Grid;
use super::super::{Gpu, GpuRows};
use super::params::{BackwardInputParams, BackwardWeightParams};
use super::{Kernel, TrainKernel};
use crate::backend::Precision;

impl Gpu {
    /// Records dx = dy · weight.
    pub(in crate::backend::gpu) fn record_linear_backward_input(
        &mut self,
        dy: &GpuRows,
        weight: &GpuMatrix,
        dx: &mut GpuRows,
    ) {
        if !self.expect_f32(weight) {
            return;
        }
        let from = self.buffer(dy);
        let to = self.shape(dx, dy.rows, weight.cols);
        let (threads, grid) = self.tiles(Op::BackwardInput, groups(weight.cols), dy.rows);
        for part in &weight.parts {
            let add = ("ADD", f64::from(u8::from(part.first > 0)));
            let constants = [("THREADS_X", threads), ("THREADS_Y", threads), add];
            let numbers = [dy.rows, groups(weight.cols), weight.rows, part.first, part.rows];
            let [rows, groups, outputs, first, count] = numbers.map(|n| n as u32);
            let params = BackwardInputParams { rows, groups, outputs, first, count };
            let buffers = [(1, &to), (2, &from), (3, &part.values)];
            let kernel = Kernel::Train(TrainKernel::LinearBackwardInput);
            self.add_cost([dy.rows, weight.cols, part.rows]);
            self.run(kernel, &constants, &params, &buffers, grid);
        }
    }

    /// Records dweight += dyᵀ · x, and dbias += the sums of dy's columns.
    pub(in crate::backend::gpu) fn record_linear_backward_weight(
        &mut self,
        x: &GpuRows,
        dy: &GpuRows,
        dweight: &GpuRows,
        dbias: &GpuRows,
    ) {
        let (to, inputs, gradients) = (self.buffer(dweight), self.buffer(x), self.buffer(dy));
        let (threads, grid) = self.tiles(Op::BackwardWeight, groups(x.cols), dy.cols);
        let constants = [("THREADS_X", threads), ("THREADS_Y", threads)];
        let [rows, groups, outputs] = [x.rows, groups(x.cols), dy.cols].map(|n| n as u32);
        let params = BackwardWeightParams { rows, groups, outputs };
        let buffers = [(1, &to), (2, &gradients), (3, &inputs)];
        let kernel = Kernel::Train(TrainKernel::LinearBackwardWeight);
        self.add_cost([x.rows, x.cols, dy.cols]);
        self.run(kernel, &constants, &params, &buffers, grid);
        self.record_column_sums(dy, None, dbias);
    }

    /// Returns the invocations along a side of a workgroup and the grid, for a result with this
    /// number of groups and rows.
    fn tiles(&self, op: Op, groups: usize, rows: usize) -> (f64, Grid) {
        let side = match self.variant((op, Shape::of(rows, 4 * groups))).layout {
            Layout::Tiles(side) => usize::from(side),
            _ => 32, // the gradients have no other variants
        };
        let [x, y] = [4 * groups, rows].map(|size| size.div_ceil(side) as u32);
        ((side / 4) as f64, [x, y, 1])
    }

    /// Returns true if a matrix can be trained. If not, the request fails.
    pub(super) fn expect_f32(&mut self, matrix: &GpuMatrix) -> bool {
        let trainable = matrix.precision == Precision::F32;
        if !trainable {
            self.failed.get_or_insert_with(|| super::not_f32(matrix));
        }
        trainable
    }
}
