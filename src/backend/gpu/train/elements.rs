//! Elementwise kernels, and sums.

use wgpu::Buffer;

use super::super::buffer_pool::PooledBuffer;
use super::super::matrix::groups;
use super::super::record::folded;
use super::super::{Gpu, GpuRows};
use super::params::{ActivationParams, ColumnSumsParams, DropoutParams, ElementsParams, SumParams};
use super::{Kernel, TrainKernel};
use crate::backend::Activation;
use crate::backend::train::Dropout;

/// Invocations per workgroup.
const THREADS: usize = 64;
/// Rows per chunk of column_sums.wgsl. A batch of 8 × 128 tokens then has 32 chunks, and rows of
/// 384 columns keep 3,072 invocations busy.
const CHUNK_ROWS: usize = 32;
/// Groups per chunk of sum.wgsl, 16 per invocation.
const CHUNK_GROUPS: usize = 1024;
/// Number of chunks up to which one workgroup adds up all numbers.
const FEW_CHUNKS: usize = 4;

/// Parameters of dropout for a kernel: elements whose random number is less than `threshold` become
/// 0, the others are multiplied by `scale`.
pub(super) struct DropoutNumbers {
    pub(super) seed: [u32; 2],
    pub(super) threshold: u32,
    pub(super) scale: f32,
}

impl DropoutNumbers {
    pub(super) fn new(dropout: &Dropout) -> Self {
        let random_numbers = f64::from(u32::MAX) + 1.0;
        Self {
            seed: [dropout.seed as u32, (dropout.seed >> 32) as u32],
            threshold: (f64::from(dropout.rate) * random_numbers).round() as u32,
            scale: 1.0 / (1.0 - dropout.rate),
        }
    }
}

impl Gpu {
    /// Records a kernel over `count` groups. `buffers` are its bindings, starting at 1.
    pub(super) fn record_elements(
        &mut self,
        kernel: TrainKernel,
        constants: super::Constants<'_>,
        count: usize,
        buffers: &[&Buffer],
    ) {
        let buffers: Vec<_> = (1..).zip(buffers.iter().copied()).collect();
        let params = ElementsParams { count: count as u32 };
        let grid = folded(count.div_ceil(THREADS));
        self.run(Kernel::Train(kernel), constants, &params, &buffers, grid);
    }

    /// Records y += x.
    pub(in crate::backend::gpu) fn record_add(&mut self, x: &GpuRows, y: &GpuRows) {
        let buffers = [&self.buffer(y), &self.buffer(x)];
        self.record_elements(TrainKernel::Add, &[("ADD", 1.0)], y.group_count(), &buffers);
    }

    /// Records y = activation(z).
    pub(super) fn record_activation(
        &mut self,
        z: &GpuRows,
        activation: Activation,
        y: &mut GpuRows,
    ) {
        let (to, from) = (self.shape(y, z.rows, z.cols), self.buffer(z));
        let count = z.group_count();
        let constants = [("ACTIVATION", f64::from(activation as u8))];
        let params = ActivationParams { count: count as u32, width: z.cols as u32 };
        let grid = folded(count.div_ceil(THREADS));
        let kernel = Kernel::Train(TrainKernel::Activation);
        self.run(kernel, &constants, &params, &[(1, &to), (2, &from)], grid);
    }

    /// Records that all elements of the rows become 0.
    pub(super) fn record_clear(&mut self, rows: &GpuRows) {
        let to = self.buffer(rows);
        self.record_elements(TrainKernel::Clear, &[], rows.group_count(), &[&to]);
    }

    /// Records x = dropout(x).
    pub(super) fn record_dropout(&mut self, x: &GpuRows, dropout: &Dropout) {
        let buffer = self.buffer(x);
        let numbers = DropoutNumbers::new(dropout);
        let params = DropoutParams {
            rows: x.rows as u32,
            groups: groups(x.cols) as u32,
            seed_low: numbers.seed[0],
            seed_high: numbers.seed[1],
            site: dropout.site,
            step: dropout.step,
            threshold: numbers.threshold,
            scale: numbers.scale,
        };
        let grid = folded(x.group_count().div_ceil(THREADS));
        self.run(Kernel::Train(TrainKernel::Dropout), &[], &params, &[(1, &buffer)], grid);
    }

    /// Records y += the sums of the columns of x, or of x · factors; `y` is `[1, cols]`.
    pub(super) fn record_column_sums(
        &mut self,
        x: &GpuRows,
        factors: Option<&GpuRows>,
        y: &GpuRows,
    ) {
        let from = self.buffer(x);
        let factors_buffer = factors.map(|factors| self.buffer(factors));
        let chunks = x.rows.div_ceil(CHUNK_ROWS);
        let bytes = 16 * (chunks * groups(x.cols)) as u64;
        let partial = self.scratch(bytes);
        let product = ("PRODUCT", f64::from(u8::from(factors.is_some())));
        let factors = factors_buffer.as_ref().unwrap_or(&from);
        let buffers = [(1, partial.buffer()), (2, &from), (3, factors)];
        let kernel = Kernel::Train(TrainKernel::ColumnSums);
        let [rows, columns] = [x.rows as u32, groups(x.cols) as u32];
        let params = ColumnSumsParams { rows, groups: columns, chunk: CHUNK_ROWS as u32 };
        let grid = folded((chunks * groups(x.cols)).div_ceil(THREADS));
        self.run(kernel, &[product], &params, &buffers, grid);
        let to = self.buffer(y);
        let chunks = chunks as u32;
        let params = ColumnSumsParams { rows: chunks, groups: columns, chunk: chunks };
        let buffers = [(1, &to), (2, partial.buffer()), (3, partial.buffer())];
        let grid = folded(groups(x.cols).div_ceil(THREADS));
        self.run(kernel, &[("ADD", 1.0)], &params, &buffers, grid);
    }

    /// Records total += the sum of a buffer's first `count` numbers, or of their squares; `total`
    /// is `[1, 1]`.
    pub(super) fn record_sum(
        &mut self,
        numbers: &Buffer,
        count: usize,
        square: bool,
        total: &GpuRows,
    ) {
        let to = self.buffer(total);
        let kernel = Kernel::Train(TrainKernel::Sum);
        let square = ("SQUARE", f64::from(u8::from(square)));
        let chunks = groups(count).div_ceil(CHUNK_GROUPS);
        let all = |count: usize| SumParams { count: count as u32, chunk: groups(count) as u32 };
        if chunks <= FEW_CHUNKS {
            let buffers = [(1, &to), (2, numbers)];
            self.run(kernel, &[square, ("ADD", 1.0)], &all(count), &buffers, [1, 1, 1]);
            return;
        }
        let partial = self.scratch(16 * groups(chunks) as u64);
        let params = SumParams { count: count as u32, chunk: CHUNK_GROUPS as u32 };
        let buffers = [(1, partial.buffer()), (2, numbers)];
        self.run(kernel, &[square], &params, &buffers, folded(chunks));
        let buffers = [(1, &to), (2, partial.buffer())];
        let constants = [("SQUARE", 0.0), ("ADD", 1.0)];
        self.run(kernel, &constants, &all(chunks), &buffers, [1, 1, 1]);
    }

    /// Returns a buffer for intermediate results of one operation. It is small if nothing is
    /// computed.
    pub(super) fn scratch(&mut self, bytes: u64) -> PooledBuffer {
        let bytes = if self.warming_up || self.failed.is_some() { 0 } else { bytes };
        self.activations.take(&mut self.device, bytes)
    }
}
