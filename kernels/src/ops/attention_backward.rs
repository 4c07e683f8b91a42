//! Gradient of attention, for one head of one sequence and one block of queries at a time.
//!
//! The probabilities are computed again from the scores and from the sums that the forward pass
//! kept (FlashAttention: Dao et al. 2022). A matrix of all queries by all keys never exists.
//!
//! P are the probabilities, M the dropout factors, S the scores, and D = Σ dy · y for each query:
//!
//! ```text
//! dV = (P · M)ᵀ · dy
//! dP = M · (dy · Vᵀ)
//! dS = P · (dP - D)
//! dQ = dS · K / √head_dim
//! dK = dSᵀ · Q / √head_dim
//! ```

use std::f32::consts::LOG2_E;
use std::ops::Range;

use bytemuck::cast;

use super::attention::{AttentionHead, most_keys};
use super::attention_forward::Mask;
use super::dropout::Dropout;
use super::elementwise::update_slice;
use super::head::Head;
use crate::gemm::tile::{MR, for_tiles};
use crate::gemm::{NR, outer_f32};
use crate::simd::{Aligned, F32x4, Math};
use crate::threads::{Bands, Block, parallel_blocks};
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Queries per block, a multiple of [`NR`]. 64 makes the sums over queries long, while the
/// probabilities by 512 keys still fit in the second-level cache.
const QUERIES: usize = 64;

/// Inputs and results of [`super::attention_forward`] that the gradient needs.
#[derive(Debug, Clone, Copy)]
pub struct AttentionKept<'a> {
    /// Queries, keys and values, `[rows, 3 · width]`.
    pub qkv: &'a Rows,
    /// The sequences of the batch.
    pub sequences: &'a [Sequence],
    /// Number of heads.
    pub heads: usize,
    /// Dropout of the forward pass.
    pub dropout: Option<&'a Dropout>,
    /// Output of the forward pass, `[rows, width]`.
    pub y: &'a Rows,
    /// Logarithms of the softmax denominators, `[rows, heads]`.
    pub log_sums: &'a Rows,
}

/// Buffers of one thread, reused by every call.
#[derive(Debug, Default)]
pub(crate) struct AttentionBackwardBuffers {
    /// Keys and values in row tiles. Keys are stored in column tiles as well.
    keys: Vec<f32>,
    values: Vec<f32>,
    key_columns: Vec<f32>,
    /// Queries and dy of a block, by column tiles.
    query_columns: Vec<f32>,
    dy_columns: Vec<f32>,
    panel: PanelBuffers,
    /// P · M and dS of a block, by panels of keys: `[panels, queries, NR]`.
    probabilities: Aligned<[f32; NR]>,
    score_gradients: Aligned<[f32; NR]>,
    /// Gradients with respect to keys and values, by panels of keys: `[panels, head_dim, NR]`.
    dkeys: Aligned<[f32; NR]>,
    dvalues: Aligned<[f32; NR]>,
}

/// Buffers of one panel of queries.
#[derive(Debug, Default)]
struct PanelBuffers {
    /// Queries and dy, `[head_dim, NR]`.
    queries: Aligned<[f32; NR]>,
    dy: Aligned<[f32; NR]>,
    /// Scores, later P · M, `[keys, NR]`.
    probabilities: Aligned<[f32; NR]>,
    /// dy · Vᵀ, later dS.
    score_gradients: Aligned<[f32; NR]>,
    /// Dropout factors M; empty without dropout.
    factors: Aligned<[f32; NR]>,
}

impl AttentionBackwardBuffers {
    /// Reserves room for one head with `keys` keys.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the buffers do not fit in memory.
    fn reserve(&mut self, keys: usize, head_dim: usize) -> Result<(), OutOfMemory> {
        let out_of_memory = OutOfMemory { rows: keys, cols: head_dim };
        for (packed, rows) in [
            (&mut self.keys, keys),
            (&mut self.values, keys),
            (&mut self.key_columns, keys),
            (&mut self.query_columns, QUERIES),
            (&mut self.dy_columns, QUERIES),
        ] {
            let more = (rows * head_dim).saturating_sub(packed.len());
            packed.try_reserve(more).map_err(|_| out_of_memory)?;
        }
        let panels = keys.div_ceil(NR);
        let PanelBuffers { probabilities, score_gradients, factors, .. } = &mut self.panel;
        for (rows, len) in [
            (&mut self.probabilities, panels * QUERIES),
            (&mut self.score_gradients, panels * QUERIES),
            (&mut self.dkeys, panels * head_dim),
            (&mut self.dvalues, panels * head_dim),
            (probabilities, keys),
            (score_gradients, keys),
            (factors, keys),
        ] {
            rows.reserve(len).ok_or(out_of_memory)?;
        }
        Ok(())
    }
}

