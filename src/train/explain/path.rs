//! The path from a baseline to a text, in the space of embeddings.

use super::options::Method;
use super::target::{Call, ExplainTarget, Logits, Subject};
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::batch::{Batch, Sequence};
use crate::engine::{Model, Request};
use crate::{Error, Result};

/// A text and its baseline as inputs of the encoder's first layer, and the model's scores of both.
pub(super) struct Path {
    /// The text alone.
    text: Batch,
    hidden: usize,
    /// Embeddings of the text, `[tokens, hidden]`.
    end: Vec<f32>,
    /// Embeddings of the baseline, `[tokens, hidden]`.
    begin: Vec<f32>,
    /// Input of the first layer if all embeddings are 0, `[hidden]`: the bias of the projection, or
    /// 0 without a projection.
    zero: Vec<f32>,
    pub(super) target: ExplainTarget,
    pub(super) subject: Subject,
    /// Sum of the target's logits for the text.
    pub(super) score: f64,
    /// Sum of the target's logits for the baseline.
    pub(super) baseline_score: f64,
}

impl Path {
    /// Runs one forward pass over text and baseline.
    ///
    /// # Errors
    /// `BadInput` for options that do not fit the text. `BadWeights` if a score is not finite.
    /// Errors of the backend.
    pub(super) async fn new<B: Train + Processor>(call: &Call<'_, B>) -> Result<Self> {
        let Call { model, encoding, .. } = call;
        let (config, kind) = (model.config(), model.head_spec().kind);
        let text = Batch::pack(config, [*encoding])?;
        let mask = model.tokenizer()?.special().mask.as_ref().map(|mask| mask.id);
        let mut both = repeated(&text, 2);
        let tokens = text.ids.len();
        for (id, sequence) in both.ids[tokens..].iter_mut().zip(&encoding.sequence_ids) {
            // Special tokens and masks stay: without them the model would read another kind of
            // input.
            if sequence.is_some() && Some(*id) != mask {
                *id = config.pad_id;
            }
        }
        let asked = call.tokens()?;
        let twice = |tokens_asked: &Vec<u32>| {
            let again = tokens_asked.iter().map(|token| token + tokens as u32);
            tokens_asked.iter().copied().chain(again).collect()
        };
        let rows = asked.as_ref().map(twice);
        let request = Request {
            batch: both,
            head: true,
            tokens: rows,
            states: vec![0],
            ..Request::default()
        };
        let response = model.forward(request).await?;
        let scores = kind.scores(config);
        let (of_text, of_baseline) = response.logits.split_at(response.logits.len() / 2);
        if of_text.iter().any(|score| !score.is_finite()) {
            return Err(Error::BadWeights("explain: expected finite scores from the model".into()));
        }
        let logits = |values| Logits { tokens: asked.as_deref(), scores, values };
        let (target, subject) = call.target(&logits(of_text))?;
        let [score, baseline_score] = [of_text, of_baseline].map(|of| logits(of).sum(&target));
        let states = response.states.concat();
        let (end, begin) = states.split_at(states.len() / 2);
        let (end, begin, hidden) = (end.to_vec(), begin.to_vec(), config.hidden);
        let zero = state_of_zeros(model).await?;
        Ok(Self { text, hidden, end, begin, zero, target, subject, score, baseline_score })
    }

    /// Returns a batch with `count` copies of the text.
    pub(super) fn copies(&self, count: usize) -> Batch {
        repeated(&self.text, count)
    }

    /// Returns the embeddings at these shares of the path, concatenated:
    /// `[places · tokens, hidden]`.
    pub(super) fn states(&self, rule: &[(f64, f64)]) -> Vec<f32> {
        let ends = || self.begin.iter().zip(&self.end);
        let at = |share: f64| {
            ends().map(move |(&begin, &end)| {
                (f64::from(begin) + share * (f64::from(end) - f64::from(begin))) as f32
            })
        };
        rule.iter().flat_map(|&(share, _)| at(share)).collect()
    }

    /// Adds the weighted contributions of gradients at these shares of the path to the
    /// attributions. `gradients` is `[places · tokens, hidden]`.
    pub(super) fn add(
        &self,
        rule: &[(f64, f64)],
        gradients: &[f32],
        method: Method,
        attributions: &mut [f64],
    ) {
        let (numbers, hidden) = (self.end.len(), self.hidden);
        for ((_, weight), gradient) in rule.iter().zip(gradients.chunks_exact(numbers)) {
            for (n, attribution) in attributions.iter_mut().enumerate() {
                let row = n * hidden..(n + 1) * hidden;
                let begin = match method {
                    Method::IntegratedGradients => &self.begin[row.clone()],
                    Method::GradientXInput => &self.zero,
                };
                let differences = self.end[row.clone()].iter().zip(begin);
                let differences = differences.map(|(&end, &at)| f64::from(end) - f64::from(at));
                let products =
                    gradient[row].iter().zip(differences).map(|(&g, d)| f64::from(g) * d);
                *attribution += weight * products.sum::<f64>();
            }
        }
    }
}

/// Returns the input of the first layer for embeddings of 0.
#[allow(clippy::await_holding_refcell_ref, reason = "who has the device locked is alone")]
async fn state_of_zeros<B: Train + Processor>(model: &Model<B>) -> Result<Vec<f32>> {
    let engine = model.engine();
    let mut device = engine.lock().await;
    let encoder = engine.encoder();
    match &encoder.projection {
        Some(projection) => device.backend.read_vector(&projection.bias).await,
        None => Ok(vec![0.0; model.config().hidden]),
    }
}

/// Returns `count` copies of a batch with a single sequence.
fn repeated(batch: &Batch, count: usize) -> Batch {
    let tokens = batch.ids.len();
    let sequences = (0..count).map(|n| n * tokens..(n + 1) * tokens);
    Batch {
        ids: batch.ids.repeat(count),
        types: batch.types.repeat(count),
        positions: batch.positions.repeat(count),
        columns: batch.columns.repeat(count),
        masked: batch.masked.repeat(count),
        sequences: sequences.map(|rows| Sequence { keys: rows.clone(), rows }).collect(),
    }
}
