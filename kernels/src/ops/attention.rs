//! Scaled dot-product attention (Vaswani et al. 2017).
//!
//! ```text
//! S = Q · Kᵀ / √head_dim    P = softmax(S), row by row    Y = P · V
//! softmax(s)ₖ = e^(sₖ - max s) / Σⱼ e^(sⱼ - max s)
//! ```
//!
//! The kernel computes one head of one sequence at a time, in panels of 8 queries. Scores are
//! stored as `[keys, queries]` with one query per SIMD lane. The softmax therefore runs down the
//! lanes, and its result is already packed for the product with the values.

use std::f32::consts::LOG2_E;
use std::ops::Range;

use bytemuck::{cast, cast_slice, cast_slice_mut};

use super::head::Head;
use crate::gemm::tile::{MR, for_tiles};
use crate::gemm::{NR, outer_f32};
use crate::simd::{Aligned, F32x4, Math};
use crate::threads::{Bands, Block, SpinLock, parallel_blocks};
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Buffers of one thread, reused by every call.
#[derive(Debug, Default)]
pub(crate) struct AttentionBuffers {
    /// Keys of one head, packed by row tiles.
    keys: Vec<f32>,
    /// Values of one head, transposed and packed by column tiles.
    values: Vec<f32>,
    /// Queries of a panel, `[head_dim, NR]`.
    queries: Aligned<[f32; NR]>,
    /// Scores of the panel `[keys, NR]`, later 2^(score - maximum).
    pub(super) scores: Aligned<[f32; NR]>,
    /// Probabilities of one query, if the caller asks for them.
    probabilities: Vec<f32>,
}

impl AttentionBuffers {
    /// Reserves room for the keys and values of a head, `[keys, head_dim]`, and for their scores.
    /// For a long sequence they need as much memory as its rows.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the buffers do not fit in memory.
    pub(super) fn reserve(&mut self, keys: usize, head_dim: usize) -> Result<(), OutOfMemory> {
        let out_of_memory = OutOfMemory { rows: keys, cols: head_dim };
        for (buffer, len) in [
            (&mut self.keys, keys * head_dim),
            (&mut self.values, keys * head_dim),
            (&mut self.probabilities, keys),
        ] {
            let more = len.saturating_sub(buffer.len());
            buffer.try_reserve(more).map_err(|_| out_of_memory)?;
        }
        self.scores.reserve(keys).ok_or(out_of_memory)
    }
}

impl AttentionBuffers {
    /// Returns the queries of the last panel, `[head_dim, NR]`.
    pub(super) fn queries(&self) -> &[[f32; NR]] {
        &self.queries
    }
}

/// Returns the number of keys of the longest sequence.
pub(super) fn most_keys(sequences: &[Sequence]) -> usize {
    sequences.iter().map(|sequence| sequence.keys.len()).max().unwrap_or(0)
}

/// Writes softmax(q · kᵀ / √head_dim) · v to `y`, `[rows, width]`. Each row attends to the keys of
/// its own sequence.
///
/// `qkv` is `[rows, 3 · width]`: queries, keys, values, and within each of them the heads side by
/// side. `probabilities`, if given, becomes one long column: `[heads, rows, keys]` for each
/// sequence in turn. `sequences` follow one another without overlap.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` or `probabilities` does not fit in memory.
pub fn attention(
    qkv: &Rows,
    sequences: &[Sequence],
    heads: usize,
    y: &mut Rows,
    mut probabilities: Option<&mut Rows>,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let width = qkv.cols / 3;
    let head_dim = width / heads;
    y.shape(qkv.rows, width)?;
    let size = |sequence: &Sequence| sequence.rows.len() * sequence.keys.len();
    if let Some(probabilities) = probabilities.as_deref_mut() {
        let total: usize = sequences.iter().map(|sequence| heads * size(sequence)).sum();
        probabilities.shape(total, 1)?;
    }
    let kept = probabilities.map(|rows| SpinLock::new(&mut rows.data));
    let threads = &mut workspace.threads;
    let keys = most_keys(sequences);
    threads.iter_mut().try_for_each(|local| local.attention.reserve(keys, head_dim))?;
    parallel_blocks(
        threads,
        &mut y.data,
        width,
        Bands::Sequences(sequences),
        head_dim,
        &|local, mut y| {
            let (before, sequence) = (&sequences[..y.band], &sequences[y.band]);
            let before: usize = before.iter().map(|sequence| heads * size(sequence)).sum();
            for head in y.columns.start / head_dim..y.columns.end / head_dim {
                let mut written = before + head * size(sequence);
                let first = head * head_dim;
                let head = AttentionHead { qkv, sequence, width, first, head_dim, factor: 1 };
                let mut keep = kept.as_ref().map(|kept| {
                    move |probabilities: &[f32]| {
                        let to = written..written + probabilities.len();
                        written = to.end;
                        kept.with(|kept| kept[to].copy_from_slice(probabilities));
                    }
                });
                let keep = keep.as_mut().map(|keep| keep as &mut Keep<'_>);
                head.run(&mut local.attention, &mut y, keep);
            }
        },
    );
    Ok(())
}

/// Receives the probabilities of one query over its keys.
type Keep<'a> = dyn FnMut(&[f32]) + 'a;

/// One head of one sequence.
pub(super) struct AttentionHead<'a> {
    pub(super) qkv: &'a Rows,
    pub(super) sequence: &'a Sequence,
    /// Columns of all heads together.
    pub(super) width: usize,
    /// First column of the head.
    pub(super) first: usize,
    /// Number of columns of the head.
    pub(super) head_dim: usize,
    /// Multiplies `head_dim` under the root of the scale; 1 in plain attention.
    pub(super) factor: usize,
}

