//! The encoder's forward pass, for every family and every device.

use super::pass::{Inference, Pass, Residual};
use super::words::{self, Ids};
use super::{EncoderOn, Layer, bottleneck, disentangled, span};
use crate::Result;
use crate::backend::{Activation, Backend, Relative, Rotation};
use crate::batch::Batch;
use crate::config::{Config, Rotary};

/// Activations of a forward pass, reused by later passes.
pub struct Scratch<B: Backend> {
    /// The state `[tokens, hidden]`, with one row per token.
    pub state: B::Rows,
    /// Output of attention or feed-forward, before it becomes the state.
    pub(super) next: B::Rows,
    /// `[tokens, 3 · hidden]` for attention, then `[tokens, intermediate]` for the feed-forward, or
    /// twice as many columns if it is gated.
    pub(super) wide: B::Rows,
    /// Output of a gated feed-forward's gate, `[tokens, intermediate]`.
    pub(super) gated: B::Rows,
    /// If norms come first: the sum of all layers' outputs, `[tokens, hidden]`. `state` is then its
    /// normalized copy.
    residual: B::Rows,
    /// `[tokens, hidden]`
    pub(super) context: B::Rows,
    /// The rows of `context` that are read, `[rows, hidden]`.
    pub(super) chosen: B::Rows,
    /// Rows of the table of relative positions that the batch needs, `[distances, hidden]`.
    pub(super) relative: B::Rows,
    /// Their projections for a layer.
    pub(super) positions: B::Rows,
    /// Result of the convolution over the embeddings, `[tokens, hidden]`, or beside attention.
    pub(super) convolved: B::Rows,
    /// Input of a narrower layer, `[tokens, width]`, or the result of attention beside a
    /// convolution.
    pub(super) narrow: B::Rows,
}

impl<B: Backend> Default for Scratch<B> {
    fn default() -> Self {
        Self {
            state: B::Rows::default(),
            next: B::Rows::default(),
            wide: B::Rows::default(),
            gated: B::Rows::default(),
            residual: B::Rows::default(),
            context: B::Rows::default(),
            chosen: B::Rows::default(),
            relative: B::Rows::default(),
            positions: B::Rows::default(),
            convolved: B::Rows::default(),
            narrow: B::Rows::default(),
        }
    }
}

/// Which states are computed, and which of them are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    /// Number of layers to run.
    pub layers: usize,
    /// Rows of the last layer that are read, in this order. Its output is computed for these rows
    /// only. `None`: all rows.
    pub rows: Option<Vec<u32>>,
    /// If true, the last state is replaced by the mean of each sequence, one row each.
    pub mean: bool,
    /// States to keep: 0 is the embeddings' output, n the output of layer n. If norms come first,
    /// the number after the last layer is the normalized copy of its output.
    pub states: Vec<usize>,
    /// If true, attention probabilities are kept.
    pub attentions: bool,
    /// If true, the values inside each layer are kept: see [`Trace::inside`].
    pub inside: bool,
}

/// Copies of intermediate results.
pub struct Trace<B: Backend> {
    /// The kept states, in the order of the layers.
    pub states: Vec<B::Rows>,
    /// Attention probabilities per layer, if kept. If attentions are scores, these are the queries,
    /// keys and values, `[rows, 3 · hidden]`.
    pub attentions: Vec<B::Rows>,
    /// For each layer, if kept: the queries, keys and values `[rows, 3 · hidden]`, then the
    /// activations of the feed-forward `[rows, intermediate]`. Only for layers with plain attention
    /// and a feed-forward without gate.
    pub inside: Vec<B::Rows>,
}

/// A batch on its device.
pub struct Uploaded<B: Backend> {
    batch: B::Batch,
    /// Numbers of all rows.
    rows: Vec<u32>,
    /// The greatest distance of two tokens of a sequence.
    pub(crate) reach: u32,
    /// Rows of masked tokens.
    pub(crate) masked: Vec<u32>,
    /// Factor of each row's embedding; see [`Structure::token_dropout`].
    factors: Option<Vec<f32>>,
    /// Rows of the tables, if words are embedded before positions and types.
    ids: Option<Ids>,
}

