//! The GPU backend: WebGPU in a browser, Vulkan elsewhere. Calls are recorded; [`Backend::read`]
//! submits them and waits once. Only a very long request is submitted in several pieces.

mod attention;
mod attention_output;
mod autotune;
#[cfg(target_arch = "wasm32")]
mod browser;
mod buffer_pool;
mod choice;
mod clock;
mod device;
#[cfg(not(target_arch = "wasm32"))]
mod dispatch_list;
mod embed;
#[cfg_attr(not(feature = "families"), path = "no_families.rs")]
mod families;
mod gather;
mod improve;
mod kept;
#[cfg(all(feature = "families", feature = "train"))]
mod kernel_bench;
mod kernels;
mod linear;
mod matrix;
mod measure;
mod minify;
mod norm;
mod params;
mod pipelines;
mod processor;
#[cfg(not(target_arch = "wasm32"))]
mod profile;
mod record;
mod self_test;
#[cfg(feature = "families")]
mod self_test_families;
mod self_test_fused;
#[cfg(feature = "train")]
mod self_test_train;
mod test_hooks;
mod top_k;
#[cfg(feature = "train")]
mod train;
mod unfinished;
mod variants;

#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use dispatch_list::Dispatch;
#[cfg(all(feature = "families", feature = "train"))]
#[doc(hidden)]
pub use kernel_bench::{KernelBench, KernelCase, Variant};
#[doc(hidden)]
pub use kernels::sources;
pub use matrix::GpuMatrix;

use std::ops::Range;
use std::rc::Rc;

use bytemuck::Pod;
use wgpu::{Buffer, BufferUsages};

use crate::backend::{
    Activation, Backend, Disentangled, Embeddings, Norm, Precision, Relative, Rotation,
};
use crate::batch;
use crate::{Error, Result};
use attention_output::Attending;
use buffer_pool::{BufferPool, PooledBuffer};
use choice::Choice;
use device::Device;
#[cfg(feature = "families")]
use families::Tables;
use improve::Improvement;
use kernels::{Constants, Kernel};
use matrix::groups;
use pipelines::Pipelines;
use record::{Grid, Recording};
use unfinished::Unfinished;

/// Rows of queries per block. A workgroup of attention.wgsl handles one block.
const QUERIES: usize = 16;
/// Rows of queries per wide block, of attention_wide.wgsl.
const WIDE_QUERIES: usize = 32;
/// Usage of weight buffers. Training also updates and reads them.
const WEIGHTS: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);
/// Reach of attention over whole sequences: more than any sequence has tokens.
const ANY_REACH: u32 = 1 << 30;
/// Milliseconds that a device may take for the self-test's and the measurement's requests. Drivers
/// reset a device that takes ten seconds.
const PATIENCE: u32 = 15_000;
/// Largest number of columns of a head that fits in workgroup memory. Wider heads use
/// attention_barrier_free.wgsl.
const MAX_HEAD_DIM: usize = 64;