impl AttentionHead<'_> {
    /// Computes the rows of the sequence, which are the rows of `y`. Passes the probabilities to
    /// `keep` row by row, if given.
    fn run(
        &self,
        buffers: &mut AttentionBuffers,
        y: &mut Block<'_>,
        mut keep: Option<&mut Keep<'_>>,
    ) {
        self.pack(buffers);
        for queries in self.panels() {
            self.scores(queries.clone(), buffers);
            let inverse = softmax(&mut buffers.scores);
            if let Some(keep) = &mut keep {
                for query in 0..queries.len() {
                    let scores = buffers.scores.iter();
                    buffers.probabilities.clear();
                    buffers.probabilities.extend(scores.map(|of| of[query] * inverse[query]));
                    keep(&buffers.probabilities);
                }
            }
            self.context(queries, buffers, &inverse, y);
        }
    }

    /// Returns the queries (`part` 0), keys (1) or values (2) of this head.
    pub(super) fn part(&self, part: usize) -> Head<'_> {
        let start = part * self.width + self.first;
        // A masked first token is a query, but not a key.
        let Sequence { rows, keys } = self.sequence;
        let rows = if part == 0 { rows } else { keys }.clone();
        Head { of: self.qkv, rows, columns: start..start + self.head_dim }
    }

    /// Packs the keys and values of this head.
    pub(super) fn pack(&self, buffers: &mut AttentionBuffers) {
        self.part(1).pack_rows(&mut buffers.keys);
        self.part(2).pack_columns(&mut buffers.values);
    }

    /// Returns the rows of each panel of queries.
    pub(super) fn panels(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.sequence.rows.len();
        (0..count).step_by(NR).map(move |row| row..count.min(row + NR))
    }

    /// Returns the factor of the scores, log2(e) / √(factor · head_dim). The factor log2(e) lets
    /// the softmax use powers of two.
    pub(super) fn scale(&self) -> f32 {
        LOG2_E / ((self.factor * self.head_dim) as f32).sqrt()
    }

    /// Computes scores = keys · queriesᵀ.
    pub(super) fn scores(&self, panel: Range<usize>, buffers: &mut AttentionBuffers) {
        let AttentionBuffers { keys, queries, scores, .. } = buffers;
        self.part(0).part(panel).pack_panel(self.scale(), queries);
        let count = self.sequence.keys.len();
        scores.resize(count);
        for_tiles(count, MR, |at, height| {
            let keys = &keys[at * self.head_dim..][..height * self.head_dim];
            outer_f32::multiply(height, keys, queries, &mut scores[at..at + height]);
        });
    }

    /// Computes y = (valuesᵀ · probabilities)ᵀ.
    pub(super) fn context(
        &self,
        queries: Range<usize>,
        buffers: &AttentionBuffers,
        inverse: &[f32; NR],
        y: &mut Block<'_>,
    ) {
        let AttentionBuffers { values, scores, .. } = buffers;
        let count = self.sequence.keys.len();
        let mut sums = [[0.0; NR]; MR];
        for_tiles(self.head_dim, MR, |at, wide| {
            outer_f32::multiply(wide, &values[at * count..][..wide * count], scores, &mut sums);
            let first = self.first - y.columns.start + at;
            for (lane, query) in queries.clone().enumerate() {
                let to = &mut y.row(query)[first..first + wide];
                for (to, sums) in to.iter_mut().zip(&sums) {
                    *to = sums[lane] * inverse[lane];
                }
            }
        });
    }
}

/// Replaces each score x of a lane by 2^(x - maximum of the lane). Returns 1 / Σ for each lane.
#[inline(never)]
pub(super) fn softmax(scores: &mut [[f32; NR]]) -> [f32; NR] {
    let maxima = maxima(scores);
    let sums = powers(scores, maxima);
    cast(sums.map(|sum| (F32x4::splat(1.0) / sum).to_array()))
}

/// Returns the maximum of each lane.
#[inline(always)]
pub(super) fn maxima(scores: &[[f32; NR]]) -> [F32x4; 2] {
    let halves: &[[[f32; 4]; 2]] = cast_slice(scores);
    let mut maxima = [F32x4::splat(f32::NEG_INFINITY); 2];
    for [low, high] in halves {
        maxima = [maxima[0].max(F32x4::load(low)), maxima[1].max(F32x4::load(high))];
    }
    maxima
}

/// Replaces each score x of a lane by 2^(x - `shift` of the lane). Returns the sum of each lane.
#[inline(always)]
pub(super) fn powers(scores: &mut [[f32; NR]], shift: [F32x4; 2]) -> [F32x4; 2] {
    let halves: &mut [[[f32; 4]; 2]] = cast_slice_mut(scores);
    let math = Math::new();
    let mut sums = [F32x4::ZERO; 2];
    for halves in halves {
        for n in 0..2 {
            let e = math.exp2(F32x4::load(&halves[n]) - shift[n]);
            sums[n] = sums[n] + e;
            e.store(&mut halves[n]);
        }
    }
    sums
}
