//! Kernels one by one: their largest differences from the CPU, and repeated runs that a caller
//! times. A program that reports on a device it has never seen uses both.

use super::matrix::matrix_bytes;
use super::self_test::{difference, numbers};
use super::variants::TILES;
use super::{Gpu, GpuRows};
use crate::Result;
use crate::backend::cpu::Cpu;
use crate::backend::train::Train;
use crate::backend::{
    Activation, Backend, Disentangled, Distances, Embeddings, Norm, NormKind, Precision, Relative,
    Rotation,
};
use crate::batch::{Batch, Sequence};

/// Columns of a head.
const HEAD_DIM: usize = 64;
/// k of top-k.
const TOP_K: usize = 5;
/// Reach of attention by distance.
const REACH: usize = 64;
/// Neighbours per token, and taps of a convolution.
const TAPS: usize = 3;
/// Table of relative positions: 2 · span rows. Pairs of tokens share its logarithmic buckets.
const DISTANCES: Distances = Distances { span: 8, buckets: 8, furthest: 64 };
/// Rows of the compared layers, with partial tiles. Cases with fewer rows keep theirs, because they
/// run other kernels.
const COMPARED_ROWS: usize = 37;
/// Rows up to which layers that quantize rows themselves are measured.
const ROUNDED_ROWS: usize = 128;
/// Inputs and outputs of the compared layers: partial blocks and tiles.
const COMPARED: [usize; 2] = [100, 70];

/// What a case calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Launch,
    Linear,
    Attention,
    Probabilities,
    Relative,
    Disentangled,
    Norm,
    ResidualNorm,
    Embed,
    Gather,
    Top,
    Rotary,
    Gate,
    Mean,
    Unfold,
    Depthwise,
    ScaleRows,
    BackwardInput,
    BackwardWeight,
}

/// A way to compute a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The one that the device chooses.
    Chosen,
    /// As [`Variant::Tile`], in 8-bit integers that the layer quantizes itself.
    Rounding(usize, u32),
    /// Linear layers, by a number of [`Gpu::tilings`], with sums in this many parts.
    Tile(usize, u32),
    /// Attention over 32 queries at a time.
    Wide,
}

impl Variant {
    /// Returns the name. `None` for the one that the device chooses.
    pub fn name(self) -> Option<String> {
        match self {
            Self::Chosen => None,
            Self::Rounding(tile, parts) => {
                Some(format!("rounding {}", Self::Tile(tile, parts).name()?))
            }
            Self::Tile(tile, 1) => Some(format!("{:?}", TILES.get(tile)?)),
            Self::Tile(tile, parts) => Some(format!("{:?}, {parts} parts", TILES.get(tile)?)),
            Self::Wide => Some("32 queries".to_owned()),
        }
    }

    fn set(self, gpu: &mut Gpu) {
        match self {
            Self::Tile(tile, parts) => gpu.set_tiling(Some((tile, parts))),
            Self::Rounding(tile, parts) => gpu.set_rounding_tiling(tile, parts),
            Self::Chosen | Self::Wide => gpu.set_tiling(None),
        }
        gpu.set_wide_attention(self == Self::Wide);
    }
}

/// A call of a kernel with its sizes.
#[derive(Debug, Clone, Copy)]
pub struct KernelCase {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Precision of the weights, if the kernel has any.
    pub precision: Option<Precision>,
    /// The variant of the kernel.
    pub variant: Variant,
    /// Sequences of the batch.
    pub sequences: usize,
    /// Tokens of each sequence.
    pub length: usize,
    /// Columns of x.
    pub inputs: usize,
    /// Columns of y. Embeddings: rows of the table.
    pub outputs: usize,
    /// Largest difference that rounding explains, relative to the largest result.
    pub tolerance: f32,
    work: Work,
}

impl KernelCase {
    const fn new(kernel: &'static str, work: Work, shape: [usize; 4]) -> Self {
        let [sequences, length, inputs, outputs] = shape;
        let (precision, variant, tolerance) = (None, Variant::Chosen, 1e-3);
        Self { kernel, precision, variant, sequences, length, inputs, outputs, tolerance, work }
    }

