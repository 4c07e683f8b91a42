//! Scaled dot-product attention, one head of one sequence at a time, for 8 queries at a time. Their
//! scores are kept key by key, a lane a query, so that the softmax runs down the lanes, and what it
//! leaves is already a panel for the product with the values.

use std::f32::consts::LOG2_E;
use std::ops::Range;

use bytemuck::{cast, cast_slice_mut};

use crate::aligned::Aligned;
use crate::math::Math;
use crate::matrix::{OutOfMemory, PANEL};
use crate::simd::F32x4;
use crate::threads::{Bands, Block, InTurn, for_blocks};
use crate::tile::{self, MAX_ROWS, for_tiles, pack, with_rows};
use crate::{Rows, Sequence};

/// Buffers reused from call to call.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Keys of one head, packed by tiles.
    keys: Vec<f32>,
    /// Values of one head, turned round and packed by tiles: a tile is of columns.
    values: Vec<f32>,
    /// Queries of a panel, `[head width]`.
    queries: Aligned<[f32; PANEL]>,
    /// Their scores, `[keys]`, and what the softmax makes of them.
    scores: Aligned<[f32; PANEL]>,
    /// Probabilities of a query, where they are asked for.
    probabilities: Vec<f32>,
}

/// Each row attends to the keys of its own sequence. `qkv` is `[rows, 3 · width]` (queries, keys,
/// values; in each, heads side by side), `y` becomes `[rows, width]`. `probabilities`, where given,
/// becomes one long column: for each sequence in turn `[heads, rows, keys]`.
///
/// # Errors
/// Where there is no memory for what comes out.
pub fn attention(
    qkv: &Rows,
    sequences: &[Sequence],
    heads: usize,
    y: &mut Rows,
    mut probabilities: Option<&mut Rows>,
    scratch: &mut crate::Scratch,
) -> Result<(), OutOfMemory> {
    let width = qkv.cols / 3;
    let each = width / heads;
    y.shape(qkv.rows, width)?;
    let size = |sequence: &Sequence| sequence.rows.len() * sequence.keys.len();
    if let Some(probabilities) = probabilities.as_deref_mut() {
        let total: usize = sequences.iter().map(|sequence| heads * size(sequence)).sum();
        probabilities.shape(total, 1)?;
    }
    let kept = probabilities.map(|rows| InTurn::new(&mut rows.data));
    let threads = &mut scratch.threads;
    for_blocks(threads, &mut y.data, width, Bands::Sequences(sequences), each, &|own, mut y| {
        let (before, sequence) = (&sequences[..y.band], &sequences[y.band]);
        let before: usize = before.iter().map(|sequence| heads * size(sequence)).sum();
        for head in y.columns.start / each..y.columns.end / each {
            let mut written = before + head * size(sequence);
            let head = Head { qkv, sequence, width, first: head * each, each };
            let mut keep = kept.as_ref().map(|kept| {
                move |probabilities: &[f32]| {
                    let to = written..written + probabilities.len();
                    written = to.end;
                    kept.change(|kept| kept[to].copy_from_slice(probabilities));
                }
            });
            let keep = keep.as_mut().map(|keep| keep as &mut Keep<'_>);
            head.run(&mut own.attention, &mut y, keep);
        }
    });
    Ok(())
}

/// What takes the probabilities of one query over its keys.
type Keep<'a> = dyn FnMut(&[f32]) + 'a;

/// One head of one sequence.
struct Head<'a> {
    qkv: &'a Rows,
    sequence: &'a Sequence,
    /// Width of all heads.
    width: usize,
    /// The head's first column.
    first: usize,
    /// Width of the head.
    each: usize,
}