/// A GPU, or a software adapter.
pub struct Gpu {
    device: Device,
    pipelines: Pipelines,
    recording: Recording,
    /// True during a warm-up, when calls only compile their pipelines.
    warming_up: bool,
    /// The dispatches listed so far, if calls are listed instead of run.
    #[cfg(not(target_arch = "wasm32"))]
    listing: Option<dispatch_list::Listing>,
    /// Largest part of a matrix in one buffer, in bytes.
    max_matrix_bytes: u64,
    /// Buffers of activations.
    activations: BufferPool,
    /// Buffers of lists. They are written before any recorded command runs, so they are never
    /// shared with activations, nor by two lists of one request.
    lists: BufferPool,
    /// Lists of the current request.
    held_lists: Vec<Rc<PooledBuffer>>,
    /// Why the current request cannot be computed.
    failed: Option<Error>,
    /// True if the kernels without barriers and workgroup memory are used.
    barrier_free: bool,
    choice: Choice,
    /// True if variants are measured. Software adapters always use the defaults.
    measures: bool,
    /// True if variants other than the defaults are left to [`Gpu::improve`].
    postpones: bool,
    /// True if the defaults are measured before.
    times_defaults: bool,
    improvement: Improvement,
    /// Milliseconds that the device may take for a request of the self-test or the measurement.
    patience: u32,
    /// Rows and columns of the tiles of linear layers, for tests. `None`: as chosen.
    tile_size: Option<usize>,
    /// True if attention handles twice as many queries at a time where it can.
    wide_attention: bool,
    /// The variant of linear layers, for tests. `None`: as chosen.
    tiling: Option<choice::Layout>,
    /// Columns per head of attention during the warm-up. The self-test uses the same.
    head_dim: usize,
    low_precision: LowPrecision,
    /// True if embeddings are computed table by table, because the kernel for all is wrong.
    embeds_in_steps: bool,
    /// Precisions of the tables of embeddings so far. The self-test covers them.
    embedded: Vec<Precision>,
    /// True if norms are never part of other kernels, because one of these is wrong.
    norms_apart: bool,
    /// The end of the last layer, if it is not recorded yet.
    unfinished: Option<Unfinished>,
    /// Attention that is not recorded yet. Never together with the end of a layer.
    attending: Option<Attending>,
    /// True if every call has a dispatch of its own, for tests and benchmarks.
    calls_apart: bool,
    /// Tables for the kernels of families other than BERT.
    #[cfg(feature = "families")]
    tables: Tables,
    /// True if the training kernels have passed the self-test.
    #[cfg(feature = "train")]
    train_tested: bool,
    /// True during a dry run, when calls only allocate memory.
    #[cfg(feature = "train")]
    dry_run: bool,
}

/// Arithmetic in fewer than 32 bits.
#[derive(Default)]
struct LowPrecision {
    /// True if layers with int8 weights compute in 8-bit integers.
    int8: bool,
    /// True if layers with f16 weights compute in 16-bit floats; only the kernels of many rows do.
    half: bool,
    /// Precisions of the matrices created so far. The self-test covers them.
    used: Vec<Precision>,
    /// Which low-precision arithmetic is not used, and why.
    note: Option<String>,
}

/// A weight vector, padded with zeros to whole groups of four.
pub struct GpuVector {
    buffer: Buffer,
    #[cfg(any(feature = "train", feature = "families"))]
    len: usize,
}

/// Activations `[rows, cols]`, each row padded with zeros to whole groups of four columns.
#[derive(Default)]
pub struct GpuRows {
    buffer: Option<PooledBuffer>,
    /// A second buffer, of rows that are normalized: their values before the norm.
    other: Option<PooledBuffer>,
    rows: usize,
    cols: usize,
}

/// A batch on the device: one list of u32, and the index at which each part starts.
pub struct GpuBatch {
    list: Rc<PooledBuffer>,
    /// Host copy, used to plan the gradients of embeddings.
    #[cfg(feature = "train")]
    host: batch::Batch,
    rows: usize,
    /// Σ rows · keys over all sequences.
    pairs: usize,
    blocks: usize,
    wide_blocks: usize,
    /// Row numbers in the tables of words, types and positions: the first three parts of the list,
    /// as embed.wgsl expects.
    first_id: u32,
    first_type: u32,
    first_position: u32,
    /// Position of each row within its sequence, if known.
    first_column: u32,
    /// Sequence of each row.
    first_row: u32,
    /// Five numbers per sequence: see `Sequence` in shared/attention_heads.wgsl.
    first_sequence: u32,
    /// Sequence and first row of each block of [`QUERIES`] rows.
    first_block: u32,
    /// The same of each block of [`WIDE_QUERIES`] rows.
    first_wide_block: u32,
    #[cfg(feature = "families")]
    sequences: usize,
    /// Greatest distance of two tokens of a sequence.
    #[cfg(feature = "families")]
    reach: u32,
    /// Largest position.
    #[cfg(feature = "families")]
    last_position: u32,
}

