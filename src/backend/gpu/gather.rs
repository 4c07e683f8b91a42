//! Rows of a matrix, by a list.

use wgpu::Buffer;

use super::kernels::Kernel;
use super::matrix::{MatrixPart, groups};
use super::params::GatherParams;
use super::record::folded;
use super::{Gpu, GpuRows};
use crate::backend::Precision;

impl Gpu {
    /// Records y\[n\] = x\[rows\[n\]\]. If x is still to be normalized, one dispatch does both.
    pub(super) fn record_gather_rows(&mut self, x: &GpuRows, rows: &[u32], y: &mut GpuRows) {
        let table = MatrixPart { first: 0, rows: x.rows, values: self.buffer(x), scales: None };
        let to = self.shape(y, rows.len(), x.cols);
        if self.record_read(x, rows, &to) {
            return;
        }
        let list = self.list(rows);
        self.record_gather((Precision::F32, &[table]), (list.buffer(), 0), false, y);
    }

    /// Records y\[n\] = table\[list\[first + n\]\], or with `add` y\[n\] += table\[list\[first +
    /// n\]\]. `list` is the list and the index `first`.
    pub(super) fn record_gather(
        &mut self,
        (precision, parts): (Precision, &[MatrixPart]),
        list: (&Buffer, u32),
        add: bool,
        y: &mut GpuRows,
    ) {
        let to = self.buffer(y);
        let constants = [("ADD", f64::from(u8::from(add)))];
        let grid = folded((y.rows * groups(y.cols)).div_ceil(64));
        for part in parts {
            let mut buffers = vec![(1, &to), (2, list.0)];
            buffers.extend(part.bindings());
            let numbers = [y.rows, groups(y.cols), part.first, part.rows];
            let [rows, groups, first, count] = numbers.map(|n| n as u32);
            let params = GatherParams { rows, groups, list_start: list.1, first, count };
            self.run(Kernel::Gather(precision), &constants, &params, &buffers, grid);
        }
    }
}
