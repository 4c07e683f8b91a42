//! Training on the GPU. Calls of [`Train`] are recorded, like the calls of the forward pass.

mod attention;
#[cfg(feature = "families")]
mod attention_disentangled;
mod elements;
mod kernels;
mod linear;
mod loss;
#[cfg(not(feature = "families"))]
mod no_families;
mod norm;
mod optimizer;
mod params;
mod segments;

use std::ops::Range;

pub(super) use kernels::TrainKernel;

use super::kernels::{Constants, Kernel};
use super::matrix::{GpuMatrix, MatrixPart, groups};
use super::{Gpu, GpuBatch, GpuRows, GpuVector, unpack};
use crate::backend::train::{AdamW, Clip, CrossEntropy, Dropout, ParameterOn, Train};
use crate::backend::{Activation, Disentangled, Norm, Precision};
use crate::{Error, Result};
use attention::Attention;
use segments::Entry;

/// Returns the error for a matrix that cannot be trained.
fn not_f32(matrix: &GpuMatrix) -> Error {
    Error::Unsupported(format!(
        "weight matrix of {} × {}: expected fp32 in training, got {:?}",
        matrix.rows, matrix.cols, matrix.precision
    ))
}

impl GpuRows {
    /// Returns the number of groups of four.
    fn group_count(&self) -> usize {
        self.rows * groups(self.cols)
    }
}

impl Train for Gpu {
    async fn settle_train(&mut self) -> Result<()> {
        self.device.settle().await?;
        // Commands recorded so far, e.g. the clears of new gradients, are submitted before the
        // self-test.
        if !self.recording.is_empty() {
            self.submit(&[], |_| ()).await?;
        }
        self.self_test_train().await
    }

    fn begin_dry_run(&mut self) -> bool {
        self.dry_run = true;
        true
    }

    async fn end_dry_run(&mut self) -> Result<()> {
        self.dry_run = false;
        let failed = self.failed.take();
        let settled = self.device.settle().await;
        failed.map_or(settled, Err)
    }

    fn release(&mut self) {
        self.unfinished = None;
        self.recording.clear();
        self.recording.drop_staging();
        self.held_lists.clear();
        self.activations.destroy_free();
        self.lists.destroy_free();
    }

    fn zeros(&mut self, rows: usize, cols: usize) -> Result<GpuRows> {
        let mut zeros = GpuRows { buffer: None, other: None, rows, cols };
        let (bytes, max) = (zeros.bytes(), self.device.max_buffer_bytes);
        if bytes > max {
            return Err(Error::OutOfMemory(format!(
                "gradient of {rows} × {cols}: expected at most {1} MB on this GPU, got {0} MB",
                bytes >> 20,
                max >> 20
            )));
        }
        let bytes = if self.warming_up { 0 } else { bytes };
        zeros.buffer = Some(self.activations.take_exact(&mut self.device, bytes));
        self.record_clear(&zeros);
        Ok(zeros)
    }

    fn row_count(x: &GpuRows) -> usize {
        x.rows
    }

    fn clear(&mut self, x: &mut GpuRows) {
        self.record_clear(x);
    }

    fn put(&mut self, values: &[f32], rows: usize, y: &mut GpuRows) -> Result<()> {
        let cols = values.len() / rows.max(1);
        let to = self.shape(y, rows, cols);
        // The values go through a list, because recorded commands that are not submitted yet may
        // still use y.
        let mut padded = Vec::with_capacity(4 * y.group_count());
        for row in values.chunks_exact(cols.max(1)) {
            padded.extend(row.iter().map(|value| value.to_bits()));
            padded.resize(padded.len().next_multiple_of(4), 0);
        }
        let list = self.list(&padded);
        let buffers = [&to, list.buffer()];
        self.record_elements(TrainKernel::Add, &[("ADD", 0.0)], y.group_count(), &buffers);
        Ok(())
    }

    fn dropout(&mut self, x: &mut GpuRows, dropout: &Dropout) {
        self.record_dropout(x, dropout);
    }

    fn activation(&mut self, z: &GpuRows, activation: Activation, y: &mut GpuRows) {
        self.record_activation(z, activation, y);
    }