/// Writes the gradient with respect to `kept.qkv` to `dqkv`, in the same shape. `dy` is the
/// gradient with respect to `kept.y`.
///
/// # Errors
/// Returns [`OutOfMemory`] if `dqkv` or a thread's packed operands do not fit in memory.
pub fn attention_backward(
    kept: AttentionKept<'_>,
    dy: &Rows,
    dqkv: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let AttentionKept { qkv, sequences, heads, .. } = kept;
    let width = qkv.cols / 3;
    let head_dim = width / heads;
    dqkv.shape(qkv.rows, qkv.cols)?;
    // Each row of `dqkv` holds three output rows of a head: the gradients for query, key and value.
    // Row ranges are therefore tripled.
    let triple = |rows: &Range<usize>| 3 * rows.start..3 * rows.end;
    let tripled: Vec<_> = sequences
        .iter()
        .map(|Sequence { rows, keys }| Sequence { rows: triple(rows), keys: triple(keys) })
        .collect();
    let bands = Bands::Sequences(&tripled);
    let threads = &mut workspace.threads;
    let keys = most_keys(sequences);
    threads.iter_mut().try_for_each(|local| local.attention_backward.reserve(keys, head_dim))?;
    parallel_blocks(threads, &mut dqkv.data, width, bands, head_dim, &|local, mut to| {
        let sequence = &sequences[to.band];
        for number in to.columns.start / head_dim..to.columns.end / head_dim {
            let first = number * head_dim;
            let head = AttentionHead { qkv, sequence, width, first, head_dim, factor: 1 };
            let columns = to.within(&(first..first + head_dim));
            let part =
                |of| Head { of, rows: sequence.rows.clone(), columns: first..first + head_dim };
            let gradient =
                HeadGradient { kept, head, number, y: part(kept.y), dy: part(dy), columns };
            gradient.run(&mut local.attention_backward, &mut to);
        }
    });
    Ok(())
}

/// One head of one sequence.
struct HeadGradient<'a> {
    kept: AttentionKept<'a>,
    head: AttentionHead<'a>,
    /// Number of the head.
    number: usize,
    y: Head<'a>,
    dy: Head<'a>,
    /// Columns of the head within a block of the output.
    columns: Range<usize>,
}

