//! The kernels on the CPU, eager and in one thread.

mod attention;
mod linear;
mod math;
mod matrix;
mod norm;
mod simd;
mod tile;

pub use matrix::Matrix;
pub use simd::NAME as SIMD;

use crate::backend::{Backend, Embeddings, Norm, Precision};
use crate::batch::Batch;
use crate::config::Activation;
use crate::{Error, Result};

/// The CPU of this machine.
#[derive(Debug, Default)]
pub struct Cpu {
    linear: linear::Scratch,
    attention: attention::Scratch,
}

/// Activations, row-major.
#[derive(Debug, Default)]
pub struct Rows {
    data: Vec<f32>,
    rows: usize,
    cols: usize,
}

impl Rows {
    /// Gives the rows a shape; what they hold is left to be overwritten.
    fn shape(&mut self, rows: usize, cols: usize) {
        self.data.resize(rows * cols, 0.0);
        self.rows = rows;
        self.cols = cols;
    }
}

impl Cpu {
    /// Bytes of memory a matrix holds.
    pub fn bytes(matrix: &Matrix) -> usize {
        matrix.bytes()
    }
}

impl Backend for Cpu {
    type Matrix = Matrix;
    type Vector = Vec<f32>;
    type Rows = Rows;
    type Batch = Batch;

    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Matrix> {
        Matrix::zeros(rows, cols, precision)
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
        Ok(batch)
    }

    fn embed(&mut self, tables: &Embeddings<Matrix, Vec<f32>>, batch: &Batch, y: &mut Rows) {
        y.shape(batch.ids.len(), tables.word.cols);
        y.data.fill(0.0);
        for (n, row) in y.data.chunks_exact_mut(tables.word.cols).enumerate() {
            tables.word.add_row(batch.ids[n] as usize, row);
            tables.position.add_row(batch.positions[n] as usize, row);
            if let Some(types) = &tables.token_type {
                types.add_row(batch.types[n] as usize, row);
            }
        }
        self.norm(y, &tables.norm);
    }

    fn linear(
        &mut self,
        x: &Rows,
        weight: &Matrix,
        bias: &Vec<f32>,
        activation: Activation,
        y: &mut Rows,
    ) {
        linear::linear(x, weight, bias, activation, y, &mut self.linear);
    }

    fn attention(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        attention::attention(qkv, &batch.sequences, heads, y, probabilities, &mut self.attention);
    }

    fn add_norm(&mut self, x: &mut Rows, residual: &Rows, norm: &Norm<Vec<f32>>) {
        norm::add_norm(&mut x.data, &residual.data, x.cols, norm);
    }

    fn norm(&mut self, x: &mut Rows, norm: &Norm<Vec<f32>>) {
        norm::norm(&mut x.data, x.cols, norm);
    }

    fn gather(&mut self, x: &Rows, rows: &[u32], y: &mut Rows) {
        y.shape(rows.len(), x.cols);
        for (to, &row) in y.data.chunks_exact_mut(x.cols).zip(rows) {
            to.copy_from_slice(&x.data[row as usize * x.cols..][..x.cols]);
        }
    }

    async fn read(&mut self, rows: &[&Rows]) -> Result<Vec<Vec<f32>>> {
        Ok(rows.iter().map(|rows| rows.data.clone()).collect())
    }
}