    fn activation_backward(&mut self, z: &GpuRows, activation: Activation, dy: &mut GpuRows) {
        let buffers = [&self.buffer(dy), &self.buffer(z)];
        let constants = [("ACTIVATION", f64::from(activation as u8))];
        let kernel = TrainKernel::ActivationBackward;
        self.record_elements(kernel, &constants, z.group_count(), &buffers);
    }

    fn linear_backward_input(&mut self, dy: &GpuRows, weight: &GpuMatrix, dx: &mut GpuRows) {
        self.record_linear_backward_input(dy, weight, dx);
    }

    fn linear_backward_weight(
        &mut self,
        x: &GpuRows,
        dy: &GpuRows,
        dweight: &mut GpuRows,
        dbias: &mut GpuRows,
    ) {
        self.record_linear_backward_weight(x, dy, dweight, dbias);
    }

    fn norm_forward(
        &mut self,
        x: &GpuRows,
        residual: Option<&GpuRows>,
        norm: &Norm<GpuVector>,
        y: &mut GpuRows,
        normalized: &mut GpuRows,
        inverse: &mut GpuRows,
    ) {
        self.record_norm_forward(x, residual, norm, [y, normalized, inverse]);
    }

    fn norm_backward(
        &mut self,
        dy: &GpuRows,
        normalized: &GpuRows,
        inverse: &GpuRows,
        norm: &Norm<GpuVector>,
        dx: &mut GpuRows,
        dweight: &mut GpuRows,
        dbias: &mut GpuRows,
    ) {
        self.record_norm_backward(dy, [normalized, inverse], norm, dx, [dweight, dbias]);
    }

    fn attention_forward(
        &mut self,
        qkv: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        dropout: Option<&Dropout>,
        y: &mut GpuRows,
        log_sums: &mut GpuRows,
    ) {
        self.record_attention_forward(&Attention { batch, heads, dropout }, qkv, y, log_sums);
    }

    fn attention_backward(
        &mut self,
        qkv: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        dropout: Option<&Dropout>,
        y: &GpuRows,
        log_sums: &GpuRows,
        dy: &GpuRows,
        dqkv: &mut GpuRows,
    ) {
        let attention = Attention { batch, heads, dropout };
        self.record_attention_backward(&attention, [qkv, y, log_sums, dy], dqkv);
    }

    fn attention_disentangled_forward(
        &mut self,
        qkv: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        disentangled: &Disentangled<'_, GpuRows>,
        dropout: Option<&Dropout>,
        y: &mut GpuRows,
    ) {
        let attention = Attention { batch, heads, dropout };
        self.record_attention_disentangled_forward(&attention, qkv, disentangled, y);
    }

    fn attention_disentangled_backward(
        &mut self,
        qkv: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        disentangled: &Disentangled<'_, GpuRows>,
        dropout: Option<&Dropout>,
        dy: &GpuRows,
        dqkv: &mut GpuRows,
        dpositions: &mut GpuRows,
    ) {
        let attention = Attention { batch, heads, dropout };
        let to = [dqkv, dpositions];
        self.record_attention_disentangled_backward(&attention, [qkv, dy], disentangled, to);
    }

    fn embed_backward(
        &mut self,
        dy: &GpuRows,
        batch: &GpuBatch,
        padding: Option<u32>,
        word: &mut GpuRows,
        position: Option<&mut GpuRows>,
        token_type: Option<&mut GpuRows>,
    ) {
        let from = self.buffer(dy);
        let entries = |ids: &[u32], skipped: Option<u32>| {
            let rows = (0..).zip(ids).filter(|(_, id)| Some(**id) != skipped);
            rows.map(|(from, &to)| Entry { to, from, weight: 1.0 }).collect::<Vec<_>>()
        };
        let host = &batch.host;
        self.record_segment_sums(&from, entries(&host.ids, padding), true, word);
        if let Some(position) = position {
            self.record_segment_sums(&from, entries(&host.positions, None), true, position);
        }
        if let Some(token_type) = token_type {
            self.record_segment_sums(&from, entries(&host.types, None), true, token_type);
        }
    }

    fn gather_backward(&mut self, dy: &GpuRows, rows: &[u32], dx: &mut GpuRows) {
        let from = self.buffer(dy);
        let entries = (0..).zip(rows).map(|(from, &to)| Entry { to, from, weight: 1.0 }).collect();
        self.record_segment_sums(&from, entries, true, dx);
    }

