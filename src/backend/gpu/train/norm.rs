//! LayerNorm that also stores the values its gradient needs, and that gradient.

use super::super::record::folded;
use super::super::{Gpu, GpuRows, GpuVector};
use super::params::{NormBackwardParams, NormForwardParams};
use super::{Kernel, TrainKernel};
use crate::backend::Norm;

impl Gpu {
    /// Records y = norm(x + residual), the normalized rows and the inverse deviations.
    pub(super) fn record_norm_forward(
        &mut self,
        x: &GpuRows,
        residual: Option<&GpuRows>,
        norm: &Norm<GpuVector>,
        [y, normalized, inverse]: [&mut GpuRows; 3],
    ) {
        let from = self.buffer(x);
        let added = residual.map(|rows| self.buffer(rows));
        let to = self.shape(y, x.rows, x.cols);
        let normalized = self.shape(normalized, x.rows, x.cols);
        let inverse = self.shape(inverse, x.rows, 1);
        let constants = [("RESIDUAL", f64::from(u8::from(added.is_some())))];
        let buffers = [
            (1, &to),
            (2, &normalized),
            (3, &inverse),
            (4, &from),
            (5, added.as_ref().unwrap_or(&from)),
            (6, &norm.weight.buffer),
            (7, &norm.bias.buffer),
        ];
        let params = NormForwardParams { rows: x.rows as u32, width: x.cols as u32, eps: norm.eps };
        let kernel = Kernel::Train(TrainKernel::NormForward);
        self.run(kernel, &constants, &params, &buffers, folded(x.rows));
    }

    /// Records dx, and adds to dweight and dbias.
    pub(super) fn record_norm_backward(
        &mut self,
        dy: &GpuRows,
        [normalized, inverse]: [&GpuRows; 2],
        norm: &Norm<GpuVector>,
        dx: &mut GpuRows,
        [dweight, dbias]: [&GpuRows; 2],
    ) {
        let from = self.buffer(dy);
        let (rows, inverses) = (self.buffer(normalized), self.buffer(inverse));
        let to = self.shape(dx, dy.rows, dy.cols);
        let buffers = [(1, &to), (2, &from), (3, &rows), (4, &inverses), (5, &norm.weight.buffer)];
        let params = NormBackwardParams { rows: dy.rows as u32, width: dy.cols as u32 };
        let kernel = Kernel::Train(TrainKernel::NormBackward);
        self.run(kernel, &[], &params, &buffers, folded(dy.rows));
        self.record_column_sums(dy, Some(normalized), dweight);
        self.record_column_sums(dy, None, dbias);
    }
}
