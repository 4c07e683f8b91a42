//! y = activation(x · Wᵀ + b), blocked for the caches: a chunk of rows is packed once and stays in
//! the second level, a panel of weights in the first, while the tiles of the chunk pass over it.

use crate::Rows;
use crate::math::{Activation, activate};
use crate::matrix::{Matrix, PANEL};
use crate::simd::F32x4;
use crate::tile::{MAX_ROWS, Sums, for_tiles, halves, pack, tile, with_rows};

/// Rows of a chunk at most: with [`COLUMNS`], 0.75 MB of packed rows.
const CHUNK: usize = 192;
/// Columns summed at a time at most, so that panel and tile share 48 kB of first-level cache.
const COLUMNS: usize = 1024;
/// Panels that a tile of one row takes side by side: 8 sums keep the adders busy.
const MOST_PANELS: usize = 4;

/// Buffers reused from call to call.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// A chunk of rows, tile by tile.
    rows: Vec<f32>,
    /// Panels widened to f32.
    panels: [Vec<[f32; PANEL]>; MOST_PANELS],
}

/// `x` is `[rows, inputs]`, `weight` `[outputs, inputs]`, `bias` `[outputs]`; `y` becomes
/// `[rows, outputs]`.
pub fn linear(
    x: &Rows,
    weight: &Matrix,
    bias: &[f32],
    activation: Activation,
    y: &mut Rows,
    scratch: &mut crate::Scratch,
) {
    let scratch = &mut scratch.linear;
    y.shape(x.rows, weight.rows);
    let chunks = x.rows.div_ceil(CHUNK);
    let mut first = 0;
    for chunk in 0..chunks {
        let rows = (x.rows - first).div_ceil(chunks - chunk);
        let y = &mut y.data[first * weight.rows..(first + rows) * weight.rows];
        let blocks = weight.cols.div_ceil(COLUMNS);
        let mut from = 0;
        for block in 0..blocks {
            let to = from + (weight.cols - from).div_ceil(blocks - block);
            pack_chunk(x, first, rows, from..to, &mut scratch.rows);
            let bias = (block == 0).then_some(bias);
            match rows {
                1 => panels::<4>(weight, from..to, bias, y, rows, scratch),
                2 | 3 => panels::<2>(weight, from..to, bias, y, rows, scratch),
                _ => panels::<1>(weight, from..to, bias, y, rows, scratch),
            }
            from = to;
        }
        activate_all(activation, y);
        first += rows;
    }
}

/// Applies an activation in place.
pub(crate) fn activate_all(activation: Activation, values: &mut [f32]) {
    if activation == Activation::Identity {
        return;
    }
    let (groups, rest) = values.as_chunks_mut::<4>();
    for group in groups {
        activate(activation, F32x4::load(group)).store(group);
    }
    let mut last = [0.0; 4];
    last[..rest.len()].copy_from_slice(rest);
    activate(activation, F32x4::load(&last)).store(&mut last);
    rest.copy_from_slice(&last[..rest.len()]);
}

fn pack_chunk(
    x: &Rows,
    first: usize,
    rows: usize,
    columns: std::ops::Range<usize>,
    packed: &mut Vec<f32>,
) {
    let width = columns.len();
    packed.resize(rows * width, 0.0);
    for_tiles(rows, |at, tall| {
        let packed = &mut packed[at * width..(at + tall) * width];
        with_rows!(tall, R => {
            pack::<R>(&x.data, x.cols, first + at, columns.clone(), 1.0, packed);
        });
    });
}

/// All panels over one chunk, `P` at a time. Starts from `bias`, or goes on from what `y` holds.
fn panels<const P: usize>(
    weight: &Matrix,
    columns: std::ops::Range<usize>,
    bias: Option<&[f32]>,
    y: &mut [f32],
    rows: usize,
    scratch: &mut Scratch,
) {
    let count = weight.rows.div_ceil(PANEL);
    let mut panel = 0;
    while panel + P <= count {
        over_tiles::<P>(weight, panel, &columns, bias, y, rows, scratch);
        panel += P;
    }
    while panel < count {
        over_tiles::<1>(weight, panel, &columns, bias, y, rows, scratch);
        panel += 1;
    }
}

fn over_tiles<const P: usize>(
    weight: &Matrix,
    panel: usize,
    columns: &std::ops::Range<usize>,
    bias: Option<&[f32]>,
    y: &mut [f32],
    rows: usize,
    scratch: &mut Scratch,
) {
    let mut widened = scratch.panels.iter_mut();
    let mut next = panel;
    let panels: [&[[f32; PANEL]]; P] = std::array::from_fn(|_| {
        next += 1;
        match widened.next() {
            Some(scratch) => weight.panel(next - 1, columns.start, columns.end, scratch),
            None => &[],
        }
    });
    let (width, outputs, packed) = (columns.len(), weight.rows, &scratch.rows);
    for_tiles(rows, |at, tall| {
        let x = &packed[at * width..(at + tall) * width];
        let y = &mut y[at * outputs..(at + tall) * outputs];
        // several panels go only with few rows: without the guards, code for tiles that never
        // occur would be a kilobyte of the download
        match tall {
            1 if P != 2 => one_tile::<1, P>(x, panels, bias, y, outputs, panel),
            2 if P < 4 => one_tile::<2, P>(x, panels, bias, y, outputs, panel),
            3 if P < 4 => one_tile::<3, P>(x, panels, bias, y, outputs, panel),
            _ if P == 1 => one_tile::<MAX_ROWS, P>(x, panels, bias, y, outputs, panel),
            _ => {}
        }
    });
}

#[inline(always)]
fn one_tile<const R: usize, const P: usize>(
    x: &[f32],
    panels: [&[[f32; PANEL]]; P],
    bias: Option<&[f32]>,
    y: &mut [f32],
    outputs: usize,
    panel: usize,
) {
    let sums = start::<R, P>(bias, y, outputs, panel);
    let sums = tile::<R, P>(x.as_chunks::<R>().0, panels, sums);
    store::<R, P>(&sums, y, outputs, panel);
}

#[inline(always)]
fn start<const R: usize, const P: usize>(
    bias: Option<&[f32]>,
    y: &[f32],
    outputs: usize,
    panel: usize,
) -> Sums<R, P> {
    let mut sums = [[[F32x4::ZERO; 2]; P]; R];
    for p in 0..P {
        let column = (panel + p) * PANEL;
        for (r, sums) in sums.iter_mut().enumerate() {
            let from = match bias {
                Some(bias) => &bias[column..],
                None => &y[r * outputs..][column..outputs],
            };
            let (low, high) = match from.first_chunk::<PANEL>() {
                Some(group) => halves(group),
                None => {
                    let mut group = [0.0; PANEL];
                    group[..from.len()].copy_from_slice(from);
                    halves(&group)
                }
            };
            sums[p] = [low, high];
        }
    }
    sums
}

#[inline(always)]
fn store<const R: usize, const P: usize>(
    sums: &Sums<R, P>,
    y: &mut [f32],
    outputs: usize,
    panel: usize,
) {
    for p in 0..P {
        let column = (panel + p) * PANEL;
        for (r, sums) in sums.iter().enumerate() {
            let to = &mut y[r * outputs..][column..outputs];
            let mut group = [[0.0; 4]; 2];
            sums[p][0].store(&mut group[0]);
            sums[p][1].store(&mut group[1]);
            let group = group.as_flattened();
            let width = to.len().min(PANEL);
            if width == PANEL {
                to[..PANEL].copy_from_slice(group);
            } else {
                to.copy_from_slice(&group[..width]);
            }
        }
    }
}