impl Gpu {
    /// Opens the system's first GPU.
    ///
    /// # Errors
    /// `Unsupported` with the reason, if no GPU can be used.
    pub async fn open() -> Result<Self> {
        Ok(Self::over(Device::open(true).await?))
    }

    fn over(device: Device) -> Self {
        Self {
            barrier_free: device.software,
            choice: Choice::default(),
            measures: !device.software,
            postpones: false,
            times_defaults: false,
            improvement: Improvement::First,
            patience: PATIENCE,
            max_matrix_bytes: device.max_buffer_bytes,
            low_precision: LowPrecision {
                int8: device.software || (device.dot && !device.slow_dot),
                half: device.half,
                ..LowPrecision::default()
            },
            device,
            pipelines: Pipelines::default(),
            recording: Recording::new(),
            warming_up: false,
            #[cfg(not(target_arch = "wasm32"))]
            listing: None,
            activations: BufferPool::default(),
            lists: BufferPool::default(),
            held_lists: Vec::new(),
            failed: None,
            tile_size: None,
            tiling: None,
            wide_attention: false,
            embeds_in_steps: false,
            embedded: Vec::new(),
            norms_apart: false,
            unfinished: None,
            attending: None,
            calls_apart: false,
            head_dim: MAX_HEAD_DIM,
            #[cfg(feature = "families")]
            tables: Tables::default(),
            #[cfg(feature = "train")]
            train_tested: false,
            #[cfg(feature = "train")]
            dry_run: false,
        }
    }

    /// Returns the adapter's name. It is empty if the browser hides it.
    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// Returns true if the adapter is software on the CPU.
    pub fn is_software(&self) -> bool {
        self.device.software
    }

    /// Starts a warm-up. From now on, calls compute nothing; they only compile their kernels. A
    /// browser compiles asynchronously, until [`Gpu::settle`]. Matrices created meanwhile have a
    /// shape but no memory for values.
    pub fn begin_warm_up(&mut self) {
        self.warming_up = true;
    }

    /// Ends the warm-up. Calls compute again.
    ///
    /// # Errors
    /// As [`Backend::matrix`].
    pub fn end_warm_up(&mut self) -> Result<()> {
        self.finish();
        self.warm_up_self_test()?;
        self.finish();
        self.warming_up = false;
        self.held_lists.clear();
        Ok(())
    }

    /// Waits until all allocations have succeeded or failed and the kernels of the warm-up are
    /// compiled. Then runs the self-test, and chooses among the variants of the kernels, unless
    /// this is postponed.
    ///
    /// # Errors
    /// `OutOfMemory`, `DeviceLost`, also if the device does not answer in time, `Unsupported` if no
    /// variant of a kernel compiles, and as [`Gpu::self_test`].
    pub async fn settle(&mut self) -> Result<()> {
        self.device.settle().await?;
        self.begin_patience();
        let settled = self.test_and_choose().await;
        self.device.patience = None;
        settled
    }

    /// From now on, a device that does not answer in time is lost. A software adapter may take any
    /// time.
    fn begin_patience(&mut self) {
        self.device.patience = (!self.device.software).then_some(self.patience);
    }

    /// Waits until the kernels are compiled. Strikes out variants that do not compile. Errors:
    /// `Unsupported` if a kernel is left without a variant; `DeviceLost`.
    async fn settle_pipelines(&mut self) -> Result<()> {
        self.pipelines.settle(&self.device.raw).await;
        self.strike_failed()
    }

    /// Strikes out variants that do not compile. Returns false if a kernel is still being compiled.
    /// Errors: as [`Gpu::settle_pipelines`].
    fn strike_compiled(&mut self) -> Result<bool> {
        let is_settled = self.pipelines.is_settled(&self.device.raw);
        self.strike_failed()?;
        Ok(is_settled)
    }