    fn mean_pool(&mut self, x: &GpuRows, sequences: &[Range<usize>], y: &mut GpuRows) {
        let from = self.buffer(x);
        self.shape(y, sequences.len(), x.cols);
        let entries = each_row(sequences, |to, from, weight| Entry { to, from, weight });
        self.record_segment_sums(&from, entries, false, y);
    }

    fn mean_pool_backward(&mut self, dy: &GpuRows, sequences: &[Range<usize>], dx: &mut GpuRows) {
        let from = self.buffer(dy);
        let entries = each_row(sequences, |from, to, weight| Entry { to, from, weight });
        self.record_segment_sums(&from, entries, true, dx);
    }

    fn cross_entropy(
        &mut self,
        logits: &mut GpuRows,
        targets: &[i32],
        how: CrossEntropy<'_>,
        loss: &mut GpuRows,
    ) {
        self.record_cross_entropy(logits, targets, &how, loss);
    }

    fn cross_entropy_of_groups(
        &mut self,
        logits: &mut GpuRows,
        groups: &[Range<usize>],
        targets: &[i32],
        scale: f32,
        loss: &mut GpuRows,
    ) {
        self.record_cross_entropy_of_groups(logits, groups, targets, scale, loss);
    }

    fn binary_cross_entropy(
        &mut self,
        logits: &mut GpuRows,
        targets: &[f32],
        scale: f32,
        loss: &mut GpuRows,
    ) {
        let kernel = TrainKernel::BinaryCrossEntropy;
        self.record_elementwise_loss(kernel, logits, targets, scale, loss);
    }

    fn mean_square(
        &mut self,
        logits: &mut GpuRows,
        targets: &[f32],
        scale: f32,
        loss: &mut GpuRows,
    ) {
        self.record_elementwise_loss(TrainKernel::MeanSquare, logits, targets, scale, loss);
    }

    fn sum_of_squares(&mut self, x: &GpuRows, total: &mut GpuRows) {
        let from = self.buffer(x);
        self.record_sum(&from, 4 * x.group_count(), true, total);
    }

    fn adamw(
        &mut self,
        parameter: ParameterOn<'_, Self>,
        gradient: &GpuRows,
        first: &mut GpuRows,
        second: &mut GpuRows,
        step: &AdamW,
        clip: Option<&Clip<'_, GpuRows>>,
    ) {
        self.record_adamw(&parameter, [gradient, first, second], step, clip);
    }

    fn sgd(
        &mut self,
        parameter: ParameterOn<'_, Self>,
        gradient: &GpuRows,
        rate: f32,
        weight_decay: f32,
        clip: Option<&Clip<'_, GpuRows>>,
    ) {
        self.record_sgd(&parameter, gradient, [rate, weight_decay], clip);
    }

    async fn read_matrix(&mut self, matrix: &GpuMatrix) -> Result<Vec<f32>> {
        if matrix.precision != Precision::F32 {
            return Err(not_f32(matrix));
        }
        let mut values = Vec::with_capacity(matrix.rows * matrix.cols);
        for part in &matrix.parts {
            let bytes = 16 * (part.rows * groups(matrix.cols)) as u64;
            let wanted = [(part.values.clone(), bytes)];
            let of_part =
                |bytes: &[u8]| unpack(&bytes[..wanted[0].1 as usize], part.rows, matrix.cols);
            values.extend(self.submit(&wanted, of_part).await?);
        }
        // This buffer is as large as the matrix, and matrices are seldom read.
        self.recording.drop_staging();
        Ok(values)
    }

    async fn read_vector(&mut self, vector: &GpuVector) -> Result<Vec<f32>> {
        let size = vector.buffer.size();
        let wanted = [(vector.buffer.clone(), size)];
        self.submit(&wanted, |bytes| unpack(&bytes[..size as usize], 1, vector.len)).await
    }
}

/// Returns an entry for each row of each range. `entry` gets the number of the range, the row, and
/// 1 / rows of the range.
fn each_row(ranges: &[Range<usize>], entry: impl Fn(u32, u32, f32) -> Entry) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (n, rows) in (0..).zip(ranges) {
        let weight = 1.0 / rows.len() as f32;
        entries.extend(rows.clone().map(|row| entry(n, row as u32, weight)));
    }
    entries
}