impl<B: Backend> Uploaded<B> {
    /// Copies a batch to the device.
    ///
    /// # Errors
    /// As [`Backend::upload`]. `OutOfMemory`.
    pub fn new(backend: &mut B, batch: Batch) -> Result<Self> {
        let (rows, reach, masked) = (batch.all_rows()?, batch.reach(), batch.masked_rows());
        Ok(Self { batch: backend.upload(batch)?, rows, reach, masked, factors: None, ids: None })
    }

    /// Like [`Uploaded::new`], for the encoder that `config` describes.
    ///
    /// # Errors
    /// As [`Uploaded::new`].
    pub fn of(backend: &mut B, config: &Config, batch: Batch) -> Result<Self> {
        let mask = config.structure().token_dropout;
        let factors = mask.map(|mask| token_dropout(&batch, mask));
        let embeds_words_first =
            cfg!(feature = "families") && config.structure().embeds_words_first;
        let ids = embeds_words_first.then(|| Ids {
            words: batch.ids.clone(),
            types: batch.types.clone(),
            positions: batch.positions.clone(),
        });
        Ok(Self { factors, ids, ..Self::new(backend, batch)? })
    }

    /// Returns the factor of each row's embedding, if embeddings are scaled.
    pub(super) fn factors(&self) -> Option<&Vec<f32>> {
        self.factors.as_ref().filter(|_| cfg!(feature = "families"))
    }

    /// Returns the number of tokens.
    #[cfg(feature = "train")]
    pub(crate) fn tokens(&self) -> usize {
        self.rows.len()
    }

    /// Returns the batch in the form that kernels take.
    pub fn batch(&self) -> &B::Batch {
        &self.batch
    }
}

/// Returns the factor of each row's embedding in ESM: 0 for a mask token. The other embeddings are
/// scaled from the share of other tokens in pre-training, 1 - 0.15 · 0.8, to their share in the
/// sequence.
fn token_dropout(batch: &Batch, mask: u32) -> Vec<f32> {
    let mut factors = Vec::with_capacity(batch.ids.len());
    for sequence in &batch.sequences {
        let ids = &batch.ids[sequence.rows.clone()];
        let masks = ids.iter().filter(|id| **id == mask).count();
        let factor = (1.0 - 0.15 * 0.8) / (1.0 - masks as f32 / sequence.keys.len() as f32);
        // A masked first token has a row, which is zeros as well.
        let rows = sequence.rows.clone().zip(ids);
        factors.extend(rows.map(|(row, id)| match sequence.keys.contains(&row) && *id != mask {
            true => factor,
            false => 0.0,
        }));
    }
    factors
}

/// Runs the encoder. The last layer's output is left in `scratch.state`, `[rows, hidden]`.
///
/// # Errors
/// As [`Backend::upload`].
pub fn encode<B: Backend>(
    backend: &mut B,
    config: &Config,
    encoder: &EncoderOn<B>,
    batch: Batch,
    scratch: &mut Scratch<B>,
    span: &Span,
) -> Result<Trace<B>> {
    let batch = Uploaded::of(backend, config, batch)?;
    Ok(encode_with(&mut Inference, backend, config, encoder, &batch, scratch, span))
}

/// Like [`encode`], with the operations of `pass`.
pub fn encode_with<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    config: &Config,
    encoder: &EncoderOn<B>,
    uploaded: &Uploaded<B>,
    scratch: &mut Scratch<B>,
    span: &Span,
) -> Trace<B> {
    Forward { pass, backend, config, encoder, uploaded, scratch }.run(span)
}

/// A forward pass of an encoder over a batch.
pub(super) struct Forward<'a, B: Backend, P> {
    pub(super) pass: &'a mut P,
    pub(super) backend: &'a mut B,
    pub(super) config: &'a Config,
    pub(super) encoder: &'a EncoderOn<B>,
    pub(super) uploaded: &'a Uploaded<B>,
    pub(super) scratch: &'a mut Scratch<B>,
}