    fn strike_failed(&mut self) -> Result<()> {
        for (key, error) in self.pipelines.take_failed() {
            self.strike_kernel(&key, error)?;
        }
        Ok(())
    }

    async fn test_and_choose(&mut self) -> Result<()> {
        self.settle_pipelines().await?;
        self.self_test().await?;
        self.test_fused().await?;
        if self.postpones { self.time_defaults().await } else { self.choose().await }
    }

    /// Returns true if the device is lost, and all buffers with it.
    pub fn is_lost(&self) -> bool {
        self.device.is_lost()
    }

    /// Returns true if the device ever refused a command.
    pub fn has_refused(&self) -> bool {
        self.device.has_refused()
    }

    /// Destroys the device, like a crash of its driver. Later calls fail with `DeviceLost`.
    pub fn destroy(&self) {
        self.device.raw.destroy();
    }

    /// Records a dispatch of a kernel. During a warm-up, compiles the kernel instead. `params` is
    /// its uniform; `buffers` pairs binding numbers with buffers.
    fn run(
        &mut self,
        kernel: Kernel,
        constants: Constants<'_>,
        params: &impl Pod,
        buffers: &[(u32, &Buffer)],
        grid: Grid,
    ) {
        self.run_bytes(kernel, constants, bytemuck::bytes_of(params), buffers, grid);
    }

    fn run_bytes(
        &mut self,
        kernel: Kernel,
        constants: Constants<'_>,
        params: &[u8],
        buffers: &[(u32, &Buffer)],
        grid: Grid,
    ) {
        self.finish();
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(listing) = &mut self.listing {
            return listing.push(kernel, constants, params, grid);
        }
        if self.warming_up {
            return self.pipelines.begin(&self.device.raw, kernel, constants);
        }
        if self.failed.is_some() || self.is_dry() {
            return;
        }
        let pipeline = self.pipelines.get(&self.device.raw, kernel, constants);
        self.recording.dispatch(&mut self.device, (kernel, pipeline), params, buffers, grid);
    }

    /// Submits the recorded commands, waits, and calls `then` with the bytes of `wanted`: buffers
    /// and the number of bytes to read from each. Errors: as [`Backend::read`].
    async fn submit<T>(
        &mut self,
        wanted: &[(Buffer, u64)],
        then: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        self.finish();
        if self.is_dry() {
            // A dry run computes nothing, so every result is 0.
            let bytes: u64 = wanted.iter().map(|(_, bytes)| bytes).sum();
            return Ok(then(&vec![0; bytes as usize]));
        }
        let held_lists = std::mem::take(&mut self.held_lists);
        // The commands of a failed request are never run.
        if let Some(error) = self.failed.take() {
            self.recording.clear();
            return Err(error);
        }
        #[cfg(not(target_arch = "wasm32"))]
        if self.recording.submissions >= self.device.lost_at {
            self.destroy();
        }
        let values = self.recording.submit(&mut self.device, wanted, then).await;
        drop(held_lists); // from here on the lists may be overwritten
        values
    }

    /// Returns true during a dry run, when calls only allocate memory.
    fn is_dry(&self) -> bool {
        #[cfg(feature = "train")]
        return self.dry_run;
        #[cfg(not(feature = "train"))]
        false
    }

    /// Counts the multiply-adds of the next kernel, given as the product of `factors`.
    fn add_cost(&mut self, factors: [usize; 3]) {
        let multiply_adds = factors.map(|factor| factor as u64).iter().product();
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(listing) = &mut self.listing {
            return listing.add_cost(multiply_adds);
        }
        if !self.warming_up && !self.is_dry() && self.failed.is_none() {
            self.recording.add_cost(&mut self.device, multiply_adds);
        }
    }

