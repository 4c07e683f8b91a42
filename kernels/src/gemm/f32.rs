//! Products of f32 numbers, or widened to f32: tiles of rows by panels of columns, block by block of the numbers that
//! a sum is over. The forward pass of a linear layer and both of its gradients are such a product.

use std::ops::Range;

use super::dot_f32::{self, TileSums};
use super::matrix::blocks;
use super::{LANES, Matrix, NR, bands, pack, tile};
use crate::simd::Aligned;
use crate::threads::{Bands, even_part, parallel_blocks, parallel_rows};
use crate::{Activation, Rows, Workspace};

/// The operands of y = a · bᵀ, where a is `[rows, depth]` and b `[columns, depth]`.
pub(crate) trait Operands: Sync {
    /// Columns of a and b.
    fn depth(&self) -> usize;
    /// Rows of b, and so columns of y.
    fn columns(&self) -> usize;
    /// Packs `height` rows of a from row `first` on, of its columns `block`, as [`pack::vectors`] does.
    fn pack(&self, first: usize, height: usize, block: Range<usize>, packed: &mut [f32]);
    /// A block of columns, counted in vectors, of the [`NR`] rows of b of a panel: in place, or in `buffer`.
    fn panel<'a>(
        &'a self,
        panel: usize,
        block: &Range<usize>,
        buffer: &'a mut Aligned<[f32; LANES]>,
    ) -> [&'a [[f32; LANES]]; NR];
    /// What is added to these columns of each row of y; `None`: what y holds.
    fn initial(&self, columns: Range<usize>) -> Option<[[f32; 4]; 2]>;
}

/// y = x · Wᵀ + bias: `x` is `[any, inputs]`, `weight` `[outputs, inputs]`, `bias` `[outputs]`.
pub(crate) struct Forward<'a> {
    pub(crate) x: &'a Rows,
    pub(crate) weight: &'a Matrix,
    pub(crate) bias: &'a [f32],
}

impl Operands for Forward<'_> {
    fn depth(&self) -> usize {
        self.weight.cols
    }

    fn columns(&self) -> usize {
        self.weight.rows
    }

    #[inline(always)]
    fn pack(&self, first: usize, height: usize, block: Range<usize>, packed: &mut [f32]) {
        pack::vectors(&self.x.data, self.weight.cols, first, height, block, packed);
    }

    #[inline(always)]
    fn panel<'a>(
        &'a self,
        panel: usize,
        block: &Range<usize>,
        buffer: &'a mut Aligned<[f32; LANES]>,
    ) -> [&'a [[f32; LANES]]; NR] {
        self.weight.panel(panel, block, buffer)
    }

    #[inline(always)]
    fn initial(&self, columns: Range<usize>) -> Option<[[f32; 4]; 2]> {
        Some(tile::load(&self.bias[columns]))
    }
}

/// `y`, `[rows.len(), columns]`, becomes activation(a\[rows\] · bᵀ + initial). The sums of the first block of columns
/// start from the operands' initial numbers, those of the next ones from what `y` holds.
pub(crate) fn gemm(
    operands: &impl Operands,
    rows: Range<usize>,
    activation: Activation,
    y: &mut [f32],
    workspace: &mut Workspace,
) {
    let (count, depth, outputs) = (rows.len(), operands.depth(), operands.columns());
    let Workspace { packed, threads } = workspace;
    let (tiles, bands) = (count.div_ceil(dot_f32::MR), bands(count, threads.len()));
    for block in blocks(depth) {
        let columns = block.start * LANES..depth.min(block.end * LANES);
        let width = block.len() * LANES;
        packed.resize(count * width);
        parallel_rows(threads, packed, width, tiles, &|_, at, packed| {
            let height = packed.len() / width;
            operands.pack(rows.start + at, height, columns.clone(), packed);
        });
        let activation = if columns.end == depth { activation } else { Activation::Identity };
        let cut = Bands::Tiles { tiles, bands };
        parallel_blocks(threads, y, outputs, cut, NR, &|local, mut y| {
            let mut tile_sums = TileSums::new();
            for panel in y.panels(NR) {
                let columns = tile::columns(panel, 0..outputs);
                let to_columns = y.within(&columns);
                let initial = match block.start {
                    0 => operands.initial(columns.clone()),
                    _ => None,
                };
                let weights = operands.panel(panel, &block, &mut local.panel);
                for tile in even_part(tiles, bands, y.band) {
                    let rows = even_part(count, tiles, tile);
                    let (height, at) = (rows.len(), rows.start - y.rows.start);
                    let packed = &packed[rows.start * width..rows.end * width];
                    for (r, sums) in tile_sums.sums[..height].iter_mut().enumerate() {
                        *sums = match initial {
                            Some(initial) => initial,
                            None => tile::load(&y.row(at + r)[to_columns.clone()]),
                        };
                    }
                    tile_sums.add(height, packed, &weights);
                    let (sums, to_columns) = (&mut tile_sums.sums, to_columns.clone());
                    tile::store(sums, height, activation, &mut y, at, to_columns);
                }
            }
        });
    }
}
