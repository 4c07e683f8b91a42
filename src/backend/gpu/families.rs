//! The kernels of families whose [`Structure`](crate::config::Structure) differs from BERT's.

use std::ops::Range;

use webert_kernels::MAX_DISTANCE;
use wgpu::Buffer;

use super::kernels::{Constants, Kernel};
use super::matrix::groups;
use super::params::{
    ClearRowsParams, ColumnsParams, GateParams, MeanPoolParams, NormParams, RotaryParams,
    ScaleRowsParams, UnfoldParams,
};
use super::record::folded;
use super::{ANY_REACH, Gpu, GpuBatch, GpuRows, GpuVector, WEIGHTS};
use crate::backend::{Activation, Disentangled, Norm, Relative, Rotation};
use crate::batch::{Batch, Sequence};

/// Smallest number of positions for which angles are computed.
const POSITIONS: u32 = 512;

/// Tables on the device that kernels read in every request.
#[derive(Default)]
pub(super) struct Tables {
    angles: Vec<Angles>,
    /// The number of buckets, and the bucket of each distance.
    buckets: Option<(usize, Buffer)>,
    /// True if a model has requested these kernels; the self-test then includes them.
    pub(super) used: bool,
    /// True if that model has a bias by distance.
    pub(super) biased: bool,
    /// True if a model compares contents with relative positions; the self-test of training then
    /// includes the gradient.
    pub(super) disentangled: bool,
}

/// Cosines and sines of rotary positions.
struct Angles {
    theta: f32,
    /// Pairs of columns per head.
    half: usize,
    positions: u32,
    /// `[positions, half]` pairs of cosine and sine.
    buffer: Buffer,
}

/// Appends for each row 0 if it is a key of its sequence, otherwise the number of masked tokens of
/// the sequence.
pub(super) fn extend_by_masks(batch: &Batch, list: &mut Vec<u32>) {
    for (n, Sequence { rows, keys }) in batch.sequences.iter().enumerate() {
        let masked = batch.masked.get(n).copied().unwrap_or_default().max(1);
        list.extend(rows.clone().map(|row| if keys.contains(&row) { 0 } else { masked }));
    }
}

impl Gpu {
    pub(super) fn record_attention_relative(
        &mut self,
        (qkv, batch, heads): (&GpuRows, &GpuBatch, usize),
        relative: &Relative<'_, GpuVector>,
        y: &mut GpuRows,
        probabilities: Option<&mut GpuRows>,
    ) {
        self.tables.used = true;
        self.tables.biased |= relative.bias.is_some();
        let kernels = [
            Kernel::AttentionRelative,
            Kernel::AttentionRelativeBarrierFree,
            Kernel::AttentionRelativeProbabilities,
        ];
        let reach = relative.reach.map_or(ANY_REACH, |reach| ANY_REACH.min(reach as u32));
        let with_keys = relative.distances.map(|(_, with_keys)| with_keys);
        let constants = [
            ("BIASED", f64::from(u8::from(relative.bias.is_some()))),
            ("VECTORS", f64::from(with_keys.map_or(0, |with_keys| 1 + u8::from(with_keys)))),
        ];
        let count = relative.bias.map_or(4, |bias| bias.len / heads);
        let buckets = self.buckets(count);
        // Without a bias, any buffer may be bound in its place.
        let bias = relative.bias.or(relative.distances.map(|(vectors, _)| vectors));
        let last = bias.map_or(0, |vectors| vectors.len / (qkv.cols / 3 / heads)) as f64;
        let bias = bias.map_or(&buckets, |bias| &bias.buffer);
        let constants = [constants[0], constants[1], ("DISTANCES", last)];
        let tables = [(4, bias), (5, &buckets)];
        let more = (reach, &constants[..], &tables[..]);
        self.record_attention_by(kernels, (qkv, batch, heads), more, y, probabilities);
    }

