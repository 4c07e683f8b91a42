//! Training on the CPU: its kernels behind [`Train`].

use std::ops::Range;

use webert_kernels as kernels;
use webert_kernels::{
    AttentionKept, Matrix, Moments, NormForward, NormGradients, Parameter, Precision, Rows,
};

use super::{Cpu, out_of_memory};
use crate::backend::train::{AdamW, Clip, CrossEntropy, Dropout, ParameterOn, Train};
use crate::backend::{Activation, Backend, Disentangled, Norm};
use crate::batch::Batch;
use crate::{Error, Result};

impl Cpu {
    /// Runs a kernel that cannot fail.
    fn compute(&mut self, kernel: impl FnOnce(&mut kernels::Workspace)) {
        self.run(|workspace| {
            kernel(workspace);
            Ok(())
        });
    }

    /// Records `Unsupported` if weights are not f32.
    fn expect_f32(&mut self, weight: &Matrix) {
        let found = weight.precision();
        if found != Precision::F32 && self.failed.is_none() {
            self.failed = Some(Error::Unsupported(format!(
                "training weights of {} × {}: expected F32, got {found:?}",
                weight.rows(),
                weight.cols()
            )));
        }
    }

    /// Calls `update` with the parameter and the clip factor. Records `Unsupported` if the
    /// parameter is not f32.
    fn update(
        &mut self,
        parameter: ParameterOn<'_, Self>,
        clip: Option<&Clip<'_, Rows>>,
        update: impl FnOnce(Parameter<'_>, f32, &mut kernels::Workspace),
    ) {
        let parameter = match parameter {
            crate::backend::train::Parameter::Matrix(matrix) => {
                self.expect_f32(matrix);
                Parameter::Matrix(matrix)
            }
            crate::backend::train::Parameter::Vector(vector) => Parameter::Vector(vector),
        };
        if let Some(factor) = factor(clip) {
            self.compute(|workspace| update(parameter, factor, workspace));
        }
    }
}

/// Returns the factor of the gradients, or `None` if the gradients are not finite.
fn factor(clip: Option<&Clip<'_, Rows>>) -> Option<f32> {
    let Some(Clip { squares, max_norm }) = clip else { return Some(1.0) };
    let squares = squares.data[0];
    squares.is_finite().then(|| (max_norm / (squares.sqrt() + 1e-6)).min(1.0))
}

impl Train for Cpu {
    fn zeros(&mut self, rows: usize, cols: usize) -> Result<Rows> {
        let mut zeros = Rows::default();
        zeros.shape(rows, cols).map_err(out_of_memory)?;
        Ok(zeros)
    }

    fn row_count(x: &Rows) -> usize {
        x.rows
    }

    fn clear(&mut self, x: &mut Rows) {
        x.data.fill(0.0);
    }

    fn put(&mut self, values: &[f32], rows: usize, y: &mut Rows) -> Result<()> {
        y.shape(rows, values.len() / rows.max(1)).map_err(out_of_memory)?;
        y.data.copy_from_slice(values);
        Ok(())
    }

    fn dropout(&mut self, x: &mut Rows, dropout: &Dropout) {
        self.compute(|workspace| kernels::dropout(x, dropout, workspace));
    }

    fn activation(&mut self, z: &Rows, activation: Activation, y: &mut Rows) {
        self.run(|workspace| kernels::activation(z, activation, y, workspace));
    }

    fn activation_backward(&mut self, z: &Rows, activation: Activation, dy: &mut Rows) {
        self.compute(|workspace| kernels::activation_backward(z, activation, dy, workspace));
    }

    fn linear_backward_input(&mut self, dy: &Rows, weight: &Matrix, dx: &mut Rows) {
        self.expect_f32(weight);
        self.run(|workspace| kernels::linear_backward_input(dy, weight, dx, workspace));
    }

    fn linear_backward_weight(
        &mut self,
        x: &Rows,
        dy: &Rows,
        dweight: &mut Rows,
        dbias: &mut Rows,
    ) {
        self.run(|workspace| kernels::linear_backward_weight(x, dy, dweight, dbias, workspace));
    }

    fn norm_forward(
        &mut self,
        x: &Rows,
        residual: Option<&Rows>,
        norm: &Norm<Vec<f32>>,
        y: &mut Rows,
        normalized: &mut Rows,
        inverse: &mut Rows,
    ) {
        let Norm { weight, bias, eps, .. } = norm;
        let to = NormForward { y, normalized, inverse };
        self.run(|workspace| kernels::norm_forward(x, residual, weight, bias, *eps, to, workspace));
    }

    fn norm_backward(
        &mut self,
        dy: &Rows,
        normalized: &Rows,
        inverse: &Rows,
        norm: &Norm<Vec<f32>>,
        dx: &mut Rows,
        dweight: &mut Rows,
        dbias: &mut Rows,
    ) {
        let gradients = NormGradients { weight: dweight, bias: dbias };
        self.run(|workspace| {
            let weight = &norm.weight;
            kernels::norm_backward(dy, normalized, inverse, weight, dx, gradients, workspace)
        });
    }

    fn attention_forward(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        dropout: Option<&Dropout>,
        y: &mut Rows,
        log_sums: &mut Rows,
    ) {
        let sequences = &batch.sequences;
        self.run(|workspace| {
            kernels::attention_forward(qkv, sequences, heads, dropout, y, log_sums, workspace)
        });
    }

