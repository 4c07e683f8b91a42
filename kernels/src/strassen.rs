//! Rows in 8 bits times weights in 8 bits, by 16-bit products, for many rows: seven in place of
//! eight. Strassen's algorithm (Gaussian elimination is not optimal, 1969) is applied once: to the
//! upper and lower half of a tile's rows, the halves of a panel, and the halves of the columns.
//! Integers make it exact: the sums are those of eight products.
//!
//! The terms of a tile stay in the first-level cache while those of some panels pass over them.

use std::array::from_fn;
use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};

use crate::aligned::Aligned;
use crate::factor::Way;
use crate::int8::{Int8, Panel};
use crate::integer::{I16x8, I32x4};
use crate::linear::bands;
use crate::linear_int8::{round_rows, scale};
use crate::math::Activation;
use crate::matrix::{PANEL, VECTOR};
use crate::threads::{Bands, even, for_blocks, for_rows};
use crate::tile::{self, with_rows};
use crate::{Rows, Scratch};

/// Rows from which on the sums of weights are worth making. Every tile then has 7 rows or more.
pub(crate) const MANY: usize = 32;

/// Rows of half a tile at most.
const HALF: usize = 5;

/// Products of halves.
const TERMS: usize = 7;

/// Panels that pass over a tile at a time.
const PANELS: usize = 4;

/// Four numbers of a row, twice; or four of each of two rows of weights.
type Words = [i16; 8];

/// As [`crate::linear_int8::linear`], for [`MANY`] rows or more.
pub(crate) fn linear(
    x: &Rows,
    rows: Range<usize>,
    weight: &Int8,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    scratch: &mut Scratch,
) {
    let (count, outputs, groups) = (rows.len(), bias.len(), weight.groups());
    let Scratch { packed, threads } = scratch;
    let (tiles, bands) = (count.div_ceil(2 * HALF), bands(count, threads.len()));
    let terms = TERMS * groups / 2;
    // steps of the rows, each in all lanes, and the terms
    let width = 2 * HALF * VECTOR + terms * HALF * (size_of::<Words>() / size_of::<f32>());
    packed.resize(tiles * width);
    for_rows(threads, packed, width, tiles, &|own, tile, packed| {
        let tile = even(count, tiles, tile);
        pack(x, rows.start + tile.start..rows.start + tile.end, groups, &mut own.row, packed);
    });
    for_blocks(threads, y, outputs, Bands::Tiles(tiles, bands), PANEL, &|own, mut y| {
        own.panel.resize(PANELS * 2 * terms);
        let weights: &mut [[Words; 2]] = cast_slice_mut(&mut own.panel);
        let mut sums = tile::ZEROS;
        let mut products = [[[0; 4]; HALF]; TERMS];
        let all = y.panels(PANEL);
        for first in all.clone().step_by(PANELS) {
            let panels = first..all.end.min(first + PANELS);
            for (to, panel) in weights.chunks_exact_mut(terms).zip(panels.clone()) {
                weight_terms(weight.panel(panel), to);
            }
            for tile in even(tiles, bands, y.band) {
                let packed = &packed[tile * width..][..width];
                let halves = halves(even(count, tiles, tile));
                let tall = halves[0].len();
                let (steps, of_rows) = packed.split_at(2 * tall * VECTOR);
                let steps: &[[f32; VECTOR]] = cast_slice(steps);
                let of_rows = &cast_slice(of_rows)[..terms * tall];
                for (of_panel, panel) in weights.chunks_exact(terms).zip(panels.clone()) {
                    multiply(tall, of_rows, of_panel, &mut products);
                    let columns = tile::columns(panel, 0..outputs);
                    let bias = tile::load(&bias[columns.clone()]);
                    let to = y.within(&columns);
                    let scales = weight.panel(panel).scales;
                    for (half, rows) in halves.iter().enumerate() {
                        for (r, step) in steps[half * tall..][..tall].iter().enumerate() {
                            let of_row = from_fn(|term| I32x4::load(&products[term][r]));
                            scale(join(of_row)[half], step, scales, &bias, &mut sums[r]);
                        }
                        let at = rows.start - y.rows.start;
                        tile::store(&mut sums, tall, activation, &mut y, at, to.clone());
                    }
                }
            }
        }
    });
}