impl HeadGradient<'_> {
    fn run(&self, buffers: &mut AttentionBackwardBuffers, to: &mut Block<'_>) {
        let [queries, keys, values] = [0, 1, 2].map(|part| self.head.part(part));
        keys.pack_rows(&mut buffers.keys);
        values.pack_rows(&mut buffers.values);
        keys.pack_columns(&mut buffers.key_columns);
        let count = self.head.sequence.keys.len();
        for sums in [&mut buffers.dkeys, &mut buffers.dvalues] {
            sums.resize(count.div_ceil(NR) * self.head.head_dim);
            sums.fill([0.0; NR]);
        }
        for start in (0..queries.rows.len()).step_by(QUERIES) {
            let block = start..queries.rows.len().min(start + QUERIES);
            queries.part(block.clone()).pack_columns(&mut buffers.query_columns);
            self.dy.part(block.clone()).pack_columns(&mut buffers.dy_columns);
            for numbers in [&mut buffers.probabilities, &mut buffers.score_gradients] {
                numbers.resize(count.div_ceil(NR) * block.len());
            }
            for first in block.clone().step_by(NR) {
                let panel = first..block.end.min(first + NR);
                self.panel(panel.clone(), buffers);
                self.store_query_gradients(panel.clone(), buffers, to);
                let at = first - start..panel.end - start;
                transpose(
                    &buffers.panel.probabilities,
                    &at,
                    block.len(),
                    &mut buffers.probabilities,
                );
                let from = &buffers.panel.score_gradients;
                transpose(from, &at, block.len(), &mut buffers.score_gradients);
            }
            let AttentionBackwardBuffers { query_columns, dy_columns, dkeys, dvalues, .. } =
                buffers;
            self.add_key_gradients(query_columns, &buffers.score_gradients, dkeys);
            self.add_key_gradients(dy_columns, &buffers.probabilities, dvalues);
        }
        self.store_key_gradients(buffers, to);
    }

    /// Computes P · M and dS for a panel of queries.
    fn panel(&self, queries: Range<usize>, buffers: &mut AttentionBackwardBuffers) {
        let AttentionBackwardBuffers { keys, values, panel, .. } = buffers;
        self.head.part(0).part(queries.clone()).pack_panel(self.head.scale(), &mut panel.queries);
        self.dy.part(queries.clone()).pack_panel(1.0, &mut panel.dy);
        self.multiply(keys, &panel.queries, &mut panel.probabilities);
        self.multiply(values, &panel.dy, &mut panel.score_gradients);
        let rows = &self.head.sequence.rows;
        let first = rows.start + queries.start;
        let mut shift = [0.0; NR];
        let mut products = [0.0; NR];
        for (lane, query) in queries.enumerate() {
            let log_sum = self.kept.log_sums.data[(first + lane) * self.kept.heads + self.number];
            shift[lane] = log_sum * LOG2_E;
            let numbers = self.dy.row(query).iter().zip(self.y.row(query));
            products[lane] = numbers.map(|(dy, y)| dy * y).sum();
        }
        let factors = self.kept.dropout.map(|dropout| {
            let AttentionKept { heads, .. } = self.kept;
            let mask =
                Mask { dropout, sequence: self.head.sequence, heads, head: self.number, first };
            mask.fill(&mut panel.factors);
            &panel.factors[..]
        });
        let gradients = &mut panel.score_gradients;
        match factors {
            Some(factors) => {
                masked_gradients(&mut panel.probabilities, gradients, factors, shift, products);
            }
            None => score_gradients(&mut panel.probabilities, gradients, shift, products),
        }
    }

    /// Multiplies keys or values, packed by row tiles, by a panel. The result is `[keys, NR]`.
    fn multiply(&self, rows: &[f32], panel: &[[f32; NR]], to: &mut Aligned<[f32; NR]>) {
        let (count, head_dim) = (self.head.sequence.keys.len(), self.head.head_dim);
        to.resize(count);
        for_tiles(count, MR, |at, height| {
            let rows = &rows[at * head_dim..][..height * head_dim];
            outer_f32::multiply(height, rows, panel, &mut to[at..at + height]);
        });
    }

    /// Computes dQ = dS · K / √head_dim.
    fn store_query_gradients(
        &self,
        queries: Range<usize>,
        buffers: &AttentionBackwardBuffers,
        to: &mut Block<'_>,
    ) {
        let count = self.head.sequence.keys.len();
        let mut sums = [[0.0; NR]; MR];
        for_tiles(self.head.head_dim, MR, |at, wide| {
            let keys = &buffers.key_columns[at * count..][..wide * count];
            outer_f32::multiply(wide, keys, &buffers.panel.score_gradients, &mut sums);
            let first = self.columns.start + at;
            for (lane, query) in queries.clone().enumerate() {
                let to = &mut to.row(3 * query)[first..first + wide];
                for (to, sums) in to.iter_mut().zip(&sums) {
                    *to = sums[lane] * self.scale();
                }
            }
        });
    }

    /// Computes sums += (numbersᵀ · columns)ᵀ. `columns` holds a block of queries by column tiles,
    /// `numbers` is `[panels, queries, NR]`, and `sums` is `[panels, head_dim, NR]`.
    fn add_key_gradients(&self, columns: &[f32], numbers: &[[f32; NR]], sums: &mut [[f32; NR]]) {
        let head_dim = self.head.head_dim;
        let queries = columns.len() / head_dim;
        let mut products = [[0.0; NR]; MR];
        for (numbers, sums) in numbers.chunks_exact(queries).zip(sums.chunks_exact_mut(head_dim)) {
            for_tiles(head_dim, MR, |at, wide| {
                let columns = &columns[at * queries..][..wide * queries];
                outer_f32::multiply(wide, columns, numbers, &mut products);
                for (sums, products) in sums[at..at + wide].iter_mut().zip(&products) {
                    update_slice(products, sums, |product, sum| sum + product);
                }
            });
        }
    }

    /// Stores dK, divided by √head_dim, and dV. A masked first token is not a key; its gradients
    /// are 0.
    fn store_key_gradients(&self, buffers: &AttentionBackwardBuffers, to: &mut Block<'_>) {
        let Sequence { rows, keys } = self.head.sequence;
        let head_dim = self.head.head_dim;
        for (part, sums, scale) in [(1, &buffers.dkeys, self.scale()), (2, &buffers.dvalues, 1.0)] {
            for row in rows.clone() {
                let to = &mut to.row(3 * (row - rows.start) + part)[self.columns.clone()];
                if !keys.contains(&row) {
                    to.fill(0.0);
                    continue;
                }
                let key = row - keys.start;
                let panel = &sums[key / NR * head_dim..][..head_dim];
                for (to, sums) in to.iter_mut().zip(panel) {
                    *to = sums[key % NR] * scale;
                }
            }
        }
    }

    /// Returns the factor of the scores, 1 / √head_dim.
    fn scale(&self) -> f32 {
        1.0 / (self.head.head_dim as f32).sqrt()
    }
}

