//! One forward pass: everything is recorded first, then read at once.

use crate::backend::Backend;
use crate::batch::{Batch, Sequence};
use crate::config::{Config, HeadKind, Pooling};
use crate::model::encoder::{Scratch, Span, Trace, Uploaded, encode_with};
use crate::model::heads::{self, HeadOutputs, HeadRows};
use crate::model::pass::Inference;
use crate::model::{EncoderOn, Head, HeadOn};
use crate::{Error, Result};

/// One forward pass.
#[derive(Debug, Default)]
pub struct Request {
    /// The tokens.
    pub batch: Batch,
    /// If true, the head runs.
    pub head: bool,
    /// Rows that a token head scores. `None`: all.
    pub tokens: Option<Vec<u32>>,
    /// Number of best scores to return per token, as in [`Backend::top`]. `None`: all scores.
    pub best: Option<usize>,
    /// Number of layers before the head. `None`: all.
    pub layers: Option<usize>,
    /// States to return, numbered as in [`Config::last_state`].
    pub states: Vec<usize>,
    /// If true, attention probabilities are returned.
    pub attentions: bool,
}

/// Results on the host, row-major. A list is empty if it was not requested or the head does not
/// have it.
#[derive(Debug, Default)]
pub struct Response {
    /// `[sequences, hidden]`
    pub pooled: Vec<f32>,
    /// `[rows, scores]`, or the rows of [`Backend::top`]
    pub logits: Vec<f32>,
    /// `[sequences, 2]`
    pub relation: Vec<f32>,
    /// Each `[rows, hidden]`, in the order of the layers.
    pub states: Vec<Vec<f32>>,
    /// For each layer: `[heads, rows, keys]` of each sequence in turn.
    pub attentions: Vec<Vec<f32>>,
}

/// A forward pass that is recorded and not yet read.
pub(super) struct Recorded<B: Backend> {
    outputs: Option<HeadOutputs<B>>,
    trace: Trace<B>,
    /// If attentions are scores: the heads, and the sequences of the batch.
    scores: Option<(usize, Vec<Sequence>)>,
}

/// The rows of the encoder's output that the head reads, and their places among these rows.
struct HeadInput {
    /// `None`: all rows.
    rows: Option<Vec<u32>>,
    /// Places of first tokens among `rows`.
    first: Option<Vec<u32>>,
    /// Places of scored tokens among `rows`.
    tokens: Option<Vec<u32>>,
}

impl HeadInput {
    fn new<M, V>(head: &Head<M, V>, request: &Request, layers: usize) -> Self {
        let first = request.batch.first_rows();
        let scores_first = head.kind.reads_first() && head.output.is_some();
        let reads_first = head.pooler.is_some() || scores_first;
        let reads_all = head.kind.reads_tokens() && request.tokens.is_none();
        // Every row of the last layer is needed: the head or a returned state reads it.
        if reads_all || request.states.iter().any(|&state| state >= layers) {
            return Self { rows: None, first: Some(first), tokens: request.tokens.clone() };
        }
        let mut rows = if reads_first { first.clone() } else { Vec::new() };
        let tokens = request.tokens.as_deref().filter(|_| head.kind.reads_tokens());
        let (firsts, all) = (rows.len() as u32, rows.len() + tokens.map_or(0, <[u32]>::len));
        let both = reads_first && tokens.is_some();
        rows.extend(tokens.unwrap_or_default());
        // A head without pooler and without tokens to score reads the state as it is.
        if rows.is_empty() {
            return Self { rows: None, first: Some(first), tokens: request.tokens.clone() };
        }
        Self {
            rows: Some(rows),
            first: both.then(|| (0..firsts).collect()),
            tokens: both.then(|| (firsts..all as u32).collect()),
        }
    }
}