    /// Returns the case with weights of this precision.
    const fn weights(self, precision: Precision) -> Self {
        let tolerance = match precision {
            Precision::I8 => 3e-2,
            Precision::F16 | Precision::Bf16 => 1e-2,
            Precision::F32 => 1e-3,
        };
        Self { precision: Some(precision), tolerance, ..self }
    }

    /// Returns the number of rows of x.
    pub const fn rows(&self) -> usize {
        self.sequences * self.length
    }

    /// Returns the floating-point operations of a call, two per multiply-add. 0 for kernels that
    /// wait for memory.
    pub const fn operations(&self) -> u64 {
        let multiply_adds = match self.work {
            Work::Linear | Work::BackwardInput | Work::BackwardWeight => {
                self.rows() * self.inputs * self.outputs
            }
            Work::Attention | Work::Probabilities | Work::Disentangled => {
                2 * self.rows() * self.length * self.outputs
            }
            _ => 0,
        };
        2 * multiply_adds as u64
    }

    /// Returns the bytes that a call must read and write if it touches each number once.
    pub fn bytes(&self) -> u64 {
        let weights = self.precision.map_or(0, |precision| match self.work {
            Work::Embed => 0, // only some rows are read, and x is none of them
            _ => matrix_bytes(self.outputs, self.inputs, precision),
        });
        let columns = match self.work {
            Work::Norm | Work::ResidualNorm => 3 * self.inputs,
            Work::Embed => 3 * self.inputs,
            _ => self.inputs + self.outputs,
        };
        (weights + 4 * self.rows() * columns) as u64
    }

    /// Returns the case with sizes that the CPU computes at once. Its kernel stays the same.
    fn compared(&self) -> Self {
        let [inputs, outputs] = match self.work {
            Work::Linear | Work::BackwardInput | Work::BackwardWeight | Work::Top => COMPARED,
            _ => [self.inputs, self.outputs],
        };
        let (sequences, length) = match self.work {
            Work::Linear => (1, self.rows().min(COMPARED_ROWS)),
            _ => (self.sequences.min(2), self.length.min(COMPARED_ROWS)),
        };
        Self { sequences, length, inputs, outputs, ..*self }
    }

    fn batch(&self) -> Batch {
        let rows = 0..self.rows();
        let sequence = |n: usize| {
            let rows = n * self.length..(n + 1) * self.length;
            Sequence { rows: rows.clone(), keys: rows }
        };
        let columns: Vec<u32> = rows.clone().map(|row| (row % self.length) as u32).collect();
        Batch {
            ids: rows.map(|row| (row * 7 % self.outputs.max(1)) as u32).collect(),
            types: vec![0; self.rows()],
            positions: columns.clone(),
            columns,
            sequences: (0..self.sequences).map(sequence).collect(),
            ..Batch::default()
        }
    }
}

/// Returns the cases: every kernel of a forward pass, and the largest of training. `small`: sizes
/// for a software adapter, without variants. `tilings`: the variants of linear layers in floats and
/// in 8-bit integers.
fn cases(small: bool, tilings: &[Vec<usize>; 2]) -> Vec<KernelCase> {
    let (width, inner) = if small { (384, 1536) } else { (768, 3072) };
    let mut all = vec![KernelCase::new("launch", Work::Launch, [1, 1, 4, 4])];
    let layers: &[usize] = if small { &[1, 16, 128] } else { &[1, 16, 128, 1024] };
    for precision in [Precision::F32, Precision::F16, Precision::Bf16, Precision::I8] {
        for &rows in layers {
            let layer = KernelCase::new("linear", Work::Linear, [1, rows, width, inner]);
            let layer = layer.weights(precision);
            all.push(layer);
            if !small {
                let variants = variants(rows, precision, tilings);
                all.extend(variants.into_iter().map(|variant| KernelCase { variant, ..layer }));
            }
        }
    }
    let batches: &[[usize; 2]] = if small { &[[1, 128]] } else { &[[1, 128], [8, 128], [1, 512]] };
    for &[sequences, length] in batches {
        let shape = [sequences, length, 3 * width, width];
        let attention = KernelCase::new("attention", Work::Attention, shape);
        all.push(attention);
        if !small {
            all.push(KernelCase { variant: Variant::Wide, ..attention });
        }
    }
    all.extend(others(small, [width, inner]));
    all
}

