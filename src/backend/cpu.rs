//! The CPU backend: the kernels of `webert-kernels`, which compute at once.

pub use webert_kernels::{Matrix, Rows, SIMD};

use std::ops::Range;

use webert_kernels as kernels;
use webert_kernels::{
    OutOfMemory, Table, Workspace, add_norm, attention, embed, gather, linear, top_k,
};

mod train;

use crate::backend::{
    Activation, Backend, CACHED_ROWS, Disentangled, Embeddings, Norm, NormKind, Precision,
    Processor, Relative, Rotation,
};
use crate::batch::Batch;
use crate::{Error, Result};

/// Largest number of columns of an int8 matrix: a sum of 2^17 products of up to 127² fits in an
/// i32.
const MAX_INT8_COLS: usize = 1 << 17;

/// The CPU as a device.
#[derive(Debug, Default)]
pub struct Cpu {
    workspace: Workspace,
    /// Why a kernel failed. Later kernels are skipped, and `read` returns this error.
    failed: Option<Error>,
}

impl Cpu {
    /// Sets the number of threads to at most `threads`, the calling one included. Returns the
    /// number in use.
    pub fn set_threads(&mut self, threads: usize) -> usize {
        self.workspace = Workspace::new(threads);
        self.workspace.threads()
    }

    /// Runs a kernel, unless an earlier one has failed.
    fn run(&mut self, kernel: impl FnOnce(&mut Workspace) -> std::result::Result<(), OutOfMemory>) {
        if self.failed.is_none() {
            self.failed = kernel(&mut self.workspace).err().map(out_of_memory);
        }
    }
}

/// Returns each table with the rows that the batch's tokens take from it. `zeros` is empty, or a row
/// number of 0 per token if there is a table of task types.
fn tables<'a>(
    tables: &'a Embeddings<Matrix, Vec<f32>>,
    batch: &'a Batch,
    zeros: &'a [u32],
) -> Vec<Table<'a>> {
    let mut all = vec![(&tables.word, &batch.ids[..])];
    if let Some(positions) = &tables.position {
        all.push((positions, &batch.positions));
    }
    if let Some(types) = &tables.token_type {
        all.push((types, &batch.types));
    }
    if let Some(types) = &tables.task_type {
        all.push((types, zeros));
    }
    all
}

/// No positions: scores depend on contents only.
static NO_POSITIONS: Rows = Rows { data: Vec::new(), rows: 0, cols: 0 };

/// Returns the kernel's arguments for a batch.
fn of_batch<'a>(
    batch: &'a Batch,
    disentangled: &Disentangled<'a, Rows>,
) -> kernels::Disentangled<'a> {
    let &Disentangled { positions, first, distances, keys, queries, factor } = disentangled;
    kernels::Disentangled {
        columns: &batch.columns,
        masked: &batch.masked,
        positions: positions.unwrap_or(&NO_POSITIONS),
        first,
        distances,
        keys,
        queries,
        factor,
    }
}

/// Returns the error for activations that do not fit in memory.
fn out_of_memory(OutOfMemory { rows, cols }: OutOfMemory) -> Error {
    Error::OutOfMemory(format!("no memory for activations of {rows} × {cols}"))
}

impl Backend for Cpu {
    type Matrix = Matrix;
    type Vector = Vec<f32>;
    type Rows = Rows;
    type Batch = Batch;

    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Matrix> {
        if precision == Precision::I8 && cols > MAX_INT8_COLS {
            return Err(Error::Unsupported(format!(
                "int8 matrix: expected at most {MAX_INT8_COLS} columns, got {cols}. fp32 has no such limit."
            )));
        }
        Matrix::zeros(rows, cols, precision).map_err(|e| Error::OutOfMemory(e.to_string()))
    }

    fn vector(&mut self, len: usize) -> Result<Vec<f32>> {
        let mut data = Vec::new();
        data.try_reserve_exact(len)
            .map_err(|_| Error::OutOfMemory(format!("no memory for a weight vector of {len}")))?;
        data.resize(len, 0.0);
        Ok(data)
    }

    fn write(&mut self, matrix: &mut Matrix, first_row: usize, values: &[f32]) {
        matrix.write(first_row, values);
    }

