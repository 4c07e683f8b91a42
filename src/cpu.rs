//! The CPU behind the seam: the kernels of `webert-kernels`, called at once.

pub use webert_kernels::{Matrix, Rows, SIMD};

use webert_kernels::{OutOfMemory, Scratch, add_norm, attention, embed, exp_sum, linear};

use crate::backend::{Activation, Backend, Embeddings, Norm, Precision};
use crate::batch::Batch;
use crate::ranking::top_k;
use crate::{Error, Result};

/// The widest int8 matrix: a sum of 2^17 products of up to 127² stays within an i32.
const MAX_INT8_COLS: usize = 1 << 17;

/// The CPU of this machine.
#[derive(Debug, Default)]
pub struct Cpu {
    scratch: Scratch,
    /// What there was no memory for. No kernel runs after it, and `read` reports it.
    lack: Option<OutOfMemory>,
}

impl Cpu {
    /// Computes with up to `threads` threads from now on; gives how many there are.
    pub fn set_threads(&mut self, threads: usize) -> usize {
        self.scratch = Scratch::new(threads);
        self.scratch.threads()
    }

    /// Runs a kernel, unless memory was lacking before.
    fn run(&mut self, kernel: impl FnOnce(&mut Scratch) -> std::result::Result<(), OutOfMemory>) {
        if self.lack.is_none() {
            self.lack = kernel(&mut self.scratch).err();
        }
    }
}

impl Backend for Cpu {
    type Matrix = Matrix;
    type Vector = Vec<f32>;
    type Rows = Rows;
    type Batch = Batch;

    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Matrix> {
        if precision == Precision::I8 && cols > MAX_INT8_COLS {
            return Err(Error::Unsupported(format!(
                "an int8 matrix of {cols} columns, only up to {MAX_INT8_COLS}; fp32 has no such limit"
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
        self.lack = None;
        Ok(batch)
    }

    fn embed(&mut self, tables: &Embeddings<Matrix, Vec<f32>>, batch: &Batch, y: &mut Rows) {
        let mut rows =
            [(&tables.word, &batch.ids[..]), (&tables.position, &batch.positions)].to_vec();
        if let Some(types) = &tables.token_type {
            rows.push((types, &batch.types));
        }
        let Norm { weight, bias, eps } = &tables.norm;
        self.run(|scratch| embed(&rows, weight, bias, *eps, y, scratch));
    }

    fn linear(
        &mut self,
        x: &Rows,
        weight: &Matrix,
        bias: &Vec<f32>,
        activation: Activation,
        y: &mut Rows,
    ) {
        self.run(|scratch| linear(x, weight, bias, activation, y, scratch));
    }

    fn attention(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        self.run(|scratch| attention(qkv, &batch.sequences, heads, y, probabilities, scratch));
    }

    fn add_norm(&mut self, x: &mut Rows, residual: &Rows, norm: &Norm<Vec<f32>>) {
        self.run(|scratch| {
            add_norm(x, residual, &norm.weight, &norm.bias, norm.eps, scratch);
            Ok(())
        });
    }

    fn norm(&mut self, x: &mut Rows, norm: &Norm<Vec<f32>>) {
        self.run(|scratch| {
            webert_kernels::norm(x, &norm.weight, &norm.bias, norm.eps, scratch);
            Ok(())
        });
    }

    fn gather(&mut self, x: &Rows, rows: &[u32], y: &mut Rows) {
        self.run(|_| {
            y.shape(rows.len(), x.cols)?;
            for (to, &row) in y.data.chunks_exact_mut(x.cols).zip(rows) {
                to.copy_from_slice(&x.data[row as usize * x.cols..][..x.cols]);
            }
            Ok(())
        });
    }

    fn top(&mut self, x: &Rows, k: usize, y: &mut Rows) {
        self.run(|_| {
            y.shape(x.rows, 1 + 2 * k)?;
            let rows = x.data.chunks_exact(x.cols.max(1));
            for (to, row) in y.data.chunks_exact_mut(1 + 2 * k).zip(rows) {
                let best = top_k(row, k);
                to[0] = exp_sum(row, row[best[0]]);
                for (n, column) in best.into_iter().enumerate() {
                    to[1 + n] = row[column];
                    to[1 + k + n] = column as f32;
                }
            }
            Ok(())
        });
    }

    async fn read(&mut self, rows: &[&Rows]) -> Result<Vec<Vec<f32>>> {
        let lacking = |lack: OutOfMemory| {
            let OutOfMemory { rows, cols } = lack;
            Error::OutOfMemory(format!("no memory for activations of {rows} × {cols}"))
        };
        if let Some(lack) = self.lack.take() {
            return Err(lacking(lack));
        }
        let copy = |rows: &&Rows| {
            let mut copy = Rows::default();
            copy.shape(rows.rows, rows.cols).map_err(lacking)?;
            copy.data.copy_from_slice(&rows.data);
            Ok(copy.data)
        };
        rows.iter().map(copy).collect()
    }
}