/// Returns the variants that are measured of a linear layer over this number of rows.
fn variants(
    rows: usize,
    precision: Precision,
    [floats, integers]: &[Vec<usize>; 2],
) -> Vec<Variant> {
    let tilings = if precision == Precision::I8 { integers } else { floats };
    // The arithmetic of bf16 is that of f32.
    if rows <= 4 || precision == Precision::Bf16 {
        return Vec::new();
    }
    let parts: &[u32] = if rows <= 32 { &[1, 4] } else { &[1] };
    let all = tilings.iter().flat_map(|&tile| parts.iter().map(move |&n| (tile, n)));
    let rounds = precision == Precision::I8 && rows <= ROUNDED_ROWS;
    let rounding = all.clone().map(|(tile, parts)| Variant::Rounding(tile, parts));
    let tiles = all.map(|(tile, parts)| Variant::Tile(tile, parts));
    tiles.chain(rounding.filter(|_| rounds)).collect()
}

/// Returns the cases other than linear layers and plain attention.
fn others(small: bool, [width, inner]: [usize; 2]) -> Vec<KernelCase> {
    let [count, length] = if small { [1, 128] } else { [8, 128] };
    let qkv = [count, length, 3 * width, width];
    let [wide, table] = [[count, length, width, width], [count, length, width, 2048]];
    let halves = [count, length, 2 * inner, inner];
    let layer = [count, length, width, inner];
    vec![
        KernelCase::new("attention_probabilities", Work::Probabilities, qkv),
        KernelCase::new("attention_relative", Work::Relative, qkv),
        KernelCase::new("attention_disentangled", Work::Disentangled, qkv),
        KernelCase::new("norm", Work::Norm, wide),
        KernelCase::new("residual_norm", Work::ResidualNorm, wide),
        KernelCase::new("embed", Work::Embed, table).weights(Precision::F32),
        KernelCase::new("embed", Work::Embed, table).weights(Precision::I8),
        KernelCase::new("gather", Work::Gather, wide),
        KernelCase::new("top_k", Work::Top, [1, 8, 30_522, 1 + 2 * TOP_K]),
        KernelCase::new("rotary", Work::Rotary, [count, length, 3 * width, 3 * width]),
        KernelCase::new("gate", Work::Gate, halves),
        KernelCase::new("mean", Work::Mean, wide),
        KernelCase::new("unfold", Work::Unfold, [count, length, width, TAPS * width]),
        KernelCase::new("depthwise", Work::Depthwise, wide),
        KernelCase::new("scale_rows", Work::ScaleRows, wide),
        KernelCase::new("linear_backward_input", Work::BackwardInput, layer)
            .weights(Precision::F32),
        KernelCase::new("linear_backward_weight", Work::BackwardWeight, layer),
    ]
}

/// The arguments and results of a case on a device.
struct Arguments<B: Train> {
    x: B::Rows,
    /// A second argument with the shape of x, or of y.
    more: B::Rows,
    y: B::Rows,
    /// A further result.
    beside: B::Rows,
    weight: Option<B::Matrix>,
    /// A vector for each column of x, or of y.
    vector: B::Vector,
    norm: Norm<B::Vector>,
    batch: B::Batch,
    rows: Vec<u32>,
}

impl<B: Train> Arguments<B> {
    /// `precision`: of the weights. Without `values`, for a warm-up, weights have a shape only.
    fn new(b: &mut B, case: &KernelCase, precision: Precision, values: bool) -> Result<Self> {
        let (rows, [inputs, outputs]) = (case.rows(), [case.inputs, case.outputs]);
        let put = |b: &mut B, cols: usize, seed: usize| -> Result<B::Rows> {
            let mut x = B::Rows::default();
            b.put(&numbers(rows * cols, seed), rows, &mut x)?;
            Ok(x)
        };
        let is_gradient = matches!(case.work, Work::BackwardInput | Work::BackwardWeight);
        let x = put(b, inputs, 1)?;
        let more = put(b, if is_gradient { outputs } else { inputs }, 2)?;
        let mut y = B::Rows::default();
        let mut beside = B::Rows::default();
        if case.work == Work::BackwardWeight {
            y = b.zeros(outputs, inputs)?;
            beside = b.zeros(1, outputs)?;
        } else if case.work == Work::Disentangled {
            let count = 2 * DISTANCES.span;
            let positions = numbers(count * 2 * outputs, 18);
            b.put(&positions, count, &mut beside)?;
        } else if case.work == Work::Launch {
            y = b.zeros(rows, outputs)?;
        }
        let mut weight = None;
        if case.precision.is_some() {
            let mut matrix = b.matrix(outputs, inputs, precision)?;
            if values {
                b.write(&mut matrix, 0, &numbers(outputs * inputs, 3));
            }
            weight = Some(matrix);
        }
        let vector = if case.work == Work::Depthwise { inputs * TAPS } else { outputs };
        let vector = filled(b, vector, 4, values)?;
        let norm = Norm {
            weight: filled(b, inputs, 5, values)?,
            bias: filled(b, inputs, 6, values)?,
            eps: 1e-5,
            kind: NormKind::Layer,
        };
        let batch = b.upload(case.batch())?;
        let rows = (0..rows as u32).rev().collect();
        Ok(Self { x, more, y, beside, weight, vector, norm, batch, rows })
    }

