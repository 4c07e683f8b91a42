//! What DeBERTa's encoder does beyond BERT's: embeddings of masked tokens are 0, attention compares
//! contents with relative positions, and a convolution follows the first layer.

use super::Convolution;
use super::encoder::{Forward, Scratch, Uploaded};
use super::pass::{Pass, Residual};
use crate::backend::{Backend, Disentangled};
use crate::config::{self, Config};

/// Computes the state from narrow embeddings, which are projected before their norm. It has no
/// gradient.
pub(super) fn embed<B: Backend, P: Pass<B>>(forward: &mut Forward<'_, B, P>) {
    let Forward { pass, backend, encoder, uploaded, scratch, .. } = forward;
    let Scratch { state, next, .. } = &mut **scratch;
    backend.embed_sum(&encoder.embeddings, uploaded.batch(), next);
    if let Some(projection) = &encoder.projection {
        pass.linear(backend, projection, next, state);
    }
    if let Some(norm) = &encoder.embeddings.norm {
        pass.norm(backend, state, norm);
    }
}

/// Prepares for the layers: clears the state of masked tokens, looks up the relative positions that
/// the batch needs, and computes the convolution.
pub(super) fn begin<B: Backend, P: Pass<B>>(forward: &mut Forward<'_, B, P>) {
    let Forward { pass, backend, config, encoder, uploaded, scratch } = forward;
    let Scratch { state, next, relative, convolved, .. } = &mut **scratch;
    if !uploaded.masked.is_empty() {
        backend.clear_rows(state, &uploaded.masked);
    }
    let structure = config.structure();
    if let Some((table, of)) = encoder.relative.as_ref().zip(structure.disentangled) {
        let (first, last) = table_rows(&of, uploaded.reach);
        let rows: Vec<u32> = (first as u32..=last as u32).collect();
        backend.lookup(&table.table, &rows, relative);
        if let Some(norm) = &table.norm {
            pass.norm(backend, relative, norm);
        }
    }
    if let Some((convolution, of)) = encoder.convolution.as_ref().zip(structure.convolution) {
        backend.unfold(state, uploaded.batch(), of.taps, false, next);
        pass.linear(backend, &convolution.linear, next, convolved);
    }
}

/// Returns the first and the last row of the table for distances up to `reach`.
pub(crate) fn table_rows(of: &config::Disentangled, reach: u32) -> (usize, usize) {
    let reach = i64::from(reach);
    (of.distances.row(-reach), of.distances.row(reach))
}

/// Runs a layer's attention over all rows, from `state` to `context`.
pub(super) fn attend<B: Backend, P: Pass<B>>(
    forward: &mut Forward<'_, B, P>,
    number: usize,
    probabilities: Option<&mut B::Rows>,
) {
    let Forward { pass, backend, config, encoder, uploaded, scratch } = forward;
    let Some(of) = config.structure().disentangled else { return };
    let layer = encoder.layer(number);
    let Scratch { state, wide, context, relative, positions, .. } = &mut **scratch;
    if encoder.relative.is_some() {
        let projections = layer.positions.as_ref().unwrap_or(&layer.qkv);
        pass.project_positions(backend, projections, relative, positions);
    }
    pass.linear(backend, &layer.qkv, state, wide);
    let positions = encoder.relative.is_some().then_some(&*positions);
    let disentangled = of_layer(config, &of, uploaded.reach, positions);
    let (batch, heads) = (uploaded.batch(), config.heads);
    pass.attention_disentangled(backend, wide, batch, heads, &disentangled, context, probabilities);
}

/// Returns how scores of a layer depend on relative positions. `reach` is the greatest distance of
/// two tokens, and `positions` are the layer's projections.
pub(crate) fn of_layer<'a, R>(
    config: &Config,
    of: &config::Disentangled,
    reach: u32,
    positions: Option<&'a R>,
) -> Disentangled<'a, R> {
    let key = if of.shares_projections || of.position_to_content { config.hidden } else { 0 };
    Disentangled {
        positions,
        first: table_rows(of, reach).0,
        distances: of.distances,
        keys: of.content_to_position.then_some(key),
        queries: of.position_to_content.then_some(0),
        factor: of.factor,
    }
}

/// Adds the convolution to the output of the first layer. If `rows` is given, the state becomes
/// these rows.
pub(super) fn add_convolution<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    convolution: &Convolution<B::Matrix, B::Vector>,
    uploaded: &Uploaded<B>,
    scratch: &mut Scratch<B>,
    rows: Option<&[u32]>,
) {
    let Scratch { state, next, convolved, .. } = scratch;
    pass.add_norm(backend, convolved, Residual::FeedForward, state, &convolution.norm);
    std::mem::swap(state, convolved);
    if !uploaded.masked.is_empty() {
        backend.clear_rows(state, &uploaded.masked);
    }
    if let Some(rows) = rows {
        backend.gather(state, rows, next);
        std::mem::swap(state, next);
    }
}
