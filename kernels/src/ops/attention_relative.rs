//! Attention whose scores depend on the positions of query and key: only within a window
//! (Longformer: Beltagy et al. 2020), or with a bias that depends on their distance (T5: Raffel et
//! al. 2020).
//!
//! ```text
//! S[q, k] = q · k / √head_dim + bias[bucket(k - q), head]    if |k - q| ≤ reach
//! S[q, k] = -∞                                               otherwise
//! ```
//!
//! A model with [`DistanceVectors`] has vectors in place of a bias.
//!
//! A chunk of queries and the keys within their reach are computed like a sequence of their own. A
//! long sequence therefore costs its length times its window.

use std::f32::consts::LOG2_E;

use super::attention::{AttentionBuffers, AttentionHead, most_keys, softmax};
use crate::gemm::NR;
use crate::threads::{Bands, Block, SpinLock, parallel_blocks};
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Rows of queries that share one range of keys if attention has a window. With a reach of 64 keys
/// to each side, a third of the scores is computed in vain; in return keys are packed once for
/// eight panels.
const CHUNK: usize = 64;

/// From this distance on all keys share the last [`bucket`]. Keep the constant in
/// shaders/attention_relative.wgsl equal.
pub const MAX_DISTANCE: usize = 128;

/// Added to the score of a key out of reach.
const MASKED: f32 = -1e30;

/// How scores depend on the positions of tokens.
#[derive(Debug, Clone, Copy)]
pub struct Relative<'a> {
    /// Position of each row within its sequence, `[rows]`; ascending within a sequence.
    pub columns: &'a [u32],
    /// Greatest distance of a key that is attended to; `None` means no limit.
    pub reach: Option<usize>,
    /// Bias added to the scores, `[buckets, heads]`; see [`bucket`].
    pub bias: Option<&'a [f32]>,
    /// Vectors of distances that are multiplied by queries and keys.
    pub distances: Option<DistanceVectors<'a>>,
}

/// Vectors of distances (Shaw et al. 2018), shared by all heads. With the vector e of the query's
/// column minus the key's, the score is (q · k + q · e) / √head_dim, plus k · e / √head_dim if
/// `with_keys`.
#[derive(Debug, Clone, Copy)]
pub struct DistanceVectors<'a> {
    /// `[2 · positions - 1, head_dim]`, from the distance 1 - positions on.
    pub vectors: &'a [f32],
    /// Whether keys are multiplied as well.
    pub with_keys: bool,
}

impl DistanceVectors<'_> {
    /// Returns the sum of products for a query and a key at `distance`, the query's column minus the
    /// key's.
    fn score(&self, query: &[f32], key: &[f32], distance: i64) -> f32 {
        let count = (self.vectors.len() / query.len()) as i64;
        let place = (distance + count / 2).clamp(0, count - 1) as usize;
        let vector = &self.vectors[place * query.len()..][..query.len()];
        let mut sum = 0.0;
        for ((vector, query), key) in vector.iter().zip(query).zip(key) {
            sum += vector * if self.with_keys { query + key } else { *query };
        }
        sum
    }
}

/// Computes [`super::attention`] with scores changed by `relative`. The probability of a key out of
/// reach is 0.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` or `probabilities` does not fit in memory.
pub fn attention_relative(
    qkv: &Rows,
    sequences: &[Sequence],
    heads: usize,
    relative: &Relative<'_>,
    y: &mut Rows,
    mut probabilities: Option<&mut Rows>,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let width = qkv.cols / 3;
    let head_dim = width / heads;
    y.shape(qkv.rows, width)?;
    if let Some(probabilities) = probabilities.as_deref_mut() {
        let total = sequences.iter().map(|s| heads * s.rows.len() * s.keys.len()).sum();
        probabilities.shape(total, 1)?;
        probabilities.data.fill(0.0);
    }
    let kept = probabilities.map(|rows| SpinLock::new(&mut rows.data[..]));
    let (chunks, places) = chunks(sequences, heads, relative);
    let distances = Distances::new(relative, heads);
    let threads = &mut workspace.threads;
    let keys = most_keys(&chunks);
    threads.iter_mut().try_for_each(|local| local.attention.reserve(keys, head_dim))?;
    let bands = Bands::Sequences(&chunks);
    parallel_blocks(threads, &mut y.data, width, bands, head_dim, &|local, mut y| {
        let (sequence, place) = (&chunks[y.band], &places[y.band]);
        for number in y.columns.start / head_dim..y.columns.end / head_dim {
            let first = number * head_dim;
            let head = AttentionHead { qkv, sequence, width, first, head_dim, factor: 1 };
            let vectors = relative.distances.as_ref();
            let columns = relative.columns;
            let scored = Scored { head, number, columns, of: &distances, vectors };
            scored.run(&mut local.attention, &mut y, kept.as_ref().map(|kept| (kept, place)));
        }
    });
    Ok(())
}