    pub(super) fn record_attention_disentangled(
        &mut self,
        (qkv, batch, heads): (&GpuRows, &GpuBatch, usize),
        disentangled: &Disentangled<'_, GpuRows>,
        y: &mut GpuRows,
        probabilities: Option<&mut GpuRows>,
    ) {
        let kernels = [
            Kernel::AttentionDisentangled,
            Kernel::AttentionDisentangledBarrierFree,
            Kernel::AttentionDisentangledProbabilities,
        ];
        #[cfg(feature = "train")]
        if !self.tables.disentangled {
            self.train_tested = false;
        }
        self.tables.disentangled = true;
        let &Disentangled { positions, first, distances, keys, queries, factor } = disentangled;
        let reach = batch.reach;
        let ahead = -i64::from(reach)..=i64::from(reach);
        let rows: Vec<u32> = match positions {
            Some(_) => ahead.map(|ahead| (distances.row(ahead) - first) as u32).collect(),
            None => vec![0],
        };
        let rows = self.list(&rows);
        // Without positions, any buffer may be bound in their place.
        let table = positions.map_or_else(|| rows.buffer().clone(), |table| self.buffer(table));
        let stride = positions.map_or(4, |table| 4 * groups(table.cols));
        let constants = [
            ("TO_POSITION", f64::from(u8::from(keys.is_some()))),
            ("TO_CONTENT", f64::from(u8::from(queries.is_some()))),
            ("KEY_COLUMN", keys.unwrap_or(0) as f64),
            ("POSITION_STRIDE", stride as f64),
            ("FACTOR", factor as f64),
        ];
        let tables = [(7, &table), (8, rows.buffer())];
        let more = (reach, &constants[..], &tables[..]);
        self.record_attention_by(kernels, (qkv, batch, heads), more, y, probabilities);
    }

    pub(super) fn record_unfold(
        &mut self,
        x: &GpuRows,
        batch: &GpuBatch,
        (taps, masked): (usize, bool),
        y: &mut GpuRows,
    ) {
        let from = self.buffer(x);
        let to = self.shape(y, x.rows, x.cols * taps);
        let params = UnfoldParams {
            rows: x.rows as u32,
            width: x.cols as u32,
            taps: taps as u32,
            rows_start: batch.first_row,
            sequences_start: batch.first_sequence,
            columns_start: batch.first_column,
        };
        let buffers = [(1, &to), (2, batch.list.buffer()), (3, &from)];
        let grid = folded((x.rows * groups(x.cols * taps)).div_ceil(64));
        let constants = [("MASKED", f64::from(u8::from(masked)))];
        self.run(Kernel::Unfold, &constants, &params, &buffers, grid);
    }

    /// Records a convolution whose kernels are `weights` `[cols, taps]`, for each column.
    pub(super) fn record_depthwise(
        &mut self,
        x: &GpuRows,
        weights: &GpuVector,
        batch: &GpuBatch,
        y: &mut GpuRows,
    ) {
        let taps = weights.len / x.cols.max(1);
        let weights = (&weights.buffer, taps);
        self.record_convolution((Kernel::Depthwise, &[]), x, weights, batch, y);
    }

    /// Records a convolution whose kernels are the softmax of `kernels` `[rows, heads · taps]`, for
    /// each row and head.
    pub(super) fn record_span_convolution(
        &mut self,
        x: &GpuRows,
        kernels: &GpuRows,
        batch: &GpuBatch,
        heads: usize,
        y: &mut GpuRows,
    ) {
        let weights = (&self.buffer(kernels), kernels.cols / heads);
        let of = (Kernel::SpanConvolution, &[("HEADS", heads as f64)][..]);
        self.record_convolution(of, x, weights, batch, y);
    }

