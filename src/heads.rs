//! The output layers, over the same kernels as the encoder and only on the rows asked for.

use crate::backend::Activation;
use crate::backend::{Backend, Linear};
use crate::weights::{Decoder, Head, MaskedLm, WeightsOn};

/// What a head gives. Only what [`run`] says is filled.
pub struct Outputs<B: Backend> {
    /// `[sequences, hidden]`: the dense layer over first tokens.
    pub pooled: Option<B::Rows>,
    /// `[rows asked for, scores]`, or `[sequences, scores]` from the pooled first tokens.
    pub logits: Option<B::Rows>,
    /// `[sequences, 2]`: next sentence, where `logits` is the masked LM's.
    pub relation: Option<B::Rows>,
}

/// Runs the head over the encoder's output.
///
/// `first` are the rows of first tokens, `tokens` those that token-wise heads score; `None` for
/// all.
pub fn run<B: Backend>(
    backend: &mut B,
    weights: &WeightsOn<B>,
    state: &B::Rows,
    first: &[u32],
    tokens: Option<&[u32]>,
) -> Outputs<B> {
    let mut chosen = B::Rows::default();
    let rows = match tokens {
        Some(tokens) => {
            backend.gather(state, tokens, &mut chosen);
            &chosen
        }
        None => state,
    };
    let pooled = weights.pooler.as_ref().map(|pooler| {
        let (mut firsts, mut pooled) = (B::Rows::default(), B::Rows::default());
        backend.gather(state, first, &mut firsts);
        pooler.run(backend, &firsts, &mut pooled);
        pooled
    });
    let (logits, relation) = match &weights.head {
        Head::Bare => (None, None),
        Head::MaskedLm(head) => (Some(masked_lm(backend, weights, head, rows)), None),
        Head::PreTraining(head, relation) => {
            let logits = masked_lm(backend, weights, head, rows);
            (Some(logits), scores(backend, pooled.as_ref(), relation))
        }
        Head::NextSentence(layer)
        | Head::SequenceClassification(layer)
        | Head::MultipleChoice(layer) => (scores(backend, pooled.as_ref(), layer), None),
        Head::TokenClassification(layer) | Head::QuestionAnswering(layer) => {
            (scores(backend, Some(rows), layer), None)
        }
        Head::ReplacedToken(dense, layer) => {
            let mut transformed = B::Rows::default();
            dense.run(backend, rows, &mut transformed);
            (scores(backend, Some(&transformed), layer), None)
        }
    };
    Outputs { pooled, logits, relation }
}

fn scores<B: Backend>(
    backend: &mut B,
    rows: Option<&B::Rows>,
    layer: &Linear<B::Matrix, B::Vector>,
) -> Option<B::Rows> {
    let mut scores = B::Rows::default();
    layer.run(backend, rows?, &mut scores);
    Some(scores)
}

fn masked_lm<B: Backend>(
    backend: &mut B,
    weights: &WeightsOn<B>,
    head: &MaskedLm<B::Matrix, B::Vector>,
    rows: &B::Rows,
) -> B::Rows {
    let (mut transformed, mut logits) = (B::Rows::default(), B::Rows::default());
    head.transform.run(backend, rows, &mut transformed);
    backend.norm(&mut transformed, &head.norm);
    match &head.decoder {
        Decoder::Tied(bias) => {
            let word = &weights.embeddings.word;
            backend.linear(&transformed, word, bias, Activation::Identity, &mut logits);
        }
        Decoder::Own(decoder) => {
            decoder.run(backend, &transformed, &mut logits);
        }
    }
    logits
}
