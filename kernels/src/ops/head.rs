//! One attention head, packed for the matrix products of attention.

use std::ops::Range;

use crate::Rows;
use crate::gemm::tile::{MR, for_tiles, with_rows};
use crate::gemm::{NR, pack};
use crate::simd::Aligned;

/// Some rows and columns of a matrix: the queries, keys or values of one head of one sequence.
#[derive(Debug, Clone)]
pub(super) struct Head<'a> {
    pub(super) of: &'a Rows,
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
}

impl Head<'_> {
    /// Returns row `row` of the head.
    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.of.data[(self.rows.start + row) * self.of.cols..][self.columns.clone()]
    }

    /// Returns a range of its rows, counted from its first row.
    pub(super) fn part(&self, rows: Range<usize>) -> Self {
        Self { rows: self.rows.start + rows.start..self.rows.start + rows.end, ..self.clone() }
    }

    /// Packs the rows in tiles of up to [`MR`], each `[columns, height]`.
    pub(super) fn pack_rows(&self, packed: &mut Vec<f32>) {
        let (count, width) = (self.rows.len(), self.columns.len());
        packed.resize(count * width, 0.0);
        for_tiles(count, MR, |at, height| {
            let packed = &mut packed[at * width..][..height * width];
            let first = self.rows.start + at;
            pack::columns(&self.of.data, self.of.cols, first, height, self.columns.clone(), packed);
        });
    }

    /// Packs the columns in tiles of up to [`MR`], each `[rows, wide]`.
    pub(super) fn pack_columns(&self, packed: &mut Vec<f32>) {
        let (count, width) = (self.rows.len(), self.columns.len());
        packed.resize(count * width, 0.0);
        for_tiles(width, MR, |at, wide| {
            let packed = &mut packed[at * count..][..wide * count];
            let first = self.rows.start * self.of.cols + self.columns.start + at;
            let rows = self.of.data[first..].chunks(self.of.cols);
            // A copy of constant length compiles to a few loads and stores; any other calls
            // memory.copy.
            with_rows!(wide, R => {
                for (to, from) in packed.as_chunks_mut::<R>().0.iter_mut().zip(rows) {
                    if let Some(from) = from.first_chunk() {
                        *to = *from;
                    }
                }
            });
        });
    }

    /// Packs at most [`NR`] rows, multiplied by `scale`, as `[columns, NR]` with one row per lane.
    /// Other lanes keep their old values.
    pub(super) fn pack_panel(&self, scale: f32, packed: &mut Aligned<[f32; NR]>) {
        packed.resize(self.columns.len());
        for lane in 0..self.rows.len() {
            for (to, value) in packed.iter_mut().zip(self.row(lane)) {
                to[lane] = value * scale;
            }
        }
    }
}