    /// Calls the kernel.
    fn run(&mut self, b: &mut B, case: &KernelCase) {
        let Self { x, more, y, beside, weight, vector, norm, batch, rows } = self;
        let heads = case.inputs / 3 / HEAD_DIM;
        match (case.work, weight) {
            (Work::Launch, _) => b.add(x, y),
            (Work::Linear, Some(weight)) => b.linear(x, weight, vector, Activation::Gelu, y),
            (Work::BackwardInput, Some(weight)) => b.linear_backward_input(more, weight, y),
            (Work::BackwardWeight, _) => b.linear_backward_weight(x, more, y, beside),
            (Work::Embed, Some(_)) => self.embed(b),
            (Work::Attention, _) => b.attention(x, batch, heads, y, None),
            (Work::Probabilities, _) => b.attention(x, batch, heads, y, Some(beside)),
            (Work::Relative, _) => {
                let relative = Relative { reach: Some(REACH), bias: None, distances: None };
                b.attention_relative(x, batch, heads, &relative, y, None);
            }
            (Work::Disentangled, _) => {
                let of = disentangled(beside, case.outputs);
                b.attention_disentangled(x, batch, heads, &of, y, None);
            }
            (Work::Norm, _) => b.add_norm(x, more, norm),
            (Work::ResidualNorm, _) => b.residual_norm(x, more, norm),
            (Work::Gather, _) => b.gather(x, rows, y),
            (Work::Top, _) => b.top(x, TOP_K, y),
            (Work::Rotary, _) => {
                let rotation = Rotation { theta: 1e4, interleaved: false, values: false };
                b.rotary(x, batch, heads, &rotation, None);
            }
            (Work::Gate, _) => b.gate(x, Activation::Gelu, y),
            (Work::Mean, _) => b.mean(x, batch, y),
            (Work::Unfold, _) => b.unfold(x, batch, TAPS, false, y),
            (Work::Depthwise, _) => b.depthwise(x, vector, batch, y),
            // A factor whose powers stay the same size.
            (Work::ScaleRows, _) => b.scale_rows(x, &vec![-1.0; rows.len()]),
            (Work::Linear | Work::BackwardInput | Work::Embed, None) => {}
        }
    }

    /// Adds rows of the weights, as words and as positions.
    fn embed(&mut self, b: &mut B) {
        let Some(word) = self.weight.take() else { return };
        let tables = Embeddings::new(word);
        b.embed_sum(&tables, &self.batch, &mut self.y);
        self.weight = Some(tables.word);
    }

    /// Returns the rows that a call writes.
    fn result(&self, work: Work) -> &B::Rows {
        match work {
            Work::Norm | Work::ResidualNorm | Work::Rotary | Work::ScaleRows => &self.x,
            Work::Probabilities => &self.beside,
            _ => &self.y,
        }
    }
}

fn disentangled<R>(positions: &R, width: usize) -> Disentangled<'_, R> {
    let (keys, queries) = (Some(width), Some(0));
    let positions = Some(positions);
    Disentangled { positions, first: 0, distances: DISTANCES, keys, queries, factor: 3 }
}

fn filled<B: Backend>(b: &mut B, len: usize, seed: usize, values: bool) -> Result<B::Vector> {
    let mut vector = b.vector(len)?;
    if values {
        b.write_vector(&mut vector, 0, &numbers(len, seed));
    }
    Ok(vector)
}