    /// Gives rows a shape and a buffer. Returns the buffer.
    fn shape(&mut self, rows: &mut GpuRows, count: usize, cols: usize) -> Buffer {
        rows.rows = count;
        rows.cols = cols;
        // A repeated request uses the same buffers, and the same bind groups.
        if rows
            .other
            .as_ref()
            .is_some_and(|other| rows.buffer.as_ref().is_some_and(|buffer| other.is_before(buffer)))
        {
            std::mem::swap(&mut rows.buffer, &mut rows.other);
        }
        let max = self.device.max_buffer_bytes;
        if rows.bytes() > max && !self.warming_up {
            let (size, max) = (rows.bytes() >> 20, max >> 20);
            let text = format!(
                "{count} rows of {cols} numbers: expected at most {max} MB on this GPU, got {size} MB. \
                 Pass fewer texts at a time."
            );
            // A dry run asks if a step fits, and this one does not: for the caller it is a lack of
            // memory.
            self.failed = Some(if self.is_dry() {
                Error::OutOfMemory(text)
            } else {
                Error::Unsupported(text)
            });
        }
        // The calls of a failed request continue, but compute nothing, so they need no memory.
        let computed = self.failed.is_none() && !self.warming_up;
        let bytes = if computed { rows.bytes() } else { 0 };
        if rows.buffer.as_ref().is_none_or(|buffer| !buffer.holds(bytes, &self.device)) {
            rows.buffer = None; // returned to the pool first: it may be the one that fits
            rows.buffer = Some(self.activations.take(&mut self.device, bytes));
        }
        self.buffer(rows)
    }

    /// Returns the buffer of rows. Rows that never got a shape get a small one.
    fn buffer(&mut self, rows: &GpuRows) -> Buffer {
        match &rows.buffer {
            Some(buffer) => buffer.buffer().clone(),
            None => self.activations.take(&mut self.device, 0).buffer().clone(),
        }
    }

    /// Writes a list to the device. It stays valid during this request, and as long as it is held.
    fn list(&mut self, list: &[u32]) -> Rc<PooledBuffer> {
        let pooled = Rc::new(self.lists.take(&mut self.device, 4 * list.len() as u64));
        if self.is_dry() {
            return pooled;
        }
        self.device.write(pooled.buffer(), 0, bytemuck::cast_slice(list));
        self.held_lists.push(Rc::clone(&pooled));
        pooled
    }
}

impl GpuRows {
    /// Returns the size in the device's memory, in bytes.
    fn bytes(&self) -> u64 {
        16 * self.rows as u64 * groups(self.cols) as u64
    }
}

/// Returns the values `[rows, cols]` of a buffer, without the padding of its rows.
fn unpack(bytes: &[u8], rows: usize, cols: usize) -> Vec<f32> {
    let mut values: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
    let stride = 4 * groups(cols);
    if stride > cols {
        for row in 1..rows {
            values.copy_within(row * stride..row * stride + cols, row * cols);
        }
        values.truncate(rows * cols);
    }
    values
}

impl Gpu {
    /// Fails the current request, for an operation without a shader.
    #[cfg(not(all(feature = "train", feature = "families")))]
    fn lack_kernel(&mut self, what: &str) {
        let error = || Error::Unsupported(format!("a GPU has no {what}. Set device to \"cpu\"."));
        self.failed.get_or_insert_with(error);
    }
}

impl Backend for Gpu {
    type Matrix = GpuMatrix;
    type Vector = GpuVector;
    type Rows = GpuRows;
    type Batch = GpuBatch;

    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<GpuMatrix> {
        if !self.low_precision.used.contains(&precision) {
            self.low_precision.used.push(precision);
        }
        let placeholder = self.warming_up;
        GpuMatrix::zeros(
            &mut self.device,
            self.max_matrix_bytes,
            [rows, cols],
            precision,
            placeholder,
        )
    }

    fn vector(&mut self, len: usize) -> Result<GpuVector> {
        let bytes = if self.warming_up { 16 } else { 16 * groups(len) as u64 };
        Ok(GpuVector {
            buffer: self.device.buffer(bytes, WEIGHTS),
            #[cfg(any(feature = "train", feature = "families"))]
            len,
        })
    }

