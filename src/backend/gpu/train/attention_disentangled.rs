//! Attention by contents and relative positions for training, and its gradient.
//!
//! A workgroup handles one row of a head and passes over the rows of its sequence in tiles of 64, so
//! no matrix of scores is stored. The gradient of positions has a workgroup for each row of
//! positions, which passes over the pairs at its distances. One invocation computes each sum in a
//! fixed order. The gradient computes the result again, because only qkv is kept.

use wgpu::Buffer;

use super::super::matrix::groups;
use super::super::{Gpu, GpuRows};
use super::attention::Attention;
use super::params::AttentionTrainParams;
use super::{Kernel, TrainKernel};
use crate::backend::Disentangled;

/// Groups of a head that one workgroup sums up: COLUMNS in shared/attention_pairs.wgsl.
const COLUMNS: usize = 16;
/// Largest number of pairs that a workgroup visits in one dispatch. An invocation then has less than
/// 65,535 iterations of loops; llvmpipe ends them there.
const MAX_PAIRS: usize = 1 << 15;

/// What the kernels of one batch share.
struct Call {
    params: AttentionTrainParams,
    constants: Vec<(&'static str, f64)>,
    /// Projections of positions, or any buffer if there are none.
    positions: Buffer,
    /// Row of positions for each distance, then the first distance of each row.
    rows: Buffer,
    /// Largest number of distances that share a row of positions.
    widest: usize,
    /// Workgroups for the columns of a head.
    parts: usize,
    heads: usize,
    /// Multiply-adds of a product of all pairs.
    cost: [usize; 3],
}

/// Returns for each row up to `count` the index of its first distance, and the number of distances.
fn first_distances(rows: &[u32], count: usize) -> Vec<u32> {
    (0..=count as u32).map(|row| rows.partition_point(|&other| other < row) as u32).collect()
}

impl Gpu {
    fn disentangled_call(
        &mut self,
        attention: &Attention<'_>,
        qkv: &GpuRows,
        of: &Disentangled<'_, GpuRows>,
    ) -> Call {
        let reach = attention.batch.reach;
        let ahead = -i64::from(reach)..=i64::from(reach);
        let count = of.positions.map_or(0, |table| table.rows);
        let mut rows: Vec<u32> = match of.positions {
            Some(_) => ahead.map(|ahead| (of.distances.row(ahead) - of.first) as u32).collect(),
            None => vec![0],
        };
        let firsts = first_distances(&rows, count);
        let widest = firsts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        rows.extend(firsts);
        let rows = self.list(&rows).buffer().clone();
        let positions = of.positions.map_or_else(|| rows.clone(), |table| self.buffer(table));
        let head_dim = qkv.cols / 3 / attention.heads;
        let flag = |set: bool| f64::from(u8::from(set));
        let stride = of.positions.map_or(4, |table| 4 * groups(table.cols));
        let constants = vec![
            ("ALIGNED", flag(head_dim.is_multiple_of(4))),
            ("DROPOUT", flag(attention.dropout.is_some())),
            ("TO_POSITION", flag(of.keys.is_some())),
            ("TO_CONTENT", flag(of.queries.is_some())),
            ("KEY_COLUMN", of.keys.unwrap_or(0) as f64),
            ("POSITION_STRIDE", stride as f64),
            ("FACTOR", of.factor as f64),
        ];
        let params = AttentionTrainParams {
            entries_start: attention.batch.first_row,
            reach,
            ..attention.params(qkv)
        };
        Call {
            params,
            constants,
            positions,
            rows,
            widest: widest as usize,
            parts: groups(head_dim).div_ceil(COLUMNS),
            heads: attention.heads,
            cost: [attention.batch.pairs, attention.heads, head_dim],
        }
    }

