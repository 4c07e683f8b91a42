//! The kernels on the GPU, through WebGPU in a browser and Vulkan elsewhere. Calls are recorded and
//! submitted, but for very many at once, by [`Backend::read`], which waits once.

#[cfg(target_arch = "wasm32")]
mod browser;
mod device;
mod kernels;
mod linear;
mod matrix;
mod pipelines;
mod pool;
#[cfg(not(target_arch = "wasm32"))]
mod profile;
mod recording;
mod testing;
mod trial;
mod wgsl;

pub use kernels::sources;
pub use matrix::Matrix;

use wgpu::{Buffer, BufferUsages};

use crate::backend::{Activation, Backend, Embeddings, Norm, Precision};
use crate::batch;
use crate::{Error, Result};
use device::Device;
use kernels::{Constants, Kernel};
use matrix::{Part, groups};
use pipelines::Pipelines;
use pool::{Loan, Pool};
use recording::{Grid, Recording, folded};

/// Rows of queries in a block; a workgroup of attention.wgsl takes one.
const QUERIES: usize = 16;
/// Columns of the widest head that fits in its workgroup memory; wider ones do without.
const WIDEST_HEAD: usize = 64;

/// A GPU, or a program that plays one.
pub struct Gpu {
    device: Device,
    pipelines: Pipelines,
    recording: Recording,
    /// Whether calls are only to have their pipelines compiled.
    rehearsing: bool,
    /// The most bytes of a matrix in one buffer.
    most_weights: u64,
    /// Buffers of activations.
    activations: Pool,
    /// Buffers of lists: written before all recorded commands, so never shared with activations,
    /// nor between two lists of one request.
    lists: Pool,
    held: Vec<Loan>,
    /// Why the request cannot be computed.
    failed: Option<Error>,
    /// Whether linear layers and attention do without workgroup memory.
    direct: bool,
    /// The side of the tiles of linear layers, where it is not to be chosen by their size.
    side: Option<usize>,
    /// Columns of a head of attention, as rehearsed: the trial's, too.
    head: usize,
    low: Low,
}

/// Arithmetic in fewer than 32 bits.
#[derive(Default)]
struct Low {
    /// Whether layers with int8 weights compute in 8-bit integers.
    int8: bool,
    /// Whether layers with f16 weights compute in 16-bit floats, where they do so.
    half: bool,
    /// The precisions of the matrices made so far that are to be tried.
    used: Vec<Precision>,
    /// What of it is not used, and why.
    note: Option<String>,
}

/// Activations `[rows, cols]`, each row filled up with zeros to whole groups of four columns.
#[derive(Default)]
pub struct Rows {
    memory: Option<Loan>,
    rows: usize,
    cols: usize,
}

/// A batch on the device: one list, and where its parts begin in it.
pub struct Batch {
    list: Buffer,
    rows: usize,
    /// Σ rows · keys over all sequences.
    pairs: usize,
    blocks: usize,
    /// Row numbers in the tables of words, types and positions.
    first_id: u32,
    first_type: u32,
    first_position: u32,
    /// The sequence of each row.
    first_row: u32,
    /// Five numbers a sequence: see `Sequence` in heads.wgsl.
    first_sequence: u32,
    /// Sequence and first row of each block of [`QUERIES`] rows.
    first_block: u32,
}

impl Gpu {
    /// The system's first GPU.
    ///
    /// # Errors
    /// `Unsupported` with the reason why there is none.
    pub async fn open() -> Result<Self> {
        let device = Device::open().await?;
        Ok(Self {
            direct: device.software,
            most_weights: device.most_bytes,
            low: Low {
                int8: device.software || (device.dot && !device.dot_is_slow),
                half: device.half,
                ..Low::default()
            },
            device,
            pipelines: Pipelines::default(),
            recording: Recording::new(),
            rehearsing: false,
            activations: Pool::default(),
            lists: Pool::default(),
            held: Vec::new(),
            failed: None,
            side: None,
            head: WIDEST_HEAD,
        })
    }

    /// The adapter's name; empty where a browser keeps it to itself.
    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// Whether the adapter is a program on the CPU.
    pub fn is_software(&self) -> bool {
        self.device.software
    }

