//! Matrix products in f32, or of numbers widened to f32. Tiles of rows are multiplied by panels of
//! columns, one block of the summed dimension after the other. The forward pass of a linear layer
//! and both of its gradients are such products.

use std::ops::Range;

use super::dot_f32::TileSums;
use super::matrix::blocks;
use super::{LANES, Matrix, NR, bands, pack, tile};
use crate::simd::Aligned;
use crate::threads::{Bands, even_part, parallel_blocks};
use crate::{Activation, OutOfMemory, Rows, ThreadWorkspace, Workspace};

/// Operands of y = a · bᵀ, where a is `[rows, depth]` and b is `[columns, depth]`.
pub(crate) trait Operands: Sync {
    /// Tiles that are packed at a time. More than one is faster if a tile takes less than a cache
    /// line of each row in memory.
    const TILES: usize;

    /// Returns the number of columns of a and b.
    fn depth(&self) -> usize;
    /// Returns the number of rows of b, which are the columns of y.
    fn columns(&self) -> usize;
    /// Packs tiles of rows of a, restricted to its columns `block`, one after the other in the
    /// layout of [`pack::vectors`].
    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]);
    /// Returns the rows of b in a panel, for a block of columns counted in vectors. They are
    /// returned in place or widened into `buffer`.
    fn panel<'a>(
        &'a self,
        panel: usize,
        block: &Range<usize>,
        buffer: &'a mut Aligned<[f32; LANES]>,
    ) -> [&'a [[f32; LANES]]; NR];
    /// Returns the initial values of these columns in each row of y; `None` means the values that y
    /// holds.
    fn initial(&self, columns: Range<usize>) -> Option<[[f32; 4]; 2]>;
}

/// Some of the tiles that rows are divided into.
#[derive(Debug, Clone)]
pub(crate) struct Tiles {
    /// All rows that are divided.
    rows: Range<usize>,
    /// Number of tiles of all rows.
    count: usize,
    /// Numbers of the tiles in this part.
    own: Range<usize>,
}

impl Tiles {
    /// Returns the rows of each tile.
    #[inline(always)]
    pub(crate) fn rows(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self { rows, count, own } = self.clone();
        own.map(move |tile| {
            let Range { start, end } = even_part(rows.len(), count, tile);
            rows.start + start..rows.start + end
        })
    }
}

/// Packs tiles of the rows of `x`, restricted to its columns `block`. It implements
/// [`Operands::pack`] for an operand a that lies row-major in memory.
#[inline(always)]
pub(crate) fn pack_rows(x: &Rows, tiles: &Tiles, block: &Range<usize>, packed: &mut [f32]) {
    let (mut rest, width) = (packed, block.len().next_multiple_of(LANES));
    for rows in tiles.rows() {
        let (packed, others) = rest.split_at_mut(rows.len() * width);
        pack::vectors(&x.data, x.cols, rows.start, rows.len(), block.clone(), packed);
        rest = others;
    }
}

/// Operands of y = x · Wᵀ + bias: `x` is `[any, inputs]`, `weight` is `[outputs, inputs]`, `bias`
/// is `[outputs]`.
pub(crate) struct Forward<'a> {
    pub(crate) x: &'a Rows,
    pub(crate) weight: &'a Matrix,
    pub(crate) bias: &'a [f32],
}

impl Operands for Forward<'_> {
    const TILES: usize = 1;

    fn depth(&self) -> usize {
        self.weight.cols
    }

    fn columns(&self) -> usize {
        self.weight.rows
    }

    #[inline(always)]
    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]) {
        pack_rows(self.x, &tiles, &block, packed);
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

/// Writes activation(a\[rows\] · bᵀ + initial) to `y`, `[rows.len(), columns]`. Sums of the first
/// block of columns start from the initial values of the operands; sums of the next blocks start
/// from the contents of `y`.
///
/// # Errors
/// Returns [`OutOfMemory`] if the packed rows of a do not fit in memory.
pub(crate) fn gemm<O: Operands>(
    operands: &O,
    rows: Range<usize>,
    activation: Activation,
    y: &mut [f32],
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let Workspace { packed, threads, .. } = workspace;
    blocks(operands.depth()).try_for_each(|block| {
        multiply_block(operands, &rows, &block, activation, y, packed, threads)
    })
}

/// Computes the part of [`gemm`] for one block of columns, counted in vectors.
pub(crate) fn multiply_block<O: Operands>(
    operands: &O,
    rows: &Range<usize>,
    block: &Range<usize>,
    activation: Activation,
    y: &mut [f32],
    packed: &mut Aligned<f32>,
    threads: &mut [ThreadWorkspace],
) -> Result<(), OutOfMemory> {
    let (count, depth, outputs) = (rows.len(), operands.depth(), operands.columns());
    let (tiles, bands) = (count.div_ceil(tile::MR), bands(count, threads.len()));
    let columns = block.start * LANES..depth.min(block.end * LANES);
    let width = block.len() * LANES;
    packed.try_resize(count * width, count)?;
    let cut = Bands::Tiles { tiles, bands: tiles.div_ceil(O::TILES) };
    parallel_blocks(threads, packed, width, cut, width, &|_, mut packed| {
        let own = even_part(tiles, tiles.div_ceil(O::TILES), packed.band);
        let tiles = Tiles { rows: rows.clone(), count: tiles, own };
        operands.pack(tiles, columns.clone(), packed.whole());
    });
    // The activation must see the whole sum, so it comes after the last block.
    let activation = if columns.end == depth { activation } else { Activation::Identity };
    let cut = Bands::Tiles { tiles, bands };
    parallel_blocks(threads, y, outputs, cut, NR, &|local, mut y| {
        let mut tile_sums = TileSums::new();
        for panel in y.panels(NR) {
            let columns = tile::columns(panel, 0..outputs);
            let to_columns = y.within(&columns);
            let initial = match block.start {
                0 => operands.initial(columns),
                _ => None,
            };
            let weights = operands.panel(panel, block, &mut local.panel);
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
    Ok(())
}
