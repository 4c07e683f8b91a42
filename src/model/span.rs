//! The layers of ConvBERT: a convolution whose kernels depend on spans of tokens runs beside
//! attention (Jiang et al. 2020). It has no gradient.

use super::SpanConvolution;
use super::encoder::{Forward, Scratch};
use super::pass::Pass;
use crate::backend::{Activation, Backend};

/// Runs a layer's attention and its convolution over all rows, from `state` to `context`. Their
/// results lie side by side.
pub(super) fn attend<B: Backend, P: Pass<B>>(
    forward: &mut Forward<'_, B, P>,
    number: usize,
    probabilities: Option<&mut B::Rows>,
) {
    let Forward { pass, backend, config, encoder, uploaded, scratch } = forward;
    let Scratch { state, next, wide, gated, context, narrow, convolved, .. } = &mut **scratch;
    let (layer, batch) = (encoder.layer(number), uploaded.batch());
    let Some(SpanConvolution { depthwise, pointwise, kernel, value }) = &layer.span else { return };
    let (width, heads) = (config.attention_width(), config.heads);
    pass.linear(backend, &layer.qkv, state, wide);
    pass.attention(backend, wide, batch, heads, narrow, probabilities);
    backend.depthwise(state, depthwise, batch, next);
    pass.linear(backend, pointwise, next, gated);
    // the products of the keys of spans and of the queries
    backend.columns([gated, wide], [0..width, 0..width], next);
    backend.gate(next, Activation::Identity, gated);
    pass.linear(backend, kernel, gated, next);
    pass.linear(backend, value, state, gated);
    backend.span_convolution(gated, next, batch, heads, convolved);
    backend.columns([narrow, convolved], [0..width, 0..width], context);
}
