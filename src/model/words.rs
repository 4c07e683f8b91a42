//! Embeddings whose words are changed before positions and types are added: MobileBERT projects
//! them together with their neighbours, ESM-1b scales them. They have no gradient.

use super::encoder::{Forward, Scratch};
use super::pass::Pass;
use crate::backend::Backend;

/// Rows of the tables of embeddings.
pub(super) struct Ids {
    /// Rows of the table of words.
    pub(super) words: Vec<u32>,
    /// Rows of the table of token types.
    pub(super) types: Vec<u32>,
    /// Rows of the table of positions.
    pub(super) positions: Vec<u32>,
}

/// Computes the state from the rows `ids`.
pub(super) fn embed<B: Backend, P: Pass<B>>(forward: &mut Forward<'_, B, P>, ids: &Ids) {
    let Forward { pass, backend, config, encoder, uploaded, scratch } = forward;
    let Scratch { state, next, wide, .. } = &mut **scratch;
    let tables = &encoder.embeddings;
    backend.lookup(&tables.word, &ids.words, state);
    if config.structure().trigrams {
        backend.unfold(state, uploaded.batch(), 3, true, wide);
        std::mem::swap(state, wide);
    }
    if let Some(projection) = &encoder.projection {
        pass.linear(backend, projection, state, next);
        std::mem::swap(state, next);
    }
    if let Some(factors) = uploaded.factors() {
        backend.scale_rows(state, factors);
    }
    let added = [(&tables.token_type, &ids.types), (&tables.position, &ids.positions)];
    for (table, rows) in added {
        if let Some(table) = table {
            backend.lookup(table, rows, next);
            backend.add(next, state);
        }
    }
    if let Some(norm) = &tables.norm {
        pass.norm(backend, state, norm);
    }
}