/// The first and the last rows of a tile, as many of each; of an odd number, the middle one is in
/// both.
fn halves(rows: Range<usize>) -> [Range<usize>; 2] {
    let tall = rows.len().div_ceil(2);
    [rows.start..rows.start + tall, rows.end - tall..rows.end]
}

/// Rounds the rows of a tile, and makes their terms. In `packed` come the steps of all rows first.
fn pack(x: &Rows, rows: Range<usize>, groups: usize, row: &mut Aligned<f32>, packed: &mut [f32]) {
    let [upper, lower] = halves(rows);
    let tall = upper.len();
    let (steps, terms) = packed.split_at_mut(2 * tall * VECTOR);
    let (upper_steps, lower_steps) = cast_slice_mut(steps).split_at_mut(tall);
    let terms: &mut [Words] = &mut cast_slice_mut(terms)[..TERMS * groups / 2 * tall];
    let (of_upper, rest) = terms.split_at_mut(groups * tall);
    round_rows(x, upper.start, row, upper_steps, of_upper, Way::Wide);
    round_rows(x, lower.start, row, lower_steps, &mut rest[..groups * tall], Way::Wide);
    row_terms(terms);
}

/// `terms` begin with the quarters of a tile: the upper rows' first columns (a) and last (b), the
/// lower rows' (c, d). They become what [`weight_terms`]'s are multiplied by.
fn row_terms(terms: &mut [Words]) {
    let quarter = terms.len() / TERMS;
    for n in 0..quarter {
        let [a, b, c, d] = from_fn(|term| I16x8::load(&terms[term * quarter + n]));
        for (term, sum) in [a + d, c + d, a, d, a + b, c - a, b - d].into_iter().enumerate() {
            terms[term * quarter + n] = sum.to_array();
        }
    }
}

/// Sums of a panel's quarters, widened: of its first rows' first columns (a) and last (b), of its
/// last rows' (c, d).
fn weight_terms(panel: Panel<'_>, terms: &mut [[Words; 2]]) {
    let quarter = terms.len() / TERMS;
    let [(a, b), (c, d)] = panel.halves.map(|half| half.split_at(quarter));
    for n in 0..quarter {
        let [a, b, c, d] = [&a[n], &b[n], &c[n], &d[n]].map(I16x8::widen);
        for half in 0..2 {
            let [a, b, c, d] = [a[half], b[half], c[half], d[half]];
            for (term, sum) in [a + d, a, c - d, b - a, d, a + c, b + d].into_iter().enumerate() {
                terms[term * quarter + n][half] = sum.to_array();
            }
        }
    }
}

/// products = rows · weightsᵀ, term by term, for `tall` rows.
#[inline(never)]
fn multiply(
    tall: usize,
    rows: &[Words],
    weights: &[[Words; 2]],
    products: &mut [[[i32; 4]; HALF]; TERMS],
) {
    let quarter = weights.len() / TERMS;
    with_rows!(tall, R => {
        let rows = rows.as_chunks::<R>().0.chunks_exact(quarter);
        for ((rows, weights), to) in rows.zip(weights.chunks_exact(quarter)).zip(products) {
            let mut pairs = [[I32x4::ZERO; 2]; R];
            for (row, weights) in rows.iter().zip(weights) {
                let [low, high] = weights.each_ref().map(I16x8::load);
                for r in 0..R {
                    let x = I16x8::load(&row[r]);
                    pairs[r][0] = pairs[r][0] + low.dot(x);
                    pairs[r][1] = pairs[r][1] + high.dot(x);
                }
            }
            for (to, [low, high]) in to.iter_mut().zip(pairs) {
                *to = I32x4::pairs(low, high).to_array();
            }
        }
    }, 4 5);
}

/// Of the products: an upper row's sums with a panel's first rows and with its last, a lower row's.
fn join([a, b, c, d, e, f, g]: [I32x4; TERMS]) -> [[I32x4; 2]; 2] {
    [[a + d - e + g, c + e], [b + d, a - b + c + f]]
}
