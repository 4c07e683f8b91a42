//! Linear layers: the kernels of their variants.

use wgpu::Buffer;

use super::buffer_pool::PooledBuffer;
use super::choice::{Arithmetic, Layout, Op, OpenCall, Shape, Variant};
use super::kernels::Kernel;
use super::matrix::{BLOCK, GpuMatrix, MatrixPart, groups};
use super::params::LinearParams;
use super::record::{Grid, folded};
use super::unfinished::{MOST_NORMED_ROWS, Unfinished};
use super::variants::Tile;
use super::{Gpu, GpuRows};
use crate::Result;
use crate::backend::{Activation, Backend, Norm, NormKind, Precision};

/// Inputs of a layer whose sums have the parts that a [`Tiling`] names.
const PART_INPUTS: u32 = 768;
/// Largest number of parts.
const MOST_PARTS: u32 = 8;

/// Largest number of outputs for which 32 invocations of linear_few_rows.wgsl share one.
pub(super) const NARROW: usize = 1024;

/// A kernel with its constants and its grid.
type Chosen = (Kernel, Vec<(&'static str, f64)>, Grid);

/// A variant of linear.wgsl, and the number of parts that sums over 768 inputs are computed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tiling {
    pub(super) tile: &'static Tile,
    pub(super) parts: u32,
}

/// One layer over some rows.
struct Layer<'a> {
    x: &'a GpuRows,
    weight: &'a GpuMatrix,
    bias: &'a Buffer,
    activation: Activation,
    /// What the layer has to do before it reads x.
    before: Option<Unfinished>,
}

impl Gpu {
    /// Records y = activation(x · weightᵀ + bias).
    pub(super) fn record_linear(
        &mut self,
        x: &GpuRows,
        weight: &GpuMatrix,
        bias: &Buffer,
        activation: Activation,
        y: &mut GpuRows,
    ) {
        let from = self.buffer(x);
        let to = self.shape(y, x.rows, weight.rows);
        let class = (Op::Linear(weight.precision), Shape::of(x.rows, weight.rows));
        if self.is_first_call() && self.is_open(class) {
            let shape = (x.rows, [weight.rows, weight.cols]);
            let call = (shape, weight.precision, activation, self.normalizes(x, weight));
            if !self.choice.open_calls.contains(&call) {
                self.choice.open_calls.push(call);
            }
        }
        if self.record_attention_output(x, (weight, bias, activation), &to) {
            return;
        }
        let variant = self.variant(class);
        let before = self.take_unfinished(x, weight, variant, &to);
        let from = before.as_ref().map_or(from, |before| before.from.clone());
        let layer = Layer { x, weight, bias, activation, before };
        if let Layout::Tiling(tiling) | Layout::Rounding(tiling) = variant.layout {
            return self.record_tiled(&layer, (variant, tiling), &from, &to);
        }
        let quantized = variant.quantizes().then(|| self.quantize_rows(x, &from));
        for part in &weight.parts {
            let Some((kernel, mut constants, grid)) =
                kernel_of(variant, weight.precision, x.rows, part.rows)
            else {
                continue;
            };
            constants.push(("ACTIVATION", f64::from(activation as u8)));
            let mut buffers = vec![(1, &to), (5, bias)];
            buffers.extend(rows_of(&from, quantized.as_ref()));
            buffers.extend(part.bindings());
            buffers.extend(layer.bindings());
            self.add_cost([x.rows, weight.cols, part.rows]);
            self.run(layer.kernel(kernel), &constants, &layer.params(part), &buffers, grid);
        }
    }

    /// Returns true if a call of the model is warmed up.
    fn is_first_call(&self) -> bool {
        self.warms_up() && self.choice.forced.is_none()
    }

    /// Returns true if calls only compile their kernels.
    pub(super) fn warms_up(&self) -> bool {
        #[cfg(not(target_arch = "wasm32"))]
        if self.listing.is_some() {
            return false;
        }
        self.warming_up
    }