impl<B: Backend, P: Pass<B>> Forward<'_, B, P> {
    /// Runs the encoder. The last layer's output is left in `state`.
    fn run(&mut self, span: &Span) -> Trace<B> {
        let mut trace = Trace { states: Vec::new(), attentions: Vec::new(), inside: Vec::new() };
        let (config, structure) = (self.config, self.config.structure());
        self.embed();
        self.keep_state(&mut trace, span, 0);
        self.begin_layers(span);
        for number in 0..span.layers {
            self.pass.begin_layer(self.backend, number, &self.scratch.state);
            let mut probabilities = span.attentions.then(B::Rows::default);
            self.attend(number, probabilities.as_mut());
            trace.attentions.extend(probabilities);
            self.keep_inside(&mut trace, span);
            let is_last = number + 1 == span.layers;
            self.feed_forward(number, span.rows.as_deref().filter(|_| is_last));
            self.keep_inside(&mut trace, span);
            self.keep_state(&mut trace, span, number + 1);
        }
        // If norms come first, the normalized copy of the last output has a number of its own.
        if structure.norm_first && !structure.normalizes_last_state {
            self.keep_state(&mut trace, span, config.last_state());
        }
        self.pool(span);
        trace
    }

    /// Computes the output of the embeddings.
    fn embed(&mut self) {
        let structure = self.config.structure();
        let ids = self.uploaded.ids.as_ref().filter(|_| cfg!(feature = "families"));
        if let Some(ids) = ids {
            words::embed(self, ids);
        } else {
            let Self { pass, backend, encoder, uploaded, scratch, .. } = self;
            let batch = &uploaded.batch;
            match &encoder.projection {
                Some(_) if structure.projects_first => disentangled::embed(self),
                None => pass.embed(backend, &encoder.embeddings, batch, &mut scratch.state),
                Some(projection) => {
                    pass.embed(backend, &encoder.embeddings, batch, &mut scratch.next);
                    pass.linear(backend, projection, &scratch.next, &mut scratch.state);
                }
            }
        }
        if structure.disentangled.is_some() {
            disentangled::begin(self);
        }
        let Self { backend, uploaded, scratch, .. } = self;
        if let Some(factors) = uploaded.factors().filter(|_| ids.is_none()) {
            backend.scale_rows(&mut scratch.state, factors);
        }
        let clears = cfg!(feature = "families") && structure.clears_masked;
        if clears && !uploaded.masked.is_empty() {
            backend.clear_rows(&mut scratch.state, &uploaded.masked);
        }
    }

    /// Prepares the residual and the norm before the first layer, if the family has them.
    fn begin_layers(&mut self, span: &Span) {
        let structure = self.config.structure();
        let Self { pass, backend, encoder, uploaded, scratch, .. } = self;
        // The residual starts as the output of the embeddings.
        if structure.norm_first {
            backend.gather(&scratch.state, &uploaded.rows, &mut scratch.residual);
        }
        let precedes = structure.first_norm && span.layers > 0;
        if let Some(norm) = encoder.first_norm.as_ref().filter(|_| precedes) {
            pass.norm(backend, &mut scratch.state, norm);
        }
    }

    /// Runs the attention of layer `number` over all rows, from `state` to `context`.
    fn attend(&mut self, number: usize, probabilities: Option<&mut B::Rows>) {
        let structure = self.config.structure();
        if structure.disentangled.is_some() {
            disentangled::attend(self, number, probabilities);
        } else if structure.has_narrow_layers() {
            bottleneck::attend(self, number, probabilities);
        } else if structure.has_span_convolution() {
            span::attend(self, number, probabilities);
        } else if structure.attends_relatively() {
            attend_relatively(self, number, probabilities);
        } else {
            let Self { pass, backend, config, encoder, uploaded, scratch } = self;
            let (layer, batch) = (encoder.layer(number), &uploaded.batch);
            if !cfg!(feature = "families") || !structure.returns_scores {
                return attend(*pass, backend, layer, config.heads, batch, scratch, probabilities);
            }
            attend(*pass, backend, layer, config.heads, batch, scratch, None);
            if let Some(kept) = probabilities {
                backend.gather(&scratch.wide, &uploaded.rows, kept);
            }
        }
    }

    /// Runs the rest of layer `number`. If `rows` is given, the state becomes these rows.
    fn feed_forward(&mut self, number: usize, rows: Option<&[u32]>) {
        let structure = self.config.structure();
        let Self { pass, backend, config, encoder, uploaded, scratch } = self;
        let layer = encoder.layer(number);
        if structure.norm_first {
            feed_forward_norm_first(*pass, backend, config, layer, scratch, rows);
        } else if structure.has_narrow_layers() {
            bottleneck::feed_forward(*pass, backend, layer, scratch, rows);
        } else {
            let gate = structure.gated.then_some(config.activation);
            let convolution = encoder.convolution.as_ref().filter(|_| number == 0);
            // The convolution is added to all rows.
            let first_rows = rows.filter(|_| convolution.is_none());
            feed_forward(*pass, backend, layer, gate, scratch, first_rows);
            if let Some(convolution) = convolution {
                disentangled::add_convolution(*pass, backend, convolution, uploaded, scratch, rows);
            }
        }
    }

    /// Keeps a copy of `wide`, if the span asks for values inside the layers.
    #[inline(always)]
    fn keep_inside(&mut self, trace: &mut Trace<B>, span: &Span) {
        if cfg!(feature = "families") && span.inside {
            let mut copy = B::Rows::default();
            self.backend.gather(&self.scratch.wide, &self.uploaded.rows, &mut copy);
            trace.inside.push(copy);
        }
    }

    /// Copies state `number` to the trace, if it is requested.
    fn keep_state(&mut self, trace: &mut Trace<B>, span: &Span, number: usize) {
        if !span.states.contains(&number) {
            return;
        }
        let (config, structure) = (self.config, self.config.structure());
        // If norms come first, the state is only a normalized copy of a layer's output.
        let is_layer = structure.norm_first && (1..=config.layers).contains(&number);
        let is_normalized = structure.normalizes_last_state && number == config.layers;
        let state = match is_layer && !is_normalized {
            true => &self.scratch.residual,
            false => &self.scratch.state,
        };
        let mut copy = B::Rows::default();
        self.backend.gather(state, &self.uploaded.rows, &mut copy);
        trace.states.push(copy);
    }

    /// Replaces the last state by the mean of each sequence, or by the rows that are read.
    fn pool(&mut self, span: &Span) {
        let Self { backend, uploaded, scratch, .. } = self;
        let Scratch { state, next, .. } = &mut **scratch;
        if span.mean {
            backend.mean(state, &uploaded.batch, next);
            std::mem::swap(state, next);
        }
        // Without a layer, nothing has selected the rows yet.
        if let Some(rows) = span.rows.as_deref().filter(|_| span.layers == 0) {
            backend.gather(state, rows, next);
            std::mem::swap(state, next);
        }
    }
}