/// The kernels of a device, to be compared and run one by one.
pub struct KernelBench {
    gpu: Gpu,
    cases: Vec<KernelCase>,
    /// The case of the last run, with its arguments.
    prepared: Option<(usize, Arguments<Gpu>)>,
    /// Copied to the host at the end of a run.
    end: GpuRows,
}

impl KernelBench {
    /// Takes a device. `small`: cases for a software adapter.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(mut gpu: Gpu, small: bool) -> Result<Self> {
        let end = gpu.zeros(1, 4)?;
        let cases = cases(small, &[false, true].map(|integers| gpu.tilings(integers)));
        Ok(Self { gpu, cases, prepared: None, end })
    }

    /// Returns the device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the cases. The first one is the smallest dispatch.
    pub fn cases(&self) -> &[KernelCase] {
        &self.cases
    }

    /// Returns the largest difference from the CPU's f32 result, relative to the CPU's largest
    /// number. Sizes are those that the CPU computes in milliseconds.
    ///
    /// # Errors
    /// `Unsupported` if the kernel does not compile or the device refuses it; `DeviceLost`,
    /// `OutOfMemory`.
    pub async fn compare(&mut self, number: usize) -> Result<f32> {
        let Some(case) = self.cases.get(number).map(KernelCase::compared) else { return Ok(0.0) };
        self.compile(&case).await?;
        let got = self.record(&case)?;
        let got = self.gpu.read(&[got.result(case.work)]).await?;
        let mut cpu = Cpu::default();
        let mut want = Arguments::new(&mut cpu, &case, Precision::F32, true)?;
        want.run(&mut cpu, &case);
        let want = cpu.read(&[want.result(case.work)]).await?;
        let ([got], [want]) = (&got[..], &want[..]) else { return Ok(f32::INFINITY) };
        if got.len() != want.len() {
            return Ok(f32::INFINITY);
        }
        let largest = want.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
        Ok(difference(got, want) / largest)
    }

    /// Calls a kernel `repeats` times in one request and waits for the end. The first run of a case
    /// also compiles it and creates its arguments. Errors: as [`KernelBench::compare`].
    pub async fn run(&mut self, number: usize, repeats: usize) -> Result<()> {
        let Some(&case) = self.cases.get(number) else { return Ok(()) };
        if self.prepared.as_ref().is_none_or(|(prepared, _)| *prepared != number) {
            self.prepared = None; // frees its memory first
            self.compile(&case).await?;
            let made = Arguments::new(&mut self.gpu, &case, precision(&case), true)?;
            self.prepared = Some((number, made));
        }
        let Some((_, arguments)) = &mut self.prepared else { return Ok(()) };
        case.variant.set(&mut self.gpu);
        for _ in 0..repeats {
            arguments.run(&mut self.gpu, &case);
        }
        Variant::Chosen.set(&mut self.gpu);
        self.gpu.read(&[&self.end]).await.map(drop)
    }

    /// Returns the largest differences of the kernels of training from the CPU, relative to the
    /// CPU's largest number, with their names. Errors: as [`KernelBench::compare`].
    pub async fn compare_training(&mut self) -> Result<Vec<(&'static str, f32)>> {
        let differences = self.gpu.training_differences().await?;
        Ok(differences.into_iter().map(|(_, name, difference)| (name, difference)).collect())
    }

    /// Compiles the kernels of a case; a browser does so asynchronously.
    async fn compile(&mut self, case: &KernelCase) -> Result<()> {
        self.gpu.warming_up = true;
        let recorded = self.record(case).map(drop);
        self.gpu.warming_up = false;
        self.gpu.held_lists.clear();
        recorded?;
        self.gpu.device.settle().await?;
        self.gpu.settle_pipelines().await?;
        Ok(())
    }

    /// Creates the arguments of a case and calls the kernel once.
    fn record(&mut self, case: &KernelCase) -> Result<Arguments<Gpu>> {
        let values = !self.gpu.warming_up;
        let mut made = Arguments::new(&mut self.gpu, case, precision(case), values)?;
        case.variant.set(&mut self.gpu);
        made.run(&mut self.gpu, case);
        Variant::Chosen.set(&mut self.gpu);
        Ok(made)
    }
}

fn precision(case: &KernelCase) -> Precision {
    case.precision.unwrap_or(Precision::F32)
}
