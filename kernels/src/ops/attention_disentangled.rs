//! Disentangled attention (DeBERTa: He et al. 2021). Scores compare contents with each other and
//! with relative positions.
//!
//! ```text
//! r       = the row of positions for the distance from key to query
//! S[q, k] = (Q[q] · K[k] + Q[q] · PK[r] + K[k] · PQ[r]) / √(factor · head_dim)
//! ```
//!
//! PK and PQ are projections of one table of relative positions. The products with them are
//! computed for a panel of 8 queries and all keys, or for a panel of 8 keys and a block of queries,
//! and then taken at r. No matrix of all queries by all keys or positions exists.

use std::ops::Range;

use super::attention::{AttentionBuffers, AttentionHead, most_keys, softmax};
use super::attention_forward::Mask;
use super::dropout::Dropout;
use super::head::Head;
use crate::gemm::tile::MR;
use crate::gemm::{NR, outer_f32, pack};
use crate::simd::Aligned;
use crate::threads::{Bands, Block, SpinLock, parallel_blocks};
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Queries whose scores by position are kept at a time, a multiple of [`NR`]. A block needs the
/// positions of its own queries and of 7 more keys, so that a small block computes more in vain.
const BLOCK: usize = 128;

/// The row of the table of relative positions for each distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distances {
    /// Half the number of rows of the table, at least 1.
    pub span: usize,
    /// Number of logarithmic buckets, at least 4. 0 means that each distance has its own row.
    pub buckets: usize,
    /// Number of distances that the buckets divide, more than half of `buckets` + 1.
    pub furthest: usize,
}

impl Distances {
    /// Returns the row for a query that is `ahead` columns after its key. Rows never decrease with
    /// `ahead`.
    ///
    /// The formula is `make_log_bucket_position` of DeBERTa-v2 in transformers.
    pub fn row(&self, ahead: i64) -> usize {
        let (middle, far) = (self.buckets / 2, ahead.unsigned_abs() as usize);
        let bucket = if self.buckets == 0 || far <= middle {
            ahead
        } else {
            // The logarithms are computed in f32, as in PyTorch.
            let ratio = ((self.furthest - 1) as f64 / middle as f64) as f32;
            let log = (far as f32 / middle as f32).ln() / ratio.ln();
            let log = (log * (middle - 1) as f32).ceil() as i64;
            (log + middle as i64) * ahead.signum()
        };
        let span = self.span as i64;
        (bucket + span).clamp(0, 2 * span - 1) as usize
    }
}

/// How scores depend on relative positions.
#[derive(Debug, Clone, Copy)]
pub struct Disentangled<'a> {
    /// Position of each row within its sequence, `[rows]`; ascending within a sequence.
    pub columns: &'a [u32],
    /// Number of masked tokens of each sequence, including tokens without a row. May be empty if
    /// every row is a key.
    pub masked: &'a [u32],
    /// Projections of rows of the table, `[rows, cols]`.
    pub positions: &'a Rows,
    /// Row of the table that is the first row of `positions`.
    pub first: usize,
    /// The row of the table for each distance.
    pub distances: Distances,
    /// First column of PK. `None`: no such term.
    pub keys: Option<usize>,
    /// First column of PQ. `None`: no such term.
    pub queries: Option<usize>,
    /// Multiplies the width of a head under the root.
    pub factor: usize,
}

/// Buffers of one thread, reused by every call.
#[derive(Debug, Default)]
pub(crate) struct DisentangledBuffers {
    /// PK and PQ of one head, packed by tiles of [`MR`] rows.
    keys: Vec<f32>,
    queries: Vec<f32>,
    /// Keys of a panel, `[head_dim, NR]`.
    panel: Aligned<[f32; NR]>,
    /// Products of positions and a panel, `[positions, NR]`.
    products: Aligned<[f32; NR]>,
    /// Products of keys and PQ for a block of queries, `[panels, keys, NR]`.
    scores: Aligned<[f32; NR]>,
}

