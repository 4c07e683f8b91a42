//! Settings and counters for tests and benchmarks.

use super::Gpu;
use super::choice::{Arithmetic, Layout, Op, Shape, Variant};
#[cfg(not(target_arch = "wasm32"))]
use super::device::Device;
use super::linear::Tiling;
use super::variants::{Operands, TILES, Tile};
use crate::backend::Precision;

#[doc(hidden)]
impl Gpu {
    /// Opens a GPU without optional features and with the limits that every adapter has.
    #[cfg(not(target_arch = "wasm32"))]
    pub async fn open_least() -> crate::Result<Self> {
        Ok(Self::over(Device::open(false).await?))
    }

    /// Returns the GPU as after it was opened, with the pipelines that it has compiled.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn restarted(self) -> Self {
        let Self { device, pipelines, .. } = self;
        Self { pipelines, ..Self::over(device) }
    }

    /// Loses the device after this number of further submissions.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn lose_after(&mut self, submissions: u64) {
        self.device.lost_at = self.recording.submissions + submissions;
    }

    /// Selects the kernels without barriers and workgroup memory. They are faster on software
    /// adapters and the default there.
    pub fn set_barrier_free(&mut self, barrier_free: bool) {
        self.barrier_free = barrier_free;
        self.choice.tested.clear();
    }

    /// Treats a software adapter as hardware: its kernels are measured and used.
    pub fn claim_hardware(&mut self) {
        self.device.software = false;
        self.measures = true;
        self.set_barrier_free(false);
    }

    /// Uses the default variants, without a measurement.
    pub fn keep_defaults(&mut self) {
        self.measures = false;
    }

    /// Sets the milliseconds that the device may take for the self-test and the measurement.
    pub fn limit_patience(&mut self, milliseconds: u32) {
        self.patience = milliseconds;
    }

    /// Returns the variants that are struck out: operation, variant and reason.
    pub fn struck(&self) -> Vec<(&'static str, String, String)> {
        let struck = self.choice.struck.iter();
        struck.map(|(op, variant, why)| (op.name(), variant.name(), why.clone())).collect()
    }

    /// Returns the chosen variants: operation, shape and variant.
    pub fn chosen(&self) -> Vec<(&'static str, &'static str, String)> {
        let chosen = self.choice.found.chosen.iter();
        chosen.map(|((op, shape), variant)| (op.name(), shape.name(), variant.name())).collect()
    }

    /// Returns the microseconds that the measurement took.
    pub fn measured_micros(&self) -> u32 {
        self.choice.found.micros
    }

    /// Sets the rows and columns of the tiles of linear layers over five or more rows: 32 or 64.
    /// `None`, the default, chooses by the size of y.
    pub fn set_tile_size(&mut self, tile_size: Option<usize>) {
        self.tile_size = tile_size;
    }

    /// Returns the numbers of the variants of linear layers over five or more rows that fit the
    /// device's workgroup memory, with operands in floats or in 8-bit integers.
    pub fn tilings(&self, integers: bool) -> Vec<usize> {
        let operands = if integers { Operands::Rounded } else { Operands::Floats };
        let fits = |n: &usize| TILES[*n].memory(operands) <= self.device.max_workgroup_bytes;
        (0..TILES.len()).filter(fits).collect()
    }

    /// Sets the variant of linear layers over five or more rows, and the number of parts that
    /// sums over 768 inputs are computed in. `None`, the default, chooses by the size of y.
    pub fn set_tiling(&mut self, tiling: Option<(usize, u32)>) {
        let of = |(tile, parts)| Some(Layout::Tiling(Tiling { tile: *TILES.get(tile)?, parts }));
        self.tiling = tiling.and_then(of);
    }

    /// As [`Gpu::set_tiling`], for layers in 8-bit integers that quantize rows themselves.
    pub fn set_rounding_tiling(&mut self, tile: usize, parts: u32) {
        let of = |tile: &&'static Tile| Layout::Rounding(Tiling { tile, parts });
        self.tiling = TILES.get(tile).map(of);
    }

    /// Selects the kernel of attention over 32 queries at a time, or over 16, the default.
    pub fn set_wide_attention(&mut self, wide: bool) {
        self.wide_attention = wide;
    }

    /// Computes attention over few rows and the layer after it in one dispatch, if that loads this
    /// many times as many bytes as a dispatch costs on a small device. 0: in two dispatches. `None`:
    /// by the default.
    pub fn set_attention_output(&mut self, loads: Option<u8>) {
        let chosen = &mut self.choice.found.chosen;
        chosen.retain(|((op, _), _)| !matches!(op, Op::AttentionOutput(_)));
        let Some(loads) = loads else { return };
        let layout = if loads == 0 { Layout::Apart } else { Layout::Together(loads) };
        let variant = Variant { arithmetic: Arithmetic::F32, layout };
        for precision in [Precision::F32, Precision::F16, Precision::Bf16] {
            chosen.push(((Op::AttentionOutput(precision), Shape::Short), variant));
        }
    }

    /// Allows embeddings, norms and attention to be part of other dispatches. Allowed by default.
    pub fn set_fused(&mut self, fused: bool) {
        self.embeds_in_steps = !fused;
        self.norms_apart = !fused;
        self.calls_apart = !fused;
    }

    /// Returns true for embeddings, and for norms, if other dispatches may include them.
    pub fn is_fused(&self) -> [bool; 2] {
        [!self.embeds_in_steps, !self.norms_apart]
    }

    /// Allows 8-bit integers and 16-bit floats if the device supports them and the weights have
    /// that precision. Allowed by default.
    pub fn set_low_precision(&mut self, low: bool) {
        self.low_precision.int8 = low && (self.device.dot || self.device.software);
        self.low_precision.half = low && self.device.half;
    }

    /// Returns true if shaders may compute in 16-bit floats.
    pub fn has_half(&self) -> bool {
        self.device.half
    }

    /// Sets the largest part of a matrix in one buffer, in bytes. The device's limit still applies.
    pub fn limit_weights(&mut self, bytes: u64) {
        self.max_matrix_bytes = bytes.min(self.device.max_buffer_bytes);
    }

    /// Sets the largest buffer that can be allocated from now on, in bytes.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn limit_memory(&mut self, bytes: u64) {
        self.device.most_bytes = bytes;
    }

    /// Sets the multiply-adds after which recorded commands are submitted.
    pub fn limit_multiply_adds(&mut self, multiply_adds: u64) {
        self.recording.max_multiply_adds = multiply_adds;
    }

    /// Returns the number of submissions so far.
    pub fn submissions(&self) -> u64 {
        self.recording.submissions
    }

    /// Replaces a text in all shaders compiled from now on. Tests use it to break kernels.
    pub fn replace_in_shaders(&mut self, from: &str, to: &str) {
        self.pipelines.replaced.push((from.to_owned(), to.to_owned()));
    }

    /// Returns the number of buffers created so far.
    pub fn buffers_made(&self) -> u64 {
        self.device.buffers_made
    }

    /// Returns the number of pipelines compiled so far.
    pub fn pipelines_made(&self) -> usize {
        self.pipelines.count()
    }
}
