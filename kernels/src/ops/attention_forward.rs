//! Attention for training: applies dropout to the probabilities and keeps what the gradient needs.

use std::array::from_fn;
use std::f32::consts::LN_2;

use bytemuck::cast_slice_mut;

use super::attention::{AttentionHead, maxima, most_keys, powers};
use super::dropout::Dropout;
use crate::gemm::NR;
use crate::simd::{Aligned, F32x4, U32x4};
use crate::threads::{Bands, SpinLock, parallel_blocks};
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Computes [`super::attention`] with dropout over the probabilities.
///
/// Writes `[rows, heads]` to `log_sums`, the logarithm of each softmax denominator, including the
/// maximum:
///
/// ```text
/// log_sum     = max(scores) + ln Σ e^(score - max(scores))
/// probability = e^(score - log_sum)
/// ```
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` or `log_sums` does not fit in memory.
pub fn attention_forward(
    qkv: &Rows,
    sequences: &[Sequence],
    heads: usize,
    dropout: Option<&Dropout>,
    y: &mut Rows,
    log_sums: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let width = qkv.cols / 3;
    let head_dim = width / heads;
    y.shape(qkv.rows, width)?;
    log_sums.shape(qkv.rows, heads)?;
    let log_sums = SpinLock::new(&mut log_sums.data);
    let threads = &mut workspace.threads;
    let keys = most_keys(sequences);
    threads.iter_mut().try_for_each(|local| local.attention.reserve(keys, head_dim))?;
    let bands = Bands::Sequences(sequences);
    parallel_blocks(threads, &mut y.data, width, bands, head_dim, &|local, mut y| {
        let sequence = &sequences[y.band];
        let buffers = &mut local.attention;
        for number in y.columns.start / head_dim..y.columns.end / head_dim {
            let first = number * head_dim;
            let head = AttentionHead { qkv, sequence, width, first, head_dim, factor: 1 };
            head.pack(buffers);
            for queries in head.panels() {
                head.scores(queries.clone(), buffers);
                let maxima = maxima(&buffers.scores);
                let sums = powers(&mut buffers.scores, maxima);
                let (maxima, sums) = (lanes(maxima), lanes(sums));
                let first = sequence.rows.start + queries.start;
                log_sums.with(|log_sums| {
                    for lane in 0..queries.len() {
                        // Scores are scaled by log2(e), so the maximum is converted back to a
                        // natural logarithm.
                        let log_sum = maxima[lane] * LN_2 + sums[lane].ln();
                        log_sums[(first + lane) * heads + number] = log_sum;
                    }
                });
                // The denominator counts all keys. Dropout applies after the softmax, so it comes
                // after the sums.
                if let Some(dropout) = dropout {
                    let mask = Mask { dropout, sequence, heads, head: number, first };
                    mask.apply(&mut buffers.scores);
                }
                head.context(queries, buffers, &sums.map(|sum| 1.0 / sum), &mut y);
            }
        }
    });
    Ok(())
}

/// Returns the lanes of a panel as one array.
pub(super) fn lanes([low, high]: [F32x4; 2]) -> [f32; NR] {
    bytemuck::cast([low.to_array(), high.to_array()])
}

/// Dropout of the probabilities of one panel of queries.
#[derive(Clone, Copy)]
pub(super) struct Mask<'a> {
    pub(super) dropout: &'a Dropout,
    pub(super) sequence: &'a Sequence,
    pub(super) heads: usize,
    pub(super) head: usize,
    /// Row of the panel's first query in the batch.
    pub(super) first: usize,
}

impl Mask<'_> {
    /// Calls `each` with the number of each key, counted from the first key, and the dropout factor
    /// of each query.
    #[inline(always)]
    fn for_keys(&self, mut each: impl FnMut(usize, [F32x4; 2])) {
        let Sequence { rows, keys } = self.sequence;
        // Philox makes the factors of four columns at a time, and columns count from the first row
        // of the sequence. The first and last group may reach beyond the keys.
        let (start, end) = (keys.start - rows.start, keys.end - rows.start);
        let row = |lane: usize| ((self.first + lane) * self.heads + self.head) as u32;
        let rows = [0, 4].map(|half| U32x4::load(from_fn(|lane| row(half + lane))));
        for group in start / 4..end.div_ceil(4) {
            let [low, high] =
                rows.map(|rows| self.dropout.factors(U32x4::splat(group as u32), rows));
            for (column, factors) in (4 * group..).zip(low.into_iter().zip(high)) {
                if (start..end).contains(&column) {
                    each(column - start, factors.into());
                }
            }
        }
    }

    /// Multiplies `numbers`, `[keys, NR]`, by the factors.
    pub(super) fn apply(&self, numbers: &mut [[f32; NR]]) {
        let numbers: &mut [[[f32; 4]; 2]] = cast_slice_mut(numbers);
        self.for_keys(|key, [low, high]| {
            let [first, last] = &mut numbers[key];
            (F32x4::load(first) * low).store(first);
            (F32x4::load(last) * high).store(last);
        });
    }

    /// Writes the factors to `to`, `[keys, NR]`.
    pub(super) fn fill(&self, to: &mut Aligned<[f32; NR]>) {
        to.resize(self.sequence.keys.len());
        self.for_keys(|key, factors| to[key] = lanes(factors));
    }
}
