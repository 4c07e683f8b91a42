//! Attention over few rows and the layer after it, in one dispatch. Binaries of a first load have two
//! dispatches, which saves 1.6 kB of them.

use std::rc::Rc;

use wgpu::Buffer;

use super::buffer_pool::PooledBuffer;
use super::choice::{Layout, Op, Shape};
use super::kernels::Kernel;
use super::matrix::{GpuMatrix, groups, matrix_bytes};
use super::params::{AttentionOutputParams, AttentionParams};
use super::record::Grid;
use super::unfinished::MOST_NORMED_ROWS;
use super::{Gpu, GpuBatch, GpuRows, MAX_HEAD_DIM, QUERIES};
use crate::backend::{Activation, Precision};

/// Queries of a workgroup.
const ROWS: usize = 4;
/// True if this binary includes the kernel.
pub(super) const IS_INCLUDED: bool = cfg!(feature = "families");
/// Columns of y that a workgroup computes at a time.
const COLUMNS: usize = 64;
/// Largest number of times that a workgroup computes [`COLUMNS`], one after the other.
const MOST_STEPS: u64 = 2;
/// Vectors in the workgroup memory of attention_output.wgsl.
const MEMORY: usize = 1024;
/// Of these, those that hold sums.
const SUMS: usize = 256;