impl Head<'_> {
    /// Attends for all rows of the sequence, and so of `y`. `keep` gets the probabilities row by
    /// row, where they are asked for.
    fn run(&self, scratch: &mut Scratch, y: &mut Block<'_>, mut keep: Option<&mut Keep<'_>>) {
        self.pack_keys(&mut scratch.keys);
        self.pack_values(&mut scratch.values);
        let count = self.sequence.rows.len();
        for row in (0..count).step_by(PANEL) {
            let queries = row..count.min(row + PANEL);
            self.pack_queries(queries.clone(), &mut scratch.queries);
            self.scores(scratch);
            let inverse = softmax(&mut scratch.scores);
            if let Some(keep) = &mut keep {
                for query in 0..queries.len() {
                    let scores = scratch.scores.iter();
                    scratch.probabilities.clear();
                    scratch.probabilities.extend(scores.map(|of| of[query] * inverse[query]));
                    keep(&scratch.probabilities);
                }
            }
            self.context(queries, scratch, &inverse, y);
        }
    }

    /// The columns of qkv with the queries (0), keys (1) or values (2) of this head.
    fn part(&self, part: usize) -> Range<usize> {
        let start = part * self.width + self.first;
        start..start + self.each
    }

    fn pack_keys(&self, packed: &mut Vec<f32>) {
        let Range { start, end } = self.sequence.keys;
        packed.resize((end - start) * self.each, 0.0);
        for_tiles(end - start, MAX_ROWS, |at, tall| {
            let packed = &mut packed[at * self.each..][..tall * self.each];
            pack(&self.qkv.data, self.qkv.cols, start + at, tall, self.part(1), packed);
        });
    }

    fn pack_values(&self, packed: &mut Vec<f32>) {
        let keys = self.sequence.keys.clone();
        packed.resize(keys.len() * self.each, 0.0);
        for_tiles(self.each, MAX_ROWS, |at, wide| {
            let packed = &mut packed[at * keys.len()..][..wide * keys.len()];
            let first = keys.start * self.qkv.cols + self.part(2).start + at;
            let rows = self.qkv.data[first..].chunks(self.qkv.cols);
            // of a known length, or each copy were a call
            with_rows!(wide, R => {
                for (to, from) in packed.as_chunks_mut::<R>().0.iter_mut().zip(rows) {
                    if let Some(from) = from.first_chunk() {
                        *to = *from;
                    }
                }
            });
        });
    }

    /// Scales by 1 / √(head width), and so that the softmax takes powers of two. Lanes without a
    /// query are left as they are.
    fn pack_queries(&self, queries: Range<usize>, packed: &mut Aligned<[f32; PANEL]>) {
        let scale = LOG2_E / (self.each as f32).sqrt();
        packed.resize(self.each);
        for (lane, query) in queries.enumerate() {
            let row = (self.sequence.rows.start + query) * self.qkv.cols;
            for (to, value) in packed.iter_mut().zip(&self.qkv.data[row..][self.part(0)]) {
                to[lane] = value * scale;
            }
        }
    }

    /// keys · queriesᵀ.
    fn scores(&self, scratch: &mut Scratch) {
        let Scratch { keys, queries, scores, .. } = scratch;
        let count = self.sequence.keys.len();
        scores.resize(count);
        for_tiles(count, MAX_ROWS, |at, tall| {
            let keys = &keys[at * self.each..][..tall * self.each];
            tile::multiply(tall, keys, queries, &mut scores[at..at + tall]);
        });
    }

    /// y = valuesᵀ · probabilities, turned round again.
    fn context(
        &self,
        queries: Range<usize>,
        scratch: &Scratch,
        inverse: &[f32; PANEL],
        y: &mut Block<'_>,
    ) {
        let Scratch { values, scores, .. } = scratch;
        let count = self.sequence.keys.len();
        let mut sums = [[0.0; PANEL]; MAX_ROWS];
        for_tiles(self.each, MAX_ROWS, |at, wide| {
            tile::multiply(wide, &values[at * count..][..wide * count], scores, &mut sums);
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

/// Each lane x becomes 2^(x - its greatest); gives 1 / Σ of each lane.
#[inline(never)]
fn softmax(scores: &mut [[f32; PANEL]]) -> [f32; PANEL] {
    let halves: &mut [[[f32; 4]; 2]] = cast_slice_mut(scores);
    let mut greatest = [F32x4::splat(f32::NEG_INFINITY); 2];
    for [low, high] in halves.iter() {
        greatest = [greatest[0].max(F32x4::load(low)), greatest[1].max(F32x4::load(high))];
    }
    let math = Math::new();
    let mut sums = [F32x4::ZERO; 2];
    for halves in halves {
        for n in 0..2 {
            let e = math.exp2(F32x4::load(&halves[n]) - greatest[n]);
            sums[n] = sums[n] + e;
            e.store(&mut halves[n]);
        }
    }
    cast(sums.map(|sum| (F32x4::splat(1.0) / sum).to_array()))
}