    fn attention_backward(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        dropout: Option<&Dropout>,
        y: &Rows,
        log_sums: &Rows,
        dy: &Rows,
        dqkv: &mut Rows,
    ) {
        let sequences = &batch.sequences;
        let kept = AttentionKept { qkv, sequences, heads, dropout, y, log_sums };
        self.run(|workspace| kernels::attention_backward(kept, dy, dqkv, workspace));
    }

    fn attention_disentangled_forward(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        disentangled: &Disentangled<'_, Rows>,
        dropout: Option<&Dropout>,
        y: &mut Rows,
    ) {
        let of = super::of_batch(batch, disentangled);
        self.run(|workspace| {
            let kernel = kernels::attention_disentangled;
            kernel(qkv, &batch.sequences, heads, (&of, dropout), y, None, workspace)
        });
    }

    fn attention_disentangled_backward(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        disentangled: &Disentangled<'_, Rows>,
        dropout: Option<&Dropout>,
        dy: &Rows,
        dqkv: &mut Rows,
        dpositions: &mut Rows,
    ) {
        let (sequences, of) = (&batch.sequences, super::of_batch(batch, disentangled));
        let kept = kernels::DisentangledKept { qkv, sequences, heads, of, dropout };
        self.run(|workspace| {
            kernels::attention_disentangled_backward(kept, dy, dqkv, dpositions, workspace)
        });
    }

    fn embed_backward(
        &mut self,
        dy: &Rows,
        batch: &Batch,
        padding: Option<u32>,
        word: &mut Rows,
        position: Option<&mut Rows>,
        token_type: Option<&mut Rows>,
    ) {
        self.compute(|workspace| {
            kernels::embed_backward(dy, &batch.ids, padding, word, workspace);
            if let Some(position) = position {
                kernels::embed_backward(dy, &batch.positions, None, position, workspace);
            }
            if let Some(types) = token_type {
                kernels::embed_backward(dy, &batch.types, None, types, workspace);
            }
        });
    }

    fn gather_backward(&mut self, dy: &Rows, rows: &[u32], dx: &mut Rows) {
        self.compute(|workspace| kernels::gather_backward(dy, rows, dx, workspace));
    }

    fn mean_pool(&mut self, x: &Rows, sequences: &[Range<usize>], y: &mut Rows) {
        self.run(|workspace| kernels::mean_pool(x, sequences, y, workspace));
    }

    fn mean_pool_backward(&mut self, dy: &Rows, sequences: &[Range<usize>], dx: &mut Rows) {
        self.compute(|workspace| kernels::mean_pool_backward(dy, sequences, dx, workspace));
    }

    fn cross_entropy(
        &mut self,
        logits: &mut Rows,
        targets: &[i32],
        how: CrossEntropy<'_>,
        loss: &mut Rows,
    ) {
        self.compute(|workspace| kernels::cross_entropy(logits, targets, how, loss, workspace));
    }

    fn cross_entropy_of_groups(
        &mut self,
        logits: &mut Rows,
        groups: &[Range<usize>],
        targets: &[i32],
        scale: f32,
        loss: &mut Rows,
    ) {
        self.compute(|_| kernels::cross_entropy_of_groups(logits, groups, targets, scale, loss));
    }

    fn binary_cross_entropy(
        &mut self,
        logits: &mut Rows,
        targets: &[f32],
        scale: f32,
        loss: &mut Rows,
    ) {
        self.compute(|_| kernels::binary_cross_entropy(logits, targets, scale, loss));
    }

    fn mean_square(&mut self, logits: &mut Rows, targets: &[f32], scale: f32, loss: &mut Rows) {
        self.compute(|_| kernels::mean_square(logits, targets, scale, loss));
    }

    fn sum_of_squares(&mut self, x: &Rows, total: &mut Rows) {
        self.compute(|workspace| kernels::sum_of_squares(x, total, workspace));
    }

    fn adamw(
        &mut self,
        parameter: ParameterOn<'_, Self>,
        gradient: &Rows,
        first: &mut Rows,
        second: &mut Rows,
        step: &AdamW,
        clip: Option<&Clip<'_, Rows>>,
    ) {
        let moments = Moments { first, second };
        self.update(parameter, clip, |parameter, factor, workspace| {
            kernels::adamw(parameter, gradient, moments, step, factor, workspace);
        });
    }

    fn sgd(
        &mut self,
        parameter: ParameterOn<'_, Self>,
        gradient: &Rows,
        rate: f32,
        weight_decay: f32,
        clip: Option<&Clip<'_, Rows>>,
    ) {
        self.update(parameter, clip, |parameter, factor, workspace| {
            kernels::sgd(parameter, gradient, rate, weight_decay, factor, workspace);
        });
    }

    async fn read_matrix(&mut self, matrix: &Matrix) -> Result<Vec<f32>> {
        // Reports the failure of an earlier kernel.
        self.read(&[]).await?;
        let mut values = Rows::default();
        values.shape(matrix.rows(), matrix.cols()).map_err(out_of_memory)?;
        for (row, values) in values.data.chunks_exact_mut(matrix.cols()).enumerate() {
            matrix.read_row(row, values);
        }
        Ok(values.data)
    }

    async fn read_vector(&mut self, vector: &Vec<f32>) -> Result<Vec<f32>> {
        // Reports the failure of an earlier kernel.
        self.read(&[]).await?;
        let mut values = self.vector(vector.len())?;
        values.copy_from_slice(vector);
        Ok(values)
    }
}