/// Replaces scores by P = 2^(score - shift), and `gradients` by P · (gradient - product). Each lane
/// is a query.
#[inline(never)]
fn score_gradients(
    scores: &mut [[f32; NR]],
    gradients: &mut [[f32; NR]],
    shift: [f32; NR],
    products: [f32; NR],
) {
    let (math, shift, products) = (Math::new(), halves(shift), halves(products));
    for (scores, gradients) in scores.iter_mut().zip(gradients) {
        let (score, gradient) = (halves(*scores), halves(*gradients));
        let p = [0, 1].map(|n| math.exp2(score[n] - shift[n]));
        *scores = cast(p.map(F32x4::to_array));
        *gradients = cast([0, 1].map(|n| (p[n] * (gradient[n] - products[n])).to_array()));
    }
}

/// Does the same as [`score_gradients`] with dropout: replaces scores by P · factor, and
/// `gradients` by P · (factor · gradient - product).
#[inline(never)]
fn masked_gradients(
    scores: &mut [[f32; NR]],
    gradients: &mut [[f32; NR]],
    factors: &[[f32; NR]],
    shift: [f32; NR],
    products: [f32; NR],
) {
    let (math, shift, products) = (Math::new(), halves(shift), halves(products));
    for ((scores, gradients), factors) in scores.iter_mut().zip(gradients).zip(factors) {
        let (score, gradient, factor) = (halves(*scores), halves(*gradients), halves(*factors));
        let p = [0, 1].map(|n| math.exp2(score[n] - shift[n]));
        *scores = cast([0, 1].map(|n| (p[n] * factor[n]).to_array()));
        let by_score = |n: usize| p[n] * (factor[n] * gradient[n] - products[n]);
        *gradients = cast([0, 1].map(|n| by_score(n).to_array()));
    }
}

fn halves(numbers: [f32; NR]) -> [F32x4; 2] {
    cast::<_, [[f32; 4]; 2]>(numbers).map(|half| F32x4::load(&half))
}

/// Copies `from`, `[keys, NR]` for a panel of queries, to the rows `queries` of every panel of keys
/// in `to`, `[panels, count, NR]`. Lanes beyond the last key keep their old values.
fn transpose(from: &[[f32; NR]], queries: &Range<usize>, count: usize, to: &mut [[f32; NR]]) {
    for (keys, to) in from.chunks(NR).zip(to.chunks_exact_mut(count)) {
        let to = &mut to[queries.clone()];
        for (lane, key) in keys.iter().enumerate() {
            for (to, x) in to.iter_mut().zip(key) {
                to[lane] = *x;
            }
        }
    }
}
