//! Scaled dot-product attention, one head of one sequence at a time: scores and context are the
//! same tiled product as a linear layer, over keys and values packed on the fly.

use std::ops::Range;

use crate::math::{Activation, exp};
use crate::matrix::{OutOfMemory, PANEL};
use crate::simd::F32x4;
use crate::threads::{Bands, Block, InTurn, for_blocks};
use crate::tile::{self, MAX_ROWS, Sums, for_tiles, pack};
use crate::{Rows, Sequence};

/// Buffers reused from call to call.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Keys of one head: panels of 8 keys, `[panel][head width]`.
    keys: Vec<[f32; PANEL]>,
    /// Values of one head: panels of 8 columns, `[panel][keys]`.
    values: Vec<[f32; PANEL]>,
    /// Queries of a tile, packed.
    queries: Vec<f32>,
    /// Scores of a tile, `[rows, keys filled up to whole panels]`, then probabilities.
    scores: Vec<f32>,
    /// Probabilities of a tile, packed.
    packed: Vec<f32>,
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
            head.run(&mut own.attention, &mut y, &mut |probabilities| {
                if let Some(kept) = &kept {
                    let to = written..written + probabilities.len();
                    kept.change(|kept| kept[to].copy_from_slice(probabilities));
                }
                written += probabilities.len();
            });
        }
    });
    Ok(())
}

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
    /// Attends for all rows of the sequence, and so of `y`. `keep` gets the probabilities, a few
    /// rows at a time.
    fn run(&self, scratch: &mut Scratch, y: &mut Block<'_>, keep: &mut dyn FnMut(&[f32])) {
        self.pack_keys(&mut scratch.keys);
        self.pack_values(&mut scratch.values);
        for_tiles(self.sequence.rows.len(), |at, tall| {
            self.scores(self.sequence.rows.start + at, tall, scratch);
            keep(&scratch.scores[..tall * self.sequence.keys.len()]);
            self.context(at, tall, scratch, y);
        });
    }

    /// The `part` (1: keys, 2: values) of a row of qkv that belongs to this head.
    fn part(&self, row: usize, part: usize) -> &[f32] {
        &self.qkv.data[row * self.qkv.cols + part * self.width + self.first..][..self.each]
    }

    fn pack_keys(&self, packed: &mut Vec<[f32; PANEL]>) {
        let keys = self.sequence.keys.clone();
        packed.clear();
        packed.resize(keys.len().div_ceil(PANEL) * self.each, [0.0; PANEL]);
        for (n, row) in keys.enumerate() {
            let panel = &mut packed[n / PANEL * self.each..][..self.each];
            for (group, &value) in panel.iter_mut().zip(self.part(row, 1)) {
                group[n % PANEL] = value;
            }
        }
    }

    fn pack_values(&self, packed: &mut Vec<[f32; PANEL]>) {
        let keys = self.sequence.keys.clone();
        packed.clear();
        packed.resize(self.each.div_ceil(PANEL) * keys.len(), [0.0; PANEL]);
        for (panel, packed) in packed.chunks_exact_mut(keys.len()).enumerate() {
            for (row, group) in keys.clone().zip(packed) {
                let from = &self.part(row, 2)[panel * PANEL..];
                match from.first_chunk::<PANEL>() {
                    Some(from) => *group = *from,
                    None => group[..from.len()].copy_from_slice(from),
                }
            }
        }
    }

    /// softmax(q · kᵀ / sqrt(head width)) of `tall` rows, left in `scratch.scores` as
    /// `[tall, keys]`.
    fn scores(&self, row: usize, tall: usize, scratch: &mut Scratch) {
        let keys = self.sequence.keys.len();
        let scale = 1.0 / (self.each as f32).sqrt();
        let columns = self.first..self.first + self.each;
        scratch.queries.resize(MAX_ROWS * self.each, 0.0);
        let queries = &mut scratch.queries[..tall * self.each];
        pack(&self.qkv.data, self.qkv.cols, row, tall, columns, scale, queries);
        scratch.scores.resize(MAX_ROWS * keys, 0.0);
        let scores = &mut scratch.scores[..tall * keys];
        product(tall, queries, &scratch.keys, &mut Block::all(scores, keys), 0, 0..keys);
        for row in scores.chunks_exact_mut(keys) {
            softmax(row);
        }
    }

    /// y = probabilities · values for `tall` rows.
    fn context(&self, row: usize, tall: usize, scratch: &mut Scratch, y: &mut Block<'_>) {
        let keys = self.sequence.keys.len();
        scratch.packed.resize(MAX_ROWS * keys, 0.0);
        let packed = &mut scratch.packed[..tall * keys];
        pack(&scratch.scores, keys, 0, tall, 0..keys, 1.0, packed);
        let first = self.first - y.columns.start;
        product(tall, packed, &scratch.values, y, row, first..first + self.each);
    }
}

/// A tile against all panels; the results go to `columns` of a block, from row `row` on.
fn product(
    tall: usize,
    rows: &[f32],
    panels: &[[f32; PANEL]],
    to: &mut Block<'_>,
    row: usize,
    columns: Range<usize>,
) {
    for (number, panel) in panels.chunks_exact(rows.len() / tall).enumerate() {
        let mut sums: Sums<f32> = [[[0.0; 4]; 2]; MAX_ROWS];
        tile::add(tall, rows, panel, &mut sums);
        let columns = tile::columns(number, columns.clone());
        tile::store(&mut sums, tall, Activation::Identity, to, row, columns);
    }
}

/// exp(x - max) / Σ exp(x - max), in place.
fn softmax(row: &mut [f32]) {
    let greatest = greatest(row);
    let shift = F32x4::splat(greatest);
    let mut sums = F32x4::ZERO;
    let (groups, rest) = row.as_chunks_mut::<4>();
    for group in groups {
        let e = exp(F32x4::load(group) - shift);
        sums = sums + e;
        e.store(group);
    }
    if !rest.is_empty() {
        let mut last = [f32::NEG_INFINITY; 4];
        last[..rest.len()].copy_from_slice(rest);
        let mut e = [0.0; 4];
        exp(F32x4::load(&last) - shift).store(&mut e);
        rest.copy_from_slice(&e[..rest.len()]);
    }
    let total = sums.sum() + rest.iter().sum::<f32>();
    let inverse = 1.0 / total;
    for x in row {
        *x *= inverse;
    }
}

fn greatest(row: &[f32]) -> f32 {
    let (groups, rest) = row.as_chunks::<4>();
    let start = F32x4::splat(f32::NEG_INFINITY);
    let all = groups.iter().fold(start, |max, group| max.max(F32x4::load(group)));
    rest.iter().fold(all.greatest(), |max, &x| max.max(x))
}