/// Runs one layer over all rows, from `scratch.state` to `scratch.state`. Its attention must depend
/// on contents only.
#[cfg(feature = "train")]
pub(crate) fn run_layer<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    layer: &Layer<B::Matrix, B::Vector>,
    heads: usize,
    batch: &B::Batch,
    scratch: &mut Scratch<B>,
) {
    attend(pass, backend, layer, heads, batch, scratch, None);
    feed_forward(pass, backend, layer, None, scratch, None);
}

/// Runs a layer's attention over all rows, from `state` to `context`. Every row may be read by any
/// other, so no row can be skipped.
fn attend<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    layer: &Layer<B::Matrix, B::Vector>,
    heads: usize,
    batch: &B::Batch,
    scratch: &mut Scratch<B>,
    probabilities: Option<&mut B::Rows>,
) {
    let Scratch { state, wide, context, .. } = scratch;
    pass.linear(backend, &layer.qkv, state, wide);
    pass.attention(backend, wide, batch, heads, context, probabilities);
}

/// Like [`attend`], for scores that depend on positions: rotary, within a window, or with a bias.
/// These have no gradients.
fn attend_relatively<B: Backend, P: Pass<B>>(
    forward: &mut Forward<'_, B, P>,
    number: usize,
    probabilities: Option<&mut B::Rows>,
) {
    let Forward { pass, backend, config, encoder, uploaded, scratch } = forward;
    let (structure, heads, batch) = (config.structure(), config.heads, &uploaded.batch);
    let Scratch { state, wide, context, .. } = &mut **scratch;
    pass.linear(backend, &encoder.layer(number).qkv, state, wide);
    let is_global = structure.is_global(number);
    if let Some(rotary) = structure.rotary {
        let theta = if is_global { rotary.global_theta } else { rotary.local_theta };
        let Rotary { interleaved, values, .. } = rotary;
        let rotation = Rotation { theta, interleaved, values };
        backend.rotary(wide, batch, heads, &rotation, encoder.rotary_table.as_ref());
    }
    let reach = structure.local.as_ref().filter(|_| !is_global).map(|local| local.reach);
    let vectors = encoder.layer(number).distances.as_ref();
    let distances = vectors.zip(structure.distances);
    let relative = Relative { reach, bias: encoder.relative_bias.as_ref(), distances };
    if reach.is_none() && relative.bias.is_none() && distances.is_none() {
        backend.attention(wide, batch, heads, context, probabilities);
    } else {
        backend.attention_relative(wide, batch, heads, &relative, context, probabilities);
    }
}

