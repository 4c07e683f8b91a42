//! Scaled dot-product attention, one head of one sequence at a time, for a panel of 8 queries at a
//! time. Scores are `[keys, queries]`, a lane a query, so that the softmax runs down the lanes and its
//! result is already a panel for the product with the values.

use std::f32::consts::LOG2_E;
use std::ops::Range;

use bytemuck::{cast, cast_slice, cast_slice_mut};

use super::head::Head;
use crate::gemm::tile::{MAX_MR, for_tiles};
use crate::gemm::{NR, outer_f32};
use crate::simd::{Aligned, F32x4, Math};
use crate::threads::{Bands, Block, SpinLock, parallel_blocks};
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Buffers of one thread, reused from call to call.
#[derive(Debug, Default)]
pub(crate) struct AttentionBuffers {
    /// Keys of one head, packed by tiles.
    keys: Vec<f32>,
    /// Values of one head, transposed and packed by tiles: a tile is of columns.
    values: Vec<f32>,
    /// Queries of a panel, `[head_dim, NR]`.
    queries: Aligned<[f32; NR]>,
    /// Their scores `[keys, NR]`, then 2^(score - maximum).
    pub(super) scores: Aligned<[f32; NR]>,
    /// Probabilities of a query, where they are asked for.
    probabilities: Vec<f32>,
}

impl AttentionBuffers {
    /// Makes room for the keys and values of a head, `[keys, head_dim]`, and their scores: of a long
    /// sequence they are as much memory as its rows.
    ///
    /// # Errors
    /// [`OutOfMemory`] where there is no such room.
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

/// The keys of the longest sequence.
pub(super) fn most_keys(sequences: &[Sequence]) -> usize {
    sequences.iter().map(|sequence| sequence.keys.len()).max().unwrap_or(0)
}

/// softmax(q · kᵀ / √head_dim) · v, where each row attends to the keys of its own sequence. `qkv` is
/// `[rows, 3 · width]` (queries, keys, values; in each, heads side by side), `y` becomes `[rows, width]`.
/// `probabilities`, where given, becomes one long column: for each sequence in turn
/// `[heads, rows, keys]`. `sequences` lie one after another, without overlap.
///
/// # Errors
/// [`OutOfMemory`] where `y` or `probabilities` does not fit in memory.
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
                let head = AttentionHead { qkv, sequence, width, first: head * head_dim, head_dim };
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

/// What takes the probabilities of one query over its keys.
type Keep<'a> = dyn FnMut(&[f32]) + 'a;

/// One head of one sequence.
pub(super) struct AttentionHead<'a> {
    pub(super) qkv: &'a Rows,
    pub(super) sequence: &'a Sequence,
    /// Columns of all heads.
    pub(super) width: usize,
    /// The head's first column.
    pub(super) first: usize,
    /// Columns of the head.
    pub(super) head_dim: usize,
}

impl AttentionHead<'_> {
    /// Computes all rows of the sequence, which are those of `y`. `keep`, where given, gets the
    /// probabilities row by row.
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

    /// The queries (0), keys (1) or values (2).
    pub(super) fn part(&self, part: usize) -> Head<'_> {
        let start = part * self.width + self.first;
        let Sequence { rows, keys } = self.sequence;
        let rows = if part == 0 { rows } else { keys }.clone();
        Head { of: self.qkv, rows, columns: start..start + self.head_dim }
    }

    /// Packs keys and values.
    pub(super) fn pack(&self, buffers: &mut AttentionBuffers) {
        self.part(1).pack_rows(&mut buffers.keys);
        self.part(2).pack_columns(&mut buffers.values);
    }

    /// The queries by panels.
    pub(super) fn panels(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.sequence.rows.len();
        (0..count).step_by(NR).map(move |row| row..count.min(row + NR))
    }

    /// What scores are multiplied by: log2(e) / √head_dim, so that the softmax takes powers of two.
    pub(super) fn scale(&self) -> f32 {
        LOG2_E / (self.head_dim as f32).sqrt()
    }

    /// scores = keys · queriesᵀ.
    pub(super) fn scores(&self, panel: Range<usize>, buffers: &mut AttentionBuffers) {
        let AttentionBuffers { keys, queries, scores, .. } = buffers;
        self.part(0).part(panel).pack_panel(self.scale(), queries);
        let count = self.sequence.keys.len();
        scores.resize(count);
        for_tiles(count, MAX_MR, |at, height| {
            let keys = &keys[at * self.head_dim..][..height * self.head_dim];
            outer_f32::multiply(height, keys, queries, &mut scores[at..at + height]);
        });
    }

    /// y = (valuesᵀ · probabilities)ᵀ.
    pub(super) fn context(
        &self,
        queries: Range<usize>,
        buffers: &AttentionBuffers,
        inverse: &[f32; NR],
        y: &mut Block<'_>,
    ) {
        let AttentionBuffers { values, scores, .. } = buffers;
        let count = self.sequence.keys.len();
        let mut sums = [[0.0; NR]; MAX_MR];
        for_tiles(self.head_dim, MAX_MR, |at, wide| {
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

/// Each score x of a lane becomes 2^(x - maximum of the lane); gives 1 / Σ of each lane.
#[inline(never)]
pub(super) fn softmax(scores: &mut [[f32; NR]]) -> [f32; NR] {
    let maxima = maxima(scores);
    let sums = powers(scores, maxima);
    cast(sums.map(|sum| (F32x4::splat(1.0) / sum).to_array()))
}

/// The maximum of each lane.
#[inline(always)]
pub(super) fn maxima(scores: &[[f32; NR]]) -> [F32x4; 2] {
    let halves: &[[[f32; 4]; 2]] = cast_slice(scores);
    let mut maxima = [F32x4::splat(f32::NEG_INFINITY); 2];
    for [low, high] in halves {
        maxima = [maxima[0].max(F32x4::load(low)), maxima[1].max(F32x4::load(high))];
    }
    maxima
}

/// Each score x of a lane becomes 2^(x - the lane's `shift`); gives the sum of each lane.
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