    /// Records a kernel with a workgroup for each of `rows` rows. `factor` is the number of products
    /// of all pairs.
    fn record_pairs(
        &mut self,
        kernel: TrainKernel,
        (call, params, rows): (&Call, &AttentionTrainParams, usize),
        factor: usize,
        buffers: &[(u32, &Buffer)],
    ) {
        let [pairs, heads, head_dim] = call.cost;
        self.add_cost([factor * pairs, heads, head_dim]);
        let tables = [(7, &call.positions), (8, &call.rows)];
        let buffers = [buffers, &tables[..]].concat();
        let grid = [rows, call.heads, call.parts].map(|workgroups| workgroups as u32);
        self.run(Kernel::Train(kernel), &call.constants, params, &buffers, grid);
    }

    /// Records y and the logarithms of the softmaxes' sums.
    fn record_disentangled(
        &mut self,
        (attention, call): (&Attention<'_>, &Call),
        qkv: &GpuRows,
        [y, log_sums]: [&mut GpuRows; 2],
    ) -> [Buffer; 2] {
        let source = self.buffer(qkv);
        let y = self.shape(y, qkv.rows, qkv.cols / 3);
        let log_sums = self.shape(log_sums, qkv.rows, attention.heads);
        let list = attention.batch.list.buffer();
        let buffers = [(1, &y), (2, list), (3, &source), (4, &log_sums)];
        let kernel = TrainKernel::AttentionDisentangledForward;
        self.record_pairs(kernel, (call, &call.params, qkv.rows), 4, &buffers);
        [y, log_sums]
    }

    /// Records y.
    pub(super) fn record_attention_disentangled_forward(
        &mut self,
        attention: &Attention<'_>,
        qkv: &GpuRows,
        of: &Disentangled<'_, GpuRows>,
        y: &mut GpuRows,
    ) {
        let call = self.disentangled_call(attention, qkv, of);
        self.record_disentangled((attention, &call), qkv, [y, &mut GpuRows::default()]);
    }

    /// Records dqkv and dpositions, from qkv, the positions and dy.
    pub(super) fn record_attention_disentangled_backward(
        &mut self,
        attention: &Attention<'_>,
        [qkv, dy]: [&GpuRows; 2],
        of: &Disentangled<'_, GpuRows>,
        [dqkv, dpositions]: [&mut GpuRows; 2],
    ) {
        let call = self.disentangled_call(attention, qkv, of);
        let (mut y, mut log_sums, mut deltas) = Default::default();
        let [y, log_sums] =
            self.record_disentangled((attention, &call), qkv, [&mut y, &mut log_sums]);
        let [source, gradient] = [qkv, dy].map(|rows| self.buffer(rows));
        let deltas = self.record_deltas(attention, qkv, [&gradient, &y], &mut deltas);
        let to = self.shape(dqkv, qkv.rows, qkv.cols);
        let list = attention.batch.list.buffer();
        let read = [(2, list), (3, &source), (4, &gradient), (5, &log_sums), (6, &deltas)];
        let buffers = [&[(1, &to)], &read[..]].concat();
        let whole = (&call, &call.params, qkv.rows);
        self.record_pairs(TrainKernel::AttentionDisentangledBackwardQueries, whole, 6, &buffers);
        self.record_pairs(TrainKernel::AttentionDisentangledBackwardKeys, whole, 7, &buffers);
        let Some(table) = of.positions else { return };
        let to = self.shape(dpositions, table.rows, table.cols);
        self.record_clear(dpositions);
        let buffers = [&[(9, &to)], &read[..]].concat();
        let slice = (MAX_PAIRS / call.widest.max(1)).max(1);
        for first in (0..qkv.rows).step_by(slice) {
            let queries = slice.min(qkv.rows - first);
            let params = AttentionTrainParams {
                first_query: first as u32,
                queries: queries as u32,
                ..call.params
            };
            let part = (&call, &params, table.rows);
            let kernel = TrainKernel::AttentionDisentangledBackwardPositions;
            self.record_pairs(kernel, part, (6 * queries).div_ceil(qkv.rows), &buffers);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_distances;

    #[test]
    fn each_row_of_positions_has_its_distances() {
        assert_eq!(first_distances(&[0, 0, 1, 3, 3, 3], 4), [0, 2, 3, 3, 6]);
        assert_eq!(first_distances(&[0], 0), [0]);
    }
}
