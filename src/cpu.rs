//! The CPU behind the seam: the kernels of `webert-kernels`, called at once, in one thread.

pub use webert_kernels::{Matrix, Rows, SIMD};

use webert_kernels::Scratch;

use crate::backend::{Activation, Backend, Embeddings, Norm, Precision};
use crate::batch::Batch;
use crate::{Error, Result};

/// The CPU of this machine.
#[derive(Debug, Default)]
pub struct Cpu {
    scratch: Scratch,
}

impl Backend for Cpu {
    type Matrix = Matrix;
    type Vector = Vec<f32>;
    type Rows = Rows;
    type Batch = Batch;

    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Matrix> {
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
        Ok(batch)
    }

    fn embed(&mut self, tables: &Embeddings<Matrix, Vec<f32>>, batch: &Batch, y: &mut Rows) {
        y.shape(batch.ids.len(), tables.word.cols());
        y.data.fill(0.0);
        for (n, row) in y.data.chunks_exact_mut(tables.word.cols()).enumerate() {
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
        webert_kernels::linear(x, weight, bias, activation, y, &mut self.scratch);
    }

    fn attention(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        let scratch = &mut self.scratch;
        webert_kernels::attention(qkv, &batch.sequences, heads, y, probabilities, scratch);
    }

    fn add_norm(&mut self, x: &mut Rows, residual: &Rows, norm: &Norm<Vec<f32>>) {
        webert_kernels::add_norm(x, residual, &norm.weight, &norm.bias, norm.eps);
    }

    fn norm(&mut self, x: &mut Rows, norm: &Norm<Vec<f32>>) {
        webert_kernels::norm(x, &norm.weight, &norm.bias, norm.eps);
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