/// Location of a chunk's probabilities in the output, which holds `[heads, rows, keys]` for each
/// sequence in turn.
struct Place {
    /// Offset of the probabilities of head 0 and the chunk's first row.
    start: usize,
    /// Distance from one head to the next.
    head: usize,
    /// Distance from one row to the next: the number of keys of the whole sequence.
    row: usize,
}

/// Returns the sequences or, if attention has a window, chunks of their rows with the keys in
/// reach.
fn chunks(
    sequences: &[Sequence],
    heads: usize,
    relative: &Relative<'_>,
) -> (Vec<Sequence>, Vec<Place>) {
    let (mut chunks, mut places) = (Vec::new(), Vec::new());
    let mut before = 0;
    for Sequence { rows, keys } in sequences {
        let step = if relative.reach.is_some() { CHUNK } else { rows.len() };
        for first in rows.clone().step_by(step.max(1)) {
            let chunk = first..rows.end.min(first + step);
            let mut near = keys.clone();
            if let Some(reach) = relative.reach {
                let columns = &relative.columns[keys.clone()];
                let from = relative.columns[first].saturating_sub(reach as u32);
                let last = u64::from(relative.columns[chunk.end - 1]) + reach as u64;
                near.end = keys.start + columns.partition_point(|&c| u64::from(c) <= last);
                near.start = keys.start + columns.partition_point(|&c| c < from);
            }
            let row = keys.len();
            let start = before + (first - rows.start) * row + near.start - keys.start;
            places.push(Place { start, head: rows.len() * row, row });
            chunks.push(Sequence { rows: chunk, keys: near });
        }
        before += heads * rows.len() * keys.len();
    }
    (chunks, places)
}

/// Returns the bucket of a key at `distance`, its column minus the column of the query. Half of the
/// `buckets` are for keys after the query. Within each half the nearest distances have one bucket
/// each; the others share buckets by the logarithm of the distance, up to `MAX_DISTANCE`.
///
/// The formula is `_relative_position_bucket` of T5 and MPNet in transformers.
pub fn bucket(distance: i64, buckets: usize) -> usize {
    let half = buckets / 2;
    let exact = half / 2;
    let far = distance.unsigned_abs() as usize;
    let within = if far < exact {
        far
    } else {
        // The logarithm is computed in f32, as in PyTorch: in f64 some distances fall into another
        // bucket.
        let log = (far as f32 / exact as f32).ln();
        let scale = (MAX_DISTANCE as f64 / exact as f64).ln() as f32;
        (exact + (log / scale * (half - exact) as f32) as usize).min(half - 1)
    };
    if distance > 0 { half + within } else { within }
}

/// Values added to scores, by head and distance. They are multiplied by log2(e), as the scores are.
struct Distances {
    /// One table per head, or one for all heads, indexed by the column of the query minus the
    /// column of the key. It covers -`span` - [`NR`] to `span` + [`NR`]; distances beyond `span`
    /// have the value at `span`.
    values: Vec<f32>,
    /// Numbers per head; 0 if all heads share one table.
    head: usize,
    span: i64,
}

impl Distances {
    fn new(relative: &Relative<'_>, heads: usize) -> Self {
        let reach = relative.reach.map_or(0, |reach| reach as i64 + 1);
        let span = if relative.bias.is_some() { reach.max(MAX_DISTANCE as i64) } else { reach };
        let padded = span + NR as i64;
        let tables = if relative.bias.is_some() { heads } else { 1 };
        let mut values = Vec::with_capacity(tables * (2 * padded as usize + 1));
        for head in 0..tables {
            values.extend((-padded..=padded).map(|behind| {
                let distance = -behind.clamp(-span, span);
                let is_far = relative.reach.is_some_and(|reach| distance.abs() > reach as i64);
                let masked = if is_far { MASKED } else { 0.0 };
                relative.bias.map_or(masked, |bias| {
                    masked + LOG2_E * bias[bucket(distance, bias.len() / heads) * heads + head]
                })
            }));
        }
        let head = if tables > 1 { 2 * padded as usize + 1 } else { 0 };
        Self { values, head, span }
    }