    fn write_vector(&mut self, vector: &mut Vec<f32>, first: usize, values: &[f32]) {
        vector[first..first + values.len()].copy_from_slice(values);
    }

    fn upload(&mut self, batch: Batch) -> Result<Batch> {
        // A new request starts here, so the failure of the last one is forgotten.
        self.failed = None;
        Ok(batch)
    }

    fn embed(&mut self, tables: &Embeddings<Matrix, Vec<f32>>, batch: &Batch, y: &mut Rows) {
        let zeros = vec![0; if tables.task_type.is_some() { batch.ids.len() } else { 0 }];
        let all = self::tables(tables, batch, &zeros);
        match &tables.norm {
            Some(Norm { weight, bias, eps, .. }) => {
                self.run(|workspace| embed(&all, weight, bias, *eps, y, workspace));
            }
            None => self.run(|workspace| kernels::embed_sum(&all, y, workspace)),
        }
    }

    fn embed_sum(&mut self, tables: &Embeddings<Matrix, Vec<f32>>, batch: &Batch, y: &mut Rows) {
        let zeros = vec![0; if tables.task_type.is_some() { batch.ids.len() } else { 0 }];
        let tables = self::tables(tables, batch, &zeros);
        self.run(|workspace| kernels::embed_sum(&tables, y, workspace));
    }

    fn lookup(&mut self, table: &Matrix, rows: &[u32], y: &mut Rows) {
        self.run(|workspace| kernels::embed_sum(&[(table, rows)], y, workspace));
    }

    fn linear(
        &mut self,
        x: &Rows,
        weight: &Matrix,
        bias: &Vec<f32>,
        activation: Activation,
        y: &mut Rows,
    ) {
        self.run(|workspace| linear(x, weight, bias, activation, y, workspace));
    }

    fn attention(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        self.run(|workspace| attention(qkv, &batch.sequences, heads, y, probabilities, workspace));
    }

    fn attention_relative(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        relative: &Relative<'_, Vec<f32>>,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        let bias = relative.bias.map(Vec::as_slice);
        let distances = relative.distances.map(|(vectors, with_keys)| {
            let vectors = vectors.as_slice();
            kernels::DistanceVectors { vectors, with_keys }
        });
        let (columns, reach) = (&batch.columns[..], relative.reach);
        let relative = kernels::Relative { columns, reach, bias, distances };
        self.run(|workspace| {
            let sequences = &batch.sequences;
            let kernel = kernels::attention_relative;
            kernel(qkv, sequences, heads, &relative, y, probabilities, workspace)
        });
    }

    fn attention_disentangled(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        disentangled: &Disentangled<'_, Rows>,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        let of = of_batch(batch, disentangled);
        self.run(|workspace| {
            let sequences = &batch.sequences;
            let kernel = kernels::attention_disentangled;
            kernel(qkv, sequences, heads, (&of, None), y, probabilities, workspace)
        });
    }

    fn unfold(&mut self, x: &Rows, batch: &Batch, taps: usize, masked: bool, y: &mut Rows) {
        let places = (&batch.sequences[..], &batch.columns[..]);
        self.run(|workspace| kernels::unfold(x, places, taps, masked, y, workspace));
    }

    fn depthwise(&mut self, x: &Rows, weights: &Vec<f32>, batch: &Batch, y: &mut Rows) {
        let (sequences, columns) = (&batch.sequences, &batch.columns);
        self.run(|workspace| kernels::depthwise(x, weights, sequences, columns, y, workspace));
    }

    fn span_convolution(
        &mut self,
        x: &Rows,
        kernels: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
    ) {
        let places = (&batch.sequences[..], &batch.columns[..]);
        self.run(|workspace| kernels::span_convolution(x, kernels, places, heads, y, workspace));
    }

    fn columns(&mut self, x: [&Rows; 2], ranges: [Range<usize>; 2], y: &mut Rows) {
        self.run(|workspace| kernels::columns(x, ranges, y, workspace));
    }

    fn add(&mut self, x: &Rows, y: &mut Rows) {
        self.run(|workspace| {
            kernels::add(x, y, workspace);
            Ok(())
        });
    }

