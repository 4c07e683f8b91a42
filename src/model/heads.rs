//! The output layers, on the same kernels as the encoder. They compute only the requested rows.

use super::pass::{Inference, Pass};
use super::{EncoderOn, HeadOn, MaskedLm};
use crate::backend::{Backend, Linear};

/// Outputs of a head. [`run`] fills the fields that the head has.
pub struct HeadOutputs<B: Backend> {
    /// `[sequences, hidden]`: the dense layer over first tokens.
    pub pooled: Option<B::Rows>,
    /// `[rows, scores]`, or `[sequences, scores]` computed from the pooled first tokens.
    pub logits: Option<B::Rows>,
    /// `[sequences, 2]`: next sentence prediction, if `logits` belongs to the masked language
    /// model.
    pub relation: Option<B::Rows>,
}

/// The rows of the state that a head reads.
pub struct HeadRows<'a> {
    /// First tokens. `None`: the state consists of first tokens, one per sequence.
    pub first: Option<&'a [u32]>,
    /// Tokens to score. `None`: all rows.
    pub tokens: Option<&'a [u32]>,
}

/// Runs a head over the encoder's output.
pub fn run<B: Backend>(
    backend: &mut B,
    encoder: &EncoderOn<B>,
    head: &HeadOn<B>,
    state: &B::Rows,
    rows: &HeadRows<'_>,
) -> HeadOutputs<B> {
    run_with(&mut Inference, backend, encoder, head, state, rows)
}

/// Like [`run`], with the operations of `pass`.
pub fn run_with<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    encoder: &EncoderOn<B>,
    head: &HeadOn<B>,
    state: &B::Rows,
    rows: &HeadRows<'_>,
) -> HeadOutputs<B> {
    let (mut first, mut tokens) = (B::Rows::default(), B::Rows::default());
    let pooled = head.pooler.as_ref().map(|pooler| {
        let firsts = chosen(backend, state, rows.first, &mut first);
        let mut pooled = B::Rows::default();
        pass.pool(backend, pooler, firsts, &mut pooled);
        pooled
    });
    if !head.kind.reads_tokens() {
        let mut pooled = pooled;
        // Without a dense layer, the head scores the first tokens as they are.
        if head.pooler.is_none() && head.output.is_some() {
            let firsts = chosen(backend, state, rows.first, &mut first);
            let logits = head.output.as_ref();
            let logits = logits.map(|output| run_output(pass, backend, output, firsts));
            return HeadOutputs { pooled, logits, relation: None };
        }
        if let Some((norm, pooled)) = head.norm.as_ref().zip(pooled.as_mut()) {
            pass.norm(backend, pooled, norm);
        }
        let logits = head.output.as_ref().zip(pooled.as_ref());
        let logits = logits.map(|(output, pooled)| run_output(pass, backend, output, pooled));
        return HeadOutputs { pooled, logits, relation: None };
    }
    let tokens = chosen(backend, state, rows.tokens, &mut tokens);
    if let Some(head_lm) = &head.masked_lm {
        let logits = masked_lm(pass, backend, encoder, head_lm, tokens);
        let relation = head.output.as_ref().map(|output| {
            // without a dense layer, the head scores the first tokens as they are
            let firsts = match &pooled {
                Some(pooled) => pooled,
                None => chosen(backend, state, rows.first, &mut first),
            };
            run_output(pass, backend, output, firsts)
        });
        return HeadOutputs { pooled, logits: Some(logits), relation };
    }
    let mut transformed = head.dense.as_ref().map(|dense| run_linear(pass, backend, dense, tokens));
    if let Some((norm, transformed)) = head.norm.as_ref().zip(transformed.as_mut()) {
        pass.norm(backend, transformed, norm);
    }
    let tokens = transformed.as_ref().unwrap_or(tokens);
    let output = head.output.as_ref();
    let logits = output.map(|output| run_output(pass, backend, output, tokens));
    HeadOutputs { pooled, logits, relation: None }
}

/// Copies some rows of the state into `room` and returns it, or returns the whole state.
fn chosen<'a, B: Backend>(
    backend: &mut B,
    state: &'a B::Rows,
    rows: Option<&[u32]>,
    room: &'a mut B::Rows,
) -> &'a B::Rows {
    let Some(rows) = rows else { return state };
    backend.gather(state, rows, room);
    room
}

fn run_linear<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    layer: &Linear<B::Matrix, B::Vector>,
    rows: &B::Rows,
) -> B::Rows {
    let mut outputs = B::Rows::default();
    pass.linear(backend, layer, rows, &mut outputs);
    outputs
}

/// Runs the last linear layer.
fn run_output<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    layer: &Linear<B::Matrix, B::Vector>,
    rows: &B::Rows,
) -> B::Rows {
    let mut outputs = B::Rows::default();
    pass.classify(backend, layer, rows, &mut outputs);
    outputs
}

fn masked_lm<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    encoder: &EncoderOn<B>,
    head: &MaskedLm<B::Matrix, B::Vector>,
    rows: &B::Rows,
) -> B::Rows {
    let transform = head.transform.as_ref();
    let mut transformed = transform.map(|transform| run_linear(pass, backend, transform, rows));
    if let Some((norm, transformed)) = head.norm.as_ref().zip(transformed.as_mut()) {
        pass.norm(backend, transformed, norm);
    }
    let decoder = head.decoder.as_ref().unwrap_or(&encoder.embeddings.word);
    let mut logits = B::Rows::default();
    let rows = transformed.as_ref().unwrap_or(rows);
    match head.wider.as_ref().filter(|_| cfg!(feature = "families")) {
        None => pass.decode(backend, rows, decoder, &head.bias, &mut logits),
        Some(wider) => logits = decode_wider(pass, backend, decoder, head, wider, rows),
    }
    logits
}

/// Scores the vocabulary by the word table and by the decoder's other columns.
fn decode_wider<B: Backend, P: Pass<B>>(
    pass: &mut P,
    backend: &mut B,
    decoder: &B::Matrix,
    head: &MaskedLm<B::Matrix, B::Vector>,
    wider: &Linear<B::Matrix, B::Vector>,
    rows: &B::Rows,
) -> B::Rows {
    let [mut part, mut logits, mut more] = [(); 3].map(|()| B::Rows::default());
    let [split, others] = head.widths;
    backend.columns([rows, rows], [0..split, 0..0], &mut part);
    pass.decode(backend, &part, decoder, &head.bias, &mut logits);
    backend.columns([rows, rows], [split..split + others, 0..0], &mut part);
    pass.linear(backend, wider, &part, &mut more);
    backend.add(&more, &mut logits);
    logits
}