    /// From now on calls compute nothing: the kernels that they take are compiled, in a browser while
    /// other work goes on, until [`Gpu::settle`]. Matrices made meanwhile have a shape and no room
    /// for numbers.
    pub fn begin_rehearsal(&mut self) {
        self.rehearsing = true;
    }

    /// Calls compute again.
    ///
    /// # Errors
    /// As [`Backend::matrix`].
    pub fn end_rehearsal(&mut self) -> Result<()> {
        self.rehearse_trial()?;
        self.rehearsing = false;
        self.held.clear();
        Ok(())
    }

    /// Waits until it is known whether all memory asked for was to be had and until what was
    /// rehearsed is compiled, and tries the arithmetic that its weights ask for.
    ///
    /// # Errors
    /// `OutOfMemory`, `DeviceLost`, `Unsupported` where a kernel cannot be compiled, and as
    /// [`Gpu::trial`].
    pub async fn settle(&mut self) -> Result<()> {
        self.device.settle().await?;
        #[cfg(target_arch = "wasm32")]
        self.pipelines.settle(&self.device.raw).await?;
        self.trial().await
    }

    /// Whether the device has gone, and with it all that it held.
    pub fn is_lost(&self) -> bool {
        self.device.is_lost()
    }

    /// Whether it ever refused a command.
    pub fn has_refused(&self) -> bool {
        self.device.has_refused()
    }

    /// Ends the device, as a crash of its driver does: what comes after fails with `DeviceLost`.
    pub fn destroy(&self) {
        self.device.raw.destroy();
    }

    fn run(
        &mut self,
        kernel: Kernel,
        constants: Constants<'_>,
        params: &[u32],
        buffers: &[(u32, &Buffer)],
        grid: Grid,
    ) {
        if self.rehearsing {
            return self.pipelines.begin(&self.device.raw, kernel, constants);
        }
        if self.failed.is_some() {
            return;
        }
        let pipeline = self.pipelines.get(&self.device.raw, kernel, constants);
        self.recording.dispatch(&mut self.device, (kernel, pipeline), params, buffers, grid);
    }

    /// Says how many products the next kernel makes, by their factors.
    fn announce(&mut self, factors: [usize; 3]) {
        if !self.rehearsing && self.failed.is_none() {
            let products = factors.map(|factor| factor as u64).iter().product();
            self.recording.announce(&mut self.device, products);
        }
    }

    /// Gives rows a shape, and memory for it.
    fn shape(&mut self, rows: &mut Rows, count: usize, cols: usize) -> Buffer {
        rows.rows = count;
        rows.cols = cols;
        let most = self.device.most_bytes;
        if rows.bytes() > most && !self.rehearsing {
            self.failed = Some(Error::Unsupported(format!(
                "{count} rows of {cols} numbers take {} MB and this GPU's kernels reach {} MB: \
                 pass fewer texts at a time",
                rows.bytes() >> 20,
                most >> 20
            )));
        }
        // a request that fails is called to its end, but not computed
        let computed = self.failed.is_none() && !self.rehearsing;
        let bytes = if computed { rows.bytes() } else { 0 };
        if rows.memory.as_ref().is_none_or(|memory| memory.size() < bytes) {
            rows.memory = None; // given back, it may be the one that fits
            rows.memory = Some(self.activations.take(&mut self.device, bytes));
        }
        self.buffer(rows)
    }

    /// The memory of rows that have a shape; a small buffer for those that never got one.
    fn buffer(&mut self, rows: &Rows) -> Buffer {
        match &rows.memory {
            Some(memory) => memory.buffer().clone(),
            None => self.activations.take(&mut self.device, 0).buffer().clone(),
        }
    }

    /// Brings a list to the device for this request.
    fn list(&mut self, list: &[u32]) -> Buffer {
        let loan = self.lists.take(&mut self.device, 4 * list.len() as u64);
        self.device.write(loan.buffer(), 0, bytemuck::cast_slice(list));
        let buffer = loan.buffer().clone();
        self.held.push(loan);
        buffer
    }

