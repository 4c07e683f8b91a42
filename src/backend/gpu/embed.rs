//! Embeddings: the sum of rows of three tables, normalized.

use super::{Gpu, GpuBatch, GpuMatrix, GpuRows, GpuVector};
use crate::backend::Embeddings;

impl Gpu {
    /// Records y = word\[id\] + position\[p\] + token_type\[t\].
    pub(super) fn record_embed(
        &mut self,
        tables: &Embeddings<GpuMatrix, GpuVector>,
        batch: &GpuBatch,
        y: &mut GpuRows,
    ) {
        self.shape(y, batch.rows, tables.word.cols);
        let list = batch.list.buffer();
        let tasks = tables.task_type.as_ref().map(|table| (table, self.list(&vec![0; batch.rows])));
        let mut add = |table: &GpuMatrix, first, more| {
            self.record_gather((table.precision, &table.parts), (list, first), more, y);
        };
        add(&tables.word, batch.first_id, false);
        if let Some(positions) = &tables.position {
            add(positions, batch.first_position, true);
        }
        if let Some(types) = &tables.token_type {
            add(types, batch.first_type, true);
        }
        if let Some((table, zeros)) = tasks {
            let of = (table.precision, &table.parts[..]);
            self.record_gather(of, (zeros.buffer(), 0), true, y);
        }
    }
}
