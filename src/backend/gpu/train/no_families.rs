//! Replaces the training kernels of other families in builds without the feature `families`. No config
//! that loads in such a build uses these kernels.

use super::super::{Gpu, GpuRows};
use super::attention::Attention;
use crate::backend::Disentangled;

impl Gpu {
    pub(super) fn record_attention_disentangled_forward(
        &mut self,
        _: &Attention<'_>,
        _: &GpuRows,
        _: &Disentangled<'_, GpuRows>,
        _: &mut GpuRows,
    ) {
        self.lack_kernel("gradient of attention by relative positions");
    }

    pub(super) fn record_attention_disentangled_backward(
        &mut self,
        _: &Attention<'_>,
        _: [&GpuRows; 2],
        _: &Disentangled<'_, GpuRows>,
        _: [&mut GpuRows; 2],
    ) {
        self.lack_kernel("gradient of attention by relative positions");
    }
}