/// Attention that is not recorded yet. The layer after it may compute it in its own dispatch. Any
/// other dispatch records it first, so results do not depend on it.
pub(super) struct Attending {
    pub(super) qkv: Buffer,
    pub(super) list: Rc<PooledBuffer>,
    /// The result, `[rows, width]`.
    pub(super) context: Buffer,
    /// Index in the list of the first block of [`QUERIES`] rows.
    first_block: u32,
    /// What records it in a dispatch of its own.
    pub(super) params: AttentionParams,
    pub(super) kernel: Kernel,
    pub(super) constants: Vec<(&'static str, f64)>,
    pub(super) grid: Grid,
    /// Parts of the blocks of queries, at most.
    parts: usize,
}

impl Attending {
    /// Returns attention by a kernel over blocks of queries, if a layer after it can compute it.
    pub(super) fn new(
        batch: &GpuBatch,
        [qkv, context]: [&Buffer; 2],
        params: AttentionParams,
        (kernel, constants, grid): (Kernel, &[(&'static str, f64)], Grid),
    ) -> Option<Self> {
        let [width, head_dim, heads] =
            [params.width, params.head_dim, params.heads].map(|n| n as usize);
        // No sequence has more keys than there are rows.
        let scores = heads * batch.rows.next_multiple_of(4);
        let fits = ROWS * groups(width) + scores.max(SUMS) <= MEMORY;
        let is_narrow = batch.rows <= MOST_NORMED_ROWS && head_dim <= MAX_HEAD_DIM;
        (fits && is_narrow && head_dim.is_multiple_of(4)).then(|| Self {
            qkv: qkv.clone(),
            list: Rc::clone(&batch.list),
            context: context.clone(),
            first_block: batch.first_block,
            params,
            kernel,
            constants: constants.to_vec(),
            grid,
            parts: ((batch.rows + (ROWS - 1) * batch.blocks) / ROWS)
                .min(QUERIES / ROWS * batch.blocks),
        })
    }

    /// Returns the workgroups across the columns of y: as many as load no more than `most` bytes
    /// beyond what is loaded anyway. `None`: there would be too few of them.
    fn columns(&self, weight: &GpuMatrix, most: u64) -> Option<u32> {
        let again = (self.parts - 1) * matrix_bytes(weight.rows, weight.cols, weight.precision);
        // Keys and values, and queries, for all heads.
        let rows = 2 * self.params.rows as usize + ROWS;
        let attention = self.parts * rows * 4 * weight.cols;
        let fitting = most.checked_sub(again as u64)? / attention as u64;
        let all = weight.rows.div_ceil(COLUMNS) as u64;
        (fitting >= all.div_ceil(MOST_STEPS)).then_some(fitting.min(all) as u32)
    }
}

impl Gpu {
    /// Returns attention, and the layers that this device may compute with the attention before them.
    pub(super) fn attention_ops(&self) -> Vec<Op> {
        let mut ops = vec![Op::Attention];
        let is_narrow = self.head_dim <= MAX_HEAD_DIM && self.head_dim.is_multiple_of(4);
        if !IS_INCLUDED {
            return ops;
        }
        for precision in &self.low_precision.used {
            if *precision != Precision::I8 && is_narrow && !self.barrier_free {
                ops.push(Op::AttentionOutput(*precision));
            }
        }
        ops
    }

    /// Leaves attention to the next call, if this device and the call allow it.
    pub(super) fn leave_attention(&mut self, attending: Option<Attending>) -> bool {
        if !IS_INCLUDED || attending.is_none() || self.barrier_free || self.calls_apart {
            return false;
        }
        self.finish();
        self.attending = attending;
        true
    }

    /// Records attention that was left, in a dispatch of its own.
    pub(super) fn finish_attention(&mut self) {
        if !IS_INCLUDED {
            return;
        }
        let Some(Attending { qkv, list, context, params, kernel, constants, grid, .. }) =
            self.attending.take()
        else {
            return;
        };
        let buffers = [(1, &context), (2, list.buffer()), (3, &qkv)];
        self.run(kernel, &constants, &params, &buffers, grid);
    }

    /// Records the layer y = x · weightᵀ + bias with the attention whose result x is, if one
    /// dispatch can and should compute both. A warm-up records them apart as well.
    pub(super) fn record_attention_output(
        &mut self,
        x: &GpuRows,
        (weight, bias, activation): (&GpuMatrix, &Buffer, Activation),
        y: &Buffer,
    ) -> bool {
        let op = Op::AttentionOutput(weight.precision);
        let fits = IS_INCLUDED
            && weight.precision != Precision::I8
            && activation == Activation::Identity
            && weight.rows.is_multiple_of(4);
        let ([part], true) = (&weight.parts[..], fits) else { return false };
        let Layout::Together(loads) = self.variant((op, Shape::Short)).layout else { return false };
        let most = u64::from(loads) * self.cached_bytes();
        let Some(left) = self.attending.as_ref().filter(|left| {
            let is_input = x.buffer.as_ref().is_some_and(|of| *of.buffer() == left.context);
            is_input && *y != left.context && *y != left.qkv
        }) else {
            return false;
        };
        let Some(columns) = left.columns(weight, most) else { return false };
        let Some(left) = self.attending.take() else { return false };
        let buffers = [
            (1, y),
            (2, left.list.buffer()),
            (3, &part.values),
            (5, bias),
            (6, &left.qkv),
            (7, &left.context),
        ];
        self.run_attention_output(&left, columns, weight, &buffers);
        let warms_up = self.warms_up();
        self.attending = Some(left).filter(|_| warms_up);
        !warms_up
    }

    fn run_attention_output(
        &mut self,
        left: &Attending,
        columns: u32,
        weight: &GpuMatrix,
        buffers: &[(u32, &Buffer)],
    ) {
        let AttentionParams { width, head_dim, stride, sequences_start, heads, .. } = left.params;
        let params = AttentionOutputParams {
            width,
            head_dim,
            stride,
            sequences_start,
            entries_start: left.first_block,
            heads,
            outputs: weight.rows as u32,
        };
        let constants = [("GROUPS", f64::from(head_dim / 4))];
        let grid = [columns, left.params.blocks * (QUERIES / ROWS) as u32, 1];
        self.add_cost([left.params.rows as usize, weight.cols, weight.rows]);
        self.run(Kernel::AttentionOutput(weight.precision), &constants, &params, buffers, grid);
    }
}
