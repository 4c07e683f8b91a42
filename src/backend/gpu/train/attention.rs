//! Attention that also stores the logarithm of each softmax's sum, and its gradient (Dao et al.
//! 2022).
//!
//! A workgroup handles one head and 16 rows of a sequence. It passes over the sequence's rows in
//! tiles of 32, so no matrix of scores is stored, and one invocation computes each sum in a fixed
//! order.
//!
//! The forward pass takes 2 products of rows · keys · head_dim, the gradient of the queries 3, the
//! gradient of keys and values 4. These are 7 where 5 would suffice: without float atomics, both
//! passes compute the scores and their gradients.
//!
//! Memory: for 8 sequences of 128 rows and 12 heads of 32 columns, the gradient takes 352 M
//! multiply-adds, or 0.7 GFLOP. It moves 13 MB (qkv and dqkv 4.7 MB each, y and dy 1.6 MB each).
//! That is 56 FLOP per byte, more than an integrated GPU (20) or a discrete one (33) requires; see
//! linear.rs.
//!
//! Caches: the gradient of the queries reads 128 rows of a head for the 3 · 16 · 32 products of a
//! tile, 6 FLOP per byte. From workgroup memory it reads 96 bytes for 32 multiply-adds: a third of
//! the rate of an NVIDIA multiprocessor, which reads 128 bytes and computes 128 multiply-adds per
//! cycle. At 128 tokens this is 6 % of the multiply-adds of a layer of MiniLM, at 512 tokens 19 %.

use super::super::matrix::groups;
use super::super::record::folded;
use super::super::{Gpu, GpuBatch, GpuRows};
use super::elements::DropoutNumbers;
use super::params::AttentionTrainParams;
use super::{Kernel, TrainKernel};
use crate::backend::train::Dropout;

/// Heads and dropout of attention over a batch.
pub(super) struct Attention<'a> {
    pub(super) batch: &'a GpuBatch,
    pub(super) heads: usize,
    pub(super) dropout: Option<&'a Dropout>,
}

impl Attention<'_> {
    pub(super) fn params(&self, qkv: &GpuRows) -> AttentionTrainParams {
        let width = qkv.cols / 3;
        let none = Dropout { rate: 0.0, seed: 0, site: 0, step: 0 };
        let dropout = self.dropout.unwrap_or(&none);
        let numbers = DropoutNumbers::new(dropout);
        AttentionTrainParams {
            width: width as u32,
            head_dim: (width / self.heads) as u32,
            stride: 4 * groups(qkv.cols) as u32,
            sequences_start: self.batch.first_sequence,
            entries_start: self.batch.first_block,
            heads: self.heads as u32,
            rows: qkv.rows as u32,
            seed_low: numbers.seed[0],
            seed_high: numbers.seed[1],
            site: dropout.site,
            step: dropout.step,
            threshold: numbers.threshold,
            keep_scale: numbers.scale,
            columns_start: self.batch.first_column,
            reach: 0,
            first_query: 0,
            queries: qkv.rows as u32,
        }
    }
}

impl Gpu {
    /// Records a kernel that passes over a sequence for each of its blocks. `factors` is the number
    /// of products of all pairs.
    fn record_attention(
        &mut self,
        kernel: TrainKernel,
        attention: &Attention<'_>,
        qkv: &GpuRows,
        factors: usize,
        buffers: &[(u32, &wgpu::Buffer)],
    ) {
        let head_dim = qkv.cols / 3 / attention.heads;
        let columns = if groups(head_dim) <= 8 { 8 } else { 16 };
        let flag = |set: bool| f64::from(u8::from(set));
        let constants = [
            ("ALIGNED", flag(head_dim.is_multiple_of(4))),
            ("COLUMNS", columns as f64),
            ("DROPOUT", flag(attention.dropout.is_some())),
        ];
        let grid = [attention.batch.blocks, attention.heads, groups(head_dim).div_ceil(columns)];
        let params = attention.params(qkv);
        self.add_cost([factors * attention.batch.pairs, attention.heads, head_dim]);
        let grid = grid.map(|workgroups| workgroups as u32);
        self.run(Kernel::Train(kernel), &constants, &params, buffers, grid);
    }

    /// Records y and the logarithms of the softmaxes' sums.
    pub(super) fn record_attention_forward(
        &mut self,
        attention: &Attention<'_>,
        qkv: &GpuRows,
        y: &mut GpuRows,
        log_sums: &mut GpuRows,
    ) {
        let from = self.buffer(qkv);
        let to = self.shape(y, qkv.rows, qkv.cols / 3);
        let log_sums = self.shape(log_sums, qkv.rows, attention.heads);
        let list = attention.batch.list.buffer();
        let buffers = [(1, &to), (2, list), (3, &from), (4, &log_sums)];
        self.record_attention(TrainKernel::AttentionForward, attention, qkv, 2, &buffers);
    }

    /// Records the sums of dy · y per head. Returns their buffer.
    pub(super) fn record_deltas(
        &mut self,
        attention: &Attention<'_>,
        qkv: &GpuRows,
        [dy, y]: [&wgpu::Buffer; 2],
        deltas: &mut GpuRows,
    ) -> wgpu::Buffer {
        let deltas = self.shape(deltas, qkv.rows, attention.heads);
        let params = attention.params(qkv);
        let buffers = [(1, &deltas), (2, dy), (3, y)];
        let grid = folded((qkv.rows * attention.heads).div_ceil(64));
        let kernel = Kernel::Train(TrainKernel::AttentionBackwardDelta);
        self.run(kernel, &[], &params, &buffers, grid);
        deltas
    }

    /// Records dqkv, from qkv, y, the logarithms of the softmaxes' sums and dy.
    pub(super) fn record_attention_backward(
        &mut self,
        attention: &Attention<'_>,
        [qkv, y, log_sums, dy]: [&GpuRows; 4],
        dqkv: &mut GpuRows,
    ) {
        let [from, result, log_sums, gradient] =
            [qkv, y, log_sums, dy].map(|rows| self.buffer(rows));
        let to = self.shape(dqkv, qkv.rows, qkv.cols);
        let mut deltas = GpuRows::default();
        let deltas = self.record_deltas(attention, qkv, [&gradient, &result], &mut deltas);
        let list = attention.batch.list.buffer();
        let buffers =
            [(1, &to), (2, list), (3, &from), (4, &gradient), (5, &log_sums), (6, &deltas)];
        let queries = TrainKernel::AttentionBackwardQueries;
        self.record_attention(queries, attention, qkv, 3, &buffers);
        let keys = TrainKernel::AttentionBackwardKeys;
        self.record_attention(keys, attention, qkv, 4, &buffers);
    }
}
