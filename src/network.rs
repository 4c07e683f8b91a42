//! A loaded model on one backend: encoder, head and their scratch.

use crate::Result;
use crate::backend::Backend;
use crate::batch::Batch;
use crate::config::Config;
use crate::encoder::{Scratch, Trace, encode};
use crate::heads::{self, Outputs};
use crate::weights::{Loaded, WeightsOn};

/// One forward pass.
#[derive(Debug, Default)]
pub struct Request {
    /// The tokens.
    pub batch: Batch,
    /// Whether to run the head.
    pub head: bool,
    /// The rows that token-wise heads score; `None`: all.
    pub tokens: Option<Vec<u32>>,
    /// How many of each token's scores to return, as [`Backend::top`] gives them; `None`: all.
    pub best: Option<usize>,
    /// The states to return: 0 is the embeddings' output, n that of layer n.
    pub states: Vec<usize>,
    /// Whether to return attention's probabilities.
    pub attentions: bool,
}

/// Row-major results on the host; empty where they were not asked for or the head has none.
#[derive(Debug, Default)]
pub struct Response {
    /// `[sequences, hidden]`
    pub pooled: Vec<f32>,
    /// `[rows, scores]`, or what [`Backend::top`] gives
    pub logits: Vec<f32>,
    /// `[sequences, 2]`
    pub relation: Vec<f32>,
    /// Each `[rows, hidden]`, in the order of the layers.
    pub states: Vec<Vec<f32>>,
    /// For each layer, each sequence's `[heads, rows, keys]` in turn.
    pub attentions: Vec<Vec<f32>>,
}

/// A model on its backend.
pub struct Network<B: Backend> {
    backend: B,
    weights: WeightsOn<B>,
    scratch: Scratch<B>,
}

impl<B: Backend> Network<B> {
    /// Takes over what a loader has loaded.
    pub fn new(loaded: Loaded<B>) -> Self {
        Self { backend: loaded.backend, weights: loaded.weights, scratch: Scratch::default() }
    }

    /// The backend it runs on.
    pub fn backend(&mut self) -> &mut B {
        &mut self.backend
    }

    /// One forward pass: everything is recorded, then read once.
    ///
    /// # Errors
    /// As [`Backend::upload`] and [`Backend::read`].
    pub async fn forward(&mut self, config: &Config, request: Request) -> Result<Response> {
        let Self { backend, weights, scratch } = self;
        record(backend, config, weights, scratch, request)?.read(backend).await
    }
}

/// A forward pass that is recorded and not yet read.
pub struct Recorded<B: Backend> {
    outputs: Option<Outputs<B>>,
    states: Vec<B::Rows>,
    attentions: Vec<B::Rows>,
}

/// Records a forward pass.
///
/// # Errors
/// As [`Backend::upload`].
pub fn record<B: Backend>(
    backend: &mut B,
    config: &Config,
    weights: &WeightsOn<B>,
    scratch: &mut Scratch<B>,
    request: Request,
) -> Result<Recorded<B>> {
    let first = request.batch.first_rows();
    let mut trace = Trace {
        states: request.states,
        attentions: request.attentions,
        kept_states: Vec::new(),
        kept_attentions: Vec::new(),
    };
    encode(backend, config, weights, request.batch, scratch, &mut trace)?;
    let mut outputs = request
        .head
        .then(|| heads::run(backend, weights, &scratch.state, &first, request.tokens.as_deref()));
    if let (Some(count), Some(Outputs { logits: Some(logits), .. })) = (request.best, &mut outputs)
    {
        let mut best = B::Rows::default();
        backend.top(logits, count, &mut best);
        *logits = best;
    }
    Ok(Recorded { outputs, states: trace.kept_states, attentions: trace.kept_attentions })
}

impl<B: Backend> Recorded<B> {
    async fn read(self, backend: &mut B) -> Result<Response> {
        let head = match &self.outputs {
            Some(outputs) => [&outputs.pooled, &outputs.logits, &outputs.relation],
            None => [&None, &None, &None],
        };
        let wanted: Vec<&B::Rows> = head
            .iter()
            .filter_map(|rows| rows.as_ref())
            .chain(&self.states)
            .chain(&self.attentions)
            .collect();
        let mut read = backend.read(&wanted).await?.into_iter();
        let mut next =
            |there: bool| if there { read.next().unwrap_or_default() } else { Vec::new() };
        Ok(Response {
            pooled: next(head[0].is_some()),
            logits: next(head[1].is_some()),
            relation: next(head[2].is_some()),
            states: self.states.iter().map(|_| next(true)).collect(),
            attentions: self.attentions.iter().map(|_| next(true)).collect(),
        })
    }
}
