//! The end of a layer that is not recorded yet: the sum of the layer's parts, and LayerNorm with a
//! residual. The call that follows may compute it in its own dispatch. Any other dispatch records
//! it first, so results do not depend on it.

use wgpu::Buffer;

use super::buffer_pool::PooledBuffer;
use super::choice::{Arithmetic, Layout, Variant};
use super::kernels::{Consumer, Kernel};
use super::linear::{Tiling, sum_parts, workgroups};
use super::matrix::GpuMatrix;
use super::params::NormParams;
use super::record::folded;
use super::{Gpu, GpuRows, GpuVector};
use crate::backend::{Activation, Norm, NormKind, Precision};

/// Largest number of rows that each workgroup of the next layer normalizes for itself. For more
/// rows a dispatch for the norm takes less time.
pub(super) const MOST_NORMED_ROWS: usize = 32;
/// Nanoseconds that a dispatch takes at least, with what the next one waits for it.
const DISPATCH: u64 = 10_000;
/// Bytes per nanosecond that all workgroups of a small GPU load from their common cache.
const CACHED_BYTES: u64 = 250;
/// Storage buffers of a layer that normalizes its input, without those of its weights.
const OTHER_BUFFERS: u32 = 7;

/// The end of a layer.
pub(super) struct Unfinished {
    /// The layer's result, `[parts, rows, groups]`.
    pub(super) from: Buffer,
    /// Keeps the buffer of parts from being used again.
    pub(super) _held: Option<PooledBuffer>,
    pub(super) parts: u32,
    /// Where the result belongs, `[rows, cols]`.
    pub(super) to: Buffer,
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Bias and activation of a layer in parts. `None`: the layer has added them.
    pub(super) layer: Option<(Buffer, Activation)>,
    /// LayerNorm with a residual.
    pub(super) norm: Option<AddedNorm>,
}

impl Unfinished {
    /// Returns the buffers at the bindings of x_normed.wgsl beside x.
    pub(super) fn bindings(&self) -> impl Iterator<Item = (u32, &Buffer)> {
        self.norm.iter().flat_map(|norm| {
            [(6, &norm.residual), (7, &norm.scale), (8, &norm.shift), (9, &self.to)]
        })
    }
}

/// LayerNorm with a residual.
pub(super) struct AddedNorm {
    pub(super) residual: Buffer,
    pub(super) scale: Buffer,
    pub(super) shift: Buffer,
    pub(super) eps: f32,
}

impl Gpu {
    /// Records x = norm(x + residual), or leaves it to the next call.
    pub(super) fn record_add_norm(
        &mut self,
        x: &mut GpuRows,
        residual: &GpuRows,
        norm: &Norm<GpuVector>,
    ) {
        if norm.kind != NormKind::Layer || self.barrier_free || self.norms_apart {
            return self.record_norm(x, Some(residual), norm);
        }
        let to = self.buffer(x);
        let added = AddedNorm {
            residual: self.buffer(residual),
            scale: norm.weight.buffer.clone(),
            shift: norm.bias.buffer.clone(),
            eps: norm.eps,
        };
        let ends_here = |end: &&mut Unfinished| {
            let is_linear =
                |(_, activation): &(Buffer, Activation)| *activation == Activation::Identity;
            let is_sum = end.norm.is_none() && end.layer.as_ref().is_some_and(is_linear);
            is_sum && end.to == to && added.residual != to
        };
        if let Some(end) = self.unfinished.as_mut().filter(ends_here) {
            end.norm = Some(added);
            return;
        }
        let is_narrow = x.rows <= MOST_NORMED_ROWS && x.cols.is_multiple_of(4);
        if !is_narrow {
            return self.record_norm(x, Some(residual), norm);
        }
        self.finish();
        // The layer's result stays in its buffer, and the norm's goes to another one: many
        // workgroups will read the first.
        let (rows, cols) = (x.rows, x.cols);
        let other = x.other.take();
        let from = std::mem::replace(&mut x.buffer, other);
        let next = self.shape(x, rows, cols);
        x.other = from;
        self.unfinished = Some(Unfinished {
            from: to,
            _held: None,
            parts: 1,
            to: next,
            rows,
            cols,
            layer: None,
            norm: Some(added),
        });
    }

