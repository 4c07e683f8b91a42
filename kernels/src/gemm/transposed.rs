//! Products of f32 numbers y = a · bᵀ where b's columns are what memory has rows of, as in the gradients of a linear
//! layer. Block by block of the numbers that a sum is over, all panels of b are transposed once, and each chunk of rows
//! of a then passes over them: to transpose them for each chunk again would take a tenth of the time.

use std::array::from_fn;
use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};

use super::f32::{Operands, Tiles, multiply_block};
use super::matrix::blocks;
use super::{LANES, NR, chunks};
use crate::simd::Aligned;
use crate::threads::parallel_rows;
use crate::{Activation, OutOfMemory, Workspace};

/// Panels that are packed at a time: they take whole cache lines of each row in memory.
const PANELS: usize = 4;

/// The operands of y = a · bᵀ, where a is `[rows, depth]` and b `[columns, depth]`.
pub(crate) trait TransposedOperands: Sync {
    /// As [`Operands::TILES`].
    const TILES: usize;

    /// Rows of a and y.
    fn count(&self) -> usize;
    /// Columns of a and b.
    fn depth(&self) -> usize;
    /// Rows of b, and so columns of y.
    fn columns(&self) -> usize;
    /// As [`Operands::pack`].
    fn pack(&self, tiles: Tiles, block: Range<usize>, packed: &mut [f32]);
    /// Packs panels of [`NR`] rows of b, of a block of columns that is counted in vectors: `[panels, NR, vectors]`.
    fn pack_panels(&self, panels: Range<usize>, block: &Range<usize>, packed: &mut [[f32; LANES]]);
    /// As [`Operands::initial`].
    fn initial(&self) -> Option<[[f32; 4]; 2]>;
}

/// `y`, `[rows, columns]`, becomes a · bᵀ + initial.
///
/// # Errors
/// [`OutOfMemory`] where what is packed does not fit in memory; `y` may then be half written.
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

/// Operands with the panels of b of a block, `[panels, NR, vectors]`.
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