    fn write(&mut self, matrix: &mut GpuMatrix, first_row: usize, values: &[f32]) {
        matrix.write(&mut self.device, first_row, values);
    }

    fn write_vector(&mut self, vector: &mut GpuVector, first: usize, values: &[f32]) {
        self.device.write(&vector.buffer, 4 * first as u64, bytemuck::cast_slice(values));
    }

    fn upload(&mut self, batch: batch::Batch) -> Result<GpuBatch> {
        self.device.check()?;
        let rows = batch.ids.len();
        let mut list = [&batch.ids[..], &batch.types, &batch.positions].concat();
        let sequences = batch.sequences.iter().zip(0_u32..);
        list.extend(sequences.clone().flat_map(|(s, n)| s.rows.clone().map(move |_| n)));
        let first_sequence = list.len();
        let mut pairs = 0;
        for sequence in &batch.sequences {
            let batch::Sequence { rows, keys } = sequence;
            let numbers = [rows.start, rows.end, keys.start, keys.end, pairs];
            list.extend(numbers.map(|number| number as u32));
            pairs += rows.len() * keys.len();
        }
        let [first_block, first_wide_block] = [QUERIES, WIDE_QUERIES].map(|queries| {
            let start = list.len();
            for (sequence, n) in sequences.clone() {
                let firsts = sequence.rows.clone().step_by(queries);
                list.extend(firsts.flat_map(|row| [n, row as u32]));
            }
            start
        });
        let first_column = list.len();
        list.extend(&batch.columns);
        #[cfg(feature = "families")]
        families::extend_by_masks(&batch, &mut list);
        Ok(GpuBatch {
            list: self.list(&list),
            rows,
            pairs,
            blocks: (first_wide_block - first_block) / 2,
            wide_blocks: (first_column - first_wide_block) / 2,
            first_id: 0,
            first_type: rows as u32,
            first_position: 2 * rows as u32,
            first_row: 3 * rows as u32,
            first_sequence: first_sequence as u32,
            first_block: first_block as u32,
            first_wide_block: first_wide_block as u32,
            first_column: first_column as u32,
            #[cfg(feature = "families")]
            sequences: batch.sequences.len(),
            #[cfg(feature = "families")]
            reach: batch.reach(),
            #[cfg(feature = "families")]
            last_position: batch.positions.iter().copied().max().unwrap_or_default(),
            #[cfg(feature = "train")]
            host: batch,
        })
    }

    fn embed(
        &mut self,
        tables: &Embeddings<GpuMatrix, GpuVector>,
        batch: &GpuBatch,
        y: &mut GpuRows,
    ) {
        self.record_embed(tables, batch, y);
    }

    fn embed_sum(
        &mut self,
        tables: &Embeddings<GpuMatrix, GpuVector>,
        batch: &GpuBatch,
        y: &mut GpuRows,
    ) {
        self.record_embed_sum(tables, batch, y);
    }

    fn lookup(&mut self, table: &GpuMatrix, rows: &[u32], y: &mut GpuRows) {
        self.shape(y, rows.len(), table.cols);
        let list = self.list(rows);
        self.record_gather((table.precision, &table.parts), (list.buffer(), 0), false, y);
    }

    fn linear(
        &mut self,
        x: &GpuRows,
        weight: &GpuMatrix,
        bias: &GpuVector,
        activation: Activation,
        y: &mut GpuRows,
    ) {
        self.record_linear(x, weight, &bias.buffer, activation, y);
    }

    fn attention(
        &mut self,
        qkv: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        y: &mut GpuRows,
        probabilities: Option<&mut GpuRows>,
    ) {
        let kernels =
            [Kernel::Attention, Kernel::AttentionBarrierFree, Kernel::AttentionProbabilities];
        self.record_attention_by(
            kernels,
            (qkv, batch, heads),
            (ANY_REACH, &[], &[]),
            y,
            probabilities,
        );
    }

