//! The layers of MobileBERT: narrower than the state, with several feed-forwards. They have no
//! gradient.

use super::encoder::{Forward, Scratch};
use super::pass::{Pass, Residual};
use super::{FeedForward, Layer};
use crate::backend::Backend;
use crate::config::BottleneckAttention;

/// Runs a layer's attention over all rows, from `state` to `context`. The narrowed input, if the
/// layer is narrower, is left in `narrow`.
pub(super) fn attend<B: Backend, P: Pass<B>>(
    forward: &mut Forward<'_, B, P>,
    number: usize,
    probabilities: Option<&mut B::Rows>,
) {
    let Forward { pass, backend, config, encoder, uploaded, scratch } = forward;
    let Scratch { state, next, wide, gated, context, narrow, .. } = &mut **scratch;
    let layer = encoder.layer(number);
    let attention = config.structure().bottleneck.map(|bottleneck| bottleneck.attention);
    if let Some(bottleneck) = &layer.bottleneck {
        pass.linear(backend, &bottleneck.input.linear, state, narrow);
        pass.norm(backend, narrow, &bottleneck.input.norm);
        if let Some(shared) = &bottleneck.attention {
            pass.linear(backend, &shared.linear, state, next);
            pass.norm(backend, next, &shared.norm);
        }
    }
    match attention {
        Some(BottleneckAttention::Narrow) => pass.linear(backend, &layer.qkv, narrow, wide),
        Some(BottleneckAttention::Shared) => pass.linear(backend, &layer.qkv, next, wide),
        Some(BottleneckAttention::State) | None => pass.linear(backend, &layer.qkv, state, wide),
    }
    if let Some(value) = layer.bottleneck.as_ref().and_then(|of| of.value.as_ref()) {
        let width = config.attention_width();
        pass.linear(backend, value, state, next);
        backend.columns([wide, next], [0..2 * width, 0..width], gated);
        std::mem::swap(wide, gated);
    }
    pass.attention(backend, wide, uploaded.batch(), config.heads, context, probabilities);
}

/// Runs the rest of a layer, row by row: attention's output, the feed-forwards, and the output of
/// the narrow layer, each with its residual and norm. If `rows` is given, the state becomes these
/// rows.
pub(super) fn feed_forward<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    layer: &Layer<B::Matrix, B::Vector>,
    scratch: &mut Scratch<B>,
    rows: Option<&[u32]>,
) {
    let Scratch { state, next, wide, context, chosen, narrow, .. } = scratch;
    if let Some(rows) = rows {
        let some = if layer.bottleneck.is_some() { 3 } else { 2 };
        for all in [&mut *context, &mut *state, &mut *narrow].into_iter().take(some) {
            backend.gather(all, rows, chosen);
            std::mem::swap(all, chosen);
        }
    }
    let input = if layer.bottleneck.is_some() { &*narrow } else { &*state };
    pass.linear(backend, &layer.attention_output, context, next);
    pass.add_norm(backend, next, Residual::Attention, input, &layer.attention_norm);
    for FeedForward { intermediate, output, norm } in &layer.feed_forwards {
        pass.feed_forward(backend, [intermediate, output], next, wide, context);
        pass.add_norm(backend, context, Residual::FeedForward, next, norm);
        std::mem::swap(next, context);
    }
    pass.feed_forward(backend, [&layer.intermediate, &layer.output], next, wide, context);
    pass.add_norm(backend, context, Residual::FeedForward, next, &layer.output_norm);
    match &layer.bottleneck {
        None => std::mem::swap(state, context),
        Some(bottleneck) => {
            pass.linear(backend, &bottleneck.output.linear, context, next);
            let norm = &bottleneck.output.norm;
            pass.add_norm(backend, next, Residual::FeedForward, state, norm);
            std::mem::swap(state, next);
        }
    }
}
