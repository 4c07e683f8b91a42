//! LayerNorm, with and without a residual.

use super::kernels::Kernel;
use super::params::NormParams;
use super::record::folded;
use super::{Gpu, GpuRows, GpuVector};
use crate::backend::{Norm, NormKind};

impl Gpu {
    /// Records LayerNorm of x, in place. `residual`, if given, is added to x first.
    pub(super) fn record_norm(
        &mut self,
        x: &GpuRows,
        residual: Option<&GpuRows>,
        norm: &Norm<GpuVector>,
    ) {
        if norm.kind != NormKind::Layer {
            return self.record_norm_of_kind(x, residual, norm);
        }
        let to = self.buffer(x);
        let added = residual.map(|rows| self.buffer(rows));
        let constants = [("RESIDUAL", f64::from(u8::from(added.is_some())))];
        let (weight, bias) = (&norm.weight.buffer, &norm.bias.buffer);
        let residual = added.as_ref().unwrap_or(weight);
        let buffers = [(1, &to), (2, residual), (3, weight), (4, bias)];
        let params = NormParams { rows: x.rows as u32, width: x.cols as u32, eps: norm.eps };
        let (kernel, groups) = if self.barrier_free {
            (Kernel::NormBarrierFree, x.rows.div_ceil(8))
        } else {
            (Kernel::Norm, x.rows)
        };
        self.run(kernel, &constants, &params, &buffers, folded(groups));
    }
}