    fn attention_relative(
        &mut self,
        qkv: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        relative: &Relative<'_, GpuVector>,
        y: &mut GpuRows,
        probabilities: Option<&mut GpuRows>,
    ) {
        self.record_attention_relative((qkv, batch, heads), relative, y, probabilities);
    }

    fn attention_disentangled(
        &mut self,
        qkv: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        disentangled: &Disentangled<'_, GpuRows>,
        y: &mut GpuRows,
        probabilities: Option<&mut GpuRows>,
    ) {
        let of = (qkv, batch, heads);
        self.record_attention_disentangled(of, disentangled, y, probabilities);
    }

    fn unfold(
        &mut self,
        x: &GpuRows,
        batch: &GpuBatch,
        taps: usize,
        masked: bool,
        y: &mut GpuRows,
    ) {
        self.record_unfold(x, batch, (taps, masked), y);
    }

    fn depthwise(&mut self, x: &GpuRows, weights: &GpuVector, batch: &GpuBatch, y: &mut GpuRows) {
        self.record_depthwise(x, weights, batch, y);
    }

    fn span_convolution(
        &mut self,
        x: &GpuRows,
        kernels: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        y: &mut GpuRows,
    ) {
        self.record_span_convolution(x, kernels, batch, heads, y);
    }

    fn columns(&mut self, x: [&GpuRows; 2], ranges: [Range<usize>; 2], y: &mut GpuRows) {
        self.record_columns(x, ranges, y);
    }

    fn add(&mut self, x: &GpuRows, y: &mut GpuRows) {
        #[cfg(feature = "train")]
        self.record_add(x, y);
        #[cfg(not(feature = "train"))]
        {
            let _ = (x, y);
            self.lack_kernel("sum of rows");
        }
    }

    fn clear_rows(&mut self, x: &mut GpuRows, rows: &[u32]) {
        self.record_clear_rows(x, rows);
    }

    fn rotary(
        &mut self,
        qkv: &mut GpuRows,
        batch: &GpuBatch,
        heads: usize,
        rotation: &Rotation,
        table: Option<&GpuVector>,
    ) {
        self.record_rotary(qkv, batch, heads, rotation, table);
    }

    fn gate(&mut self, x: &GpuRows, activation: Activation, y: &mut GpuRows) {
        self.record_gate(x, activation, y);
    }

    fn residual_norm(&mut self, x: &mut GpuRows, residual: &mut GpuRows, norm: &Norm<GpuVector>) {
        self.record_residual_norm(x, residual, norm);
    }

    fn scale_rows(&mut self, x: &mut GpuRows, factors: &[f32]) {
        self.record_scale_rows(x, factors);
    }

    fn mean(&mut self, x: &GpuRows, batch: &GpuBatch, y: &mut GpuRows) {
        self.record_mean(x, batch, y);
    }

    fn add_norm(&mut self, x: &mut GpuRows, residual: &GpuRows, norm: &Norm<GpuVector>) {
        self.record_add_norm(x, residual, norm);
    }

    fn norm(&mut self, x: &mut GpuRows, norm: &Norm<GpuVector>) {
        self.record_norm(x, None, norm);
    }

    fn gather(&mut self, x: &GpuRows, rows: &[u32], y: &mut GpuRows) {
        self.record_gather_rows(x, rows, y);
    }

    fn top(&mut self, x: &GpuRows, k: usize, y: &mut GpuRows) {
        self.record_top(x, k, y);
    }

    async fn read(&mut self, rows: &[&GpuRows]) -> Result<Vec<Vec<f32>>> {
        let wanted: Vec<_> = rows.iter().map(|rows| (self.buffer(rows), rows.bytes())).collect();
        let unpack = |bytes: &[u8]| {
            let mut rest = bytes;
            let each = rows.iter().map(|rows| {
                let (now, later) = rest.split_at(rows.bytes() as usize);
                rest = later;
                unpack(now, rows.rows, rows.cols)
            });
            each.collect()
        };
        self.submit(&wanted, unpack).await
    }
}
