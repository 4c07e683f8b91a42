//! The inner loop of the layers in f32: a tile of rows against rows of weights, four columns to a
//! vector, whose lanes are added up at the end. So nothing that is loaded has to be spread over a
//! vector's lanes, which costs as much as a product.

use std::array::from_fn;
use std::ops::Range;

use crate::matrix::{PANEL, VECTOR};
use crate::simd::F32x4;
use crate::tile::{self, MAX_ROWS, Sums, with_rows};

/// Rows of a tile: their sums, two vectors of weights and one of a row fill the 15 vector registers
/// that V8 hands out on x86. Where products do not fuse with sums, these take registers, too.
pub(crate) const ROWS: usize = if cfg!(target_feature = "relaxed-simd") { 6 } else { 4 };
/// Pairs of weight rows in a panel.
const PAIRS: usize = PANEL / 2;

/// A tile's sums, and what they are made from. To be made outside of loops: to fill it with zeros is
/// a call out of the module, which takes some hundredths of the time of a tile.
pub(crate) struct Tile {
    pub(crate) sums: Sums,
    /// Of each pair and row, the lanes' sums two by two.
    folded: [[F32x4; MAX_ROWS]; PAIRS],
}

impl Tile {
    pub(crate) fn new() -> Self {
        Self { sums: tile::ZEROS, folded: [[F32x4::ZERO; MAX_ROWS]; PAIRS] }
    }

    /// sums += rows · panelᵀ for `tall` rows, packed by [`pack`]. A sum is made in the same order
    /// whatever stands beside it.
    #[inline(never)] // one copy for all who call it
    pub(crate) fn add(&mut self, tall: usize, rows: &[f32], panel: &[&[[f32; VECTOR]]; PANEL]) {
        let rows = rows.as_chunks().0;
        with_rows!(tall, R => self.add_rows::<R>(rows.as_chunks().0, panel));
    }

    /// As many pairs at a time as make eight sums or more: with fewer, each would wait for itself.
    #[inline(always)]
    fn add_rows<const R: usize>(
        &mut self,
        rows: &[[[f32; VECTOR]; R]],
        panel: &[&[[f32; VECTOR]]; PANEL],
    ) {
        match R {
            1 => self.add_pairs::<R, 4>(rows, panel),
            2 | 3 => self.add_pairs::<R, 2>(rows, panel),
            _ => self.add_pairs::<R, 1>(rows, panel),
        }
    }

    #[inline(always)]
    fn add_pairs<const R: usize, const P: usize>(
        &mut self,
        rows: &[[[f32; VECTOR]; R]],
        panel: &[&[[f32; VECTOR]]; PANEL],
    ) {
        let Self { sums, folded } = self;
        let (folds, pairs) = (folded.as_chunks_mut::<P>().0, panel.as_chunks::<2>().0);
        for (folds, pairs) in folds.iter_mut().zip(pairs.as_chunks::<P>().0) {
            for (folds, sums) in folds.iter_mut().zip(lanes::<R, P>(rows, pairs)) {
                for (fold, [a, b]) in folds.iter_mut().zip(sums) {
                    *fold = F32x4::fold(a, b);
                }
            }
        }
        for (r, sums) in sums[..R].iter_mut().enumerate() {
            for (pair, sums) in [0, 2].into_iter().zip(sums) {
                let sum = F32x4::join(folded[pair][r], folded[pair + 1][r]);
                (F32x4::load(sums) + sum).store(sums);
            }
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
    match (&pairs[..], &mut sums[..]) {
        // zipped, the loop has one end
        ([[a, b]], [sums]) => {
            for ((row, a), b) in rows.iter().zip(*a).zip(*b) {
                step(row, [a, b], sums);
            }
        }
        _ => {
            let pairs = pairs.map(|pair| pair.map(|weights| &weights[..rows.len()]));
            for n in 0..rows.len() {
                for ([a, b], sums) in pairs.iter().zip(&mut sums) {
                    step(&rows[n], [&a[n], &b[n]], sums);
                }
            }
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
/// for [`Tile::add`]: vector by vector the rows' side by side, the last one filled up with zeros.
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
