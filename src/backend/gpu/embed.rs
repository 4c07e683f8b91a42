//! Embeddings: the sum of rows of three tables, normalized.

use super::kernels::{EMBEDDING_TABLES, Kernel};
use super::matrix::MatrixPart;
use super::params::NormParams;
use super::record::folded;
use super::{Gpu, GpuBatch, GpuMatrix, GpuRows, GpuVector};
use crate::backend::{Embeddings, Norm, NormKind, Precision};

/// Storage buffers of embed.wgsl without those of the tables.
const OTHER_BUFFERS: u32 = 4;

impl Gpu {
    /// Records y = norm(word\[id\] + position\[p\] + token_type\[t\]).
    pub(super) fn record_embed(
        &mut self,
        tables: &Embeddings<GpuMatrix, GpuVector>,
        batch: &GpuBatch,
        y: &mut GpuRows,
    ) {
        if let Some((parts, norm)) = self.embeddable(tables) {
            return self.record_embed_at_once(tables, (parts, norm), batch, y);
        }
        self.record_embed_sum(tables, batch, y);
        if let Some(norm) = &tables.norm {
            self.record_norm(y, None, norm);
        }
    }

    /// Returns the tables of words, positions and types, and the norm, if embed.wgsl can compute
    /// them on this device. The table of words stands in for one that the model does not have.
    fn embeddable<'a>(
        &self,
        tables: &'a Embeddings<GpuMatrix, GpuVector>,
    ) -> Option<([&'a MatrixPart; 3], &'a Norm<GpuVector>)> {
        let norm = tables.norm.as_ref().filter(|norm| norm.kind == NormKind::Layer)?;
        let precision = tables.word.precision;
        let buffers = if precision == Precision::I8 { 2 } else { 1 };
        let fits = OTHER_BUFFERS + buffers * EMBEDDING_TABLES.len() as u32
            <= self.device.max_storage_buffers;
        if self.barrier_free || self.embeds_in_steps || !fits || tables.task_type.is_some() {
            return None;
        }
        let whole = |table: Option<&'a GpuMatrix>| {
            let table = table.unwrap_or(&tables.word);
            match &table.parts[..] {
                [part] if table.precision == precision => Some(part),
                _ => None,
            }
        };
        let word = whole(None)?;
        let others = [&tables.position, &tables.token_type].map(|table| whole(table.as_ref()));
        let [position, token_type] = others;
        Some(([word, position?, token_type?], norm))
    }

    /// Records the embeddings in one dispatch.
    fn record_embed_at_once(
        &mut self,
        tables: &Embeddings<GpuMatrix, GpuVector>,
        (parts, norm): ([&MatrixPart; 3], &Norm<GpuVector>),
        batch: &GpuBatch,
        y: &mut GpuRows,
    ) {
        let precision = tables.word.precision;
        if !self.embedded.contains(&precision) {
            self.embedded.push(precision);
        }
        let to = self.shape(y, batch.rows, tables.word.cols);
        let has = |table: &Option<GpuMatrix>| f64::from(u8::from(table.is_some()));
        let constants = [("POSITIONS", has(&tables.position)), ("TYPES", has(&tables.token_type))];
        let (scale, shift) = (&norm.weight.buffer, &norm.bias.buffer);
        let mut buffers = vec![(1, &to), (2, batch.list.buffer()), (3, scale), (4, shift)];
        for (part, (_, first)) in parts.into_iter().zip(EMBEDDING_TABLES) {
            buffers.push((first, &part.values));
            buffers.extend(part.scales.iter().map(|scales| (first + 1, scales)));
        }
        let params = NormParams { rows: y.rows as u32, width: y.cols as u32, eps: norm.eps };
        self.run(Kernel::Embed(precision), &constants, &params, &buffers, folded(y.rows));
    }

    /// Records y = word\[id\] + position\[p\] + token_type\[t\].
    pub(super) fn record_embed_sum(
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
