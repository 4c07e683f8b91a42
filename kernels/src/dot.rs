//! The inner loop of the layers in f32: a tile of rows against rows of weights, four columns to a
//! vector, whose lanes are added up at the end. So nothing that is loaded has to be spread over a
//! vector's lanes, which costs as much as a product.

use std::array::from_fn;
use std::ops::Range;

use crate::matrix::{PANEL, VECTOR};
use crate::simd::F32x4;
use crate::tile::{Sums, with_rows};

/// Rows of a tile: their sums, two vectors of weights and one of a row fill the 15 vector registers
/// that V8 hands out on x86. Where products do not fuse with sums, these take registers, too.
pub(crate) const ROWS: usize = if cfg!(target_feature = "relaxed-simd") { 6 } else { 4 };
/// Pairs of weight rows in a panel.
const PAIRS: usize = PANEL / 2;

/// sums += rows · panelᵀ for `tall` rows, packed by [`pack`]. A sum is made in the same order
/// whatever stands beside it.
#[inline(never)] // one copy for all who call it
pub(crate) fn add(
    tall: usize,
    rows: &[f32],
    panel: &[&[[f32; VECTOR]]; PANEL],
    sums: &mut Sums<f32>,
) {
    let rows = rows.as_chunks().0;
    with_rows!(tall, R => add_rows::<R>(rows.as_chunks().0, panel, sums));
}

/// Two pairs at a time where one makes too few sums, which would wait for themselves.
#[inline(always)]
fn add_rows<const R: usize>(
    rows: &[[[f32; VECTOR]; R]],
    panel: &[&[[f32; VECTOR]]; PANEL],
    sums: &mut Sums<f32>,
) {
    match R {
        1 => add_pairs::<R, 4>(rows, panel, sums),
        2 | 3 => add_pairs::<R, 2>(rows, panel, sums),
        _ => add_pairs::<R, 1>(rows, panel, sums),
    }
}

#[inline(always)]
fn add_pairs<const R: usize, const P: usize>(
    rows: &[[[f32; VECTOR]; R]],
    panel: &[&[[f32; VECTOR]]; PANEL],
    sums: &mut Sums<f32>,
) {
    let mut folded = [[F32x4::ZERO; R]; PAIRS];
    let (folds, pairs) = (folded.as_chunks_mut::<P>().0, panel.as_chunks::<2>().0);
    for (folds, pairs) in folds.iter_mut().zip(pairs.as_chunks::<P>().0) {
        for (folds, sums) in folds.iter_mut().zip(lanes::<R, P>(rows, pairs)) {
            *folds = sums.map(|[a, b]| F32x4::fold(a, b));
        }
    }
    for (r, sums) in sums[..R].iter_mut().enumerate() {
        for (pair, sums) in [0, 2].into_iter().zip(sums) {
            let sum = F32x4::join(folded[pair][r], folded[pair + 1][r]);
            (F32x4::load(sums) + sum).store(sums);
        }
    }
}

/// What the lanes of each row's and each weight row's products sum up to.
#[inline(always)]
fn lanes<const R: usize, const P: usize>(
    rows: &[[[f32; VECTOR]; R]],
    pairs: &[[&[[f32; VECTOR]]; 2]; P],
) -> [[[F32x4; 2]; R]; P] {
    let mut sums = [[[F32x4::ZERO; 2]; R]; P];
    let pairs = pairs.map(|pair| pair.map(|weights| &weights[..rows.len()]));
    for n in 0..rows.len() {
        for ([a, b], sums) in pairs.iter().zip(&mut sums) {
            step(&rows[n], [&a[n], &b[n]], sums);
        }
    }
    sums
}

#[inline(always)]
fn step<const R: usize>(
    row: &[[f32; VECTOR]; R],
    weights: [&[f32; VECTOR]; 2],
    sums: &mut [[F32x4; 2]; R],
) {
    let weights = weights.map(F32x4::load);
    for (sums, x) in sums.iter_mut().zip(row) {
        let x = F32x4::load(x);
        for (sum, weights) in sums.iter_mut().zip(weights) {
            *sum = x.mul_add(weights, *sum);
        }
    }
}

/// Packs `tall` rows of `x` (row length `stride`), from row `first` on and of the columns `columns`,
/// for [`add`]: vector by vector the rows' side by side, the last one filled up with zeros.
pub(crate) fn pack(
    x: &[f32],
    stride: usize,
    first: usize,
    tall: usize,
    columns: Range<usize>,
    packed: &mut [f32],
) {
    let packed = packed.as_chunks_mut::<VECTOR>().0;
    for r in 0..tall {
        let row = &x[(first + r) * stride..][columns.clone()];
        let (vectors, rest) = row.as_chunks::<VECTOR>();
        let mut to = packed[r..].iter_mut().step_by(tall);
        for (vector, to) in vectors.iter().zip(to.by_ref()) {
            *to = *vector;
        }
        if let Some(to) = to.next() {
            *to = from_fn(|n| rest.get(n).copied().unwrap_or_default());
        }
    }
}