    /// Records a layer over five or more rows, by a variant of linear.wgsl.
    fn record_tiled(
        &mut self,
        layer: &Layer<'_>,
        (variant, Tiling { tile, parts }): (Variant, Tiling),
        from: &Buffer,
        to: &Buffer,
    ) {
        let &Layer { x, weight, bias, activation, .. } = layer;
        let quantized = variant.quantizes().then(|| self.quantize_rows(x, from));
        let all = match variant.arithmetic {
            Arithmetic::Int8 => 2 * weight.cols.div_ceil(BLOCK),
            _ => groups(weight.cols),
        } as u32;
        // Longer sums have more parts, in proportion.
        let inputs = parts * weight.cols as u32;
        let parts = match parts {
            1 => 1,
            _ if self.choice.in_all_parts => parts,
            _ => inputs.div_ceil(PART_INPUTS).min(MOST_PARTS),
        };
        let part_groups = all.div_ceil(parts).next_multiple_of(tile.groups);
        let parts = all.div_ceil(part_groups);
        let sums = (parts > 1).then(|| {
            let bytes = 16 * x.rows as u64 * groups(weight.rows) as u64 * u64::from(parts);
            self.activations.take(&mut self.device, bytes)
        });
        let constants = [
            ("ACTIVATION", f64::from(activation as u8)),
            ("IN_PARTS", f64::from(u8::from(sums.is_some()))),
        ];
        let kernel = layer.kernel(tiled(variant, weight.precision, tile));
        for part in &weight.parts {
            let to = sums.as_ref().map_or(to, PooledBuffer::buffer);
            let mut buffers = vec![(1, to), (5, bias)];
            buffers.extend(rows_of(from, quantized.as_ref()));
            buffers.extend(part.bindings());
            buffers.extend(layer.bindings());
            let params = LinearParams { part_groups, ..layer.params(part) };
            let grid =
                [params.count.div_ceil(tile.width()), params.rows.div_ceil(tile.height()), parts];
            self.add_cost([x.rows, weight.cols, part.rows]);
            self.run(kernel, &constants, &params, &buffers, grid);
        }
        let Some(sums) = sums else { return };
        self.unfinished = Some(Unfinished {
            from: sums.buffer().clone(),
            _held: Some(sums),
            parts,
            to: to.clone(),
            rows: x.rows,
            cols: weight.rows,
            layer: Some((bias.clone(), activation)),
            norm: None,
        });
    }

    /// Compiles the chosen kernels of a call that was warmed up before. Errors: as
    /// [`Backend::matrix`].
    pub(super) fn compile_call(
        &mut self,
        ((rows, [outputs, cols]), precision, activation, normalizes): OpenCall,
    ) -> Result<()> {
        let (weight, bias) = (self.matrix(outputs, cols, precision)?, self.vector(outputs)?);
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        self.shape(&mut x, rows, cols);
        // Later texts have other lengths.
        let shapes = if rows > 4 { &Shape::ALL[1..] } else { &Shape::ALL[..1] };
        for shape in shapes {
            self.choice.forced = Some(self.variant((Op::Linear(precision), *shape)));
            self.linear(&x, &weight, &bias, activation, &mut y);
            if normalizes && *shape <= Shape::Short {
                self.linear_of_normed(rows.min(MOST_NORMED_ROWS), &weight, activation, &mut y)?;
            }
            self.choice.forced = None;
        }
        Ok(())
    }

    /// Compiles a layer that normalizes its input.
    fn linear_of_normed(
        &mut self,
        rows: usize,
        weight: &GpuMatrix,
        activation: Activation,
        y: &mut GpuRows,
    ) -> Result<()> {
        let [scale, shift] = [self.vector(weight.cols)?, self.vector(weight.cols)?];
        let bias = self.vector(weight.rows)?;
        let norm = Norm { weight: scale, bias: shift, eps: 0.0, kind: NormKind::Layer };
        let [mut x, mut residual] = [(); 2].map(|()| GpuRows::default());
        self.shape(&mut x, rows, weight.cols);
        self.shape(&mut residual, rows, weight.cols);
        self.finish();
        self.add_norm(&mut x, &residual, &norm);
        self.linear(&x, weight, &bias, activation, y);
        Ok(())
    }

    /// Records the quantization of rows. Returns the 8-bit values and the scales.
    fn quantize_rows(&mut self, x: &GpuRows, from: &Buffer) -> [PooledBuffer; 2] {
        let blocks = x.rows * x.cols.div_ceil(BLOCK);
        let [values, scales] = [BLOCK, 4]
            .map(|bytes| self.activations.take(&mut self.device, (blocks * bytes) as u64));
        let (rows, groups) = (x.rows as u32, groups(x.cols) as u32);
        let params = LinearParams {
            rows,
            groups,
            outputs: 0,
            first: 0,
            count: 0,
            part_groups: groups,
            eps: 0.0,
        };
        let buffers = [(1, values.buffer()), (2, from), (3, scales.buffer())];
        self.run(Kernel::QuantizeRows, &[], &params, &buffers, folded(blocks.div_ceil(32)));
        [values, scales]
    }
}

impl Layer<'_> {
    /// Returns the uniform for a part of the weights.
    fn params(&self, part: &MatrixPart) -> LinearParams {
        let Self { x, weight, .. } = self;
        let groups = groups(weight.cols);
        let numbers = [x.rows, groups, weight.rows, part.first, part.rows];
        let [rows, groups, outputs, first, count] = numbers.map(|n| n as u32);
        let eps = self.before.as_ref().and_then(|before| before.norm.as_ref());
        let eps = eps.map_or(0.0, |norm| norm.eps);
        LinearParams { rows, groups, outputs, first, count, part_groups: groups, eps }
    }

    /// Returns the kernel that also normalizes x, if that is to be done.
    fn kernel(&self, kernel: Kernel) -> Kernel {
        let consumer = self.before.as_ref().and_then(|_| kernel.consumer());
        consumer.map_or(kernel, Kernel::Normed)
    }

    /// Returns the buffers at the bindings of x_normed.wgsl, if x is to be normalized.
    fn bindings(&self) -> impl Iterator<Item = (u32, &Buffer)> {
        self.before.iter().flat_map(|before| before.bindings())
    }
}

