//! The greatest numbers of each row.

use super::kernels::Kernel;
use super::matrix::groups;
use super::params::TopKParams;
use super::record::folded;
use super::{Gpu, GpuRows};

impl Gpu {
    /// Records the kernel of [`Backend::top`](crate::backend::Backend::top).
    pub(super) fn record_top(&mut self, x: &GpuRows, k: usize, y: &mut GpuRows) {
        let from = self.buffer(x);
        let to = self.shape(y, x.rows, 1 + 2 * k);
        let numbers = [x.rows, groups(x.cols), x.cols, k];
        let [rows, groups, width, k] = numbers.map(|n| n as u32);
        let params = TopKParams { rows, groups, width, k };
        self.run(Kernel::TopK, &[], &params, &[(1, &to), (2, &from)], folded(x.rows));
    }
}
