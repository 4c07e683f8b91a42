//! Replaces `families` in builds without that feature. No config that loads in such a build uses
//! these kernels.

use std::ops::Range;

use super::{Gpu, GpuBatch, GpuRows, GpuVector};
use crate::backend::{Activation, Disentangled, Norm, Relative, Rotation};
use crate::{Error, Result};

impl Gpu {
    pub(super) fn record_attention_relative(
        &mut self,
        _of: (&GpuRows, &GpuBatch, usize),
        _relative: &Relative<'_, GpuVector>,
        _y: &mut GpuRows,
        _probabilities: Option<&mut GpuRows>,
    ) {
        self.lack();
    }

    pub(super) fn record_attention_disentangled(
        &mut self,
        _of: (&GpuRows, &GpuBatch, usize),
        _disentangled: &Disentangled<'_, GpuRows>,
        _y: &mut GpuRows,
        _probabilities: Option<&mut GpuRows>,
    ) {
        self.lack();
    }

    pub(super) fn record_rotary(
        &mut self,
        _: &mut GpuRows,
        _: &GpuBatch,
        _: usize,
        _: &Rotation,
        _: Option<&GpuVector>,
    ) {
        self.lack();
    }

    pub(super) fn record_unfold(
        &mut self,
        _: &GpuRows,
        _: &GpuBatch,
        _: (usize, bool),
        _: &mut GpuRows,
    ) {
        self.lack();
    }

    pub(super) fn record_depthwise(
        &mut self,
        _: &GpuRows,
        _: &GpuVector,
        _: &GpuBatch,
        _: &mut GpuRows,
    ) {
        self.lack();
    }

    pub(super) fn record_span_convolution(
        &mut self,
        _: &GpuRows,
        _: &GpuRows,
        _: &GpuBatch,
        _: usize,
        _: &mut GpuRows,
    ) {
        self.lack();
    }

    pub(super) fn record_columns(
        &mut self,
        _: [&GpuRows; 2],
        _: [Range<usize>; 2],
        _: &mut GpuRows,
    ) {
        self.lack();
    }

    pub(super) fn record_clear_rows(&mut self, _: &mut GpuRows, _: &[u32]) {
        self.lack();
    }

    pub(super) fn record_norm_of_kind(
        &mut self,
        _: &GpuRows,
        _: Option<&GpuRows>,
        _: &Norm<GpuVector>,
    ) {
        self.lack();
    }

    pub(super) fn record_gate(&mut self, _: &GpuRows, _: Activation, _: &mut GpuRows) {
        self.lack();
    }

    pub(super) fn record_residual_norm(
        &mut self,
        _x: &mut GpuRows,
        _residual: &mut GpuRows,
        _norm: &Norm<GpuVector>,
    ) {
        self.lack();
    }

    pub(super) fn record_scale_rows(&mut self, _: &GpuRows, _: &[f32]) {
        self.lack();
    }

    pub(super) fn record_mean(&mut self, _: &GpuRows, _: &GpuBatch, _: &mut GpuRows) {
        self.lack();
    }

    pub(super) fn warm_up_families(&mut self) -> Result<()> {
        Ok(())
    }

    pub(super) async fn test_families(&mut self) -> Result<()> {
        Ok(())
    }

    fn lack(&mut self) {
        let error = || Error::Unsupported("this build lacks the feature families".into());
        self.failed.get_or_insert_with(error);
    }
}