    /// Adds the value of each distance to the scores of a panel, `[keys, NR]`.
    fn add(&self, head: usize, queries: &[u32], keys: &[u32], scores: &mut [[f32; NR]]) {
        let padded = self.span + NR as i64;
        let values = &self.values[head * self.head..][..2 * padded as usize + 1];
        let (first, last) = (i64::from(queries[0]), i64::from(queries[queries.len() - 1]));
        let in_a_row = last - first == queries.len() as i64 - 1;
        for (scores, &key) in scores.iter_mut().zip(keys) {
            let key = i64::from(key);
            if in_a_row {
                let from = (first - key).clamp(-padded, self.span) + padded;
                for (score, value) in scores.iter_mut().zip(&values[from as usize..]) {
                    *score += value;
                }
            } else {
                for (score, &query) in scores.iter_mut().zip(queries) {
                    let behind = (i64::from(query) - key).clamp(-self.span, self.span);
                    *score += values[(behind + padded) as usize];
                }
            }
        }
    }
}

/// One head of one chunk.
struct Scored<'a> {
    head: AttentionHead<'a>,
    number: usize,
    columns: &'a [u32],
    of: &'a Distances,
    vectors: Option<&'a DistanceVectors<'a>>,
}

impl Scored<'_> {
    /// Computes the rows of the chunk, which are the rows of `y`. `keep`, if given, is the buffer
    /// for all probabilities and the place of this chunk.
    fn run(
        &self,
        buffers: &mut AttentionBuffers,
        y: &mut Block<'_>,
        keep: Option<(&SpinLock<&mut [f32]>, &Place)>,
    ) {
        let Sequence { rows, keys } = self.head.sequence;
        self.head.pack(buffers);
        for queries in self.head.panels() {
            self.head.scores(queries.clone(), buffers);
            let at = rows.start + queries.start..rows.start + queries.end;
            let columns = (&self.columns[at], &self.columns[keys.clone()]);
            self.of.add(self.number, columns.0, columns.1, &mut buffers.scores);
            if let Some(vectors) = self.vectors {
                self.add_products(vectors, columns, rows.start + queries.start, buffers);
            }
            // A masked first token may have no key in reach, so that its sum is 0. Nobody reads its
            // result, but it must be a number.
            let inverse = softmax(&mut buffers.scores).map(|x| if x.is_finite() { x } else { 0.0 });
            flush(&mut buffers.scores);
            if let Some((kept, place)) = keep {
                for query in queries.clone() {
                    let lane = query - queries.start;
                    let start = place.start + self.number * place.head + query * place.row;
                    kept.with(|kept| {
                        for (to, scores) in kept[start..].iter_mut().zip(buffers.scores.iter()) {
                            *to = scores[lane] * inverse[lane];
                        }
                    });
                }
            }
            self.head.context(queries, buffers, &inverse, y);
        }
    }
}

impl Scored<'_> {
    /// Adds products with the vectors of distances to the scores of a panel, whose first query is row
    /// `first`.
    fn add_products(
        &self,
        vectors: &DistanceVectors<'_>,
        (queries, keys): (&[u32], &[u32]),
        first: usize,
        buffers: &mut AttentionBuffers,
    ) {
        let AttentionHead { qkv, sequence, width, first: column, head_dim, .. } = self.head;
        let part = |row: usize, start: usize| &qkv.data[row * qkv.cols + start..][..head_dim];
        for (n, (scores, key)) in buffers.scores.iter_mut().zip(keys).enumerate() {
            let key_row = part(sequence.keys.start + n, width + column);
            for (lane, (score, query)) in scores.iter_mut().zip(queries).enumerate() {
                let distance = i64::from(*query) - i64::from(*key);
                let query_row = part(first + lane, column);
                *score += self.head.scale() * vectors.score(query_row, key_row, distance);
            }
        }
    }
}

/// Sets tiny results of the softmax to 0. Masked scores leave them, and products with them would be
/// subnormal and slow.
fn flush(powers: &mut [[f32; NR]]) {
    for power in powers.as_flattened_mut() {
        *power = if *power < 1e-37 { 0.0 } else { *power };
    }
}