    fn record_convolution(
        &mut self,
        (kernel, constants): (Kernel, Constants<'_>),
        x: &GpuRows,
        (weights, taps): (&Buffer, usize),
        batch: &GpuBatch,
        y: &mut GpuRows,
    ) {
        let source = self.buffer(x);
        let to = self.shape(y, x.rows, x.cols);
        let params = UnfoldParams {
            rows: x.rows as u32,
            width: x.cols as u32,
            taps: taps as u32,
            rows_start: batch.first_row,
            sequences_start: batch.first_sequence,
            columns_start: batch.first_column,
        };
        let buffers = [(1, &to), (2, batch.list.buffer()), (3, &source), (4, weights)];
        let constants = [&[("MASKED", 1.0)], constants].concat();
        let grid = folded((x.rows * groups(x.cols)).div_ceil(64));
        self.run(kernel, &constants, &params, &buffers, grid);
    }

    pub(super) fn record_columns(
        &mut self,
        [a, b]: [&GpuRows; 2],
        [first, second]: [Range<usize>; 2],
        y: &mut GpuRows,
    ) {
        let width = first.len() + second.len();
        let from = [a, b].map(|rows| self.buffer(rows));
        let to = self.shape(y, a.rows, width);
        let numbers = [a.rows, width, first.len(), first.start, second.start, a.cols, b.cols];
        let [rows, width, split, a_start, b_start, a_cols, b_cols] = numbers.map(|n| n as u32);
        let params = ColumnsParams { rows, width, split, a_start, b_start, a_cols, b_cols };
        let grid = folded((a.rows * groups(width as usize)).div_ceil(64));
        let buffers = [(1, &to), (2, &from[0]), (3, &from[1])];
        self.run(Kernel::Columns, &[], &params, &buffers, grid);
    }

    pub(super) fn record_clear_rows(&mut self, x: &mut GpuRows, rows: &[u32]) {
        let to = self.buffer(x);
        let list = self.list(rows);
        let params = ClearRowsParams { rows: rows.len() as u32, groups: groups(x.cols) as u32 };
        let grid = folded((rows.len() * groups(x.cols)).div_ceil(64));
        self.run(Kernel::ClearRows, &[], &params, &[(1, &to), (2, list.buffer())], grid);
    }

    pub(super) fn record_rotary(
        &mut self,
        qkv: &mut GpuRows,
        batch: &GpuBatch,
        heads: usize,
        rotation: &Rotation,
        table: Option<&GpuVector>,
    ) {
        self.tables.used = true;
        let head_dim = qkv.cols / 3 / heads;
        let parts = if rotation.values { 3 } else { 2 };
        let turns = match table {
            Some(table) => table.buffer.clone(),
            None => self.angles(rotation.theta, head_dim / 2, batch.last_position),
        };
        let to = self.buffer(qkv);
        let params = RotaryParams {
            rows: qkv.rows as u32,
            stride: 4 * groups(qkv.cols) as u32,
            head_dim: head_dim as u32,
            heads: parts * heads as u32,
            positions_start: batch.first_position,
        };
        let buffers = [(1, &to), (2, batch.list.buffer()), (3, &turns)];
        let constants = [
            ("INTERLEAVED", f64::from(u8::from(rotation.interleaved))),
            ("TABLE", f64::from(u8::from(table.is_some()))),
        ];
        let pairs = qkv.rows * parts as usize * heads * head_dim / 2;
        self.run(Kernel::Rotary, &constants, &params, &buffers, folded(pairs.div_ceil(64)));
    }

    pub(super) fn record_gate(&mut self, x: &GpuRows, activation: Activation, y: &mut GpuRows) {
        let width = x.cols / 2;
        let from = self.buffer(x);
        let to = self.shape(y, x.rows, width);
        let constants = [("ACTIVATION", f64::from(activation as u8))];
        let params = GateParams { rows: x.rows as u32, width: width as u32 };
        let grid = folded((x.rows * groups(width)).div_ceil(64));
        self.run(Kernel::Gate, &constants, &params, &[(1, &to), (2, &from)], grid);
    }

    pub(super) fn record_residual_norm(
        &mut self,
        x: &mut GpuRows,
        residual: &mut GpuRows,
        norm: &Norm<GpuVector>,
    ) {
        let [to, sum] = [&*x, &*residual].map(|rows| self.buffer(rows));
        let (weight, bias) = (&norm.weight.buffer, &norm.bias.buffer);
        let buffers = [(1, &to), (2, &sum), (3, weight), (4, bias)];
        let params = NormParams { rows: x.rows as u32, width: x.cols as u32, eps: norm.eps };
        let (kernel, groups) = if self.barrier_free {
            (Kernel::ResidualNormBarrierFree, x.rows.div_ceil(8))
        } else {
            (Kernel::ResidualNorm, x.rows)
        };
        let constants = [("KIND", f64::from(norm.kind as u8))];
        self.run(kernel, &constants, &params, &buffers, folded(groups));
    }

    /// Records a norm that is no LayerNorm. `residual`, if given, is added to x first.
    pub(super) fn record_norm_of_kind(
        &mut self,
        x: &GpuRows,
        residual: Option<&GpuRows>,
        norm: &Norm<GpuVector>,
    ) {
        let to = self.buffer(x);
        let added = residual.map(|rows| self.buffer(rows));
        let kind = ("KIND", f64::from(norm.kind as u8));
        let constants = [kind, ("RESIDUAL", f64::from(u8::from(added.is_some())))];
        let (weight, bias) = (&norm.weight.buffer, &norm.bias.buffer);
        let buffers = [(1, &to), (2, added.as_ref().unwrap_or(weight)), (3, weight), (4, bias)];
        let params = NormParams { rows: x.rows as u32, width: x.cols as u32, eps: norm.eps };
        let (kernel, groups) = if self.barrier_free {
            (Kernel::NormOfKindBarrierFree, x.rows.div_ceil(8))
        } else {
            (Kernel::NormOfKind, x.rows)
        };
        self.run(kernel, &constants, &params, &buffers, folded(groups));
    }

    pub(super) fn record_scale_rows(&mut self, x: &GpuRows, factors: &[f32]) {
        let to = self.buffer(x);
        let bits: Vec<u32> = factors.iter().map(|factor| factor.to_bits()).collect();
        let list = self.list(&bits);
        let params = ScaleRowsParams { rows: x.rows as u32, groups: groups(x.cols) as u32 };
        let grid = folded((x.rows * groups(x.cols)).div_ceil(64));
        self.run(Kernel::ScaleRows, &[], &params, &[(1, &to), (2, list.buffer())], grid);
    }

    pub(super) fn record_mean(&mut self, x: &GpuRows, batch: &GpuBatch, y: &mut GpuRows) {
        let from = self.buffer(x);
        let to = self.shape(y, batch.sequences, x.cols);
        let numbers = [batch.sequences, groups(x.cols)].map(|n| n as u32);
        let params = MeanPoolParams {
            sequences: numbers[0],
            groups: numbers[1],
            sequences_start: batch.first_sequence,
        };
        let buffers = [(1, &to), (2, batch.list.buffer()), (3, &from)];
        let grid = folded((batch.sequences * groups(x.cols)).div_ceil(64));
        self.run(Kernel::MeanPool, &[], &params, &buffers, grid);
    }

    /// Returns the cosines and sines for positions up to `last`, computed once. Frequencies and
    /// products are f32, as in transformers: at position 8000 the difference from f64 shows.
    fn angles(&mut self, theta: f32, half: usize, last: u32) -> Buffer {
        let is_it = |angles: &Angles| angles.theta == theta && angles.half == half;
        if let Some(found) = self.tables.angles.iter().find(|angles| is_it(angles))
            && (found.positions > last || self.warming_up)
        {
            return found.buffer.clone();
        }
        // Doubling the table avoids a new one for every slightly longer text.
        let positions =
            if self.warming_up { 0 } else { (last + 1).next_power_of_two().max(POSITIONS) };
        let frequency = |i: usize| f64::from(theta).powf(-(i as f64) / half as f64) as f32;
        let frequencies: Vec<f32> = (0..half).map(frequency).collect();
        let turn = |position: u32, frequency: &f32| {
            let (sine, cosine) = (position as f32 * frequency).sin_cos();
            [cosine, sine]
        };
        let of = |position| frequencies.iter().flat_map(move |frequency| turn(position, frequency));
        let values: Vec<f32> = (0..positions).flat_map(of).collect();
        let buffer = self.device.buffer(16.max(4 * values.len() as u64), WEIGHTS);
        self.device.write(&buffer, 0, bytemuck::cast_slice(&values));
        self.tables.angles.retain(|angles| !is_it(angles));
        self.tables.angles.push(Angles { theta, half, positions, buffer: buffer.clone() });
        buffer
    }

    /// Returns the bucket of each distance, computed once.
    fn buckets(&mut self, count: usize) -> Buffer {
        if let Some((found, buffer)) = &self.tables.buckets
            && *found == count
        {
            return buffer.clone();
        }
        let bucket = |distance| webert_kernels::bucket(distance, count) as u32;
        let most = MAX_DISTANCE as i64;
        let values: Vec<u32> = (-most..=most).map(bucket).collect();
        let buffer = self.device.buffer(4 * values.len() as u64, WEIGHTS);
        self.device.write(&buffer, 0, bytemuck::cast_slice(&values));
        self.tables.buckets = Some((count, buffer.clone()));
        buffer
    }
}
