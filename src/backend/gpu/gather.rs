//! Rows of a matrix, by a list.

use wgpu::Buffer;

use super::kernels::Kernel;
use super::matrix::{MatrixPart, groups};
use super::params::GatherParams;
use super::record::folded;
use super::{Gpu, GpuRows};
use crate::backend::Precision;

impl Gpu {
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