    /// y\[n\] = table\[list\[first + n\]\], or that added to it.
    fn lookup(
        &mut self,
        (precision, parts): (Precision, &[Part]),
        list: (&Buffer, u32),
        add: bool,
        y: &mut Rows,
    ) {
        let to = self.buffer(y);
        let constants = [("ADD", f64::from(u8::from(add)))];
        let grid = folded((y.rows * groups(y.cols)).div_ceil(64));
        for part in parts {
            let mut buffers = vec![(1, &to), (2, list.0)];
            buffers.extend(part.bindings());
            let [rows, first, count] = [y.rows, part.first, part.rows].map(|n| n as u32);
            let params = [rows, groups(y.cols) as u32, list.1, first, count];
            self.run(Kernel::Gather(precision), &constants, &params, &buffers, grid);
        }
    }

    fn any_norm(&mut self, x: &Rows, residual: Option<&Rows>, norm: &Norm<Buffer>) {
        let of = self.buffer(x);
        let added = residual.map(|rows| self.buffer(rows));
        let constants = [("RESIDUAL", f64::from(u8::from(added.is_some())))];
        let residual = added.as_ref().unwrap_or(&norm.weight);
        let buffers = [(1, &of), (2, residual), (3, &norm.weight), (4, &norm.bias)];
        let params = [x.rows as u32, x.cols as u32, norm.eps.to_bits()];
        let (kernel, groups) = if self.direct {
            (Kernel::NormDirect, x.rows.div_ceil(8))
        } else {
            (Kernel::Norm, x.rows)
        };
        self.run(kernel, &constants, &params, &buffers, folded(groups));
    }
}

impl Rows {
    /// Bytes in the device's memory.
    fn bytes(&self) -> u64 {
        16 * self.rows as u64 * groups(self.cols) as u64
    }

    /// What the device holds, without what fills up its rows.
    fn unpack(&self, bytes: &[u8]) -> Vec<f32> {
        let mut values: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
        let stride = 4 * groups(self.cols);
        if stride > self.cols {
            for row in 1..self.rows {
                values.copy_within(row * stride..row * stride + self.cols, row * self.cols);
            }
            values.truncate(self.rows * self.cols);
        }
        values
    }
}

impl Backend for Gpu {
    type Matrix = Matrix;
    type Vector = Buffer;
    type Rows = Rows;
    type Batch = Batch;

    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Matrix> {
        if !self.low.used.contains(&precision) {
            self.low.used.push(precision);
        }
        let hollow = self.rehearsing;
        Matrix::zeros(&mut self.device, self.most_weights, [rows, cols], precision, hollow)
    }