/// Records a forward pass.
///
/// # Errors
/// As [`Backend::upload`]. `BadInput` if the head reads a masked first token without a token in
/// reach.
pub(super) fn record<B: Backend>(
    backend: &mut B,
    config: &Config,
    encoder: &EncoderOn<B>,
    head: &HeadOn<B>,
    scratch: &mut Scratch<B>,
    request: Request,
) -> Result<Recorded<B>> {
    let scores_first = !head.kind.reads_tokens() && head.output.is_some();
    let reads_first = head.pooler.is_some() || scores_first;
    let structure = config.structure();
    let pools = structure.pooling != Pooling::First && reads_first;
    let dense = head.dense.as_ref().filter(|_| scores_first);
    let reads = request.head.then(|| match pools {
        // Pooling leaves one row per sequence, which the head reads.
        true => HeadInput { rows: None, first: None, tokens: None },
        false => HeadInput::new(head, &request, config.layers),
    });
    if request.head && reads_first && !pools {
        check_first_tokens(config, &request.batch)?;
    }
    let Request { batch, best, layers, states, attentions, head: request_head, .. } = request;
    // Layers after the last requested state need not run.
    let layers = match request_head || attentions {
        true => layers.unwrap_or(config.layers).min(config.layers),
        false => states.iter().copied().max().unwrap_or(0).min(config.layers),
    };
    let rows = reads.as_ref().and_then(|reads| reads.rows.clone());
    let mean = request_head && pools && dense.is_none();
    let span = Span { layers, rows, mean, states, attentions, inside: false };
    let returns_scores = cfg!(feature = "families") && config.structure().returns_scores;
    let scores = returns_scores.then(|| (config.heads, batch.sequences.clone()));
    let batch = Uploaded::of(backend, config, batch)?;
    let trace = encode_with(&mut Inference, backend, config, encoder, &batch, scratch, &span);
    if let Some(dense) = dense.filter(|_| request_head) {
        let mut outputs = B::Rows::default();
        dense.run(backend, &scratch.state, &mut outputs);
        backend.mean(&outputs, batch.batch(), &mut scratch.state);
    }
    let mut outputs = reads.map(|HeadInput { first, tokens, .. }| {
        let rows = HeadRows { first: first.as_deref(), tokens: tokens.as_deref() };
        let mut outputs = heads::run(backend, encoder, head, &scratch.state, &rows);
        // without a dense layer, the pooler's output is the state of the first token
        if let Some(first) = first.filter(|_| head.kind == HeadKind::Bare && !structure.pools) {
            let pooled = outputs.pooled.insert(B::Rows::default());
            backend.gather(&scratch.state, &first, pooled);
        }
        outputs
    });
    if let (Some(count), Some(HeadOutputs { logits: Some(logits), .. })) = (best, &mut outputs) {
        let mut best = B::Rows::default();
        backend.top(logits, count, &mut best);
        *logits = best;
    }
    Ok(Recorded { outputs, trace, scores })
}

/// Rejects a sequence whose first token is read by the head, but is masked and has no token in
/// reach. The reference's result then depends on the amount of padding.
fn check_first_tokens(config: &Config, batch: &Batch) -> Result<()> {
    let Some(local) = &config.structure().local else { return Ok(()) };
    let column = |row: usize| batch.columns.get(row).map_or(0, |&column| column as usize);
    for (n, Sequence { rows, keys }) in batch.sequences.iter().enumerate() {
        if column(keys.start) - column(rows.start) > local.reach {
            return Err(Error::BadInput(format!(
                "sequence {n} starts with {} masked tokens, but the head reads the first token. Pad on the right.",
                column(keys.start) - column(rows.start)
            )));
        }
    }
    Ok(())
}

impl<B: Backend> Recorded<B> {
    /// Computes the pass and copies the results to the host.
    ///
    /// # Errors
    /// As [`Backend::read`].
    pub(super) async fn read(self, backend: &mut B) -> Result<Response> {
        let Trace { states, attentions, .. } = &self.trace;
        let head = match &self.outputs {
            Some(outputs) => [&outputs.pooled, &outputs.logits, &outputs.relation],
            None => [&None, &None, &None],
        };
        let wanted: Vec<&B::Rows> =
            head.iter().filter_map(|rows| rows.as_ref()).chain(states).chain(attentions).collect();
        let mut read = backend.read(&wanted).await?.into_iter();
        let mut next =
            |there: bool| if there { read.next().unwrap_or_default() } else { Vec::new() };
        let mut response = Response {
            pooled: next(head[0].is_some()),
            logits: next(head[1].is_some()),
            relation: next(head[2].is_some()),
            states: states.iter().map(|_| next(true)).collect(),
            attentions: attentions.iter().map(|_| next(true)).collect(),
        };
        if let Some((heads, sequences)) =
            self.scores.as_ref().filter(|_| cfg!(feature = "families"))
        {
            for attention in &mut response.attentions {
                *attention = attention_scores(attention, *heads, sequences);
            }
        }
        Ok(response)
    }
}

/// Returns the scores of attention before the softmax, `[heads, rows, keys]` of each sequence in
/// turn. `qkv` is `[rows, 3 · width]`.
pub(super) fn attention_scores(qkv: &[f32], heads: usize, sequences: &[Sequence]) -> Vec<f32> {
    let rows = sequences.last().map_or(0, |sequence| sequence.rows.end);
    let cols = qkv.len() / rows.max(1);
    let (width, head_dim) = (cols / 3, cols / 3 / heads);
    let part = |row: usize, first: usize| &qkv[row * cols + first..][..head_dim];
    let scale = 1.0 / (head_dim as f32).sqrt();
    let mut scores = Vec::new();
    for sequence in sequences {
        for head in (0..heads).map(|head| head * head_dim) {
            for row in sequence.rows.clone() {
                let query = part(row, head);
                let score = |key: usize| {
                    let products = query.iter().zip(part(key, width + head)).map(|(q, k)| q * k);
                    products.sum::<f32>() * scale
                };
                scores.extend(sequence.keys.clone().map(score));
            }
        }
    }
    scores
}
