//! Attention over sequences, with and without relative positions.

use wgpu::Buffer;

use super::attention_output::Attending;
use super::choice::{Layout, Op, Shape, WIDE};
use super::kernels::{Constants, Kernel};
use super::matrix::groups;
use super::params::AttentionParams;
use super::{Gpu, GpuBatch, GpuRows, MAX_HEAD_DIM, QUERIES};

impl Gpu {
    /// Records attention with one of these kernels: for narrow heads, without barriers, and for the
    /// probabilities. `reach` is the greatest distance of a key that is attended to; `more` and
    /// `tables` are additional constants and buffers of the kernels.
    pub(super) fn record_attention_by(
        &mut self,
        [kernel, barrier_free, of_probabilities]: [Kernel; 3],
        (qkv, batch, heads): (&GpuRows, &GpuBatch, usize),
        (reach, more, tables): (u32, Constants<'_>, &[(u32, &Buffer)]),
        y: &mut GpuRows,
        probabilities: Option<&mut GpuRows>,
    ) {
        let width = qkv.cols / 3;
        let head_dim = width / heads;
        if self.warming_up {
            self.head_dim = head_dim;
        }
        let from = self.buffer(qkv);
        let params = |entries_start: u32| AttentionParams {
            width: width as u32,
            head_dim: head_dim as u32,
            stride: 4 * groups(qkv.cols) as u32,
            sequences_start: batch.first_sequence,
            entries_start,
            heads: heads as u32,
            rows: qkv.rows as u32,
            blocks: batch.blocks as u32,
            columns_start: batch.first_column,
            reach,
        };
        let to = self.shape(y, qkv.rows, width);
        let list = batch.list.buffer();
        let buffers = [&[(1, &to), (2, list), (3, &from)], tables].concat();
        let aligned = [("ALIGNED", f64::from(u8::from(head_dim.is_multiple_of(4))))];
        let constants = [&aligned, more].concat();
        // Wider heads do not fit in the workgroup memory of attention.wgsl.
        let layout = match self.variant((Op::Attention, Shape::Medium)).layout {
            _ if head_dim > MAX_HEAD_DIM => Layout::BarrierFree,
            layout => layout,
        };
        let (kernel, first_block, grid) = if layout == Layout::BarrierFree {
            let grid = [batch.blocks.div_ceil(8), heads, groups(head_dim).div_ceil(8)];
            (barrier_free, batch.first_block, grid)
        } else if kernel == Kernel::Attention && layout == WIDE {
            let grid = [batch.wide_blocks, heads, 1];
            (Kernel::AttentionWide, batch.first_wide_block, grid)
        } else {
            (kernel, batch.first_block, [batch.blocks, heads, 1])
        };
        let grid = grid.map(|workgroups| workgroups as u32);
        // Cost estimate: a row attends to at most 2 · reach keys beside its own block.
        let near = batch.rows.saturating_mul(2 * reach as usize + QUERIES);
        let pairs = batch.pairs.min(near);
        self.add_cost([2 * pairs, heads, head_dim]);
        let with_groups = [&constants[..], &[("GROUPS", groups(head_dim) as f64)]].concat();
        let left = (kernel == Kernel::Attention || kernel == Kernel::AttentionWide)
            .then(|| {
                let by = (kernel, &with_groups[..], grid);
                Attending::new(batch, [&from, &to], params(first_block), by)
            })
            .flatten()
            .filter(|_| probabilities.is_none());
        if self.leave_attention(left) {
            return;
        }
        self.run(kernel, &with_groups, &params(first_block), &buffers, grid);
        if let Some(probabilities) = probabilities {
            // The result is one long column. Stored as one row it needs no padding.
            let to = self.shape(probabilities, 1, heads * batch.pairs);
            let buffers = [&[(1, &to), (2, list), (3, &from)], tables].concat();
            let grid = [batch.rows as u32, heads as u32, 1];
            self.run(of_probabilities, &constants, &params(batch.first_row), &buffers, grid);
        }
    }
}