/// Returns the buffers of x: the rows, or their values and scales in 8 bits.
fn rows_of<'a>(
    from: &'a Buffer,
    quantized: Option<&'a [PooledBuffer; 2]>,
) -> impl Iterator<Item = (u32, &'a Buffer)> {
    let [values, scales] = match quantized {
        None => [Some(from), None],
        Some(of) => of.each_ref().map(|buffer| Some(buffer.buffer())),
    };
    [(2, values), (6, scales)].into_iter().filter_map(|(binding, buffer)| Some((binding, buffer?)))
}

/// Records the sum of a layer's parts.
pub(super) fn sum_parts(gpu: &mut Gpu, end: &Unfinished) {
    let Some((bias, activation)) = &end.layer else { return };
    let [rows, count] = [end.rows, end.cols].map(|n| n as u32);
    let params =
        LinearParams { rows, groups: 0, outputs: count, first: 0, count, part_groups: 0, eps: 0.0 };
    let constants = [("ACTIVATION", f64::from(*activation as u8)), ("PARTS", f64::from(end.parts))];
    let buffers = [(1, &end.to), (2, &end.from), (5, bias)];
    let grid = folded((end.rows * groups(end.cols)).div_ceil(64));
    gpu.run(Kernel::LinearSumParts, &constants, &params, &buffers, grid);
}

/// Returns the kernel of a tile.
fn tiled(variant: Variant, precision: Precision, tile: &'static Tile) -> Kernel {
    match variant.arithmetic {
        Arithmetic::F32 => Kernel::Linear(precision, tile),
        Arithmetic::F16 => Kernel::LinearF16(precision, tile),
        Arithmetic::Int8 if variant.quantizes() => Kernel::LinearQuantized(tile),
        Arithmetic::Int8 => Kernel::LinearRounded(tile),
    }
}

/// Returns the number of workgroups of a layer over this number of rows, at most.
pub(super) fn workgroups(variant: Variant, rows: usize, weight: &GpuMatrix) -> u64 {
    let grid = match variant.layout {
        Layout::Tiling(Tiling { tile, parts }) | Layout::Rounding(Tiling { tile, parts }) => {
            let [width, height] = [tile.width(), tile.height()].map(|side| side as usize);
            [weight.rows.div_ceil(width) as u32, rows.div_ceil(height) as u32, parts]
        }
        _ => kernel_of(variant, weight.precision, rows, weight.rows).map_or([0; 3], |of| of.2),
    };
    grid.map(u64::from).iter().product()
}

/// Returns the kernel of a variant for a result `[rows, outputs]`, with its constants and its grid.
/// [`Gpu::record_tiled`] knows those of a tiling. `None`: a variant of another operation.
pub(super) fn kernel_of(
    variant: Variant,
    precision: Precision,
    rows: usize,
    outputs: usize,
) -> Option<Chosen> {
    let tiles = |width: usize, height: usize| {
        [outputs.div_ceil(width) as u32, rows.div_ceil(height) as u32, 1]
    };
    Some(match (variant.layout, variant.arithmetic) {
        // Software adapters: fewest loads first, see shaders/shared/barrier_free.wgsl.
        (Layout::BarrierFree, arithmetic) => {
            let tall = [1, 4, 8][usize::from(rows > 1) + usize::from(rows > 4)];
            let kernel = match arithmetic {
                Arithmetic::Int8 => Kernel::LinearBarrierFreeInt8,
                _ => Kernel::LinearBarrierFree(precision),
            };
            (kernel, vec![("ROWS", tall as f64)], tiles(256, tall))
        }
        (Layout::FewRows, Arithmetic::Int8) => {
            let grid = folded(groups(outputs).div_ceil(8));
            (Kernel::LinearFewRowsInt8, vec![("ROWS", rows as f64)], grid)
        }
        (Layout::FewRows, _) => {
            let one = f64::from(u8::from(rows == 1));
            // A narrow result has few workgroups, and often many inputs.
            let lanes = if outputs <= NARROW { 32 } else { 8 };
            let grid = folded((4 * groups(outputs)).div_ceil(64 / lanes));
            let constants = vec![("ONE_ROW", one), ("LANES", lanes as f64)];
            (Kernel::LinearFewRows(precision), constants, grid)
        }
        (Layout::Tiling(Tiling { tile, .. }) | Layout::Rounding(Tiling { tile, .. }), _) => {
            (tiled(variant, precision, tile), Vec::new(), [0; 3])
        }
        _ => return None,
    })
}
