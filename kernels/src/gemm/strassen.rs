//! int8 products of i16 for many rows, with seven block products instead of eight.
//!
//! This is one level of Strassen's algorithm (Gaussian elimination is not optimal, 1969). The
//! blocks are the upper and lower half of a tile's rows, the halves of a panel, and the halves of
//! the columns. In integers the algorithm is exact: it computes the same sums as eight products.
//!
//! The terms of a tile stay in the first-level cache while the terms of several panels pass over
//! them.

use std::array::from_fn;
use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};

use super::dot_int8::DotVariant;
use super::int8::{dequantize, quantize_rows};
use super::tile::{self, with_rows};
use super::{LANES, NR, bands};
use crate::quant::{Panel, QuantizedMatrix};
use crate::simd::{Aligned, I16x8, I32x4};
use crate::threads::{Bands, even_part, parallel_blocks, parallel_rows};
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// Minimum rows for which sums of weights are worth their cost. Every tile then has at least 7
/// rows.
pub(crate) const MIN_ROWS: usize = 32;

/// Maximum rows of half a tile. With 5, V8 11.3 (Node 20) runs out of vector registers and takes 1.6
/// times as long.
const HALF: usize = 4;

/// Number of block products.
const TERMS: usize = 7;

/// Panels whose terms are made and pass over a tile at a time.
const PANELS: usize = 4;

/// Four numbers of a row of x, stored twice; or four numbers of each of two rows of weights.
type Words = [i16; 8];

/// Does the same as [`super::int8::gemm`]; requires at least [`MIN_ROWS`] rows.
pub(crate) fn gemm(
    x: &Rows,
    rows: Range<usize>,
    weight: &QuantizedMatrix,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let (count, outputs, groups) = (rows.len(), bias.len(), weight.groups());
    let Workspace { packed, threads, .. } = workspace;
    let (tiles, bands) = (count.div_ceil(2 * HALF), bands(count, threads.len()));
    let terms = TERMS * groups / 2;
    // Scales of the rows, repeated in all lanes, followed by the terms.
    let width = 2 * HALF * LANES + terms * HALF * (size_of::<Words>() / size_of::<f32>());
    packed.try_resize(tiles * width, count)?;
    parallel_rows(threads, packed, width, tiles, &|local, tile, packed| {
        let tile = even_part(count, tiles, tile);
        pack(x, rows.start + tile.start..rows.start + tile.end, groups, &mut local.row, packed);
    });
    parallel_blocks(threads, y, outputs, Bands::Tiles { tiles, bands }, NR, &|local, mut y| {
        local.panel.resize(PANELS * 2 * terms);
        let weights: &mut [[Words; 2]] = cast_slice_mut(&mut local.panel);
        let mut sums = tile::ZEROS;
        let mut products = [[[0; 4]; HALF]; TERMS];
        let all = y.panels(NR);
        for first in all.clone().step_by(PANELS) {
            let panels = first..all.end.min(first + PANELS);
            for (to, panel) in weights.chunks_exact_mut(terms).zip(panels.clone()) {
                weight_terms(weight.panel(panel), to);
            }
            for tile in even_part(tiles, bands, y.band) {
                let packed = &packed[tile * width..][..width];
                let halves = halves(even_part(count, tiles, tile));
                let height = halves[0].len();
                let (x_scales, row_terms) = packed.split_at(2 * height * LANES);
                let x_scales: &[[f32; LANES]] = cast_slice(x_scales);
                let row_terms = &cast_slice(row_terms)[..terms * height];
                for (panel_terms, panel) in weights.chunks_exact(terms).zip(panels.clone()) {
                    multiply(height, row_terms, panel_terms, &mut products);
                    let columns = tile::columns(panel, 0..outputs);
                    let bias = tile::load(&bias[columns.clone()]);
                    let to = y.within(&columns);
                    let scales = weight.panel(panel).scales;
                    for (half, rows) in halves.iter().enumerate() {
                        for (r, x_scale) in x_scales[half * height..][..height].iter().enumerate() {
                            let products = from_fn(|term| I32x4::load(&products[term][r]));
                            let sum = combine(products)[half];
                            dequantize(sum, x_scale, scales, &bias, &mut sums[r]);
                        }
                        let at = rows.start - y.rows.start;
                        tile::store(&mut sums, height, activation, &mut y, at, to.clone());
                    }
                }
            }
        }
    });
    Ok(())
}

/// Returns the first and the last rows of a tile, equally many. The middle row of an odd number
/// belongs to both.
fn halves(rows: Range<usize>) -> [Range<usize>; 2] {
    let height = rows.len().div_ceil(2);
    [rows.start..rows.start + height, rows.end - height..rows.end]
}

/// Quantizes the rows of a tile and makes their terms. Writes the scales of all rows, then the
/// terms, to `packed`.
fn pack(x: &Rows, rows: Range<usize>, groups: usize, row: &mut Aligned<f32>, packed: &mut [f32]) {
    let [upper, lower] = halves(rows);
    let height = upper.len();
    let (scales, terms) = packed.split_at_mut(2 * height * LANES);
    let (upper_scales, lower_scales) = cast_slice_mut(scales).split_at_mut(height);
    let terms: &mut [Words] = &mut cast_slice_mut(terms)[..TERMS * groups / 2 * height];
    let (upper_numbers, rest) = terms.split_at_mut(groups * height);
    let lower_numbers = &mut rest[..groups * height];
    quantize_rows(x, upper.start, row, upper_scales, upper_numbers, DotVariant::Dot16);
    quantize_rows(x, lower.start, row, lower_scales, lower_numbers, DotVariant::Dot16);
    row_terms(terms);
}

/// Replaces the quarters of a tile by the seven sums that are multiplied by the sums of
/// [`weight_terms`]. `terms` begins with the first (a) and last (b) columns of the upper rows, then
/// of the lower rows (c, d).
fn row_terms(terms: &mut [Words]) {
    let quarter = terms.len() / TERMS;
    for n in 0..quarter {
        let [a, b, c, d] = from_fn(|term| I16x8::load(&terms[term * quarter + n]));
        for (term, sum) in [a + d, c + d, a, d, a + b, c - a, b - d].into_iter().enumerate() {
            terms[term * quarter + n] = sum.to_array();
        }
    }
}

/// Computes the seven sums of a panel's quarters, widened to i16. The quarters are the first (a)
/// and last (b) columns of the first rows, then of the last rows (c, d).
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

/// Computes products = rows · weightsᵀ, term by term, for `height` rows of half a tile.
#[inline(never)]
fn multiply(
    height: usize,
    rows: &[Words],
    weights: &[[Words; 2]],
    products: &mut [[[i32; 4]; HALF]; TERMS],
) {
    let quarter = weights.len() / TERMS;
    with_rows!(height, R => {
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
                *to = I32x4::add_neighbours(low, high).to_array();
            }
        }
    }, 3 4);
}

/// Combines the block products into sums: an upper row by the panel's first and last rows, then a
/// lower row by the same.
fn combine([a, b, c, d, e, f, g]: [I32x4; TERMS]) -> [[I32x4; 2]; 2] {
    [[a + d - e + g, c + e], [b + d, a - b + c + f]]
}