/// Runs the rest of a layer, row by row: attention's output, residual, norm, feed-forward,
/// residual, norm. If `rows` is given, the state becomes these rows. `gate` is the activation of a
/// gated feed-forward, which has no gradient.
fn feed_forward<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    layer: &Layer<B::Matrix, B::Vector>,
    gate: Option<Activation>,
    scratch: &mut Scratch<B>,
    rows: Option<&[u32]>,
) {
    let Scratch { state, next, wide, gated, context, chosen, .. } = scratch;
    let context = match rows {
        None => &*context,
        Some(rows) => {
            backend.gather(context, rows, chosen);
            backend.gather(state, rows, next);
            std::mem::swap(state, next);
            &*chosen
        }
    };
    pass.linear(backend, &layer.attention_output, context, next);
    pass.add_norm(backend, next, Residual::Attention, state, &layer.attention_norm);
    if let Some(activation) = gate {
        pass.linear(backend, &layer.intermediate, next, wide);
        backend.gate(wide, activation, gated);
        pass.linear(backend, &layer.output, gated, state);
    } else {
        pass.feed_forward(backend, [&layer.intermediate, &layer.output], next, wide, state);
    }
    pass.add_norm(backend, state, Residual::FeedForward, next, &layer.output_norm);
}

/// Like [`feed_forward`], for families in which norms come first. The residual is never normalized;
/// the state is its normalized copy for the next operation. A gated layer has no gradient.
fn feed_forward_norm_first<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    config: &Config,
    layer: &Layer<B::Matrix, B::Vector>,
    scratch: &mut Scratch<B>,
    rows: Option<&[u32]>,
) {
    let Scratch { state, next, wide, gated, residual, context, chosen, .. } = scratch;
    let context = match rows {
        None => &*context,
        Some(rows) => {
            backend.gather(context, rows, chosen);
            backend.gather(residual, rows, next);
            std::mem::swap(residual, next);
            &*chosen
        }
    };
    pass.linear(backend, &layer.attention_output, context, next);
    backend.residual_norm(next, residual, &layer.attention_norm);
    pass.linear(backend, &layer.intermediate, next, wide);
    let inner = if config.structure().gated {
        backend.gate(wide, config.activation, gated);
        &*gated
    } else {
        &*wide
    };
    pass.linear(backend, &layer.output, inner, state);
    backend.residual_norm(state, residual, &layer.output_norm);
}
