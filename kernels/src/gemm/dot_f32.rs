//! Micro-kernel of f32 linear layers: multiplies a tile of rows by a panel of weights.
//!
//! Each dot product runs over vectors of four columns, and the four lanes are added at the end.
//! Loaded numbers therefore need not be broadcast to all lanes, which costs as much as a
//! multiplication.

use super::tile::{self, MR, Sums, with_rows};
use super::{LANES, NR};
use crate::simd::F32x4;

/// Pairs of weight rows in a panel.
const PAIRS: usize = NR / 2;

/// Sums of a tile, and partial sums of its lanes. Create it outside of loops: filling it with zeros
/// calls memory.fill, which takes a few hundredths of the time of a tile.
pub(crate) struct TileSums {
    pub(crate) sums: Sums,
    /// Partial sums of each pair of weight rows and each row; two lanes per weight row are left to
    /// add.
    folded: [[F32x4; MR]; PAIRS],
}

impl TileSums {
    pub(crate) fn new() -> Self {
        Self { sums: tile::ZEROS, folded: [[F32x4::ZERO; MR]; PAIRS] }
    }

    /// Computes sums += rows · panelᵀ for `height` rows, packed by [`super::pack::vectors`]. The
    /// order of additions does not depend on the height.
    #[inline(never)] // one copy for all callers
    pub(crate) fn add(&mut self, height: usize, rows: &[f32], panel: &[&[[f32; LANES]]; NR]) {
        let rows = rows.as_chunks().0;
        with_rows!(height, R => self.add_rows::<R>(rows.as_chunks().0, panel));
    }

    /// Takes enough pairs at a time for at least eight sums. With fewer sums the latency of an
    /// addition shows.
    #[inline(always)]
    fn add_rows<const R: usize>(
        &mut self,
        rows: &[[[f32; LANES]; R]],
        panel: &[&[[f32; LANES]]; NR],
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
        rows: &[[[f32; LANES]; R]],
        panel: &[&[[f32; LANES]]; NR],
    ) {
        let Self { sums, folded } = self;
        let (folds, pairs) = (folded.as_chunks_mut::<P>().0, panel.as_chunks::<2>().0);
        for (folds, pairs) in folds.iter_mut().zip(pairs.as_chunks::<P>().0) {
            for (folds, sums) in folds.iter_mut().zip(lanes::<R, P>(rows, pairs)) {
                for (fold, [a, b]) in folds.iter_mut().zip(sums) {
                    *fold = F32x4::add_pairs(a, b);
                }
            }
        }
        for (r, sums) in sums[..R].iter_mut().enumerate() {
            for (pair, sums) in [0, 2].into_iter().zip(sums) {
                let sum = F32x4::add_halves(folded[pair][r], folded[pair + 1][r]);
                (F32x4::load(sums) + sum).store(sums);
            }
        }
    }
}

/// Returns Σ over the columns of row · weights, lane by lane: `[P pairs, R rows, 2 of a pair]`.
#[inline(always)]
fn lanes<const R: usize, const P: usize>(
    rows: &[[[f32; LANES]; R]],
    pairs: &[[&[[f32; LANES]]; 2]; P],
) -> [[[F32x4; 2]; R]; P] {
    let mut sums = [[[F32x4::ZERO; 2]; R]; P];
    match (&pairs[..], &mut sums[..]) {
        // Zipped slices let the loop check one bound instead of two.
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
    row: &[[f32; LANES]; R],
    weights: [&[f32; LANES]; 2],
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