    /// Records what is unfinished.
    pub(super) fn finish(&mut self) {
        self.finish_attention();
        let Some(end) = self.unfinished.take() else { return };
        if !self.record_sum_norm(&end, Kernel::SumNorm, &[]) {
            sum_parts(self, &end);
        }
    }

    /// Records LayerNorm of what is unfinished by a kernel with these additional buffers. Returns
    /// false if there is no norm.
    fn record_sum_norm(
        &mut self,
        end: &Unfinished,
        kernel: Kernel,
        more: &[(u32, &Buffer)],
    ) -> bool {
        let Some(norm) = &end.norm else { return false };
        let bias = end.layer.as_ref().map_or(&end.from, |(bias, _)| bias);
        let constants =
            [("PARTS", f64::from(end.parts)), ("BIASED", f64::from(u8::from(end.layer.is_some())))];
        let buffers = [
            (1, &end.to),
            (2, &norm.residual),
            (3, &norm.scale),
            (4, &norm.shift),
            (5, &end.from),
            (6, bias),
        ];
        let buffers = [&buffers, more].concat();
        let params = NormParams { rows: end.rows as u32, width: end.cols as u32, eps: norm.eps };
        self.run(kernel, &constants, &params, &buffers, folded(end.rows));
        true
    }

    /// Records LayerNorm of x and copies some of its rows to y, if x is unfinished.
    pub(super) fn record_read(&mut self, x: &GpuRows, rows: &[u32], y: &Buffer) -> bool {
        let is_x = |end: &mut Unfinished| {
            let is_other = *y != end.from && *y != end.to;
            let norm = end.norm.as_ref().filter(|norm| is_other && norm.residual != *y);
            norm.is_some() && x.buffer.as_ref().is_some_and(|x| *x.buffer() == end.to)
        };
        let Some(end) = self.unfinished.take_if(is_x) else { return false };
        // their number comes first
        let list = self.list(&[&[rows.len() as u32], rows].concat());
        self.record_sum_norm(&end, Kernel::SumNormRead, &[(7, list.buffer()), (8, y)])
    }

    /// Returns the bytes that the workgroups of a dispatch load in the time of another dispatch.
    pub(super) fn cached_bytes(&self) -> u64 {
        DISPATCH.max(u64::from(self.choice.found.dispatch)) * CACHED_BYTES
    }

    /// Returns true if x is unfinished, and a layer with this weight can normalize it.
    pub(super) fn normalizes(&self, x: &GpuRows, weight: &GpuMatrix) -> bool {
        let buffers = if weight.precision == Precision::I8 { 2 } else { 1 };
        let fits = OTHER_BUFFERS + buffers <= self.device.max_storage_buffers;
        let waits = |end: &Unfinished| {
            end.norm.is_some()
                && end.layer.is_none()
                && x.buffer.as_ref().is_some_and(|buffer| *buffer.buffer() == end.to)
        };
        fits && weight.parts.len() == 1 && self.unfinished.as_ref().is_some_and(waits)
    }

    /// Returns what is unfinished of x, if a layer with this weight, variant and result can compute
    /// it. The layer must then record it.
    pub(super) fn take_unfinished(
        &mut self,
        x: &GpuRows,
        weight: &GpuMatrix,
        variant: Variant,
        y: &Buffer,
    ) -> Option<Unfinished> {
        if !self.normalizes(x, weight) || !has_consumer(variant) {
            return None;
        }
        // Every workgroup loads the rows and the residual. This must not take longer than the
        // dispatch that it saves.
        let loaded = 8 * (x.rows * x.cols) as u64 * workgroups(variant, x.rows, weight);
        if loaded > self.cached_bytes() {
            return None;
        }
        let apart = |end: &mut Unfinished| {
            let read = end.norm.as_ref().map(|norm| &norm.residual);
            *y != end.from && *y != end.to && read != Some(y)
        };
        self.unfinished.take_if(apart)
    }
}

/// Returns true if a variant of linear layers can normalize its input.
pub(super) fn has_consumer(Variant { layout, arithmetic }: Variant) -> bool {
    match layout {
        Layout::FewRows => true,
        Layout::Tiling(_) if arithmetic == Arithmetic::Int8 => false,
        Layout::Tiling(Tiling { tile, .. }) | Layout::Rounding(Tiling { tile, .. }) => {
            Consumer::TILES.contains(&tile)
        }
        _ => false,
    }
}
