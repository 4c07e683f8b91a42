//! y = x · Wᵀ + b with W in 8 bits: rows of x are turned as W's are, rounded to 8 bits with a step
//! of their own, and multiplied in integers. Sums are exact, so that all processors agree.

use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};

use crate::aligned::Aligned;
use crate::factor::{Factor, Way};
use crate::int8::{Int8, Panel, Steps};
use crate::integer::I32x4;
use crate::linear::bands;
use crate::math::Activation;
use crate::matrix::{PANEL, VECTOR};
use crate::rotate::rotate;
use crate::simd::F32x4;
use crate::strassen;
use crate::threads::{Bands, even, for_blocks, for_rows};
use crate::tile::{self, Sums, with_rows};
use crate::{Rows, Scratch};

/// `y` is `[rows, outputs]`, of `rows` of `x`.
pub(crate) fn linear(
    x: &Rows,
    rows: Range<usize>,
    weight: &Int8,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    scratch: &mut Scratch,
) {
    match Way::of_processor() {
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        way @ (Way::UnsignedBytes | Way::SignedBytes) => {
            run::<[i8; 16]>(x, rows, weight, bias, activation, y, scratch, way);
        }
        Way::Wide if rows.len() >= strassen::MANY => {
            strassen::linear(x, rows, weight, bias, activation, y, scratch);
        }
        way => run::<[i16; 8]>(x, rows, weight, bias, activation, y, scratch, way),
    }
}

#[allow(clippy::too_many_arguments, reason = "those of `linear`, and the way")]
fn run<F: Factor>(
    x: &Rows,
    rows: Range<usize>,
    weight: &Int8,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    scratch: &mut Scratch,
    way: Way,
) {
    let (count, outputs, groups) = (rows.len(), bias.len(), weight.groups());
    let Scratch { packed, threads } = scratch;
    // a row's step, in each lane, and its factors
    let width = VECTOR + groups * size_of::<F>() / size_of::<f32>();
    packed.resize(count * width);
    let (tiles, bands) = (count.div_ceil(F::ROWS), bands(count, threads.len()));
    for_rows(threads, packed, width, tiles, &|own, at, tile| {
        let tall = tile.len() / width;
        let (steps, factors) = tile.split_at_mut(VECTOR * tall);
        let first = rows.start + at;
        let (steps, factors) = (cast_slice_mut(steps), cast_slice_mut(factors));
        round_rows::<F>(x, first, &mut own.row, steps, factors, way);
    });
    for_blocks(threads, y, outputs, Bands::Tiles(tiles, bands), PANEL, &|_, mut y| {
        let mut sums = tile::ZEROS;
        for panel in y.panels(PANEL) {
            let columns = tile::columns(panel, 0..outputs);
            let weights = weight.panel(panel);
            let bias = tile::load(&bias[columns.clone()]);
            let to = y.within(&columns);
            for tile in even(tiles, bands, y.band) {
                let rows = even(count, tiles, tile);
                let tall = rows.len();
                let (steps, x) =
                    packed[rows.start * width..rows.end * width].split_at(VECTOR * tall);
                let (steps, x) = (cast_slice(steps), cast_slice(x));
                scaled::<F>(x, steps, weights, way, &bias, &mut sums);
                let at = rows.start - y.rows.start;
                tile::store(&mut sums, tall, activation, &mut y, at, to.clone());
            }
        }
    });
}

/// `scaled` = rows · panelᵀ · steps · scales + bias, for as many rows as there are steps.
#[inline(never)]
fn scaled<F: Factor>(
    rows: &[F],
    steps: &[[f32; VECTOR]],
    panel: Panel<'_>,
    way: Way,
    bias: &[[f32; 4]; 2],
    scaled: &mut Sums,
) {
    with_rows!(steps.len(), R => {
        let sums = F::product::<R>(rows.as_chunks().0, panel, way);
        // only now, or they would take the loop's registers
        for r in 0..R {
            scale(sums[r], &steps[r], panel.scales, bias, &mut scaled[r]);
        }
    });
}

/// `scaled` = sums · step · scales + bias.
#[inline(always)]
pub(crate) fn scale(
    sums: [I32x4; 2],
    step: &[f32; VECTOR],
    scales: &[[f32; 4]; 2],
    bias: &[[f32; 4]; 2],
    scaled: &mut [[f32; 4]; 2],
) {
    for n in 0..2 {
        let sum = sums[n].to_f32() * F32x4::load(step);
        sum.mul_add(F32x4::load(&scales[n]), F32x4::load(&bias[n])).store(&mut scaled[n]);
    }
}

/// Turns and rounds the rows of a tile, of x from row `first` on: the `steps` say how many. In
/// `factors` they lie side by side for each group of columns.
#[inline(never)]
pub(crate) fn round_rows<F: Factor>(
    x: &Rows,
    first: usize,
    row: &mut Aligned<f32>,
    steps: &mut [[f32; VECTOR]],
    factors: &mut [F],
    way: Way,
) {
    let tall = steps.len();
    let rounding = F::rounding(way);
    row.resize(factors.len() / tall * 4);
    row[x.cols..].fill(0.0);
    for (r, step) in steps.iter_mut().enumerate() {
        row[..x.cols].copy_from_slice(&x.data[(first + r) * x.cols..][..x.cols]);
        rotate(&mut row[..x.cols]);
        let vectors = row.as_chunks::<4>().0.as_chunks::<4>().0;
        let size = Steps::of(vectors);
        *step = [size.one; VECTOR];
        let by = F32x4::splat(size.inverse);
        for (to, vectors) in factors.chunks_exact_mut(4 * tall).zip(vectors) {
            for (to, factor) in
                to[r..].iter_mut().step_by(tall).zip(F::round(vectors, by, rounding))
            {
                *to = factor;
            }
        }
    }
}
