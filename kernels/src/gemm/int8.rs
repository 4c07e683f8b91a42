//! Linear layers with int8 weights. Rows of x are rotated like the rows of W, quantized with a
//! scale of their own, and multiplied in integers. Integer sums are exact, so all processors
//! compute the same numbers.

use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};

use super::dot_int8::{DotOperand, DotVariant};
use super::tile::{self, Sums, with_rows};
use super::{LANES, NR, bands, strassen};
use crate::quant::{Panel, QuantizedMatrix, Scale, rotate};
use crate::simd::{Aligned, F32x4, I32x4};
use crate::threads::{Bands, even_part, parallel_blocks, parallel_rows};
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// Computes y = activation(x\[rows\] · Wᵀ + bias). `x` is `[any, inputs]`, `weight` is `[outputs,
/// inputs]`, `bias` is `[outputs]`, and `y` is `[rows.len(), outputs]`.
///
/// # Errors
/// Returns [`OutOfMemory`] if the packed rows of x do not fit in memory.
pub(crate) fn gemm(
    x: &Rows,
    rows: Range<usize>,
    weight: &QuantizedMatrix,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    match DotVariant::detect() {
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        variant @ (DotVariant::Vnni | DotVariant::Sdot) => {
            tiled::<[i8; 16]>(x, rows, weight, bias, activation, y, workspace, variant)
        }
        DotVariant::Dot16 if rows.len() >= strassen::MIN_ROWS => {
            strassen::gemm(x, rows, weight, bias, activation, y, workspace)
        }
        variant => tiled::<[i16; 8]>(x, rows, weight, bias, activation, y, workspace, variant),
    }
}

#[allow(clippy::too_many_arguments, reason = "the parameters of `gemm` and the variant")]
fn tiled<Q: DotOperand>(
    x: &Rows,
    rows: Range<usize>,
    weight: &QuantizedMatrix,
    bias: &[f32],
    activation: Activation,
    y: &mut [f32],
    workspace: &mut Workspace,
    variant: DotVariant,
) -> Result<(), OutOfMemory> {
    let (count, outputs, groups) = (rows.len(), bias.len(), weight.groups());
    let Workspace { packed, threads, .. } = workspace;
    // A packed row holds its scale, repeated in each lane, and its quantized numbers.
    let width = LANES + groups * size_of::<Q>() / size_of::<f32>();
    packed.try_resize(count * width, count)?;
    let (tiles, bands) = (count.div_ceil(Q::MR), bands(count, threads.len()));
    parallel_rows(threads, packed, width, tiles, &|local, at, tile| {
        let height = tile.len() / width;
        let (scales, quantized) = tile.split_at_mut(LANES * height);
        let first = rows.start + at;
        let (scales, quantized) = (cast_slice_mut(scales), cast_slice_mut(quantized));
        quantize_rows::<Q>(x, first, &mut local.row, scales, quantized, variant);
    });
    parallel_blocks(threads, y, outputs, Bands::Tiles { tiles, bands }, NR, &|_, mut y| {
        let mut sums = tile::ZEROS;
        for panel in y.panels(NR) {
            let columns = tile::columns(panel, 0..outputs);
            let weights = weight.panel(panel);
            let bias = tile::load(&bias[columns.clone()]);
            let to = y.within(&columns);
            for tile in even_part(tiles, bands, y.band) {
                let rows = even_part(count, tiles, tile);
                let height = rows.len();
                let (scales, x) =
                    packed[rows.start * width..rows.end * width].split_at(LANES * height);
                let (scales, x) = (cast_slice(scales), cast_slice(x));
                scaled::<Q>(x, scales, weights, variant, &bias, &mut sums);
                let at = rows.start - y.rows.start;
                tile::store(&mut sums, height, activation, &mut y, at, to.clone());
            }
        }
    });
    Ok(())
}

/// Computes `scaled` = rows · panelᵀ · x_scales · panel.scales + bias. The number of rows is the
/// number of x_scales.
#[inline(never)]
fn scaled<Q: DotOperand>(
    rows: &[Q],
    x_scales: &[[f32; LANES]],
    panel: Panel<'_>,
    variant: DotVariant,
    bias: &[[f32; 4]; 2],
    scaled: &mut Sums,
) {
    // The minimum leaves taller tiles out of the code.
    with_rows!(x_scales.len().min(Q::MR), R => {
        let sums = Q::product::<R>(rows.as_chunks().0, panel, variant);
        // Scales are loaded after the product; earlier they would occupy registers of its loop.
        for r in 0..R {
            dequantize(sums[r], &x_scales[r], panel.scales, bias, &mut scaled[r]);
        }
    });
}

/// Computes `scaled` = sums · x_scale · scales + bias.
#[inline(always)]
pub(crate) fn dequantize(
    sums: [I32x4; 2],
    x_scale: &[f32; LANES],
    scales: &[[f32; 4]; 2],
    bias: &[[f32; 4]; 2],
    scaled: &mut [[f32; 4]; 2],
) {
    for n in 0..2 {
        let sum = sums[n].to_f32() * F32x4::load(x_scale);
        sum.mul_add(F32x4::load(&scales[n]), F32x4::load(&bias[n])).store(&mut scaled[n]);
    }
}

/// Rotates and quantizes the rows of a tile, beginning at row `first` of x. Their number is the
/// length of `scales`. Writes `[groups, rows]` to `quantized`. `row` is a buffer.
#[inline(never)]
pub(crate) fn quantize_rows<Q: DotOperand>(
    x: &Rows,
    first: usize,
    row: &mut Aligned<f32>,
    scales: &mut [[f32; LANES]],
    quantized: &mut [Q],
    variant: DotVariant,
) {
    let height = scales.len();
    let quantizer = Q::quantizer(variant);
    row.resize(quantized.len() / height * 4);
    row[x.cols..].fill(0.0);
    for (r, x_scale) in scales.iter_mut().enumerate() {
        row[..x.cols].copy_from_slice(&x.data[(first + r) * x.cols..][..x.cols]);
        rotate(&mut row[..x.cols]);
        let vectors = row.as_chunks::<4>().0.as_chunks::<4>().0;
        let scale = Scale::of(vectors);
        *x_scale = [scale.scale; LANES];
        let inverse = F32x4::splat(scale.inverse);
        for (to, vectors) in quantized.chunks_exact_mut(4 * height).zip(vectors) {
            let groups = Q::quantize(vectors, inverse, quantizer);
            for (to, group) in to[r..].iter_mut().step_by(height).zip(groups) {
                *to = group;
            }
        }
    }
}
