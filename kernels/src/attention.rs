//! Scaled dot-product attention, one head of one sequence at a time: scores and context are the
//! same tiled product as a linear layer, over keys and values packed on the fly.

use crate::math::exp;
use crate::matrix::PANEL;
use crate::simd::F32x4;
use crate::tile::{MAX_ROWS, Sums, for_tiles, pack, tile, with_rows};
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
pub fn attention(
    qkv: &Rows,
    sequences: &[Sequence],
    heads: usize,
    y: &mut Rows,
    mut probabilities: Option<&mut Rows>,
    scratch: &mut crate::Scratch,
) {
    let scratch = &mut scratch.attention;
    let width = qkv.cols / 3;
    y.shape(qkv.rows, width);
    if let Some(probabilities) = probabilities.as_deref_mut() {
        let each = sequences.iter().map(|s| heads * s.rows.len() * s.keys.len());
        probabilities.shape(each.sum(), 1);
    }
    let mut written = 0;
    for sequence in sequences {
        for head in 0..heads {
            let head =
                Head { qkv, sequence, width, first: head * (width / heads), each: width / heads };
            head.pack_keys(&mut scratch.keys);
            head.pack_values(&mut scratch.values);
            for_tiles(sequence.rows.len(), |at, tall| {
                let row = sequence.rows.start + at;
                with_rows!(tall, R => {
                    head.scores::<R>(row, scratch);
                    let size = R * sequence.keys.len();
                    if let Some(probabilities) = probabilities.as_deref_mut() {
                        let to = &mut probabilities.data[written..written + size];
                        to.copy_from_slice(&scratch.scores[..size]);
                    }
                    written += size;
                    head.context::<R>(row, scratch, y);
                });
            });
        }
    }
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

    /// softmax(q · kᵀ / sqrt(head width)) of R rows, left in `scratch.scores` as `[R, keys]`.
    fn scores<const R: usize>(&self, row: usize, scratch: &mut Scratch) {
        let keys = self.sequence.keys.len();
        let scale = 1.0 / (self.each as f32).sqrt();
        scratch.queries.resize(MAX_ROWS * self.each, 0.0);
        let queries = &mut scratch.queries[..R * self.each];
        pack::<R>(
            &self.qkv.data,
            self.qkv.cols,
            row,
            self.first..self.first + self.each,
            scale,
            queries,
        );
        scratch.scores.resize(MAX_ROWS * keys, 0.0);
        for (panel, packed) in scratch.keys.chunks_exact(self.each).enumerate() {
            let sums = [[[F32x4::ZERO; 2]; 1]; R];
            let sums = tile::<R, 1>(queries.as_chunks::<R>().0, [packed], sums);
            store_columns::<R>(&sums, &mut scratch.scores, keys, panel);
        }
        for row in scratch.scores[..R * keys].chunks_exact_mut(keys) {
            softmax(row);
        }
    }

    /// y = probabilities · values for R rows.
    fn context<const R: usize>(&self, row: usize, scratch: &mut Scratch, y: &mut Rows) {
        let keys = self.sequence.keys.len();
        scratch.packed.resize(MAX_ROWS * keys, 0.0);
        let packed = &mut scratch.packed[..R * keys];
        pack::<R>(&scratch.scores, keys, 0, 0..keys, 1.0, packed);
        let to = &mut y.data[row * self.width..(row + R) * self.width];
        for (panel, values) in scratch.values.chunks_exact(keys).enumerate() {
            let sums = [[[F32x4::ZERO; 2]; 1]; R];
            let sums = tile::<R, 1>(packed.as_chunks::<R>().0, [values], sums);
            for (r, sums) in sums.iter().enumerate() {
                let to = &mut to[r * self.width + self.first..][..self.each];
                store(&sums[0], &mut to[panel * PANEL..]);
            }
        }
    }
}

/// Stores a tile's sums as the columns of `panel` in rows of `stride`.
#[inline(always)]
fn store_columns<const R: usize>(sums: &Sums<R, 1>, to: &mut [f32], stride: usize, panel: usize) {
    for (r, sums) in sums.iter().enumerate() {
        store(&sums[0], &mut to[r * stride..][panel * PANEL..stride]);
    }
}

/// Stores two vectors, or as much of them as fits.
#[inline(always)]
fn store(sums: &[F32x4; 2], to: &mut [f32]) {
    let mut group = [[0.0; 4]; 2];
    sums[0].store(&mut group[0]);
    sums[1].store(&mut group[1]);
    let width = to.len().min(PANEL);
    if width == PANEL {
        to[..PANEL].copy_from_slice(group.as_flattened());
    } else {
        to[..width].copy_from_slice(&group.as_flattened()[..width]);
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
    let mut last = [f32::NEG_INFINITY; 4];
    last[..rest.len()].copy_from_slice(rest);
    let mut e = [0.0; 4];
    exp(F32x4::load(&last) - shift).store(&mut e);
    rest.copy_from_slice(&e[..rest.len()]);
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
