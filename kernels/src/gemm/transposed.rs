//! Products y = a · bᵀ in f32, where memory holds the rows of bᵀ, as in the gradients of a linear
//! layer.
//!
//! For each block of the summed dimension all panels of b are transposed once. Each chunk of rows
//! of a then passes over them. Transposing them again for each chunk would take a tenth of the
//! time.

use std::array::from_fn;
use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};

use super::f32::{Operands, Tiles, multiply_block};
use super::matrix::blocks;
use super::{LANES, NR, chunks};
use crate::simd::Aligned;
use crate::threads::parallel_rows;
use crate::{Activation, OutOfMemory, Workspace};

/// Panels that are packed at a time. They use whole cache lines of each row in memory.
const PANELS: usize = 4;

/// Operands of y = a · bᵀ, where a is `[rows, depth]` and b is `[columns, depth]`.
pub(crate) trait TransposedOperands: Sync {
    /// See [`Operands::TILES`].
    const TILES: usize;

    /// Returns the number of rows of a and y.
    fn count(&self) -> usize;
    /// Returns the number of columns of a and b.
    fn depth(&self) -> usize;
    /// Returns the number of rows of b, which are the columns of y.
    fn columns(&self) -> usize;
    /// See [`Operands::pack`].
    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]);
    /// Packs panels of [`NR`] rows of b for a block of columns, counted in vectors: `[panels, NR,
    /// vectors]`.
    fn pack_panels(&self, panels: Range<usize>, block: &Range<usize>, packed: &mut [[f32; LANES]]);
    /// See [`Operands::initial`].
    fn initial(&self) -> Option<[[f32; 4]; 2]>;
}

/// Writes a · bᵀ + initial to `y`, `[rows, columns]`.
///
/// # Errors
/// Returns [`OutOfMemory`] if the packed operands do not fit in memory. `y` may then be half
/// written.
pub(crate) fn gemm<O: TransposedOperands>(
    operands: &O,
    y: &mut [f32],
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let Workspace { packed, panels, threads } = workspace;
    let (columns, count) = (operands.columns(), operands.columns().div_ceil(NR));
    for block in blocks(operands.depth()) {
        let width = NR * block.len() * LANES;
        panels.try_resize(count * width, columns)?;
        parallel_rows(threads, panels, width, count.div_ceil(PANELS), &|_, first, packed| {
            let panels = first..first + packed.len() / width;
            operands.pack_panels(panels, &block, cast_slice_mut(packed));
        });
        let packed_operands = Packed { operands, panels: cast_slice(panels) };
        for rows in chunks(operands.count(), block.len() * LANES, threads.len()) {
            let y = &mut y[rows.start * columns..rows.end * columns];
            let identity = Activation::Identity;
            multiply_block(&packed_operands, &rows, &block, identity, y, packed, threads)?;
        }
    }
    Ok(())
}

/// Operands whose b is already packed: the panels of one block, `[panels, NR, vectors]`.
struct Packed<'a, O> {
    operands: &'a O,
    panels: &'a [[f32; LANES]],
}

impl<O: TransposedOperands> Operands for Packed<'_, O> {
    const TILES: usize = O::TILES;

    fn depth(&self) -> usize {
        self.operands.depth()
    }

    fn columns(&self) -> usize {
        self.operands.columns()
    }

    #[inline(always)]
    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]) {
        self.operands.pack(tiles, block, packed);
    }

    #[inline(always)]
    fn panel<'a>(
        &'a self,
        panel: usize,
        block: &Range<usize>,
        _: &'a mut Aligned<[f32; LANES]>,
    ) -> [&'a [[f32; LANES]]; NR] {
        from_fn(|row| &self.panels[(panel * NR + row) * block.len()..][..block.len()])
    }

    #[inline(always)]
    fn initial(&self, _: Range<usize>) -> Option<[[f32; 4]; 2]> {
        self.operands.initial()
    }
}