    fn clear_rows(&mut self, x: &mut Rows, rows: &[u32]) {
        self.run(|_| {
            for &row in rows {
                x.data[row as usize * x.cols..][..x.cols].fill(0.0);
            }
            Ok(())
        });
    }

    fn rotary(
        &mut self,
        qkv: &mut Rows,
        batch: &Batch,
        heads: usize,
        rotation: &Rotation,
        table: Option<&Vec<f32>>,
    ) {
        let table = table.map(Vec::as_slice);
        self.run(|workspace| {
            kernels::rotary(qkv, &batch.positions, heads, rotation, table, workspace);
            Ok(())
        });
    }

    fn gate(&mut self, x: &Rows, activation: Activation, y: &mut Rows) {
        self.run(|workspace| kernels::gate(x, activation, y, workspace));
    }

    fn residual_norm(&mut self, x: &mut Rows, residual: &mut Rows, norm: &Norm<Vec<f32>>) {
        self.run(|workspace| {
            let scale = (&norm.weight[..], &norm.bias[..], norm.eps);
            kernels::residual_norm(norm.kind, x, residual, scale, workspace);
            Ok(())
        });
    }

    fn scale_rows(&mut self, x: &mut Rows, factors: &[f32]) {
        self.run(|workspace| {
            kernels::scale_rows(x, factors, workspace);
            Ok(())
        });
    }

    fn mean(&mut self, x: &Rows, batch: &Batch, y: &mut Rows) {
        let keys: Vec<_> = batch.sequences.iter().map(|sequence| sequence.keys.clone()).collect();
        self.run(|workspace| kernels::mean_pool(x, &keys, y, workspace));
    }

    fn add_norm(&mut self, x: &mut Rows, residual: &Rows, norm: &Norm<Vec<f32>>) {
        self.run(|workspace| {
            if cfg!(feature = "families") && norm.kind != NormKind::Layer {
                let scale = (&norm.weight[..], &norm.bias[..], norm.eps);
                kernels::norm_of_kind(norm.kind, x, Some(residual), scale, workspace);
            } else {
                add_norm(x, residual, &norm.weight, &norm.bias, norm.eps, workspace);
            }
            Ok(())
        });
    }

    fn norm(&mut self, x: &mut Rows, norm: &Norm<Vec<f32>>) {
        self.run(|workspace| {
            if cfg!(feature = "families") && norm.kind != NormKind::Layer {
                let scale = (&norm.weight[..], &norm.bias[..], norm.eps);
                kernels::norm_of_kind(norm.kind, x, None, scale, workspace);
            } else {
                kernels::norm(x, &norm.weight, &norm.bias, norm.eps, workspace);
            }
            Ok(())
        });
    }

    fn gather(&mut self, x: &Rows, rows: &[u32], y: &mut Rows) {
        self.run(|_| gather(x, rows, y));
    }

    fn top(&mut self, x: &Rows, k: usize, y: &mut Rows) {
        self.run(|_| top_k(x, k, y));
    }

    async fn read(&mut self, rows: &[&Rows]) -> Result<Vec<Vec<f32>>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let copy = |rows: &&Rows| {
            let mut copy = Rows::default();
            copy.shape(rows.rows, rows.cols).map_err(out_of_memory)?;
            copy.data.copy_from_slice(&rows.data);
            Ok(copy.data)
        };
        rows.iter().map(copy).collect()
    }
}

impl Processor for Cpu {
    const NAME: &'static str = "wasm";
    const SIMD: &'static str = SIMD;
    const PRECISION: Option<Precision> = Some(Precision::I8);
    const COMPILES: bool = false;
    const KEEPS_ACTIVATIONS: bool = true;

    fn matrix_bytes(rows: usize, cols: usize, precision: Precision) -> usize {
        precision.bytes(rows, cols)
    }

    fn vector_bytes(len: usize) -> usize {
        4 * len
    }

    fn share(matrix: &Matrix) -> Matrix {
        matrix.share()
    }

    fn pass_rows(&self, _products: u64) -> usize {
        CACHED_ROWS
    }

    fn set_threads(&mut self, threads: usize) -> usize {
        self.set_threads(threads)
    }
}
