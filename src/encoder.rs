//! The forward pass, once, for every family and every device.

use crate::Result;
use crate::backend::Backend;
use crate::batch::Batch;
use crate::config::Config;
use crate::weights::{Layer, WeightsOn};

/// Activations of a forward pass, kept and reused.
pub struct Scratch<B: Backend> {
    /// The state: one row a token, `[tokens, hidden]`.
    pub state: B::Rows,
    /// What attention and the feed-forward give before it becomes the state.
    next: B::Rows,
    /// `[tokens, 3 · hidden]`, then the feed-forward's `[tokens, intermediate]`.
    wide: B::Rows,
    /// `[tokens, hidden]`
    context: B::Rows,
}

impl<B: Backend> Default for Scratch<B> {
    fn default() -> Self {
        Self {
            state: B::Rows::default(),
            next: B::Rows::default(),
            wide: B::Rows::default(),
            context: B::Rows::default(),
        }
    }
}

/// Copies of what happens on the way, where they are asked for.
pub struct Trace<B: Backend> {
    /// Which states to keep: 0 is the embeddings' output, n that of layer n.
    pub states: Vec<usize>,
    /// Whether to keep attention's probabilities.
    pub attentions: bool,
    /// The states kept, in the order of the layers.
    pub kept_states: Vec<B::Rows>,
    /// The probabilities of each layer.
    pub kept_attentions: Vec<B::Rows>,
}

/// Runs the encoder; the last layer's output is left in `scratch.state`.
///
/// # Errors
/// As [`Backend::upload`].
pub fn encode<B: Backend>(
    backend: &mut B,
    config: &Config,
    weights: &WeightsOn<B>,
    batch: Batch,
    scratch: &mut Scratch<B>,
    trace: &mut Trace<B>,
) -> Result<()> {
    let all: Vec<u32> = (0..batch.ids.len() as u32).collect();
    let batch = backend.upload(batch)?;
    match &weights.projection {
        None => backend.embed(&weights.embeddings, &batch, &mut scratch.state),
        Some(projection) => {
            backend.embed(&weights.embeddings, &batch, &mut scratch.next);
            projection.run(backend, &scratch.next, &mut scratch.state);
        }
    }
    for number in 0..config.layers {
        trace.keep_state(backend, number, &all, &scratch.state);
        // a family that shares its layers has one, which runs each time
        let shared = weights.layers.len() == 1;
        let layer = &weights.layers[if shared { 0 } else { number }];
        self::layer(backend, config, layer, &batch, scratch, trace);
    }
    trace.keep_state(backend, config.layers, &all, &scratch.state);
    Ok(())
}

impl<B: Backend> Trace<B> {
    fn keep_state(&mut self, backend: &mut B, number: usize, all: &[u32], state: &B::Rows) {
        if self.states.contains(&number) {
            let mut copy = B::Rows::default();
            backend.gather(state, all, &mut copy);
            self.kept_states.push(copy);
        }
    }
}

/// One transformer layer: attention, residual, norm, feed-forward, residual, norm.
fn layer<B: Backend>(
    backend: &mut B,
    config: &Config,
    layer: &Layer<B::Matrix, B::Vector>,
    batch: &B::Batch,
    scratch: &mut Scratch<B>,
    trace: &mut Trace<B>,
) {
    let Scratch { state, next, wide, context } = scratch;
    layer.qkv.run(backend, state, wide);
    let mut probabilities = trace.attentions.then(B::Rows::default);
    backend.attention(wide, batch, config.heads, context, probabilities.as_mut());
    trace.kept_attentions.extend(probabilities);
    layer.attention_output.run(backend, context, next);
    backend.add_norm(next, state, &layer.attention_norm);
    layer.intermediate.run(backend, next, wide);
    layer.output.run(backend, wide, state);
    backend.add_norm(state, next, &layer.output_norm);
}