    fn vector(&mut self, len: usize) -> Result<Buffer> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let bytes = if self.rehearsing { 16 } else { 16 * groups(len) as u64 };
        Ok(self.device.buffer(bytes, usage))
    }

    fn write(&mut self, matrix: &mut Matrix, first_row: usize, values: &[f32]) {
        matrix.write(&mut self.device, first_row, values);
    }

    fn write_vector(&mut self, vector: &mut Buffer, first: usize, values: &[f32]) {
        self.device.write(vector, 4 * first as u64, bytemuck::cast_slice(values));
    }

    fn upload(&mut self, batch: batch::Batch) -> Result<Batch> {
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
        let first_block = list.len();
        for (sequence, n) in sequences {
            let firsts = sequence.rows.clone().step_by(QUERIES);
            list.extend(firsts.flat_map(|row| [n, row as u32]));
        }
        Ok(Batch {
            list: self.list(&list),
            rows,
            pairs,
            blocks: (list.len() - first_block) / 2,
            first_id: 0,
            first_type: rows as u32,
            first_position: 2 * rows as u32,
            first_row: 3 * rows as u32,
            first_sequence: first_sequence as u32,
            first_block: first_block as u32,
        })
    }

    fn embed(&mut self, tables: &Embeddings<Matrix, Buffer>, batch: &Batch, y: &mut Rows) {
        self.shape(y, batch.rows, tables.word.cols);
        let mut add = |table: &Matrix, first, more| {
            self.lookup((table.precision, &table.parts), (&batch.list, first), more, y);
        };
        add(&tables.word, batch.first_id, false);
        add(&tables.position, batch.first_position, true);
        if let Some(types) = &tables.token_type {
            add(types, batch.first_type, true);
        }
        self.norm(y, &tables.norm);
    }

    fn linear(
        &mut self,
        x: &Rows,
        weight: &Matrix,
        bias: &Buffer,
        activation: Activation,
        y: &mut Rows,
    ) {
        self.layer(x, weight, bias, activation, y);
    }

    fn attention(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        let width = qkv.cols / 3;
        let each = width / heads;
        if self.rehearsing {
            self.head = each;
        }
        let from = self.buffer(qkv);
        let aligned = ("ALIGNED", f64::from(u8::from(each.is_multiple_of(4))));
        let params = |list: u32| {
            let stride = 4 * groups(qkv.cols) as u32;
            let rows = qkv.rows as u32;
            let [width, each, heads, count] = [width, each, heads, batch.blocks].map(|n| n as u32);
            [width, each, stride, batch.first_sequence, list, heads, rows, count]
        };
        let to = self.shape(y, qkv.rows, width);
        let buffers = [(1, &to), (2, &batch.list), (3, &from)];
        let constants = [aligned, ("GROUPS", groups(each) as f64)];
        let (kernel, grid) = if self.direct || each > WIDEST_HEAD {
            let grid = [batch.blocks.div_ceil(8), heads, groups(each).div_ceil(8)];
            (Kernel::AttentionDirect, grid)
        } else {
            (Kernel::Attention, [batch.blocks, heads, 1])
        };
        let grid = grid.map(|workgroups| workgroups as u32);
        self.announce([2 * batch.pairs, heads, each]);
        self.run(kernel, &constants, &params(batch.first_block), &buffers, grid);
        if let Some(probabilities) = probabilities {
            // one long column, kept as one long row so that nothing fills it up
            let to = self.shape(probabilities, 1, heads * batch.pairs);
            let buffers = [(1, &to), (2, &batch.list), (3, &from)];
            let grid = [batch.rows as u32, heads as u32, 1];
            self.run(Kernel::Probabilities, &[aligned], &params(batch.first_row), &buffers, grid);
        }
    }

    fn add_norm(&mut self, x: &mut Rows, residual: &Rows, norm: &Norm<Buffer>) {
        self.any_norm(x, Some(residual), norm);
    }

    fn norm(&mut self, x: &mut Rows, norm: &Norm<Buffer>) {
        self.any_norm(x, None, norm);
    }

    fn gather(&mut self, x: &Rows, rows: &[u32], y: &mut Rows) {
        let table = Part { first: 0, rows: x.rows, values: self.buffer(x), scales: None };
        self.shape(y, rows.len(), x.cols);
        let list = self.list(rows);
        self.lookup((Precision::F32, &[table]), (&list, 0), false, y);
    }

    fn top(&mut self, x: &Rows, k: usize, y: &mut Rows) {
        let from = self.buffer(x);
        let to = self.shape(y, x.rows, 1 + 2 * k);
        let params = [x.rows, groups(x.cols), x.cols, k].map(|n| n as u32);
        self.run(Kernel::Top, &[], &params, &[(1, &to), (2, &from)], folded(x.rows));
    }

    async fn read(&mut self, rows: &[&Rows]) -> Result<Vec<Vec<f32>>> {
        let held = std::mem::take(&mut self.held);
        if let Some(error) = self.failed.take() {
            self.recording.clear();
            return Err(error);
        }
        let wanted: Vec<_> = rows.iter().map(|rows| (self.buffer(rows), rows.bytes())).collect();
        let unpack = |bytes: &[u8]| {
            let mut rest = bytes;
            let each = rows.iter().map(|rows| {
                let (now, later) = rest.split_at(rows.bytes() as usize);
                rest = later;
                rows.unpack(now)
            });
            each.collect()
        };
        let values = self.recording.submit(&mut self.device, &wanted, unpack).await;
        drop(held); // the lists may be overwritten now
        values
    }
}