impl DisentangledBuffers {
    fn reserve(
        &mut self,
        positions: usize,
        keys: usize,
        head_dim: usize,
    ) -> Result<(), OutOfMemory> {
        let out_of_memory = OutOfMemory { rows: positions.max(keys), cols: head_dim };
        for buffer in [&mut self.keys, &mut self.queries] {
            let more = ((positions + MR) * head_dim).saturating_sub(buffer.len());
            buffer.try_reserve(more).map_err(|_| out_of_memory)?;
        }
        self.products.reserve(positions + 2 * MR).ok_or(out_of_memory)?;
        self.scores.reserve(BLOCK / NR * keys).ok_or(out_of_memory)
    }
}

/// Computes [`super::attention`] with scores that also depend on relative positions. `dropout`
/// applies to the probabilities of rows that are not masked.
///
/// A row that is no key of its sequence is masked. Its scores are equal for all tokens, masked
/// tokens included, as in transformers; all masked tokens of a sequence have the same values.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` or `probabilities` does not fit in memory.
pub fn attention_disentangled(
    qkv: &Rows,
    sequences: &[Sequence],
    heads: usize,
    (disentangled, dropout): (&Disentangled<'_>, Option<&Dropout>),
    y: &mut Rows,
    mut probabilities: Option<&mut Rows>,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let width = qkv.cols / 3;
    let head_dim = width / heads;
    y.shape(qkv.rows, width)?;
    let size = |sequence: &Sequence| heads * sequence.rows.len() * sequence.keys.len();
    if let Some(probabilities) = probabilities.as_deref_mut() {
        probabilities.shape(sequences.iter().map(size).sum(), 1)?;
    }
    let kept = probabilities.map(|rows| SpinLock::new(&mut rows.data[..]));
    let rows = PositionRows::new(sequences, disentangled);
    let threads = &mut workspace.threads;
    let (keys, positions) = (most_keys(sequences), disentangled.positions.rows);
    threads.iter_mut().try_for_each(|local| {
        local.attention.reserve(keys, head_dim)?;
        local.disentangled.reserve(positions, keys, head_dim)
    })?;
    let bands = Bands::Sequences(sequences);
    parallel_blocks(threads, &mut y.data, width, bands, head_dim, &|local, mut y| {
        let (before, sequence) = (&sequences[..y.band], &sequences[y.band]);
        let before: usize = before.iter().map(size).sum();
        let masked = disentangled.masked.get(y.band).copied().unwrap_or_default();
        for number in y.columns.start / head_dim..y.columns.end / head_dim {
            let first = number * head_dim;
            let factor = disentangled.factor;
            let head = AttentionHead { qkv, sequence, width, first, head_dim, factor };
            let dropout =
                dropout.map(|dropout| Mask { dropout, sequence, heads, head: number, first: 0 });
            let positioned = Positioned { head, of: disentangled, rows: &rows, masked, dropout };
            let start = before + number * sequence.rows.len() * sequence.keys.len();
            let mut keep = kept.as_ref().map(|kept| {
                move |query: usize, shares: &mut dyn Iterator<Item = f32>| {
                    let keys = sequence.keys.len();
                    kept.with(|kept| {
                        let to = &mut kept[start + query * keys..][..keys];
                        to.iter_mut().zip(shares).for_each(|(to, share)| *to = share);
                    });
                }
            });
            let keep = keep.as_mut().map(|keep| keep as &mut Keep<'_>);
            positioned.run(&mut local.attention, &mut local.disentangled, &mut y, keep);
        }
    });
    Ok(())
}

/// Receives the number of a query within its sequence, and its probabilities over the keys.
type Keep<'a> = dyn FnMut(usize, &mut dyn Iterator<Item = f32>) + 'a;

/// Rows of `positions` by distance, for all sequences.
pub(super) struct PositionRows {
    /// Row for each distance from -`furthest` to `furthest`.
    rows: Vec<u32>,
    furthest: i64,
}

impl PositionRows {
    pub(super) fn new(sequences: &[Sequence], of: &Disentangled<'_>) -> Self {
        let reach = |sequence: &Sequence| {
            let columns = &of.columns[sequence.rows.clone()];
            columns.last().zip(columns.first()).map_or(0, |(last, first)| i64::from(last - first))
        };
        let furthest = sequences.iter().map(reach).max().unwrap_or(0);
        let has_terms = of.keys.is_some() || of.queries.is_some();
        let row = |ahead| (of.distances.row(ahead) - of.first) as u32;
        let rows = if has_terms { (-furthest..=furthest).map(row).collect() } else { Vec::new() };
        Self { rows, furthest }
    }

    /// Returns the row for a query that is `ahead` columns after its key.
    pub(super) fn row(&self, ahead: i64) -> usize {
        self.rows[(ahead + self.furthest) as usize] as usize
    }

    /// Returns the rows of all pairs of these queries and keys, given by their ascending columns.
    fn between(&self, queries: &[u32], keys: &[u32]) -> Range<usize> {
        let ends = |columns: &[u32]| [columns[0], columns[columns.len() - 1]].map(i64::from);
        let ([first_query, last_query], [first_key, last_key]) = (ends(queries), ends(keys));
        self.row(first_query - last_key)..self.row(last_query - first_key) + 1
    }

    /// Calls `each` with the number of each query and its row.
    #[inline(always)]
    fn for_queries(&self, queries: &[u32], key: u32, mut each: impl FnMut(usize, usize)) {
        let start = i64::from(queries[0]) - i64::from(key) + self.furthest;
        let in_a_row = (queries[queries.len() - 1] - queries[0]) as usize == queries.len() - 1;
        if in_a_row {
            let rows = &self.rows[start as usize..][..queries.len()];
            rows.iter().enumerate().for_each(|(n, &row)| each(n, row as usize));
        } else {
            for (n, &query) in queries.iter().enumerate() {
                each(n, self.row(i64::from(query) - i64::from(key)));
            }
        }
    }
}

/// One head of one sequence.
struct Positioned<'a> {
    head: AttentionHead<'a>,
    of: &'a Disentangled<'a>,
    rows: &'a PositionRows,
    /// Number of masked tokens of the sequence.
    masked: u32,
    /// Dropout of the probabilities, for the first panel of the batch.
    dropout: Option<Mask<'a>>,
}

impl Positioned<'_> {
    /// Computes the rows of the sequence, which are the rows of `y`. Passes the probabilities to
    /// `keep`, if given.
    fn run(
        &self,
        buffers: &mut AttentionBuffers,
        own: &mut DisentangledBuffers,
        y: &mut Block<'_>,
        mut keep: Option<&mut Keep<'_>>,
    ) {
        let count = self.head.sequence.rows.len();
        self.head.pack(buffers);
        self.pack(own);
        for start in (0..count).step_by(BLOCK) {
            let block = start..count.min(start + BLOCK);
            if self.of.queries.is_some() {
                self.position_to_content(block.clone(), own);
            }
            for (n, first) in block.clone().step_by(NR).enumerate() {
                let queries = first..block.end.min(first + NR);
                self.head.scores(queries.clone(), buffers);
                self.add_positions(n, queries.clone(), buffers, own);
                let inverse = softmax(&mut buffers.scores);
                if let Some(dropout) = &self.dropout {
                    let first = self.head.sequence.rows.start + first;
                    Mask { first, ..*dropout }.apply(&mut buffers.scores);
                }
                if let Some(keep) = &mut keep {
                    for (lane, query) in queries.clone().enumerate() {
                        let scores = buffers.scores.iter();
                        keep(query, &mut scores.map(|of| of[lane] * inverse[lane]));
                    }
                }
                self.head.context(queries, buffers, &inverse, y);
            }
        }
        self.masked_rows(y, keep);
    }

    /// Returns the columns of the sequence's rows.
    fn queries(&self) -> &[u32] {
        &self.of.columns[self.head.sequence.rows.clone()]
    }

    /// Returns the columns of the sequence's keys.
    fn keys(&self) -> &[u32] {
        &self.of.columns[self.head.sequence.keys.clone()]
    }

    /// Packs the projected positions of this head.
    fn pack(&self, own: &mut DisentangledBuffers) {
        for (first, packed) in [(self.of.keys, &mut own.keys), (self.of.queries, &mut own.queries)]
        {
            let Some(first) = first else { continue };
            let rows = tiled(&self.rows.between(self.queries(), self.keys()));
            let rows = rows.start..rows.end.min(self.of.positions.rows);
            let (dim, start) = (self.head.head_dim, first + self.head.first);
            packed.resize(self.of.positions.rows * dim, 0.0);
            for at in rows.clone().step_by(MR) {
                let height = MR.min(self.of.positions.rows - at);
                let Rows { data, cols, .. } = self.of.positions;
                let to = &mut packed[at * dim..][..height * dim];
                pack::columns(data, *cols, at, height, start..start + dim, to);
            }
        }
    }

    /// Computes products = positions · panelᵀ for these rows of positions. Returns the row of
    /// positions that is the first row of `products`.
    fn multiply(
        &self,
        rows: &Range<usize>,
        positions: &[f32],
        panel: &[[f32; NR]],
        products: &mut Aligned<[f32; NR]>,
    ) -> usize {
        let (rows, dim) = (tiled(rows), self.head.head_dim);
        products.resize(rows.len());
        for at in rows.clone().step_by(MR) {
            let height = MR.min(self.of.positions.rows - at);
            let to = &mut products[at - rows.start..][..height];
            outer_f32::multiply(height, &positions[at * dim..][..height * dim], panel, to);
        }
        rows.start
    }

    /// Computes `own.scores` = keys · PQᵀ, taken at the distances of these queries.
    fn position_to_content(&self, block: Range<usize>, own: &mut DisentangledBuffers) {
        let DisentangledBuffers { queries: positions, panel, products, scores, .. } = own;
        let (queries, keys) = (&self.queries()[block], self.keys());
        scores.resize(queries.len().div_ceil(NR) * keys.len());
        for (panel_number, near) in keys.chunks(NR).enumerate() {
            let first = panel_number * NR;
            let part: Head<'_> = self.head.part(1).part(first..first + near.len());
            part.pack_panel(self.head.scale(), panel);
            let first_row =
                self.multiply(&self.rows.between(queries, near), positions, panel, products);
            for (n, queries) in queries.chunks(NR).enumerate() {
                let to = &mut scores[n * keys.len() + first..][..near.len()];
                for (lane, (&key, to)) in near.iter().zip(to).enumerate() {
                    self.rows.for_queries(queries, key, |query, row| {
                        to[query] = products[row - first_row][lane];
                    });
                }
            }
        }
    }

    /// Adds the products with positions to the scores of a panel, which is panel `number` of its
    /// block.
    fn add_positions(
        &self,
        number: usize,
        panel: Range<usize>,
        buffers: &mut AttentionBuffers,
        own: &mut DisentangledBuffers,
    ) {
        let (queries, keys) = (&self.queries()[panel], self.keys());
        let DisentangledBuffers { keys: positions, products, scores, .. } = own;
        if self.of.queries.is_some() {
            let from = &scores[number * keys.len()..][..keys.len()];
            for (to, from) in buffers.scores.iter_mut().zip(from) {
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
        }
        if self.of.keys.is_some() {
            let rows = self.rows.between(queries, keys);
            let first_row = self.multiply(&rows, positions, buffers.queries(), products);
            for (&key, to) in keys.iter().zip(buffers.scores.iter_mut()) {
                self.rows.for_queries(queries, key, |query, row| {
                    to[query] += products[row - first_row][query];
                });
            }
        }
    }

    /// Replaces the results of masked rows by the mean of the values of all tokens.
    fn masked_rows(&self, y: &mut Block<'_>, mut keep: Option<&mut Keep<'_>>) {
        let Sequence { rows, keys } = self.head.sequence;
        let values = self.head.part(2);
        let total = keys.len() as f32 + self.masked.max(1) as f32;
        for row in rows.clone().filter(|row| !keys.contains(row)) {
            let first = self.head.first - y.columns.start;
            let own = Head { rows: row..row + 1, ..values.clone() };
            let to = &mut y.row(row - rows.start)[first..first + self.head.head_dim];
            for (to, value) in to.iter_mut().zip(own.row(0)) {
                *to = value * self.masked.max(1) as f32 / total;
            }
            for key in 0..keys.len() {
                for (to, value) in to.iter_mut().zip(values.row(key)) {
                    *to += value / total;
                }
            }
            if let Some(keep) = &mut keep {
                keep(row - rows.start, &mut keys.clone().map(|_| 1.0 / total));
            }
        }
    }
}

/// Returns the rows of the whole tiles that `rows` touch.
fn tiled(rows: &Range<usize>) -> Range<usize> {
    rows.start / MR * MR..rows.end.next_multiple_of(MR)
}
