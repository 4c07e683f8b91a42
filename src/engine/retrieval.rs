//! Outputs for retrieval: scores of the vocabulary pooled over tokens, and states of masked tokens.

use std::ops::Range;

use super::model::reserve;
use super::pass::Request;
use super::passes_by_size::blocks;
use super::{Device, Inputs, Model, Tensor, Tick};
use crate::backend::Processor;
use crate::batch::{Batch, Padded};
use crate::config::HeadKind;
use crate::model::encoder::{Scratch, Span, encode};
use crate::model::heads::{self, HeadRows};
use crate::{Error, Result};

/// How the scores of a text's tokens become one row, as in `SpladePooling` of
/// sentence-transformers. Every score x counts as log(1 + max(x, 0)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScorePooling {
    /// If true, the scores are added up; otherwise the largest counts.
    pub sum: bool,
    /// If true, log(1 + …) is applied once more.
    pub log_twice: bool,
}

/// Largest number of scores in memory at a time: 16 MiB of f32.
const SCORES: usize = 1 << 22;

impl ScorePooling {
    /// Parses the name of a pooling: "max" or "sum", with "_log" at the end for `log_twice`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (kind, log_twice) = match name.strip_suffix("_log") {
            Some(kind) => (kind, true),
            None => (name, false),
        };
        matches!(kind, "max" | "sum").then(|| Self { sum: kind == "sum", log_twice })
    }

    fn weight(self, score: f32) -> f32 {
        let once = score.max(0.0).ln_1p();
        if self.log_twice { once.ln_1p() } else { once }
    }

    /// Adds a token's scores to the row of its text. With `sum` the row has weights, otherwise the
    /// largest scores so far, and 0 instead of negative scores.
    fn add(self, row: &mut [f32], scores: &[f32]) {
        for (value, &score) in row.iter_mut().zip(scores) {
            *value = if self.sum { *value + self.weight(score) } else { value.max(score) };
        }
    }
}

impl<B: Processor> Model<B> {
    /// Returns the scores of the vocabulary pooled over the tokens of each text,
    /// `[sequences, vocabulary]`. At most 16 MiB of scores per token are in memory at a time.
    ///
    /// # Errors
    /// `Unsupported` for a model without a masked LM head. As [`Model::outputs`].
    pub async fn pooled_scores(
        &self,
        inputs: &Inputs,
        pooling: ScorePooling,
        tick: Tick<'_>,
    ) -> Result<Tensor> {
        self.need("pooled scores", &[HeadKind::MaskedLm])?;
        let padded = inputs.padded(HeadKind::MaskedLm)?;
        let vocab = self.scores();
        let count = padded.ids.len() / padded.length;
        let mut data = Vec::new();
        reserve(&mut data, &[count, vocab])?;
        data.resize(count * vocab, 0.0);
        let numbers: Vec<usize> = (0..count).collect();
        let size = |_: &usize| (padded.length, 0);
        let mut rest = data.as_mut_slice();
        for block in blocks(self.engine().pass_rows(), &numbers, size) {
            let mut device = self.engine().turn(tick).await?;
            let (from, to) = (block[0] * padded.length, (block[0] + block.len()) * padded.length);
            let (batch, _) = Batch::pack_padded(self.config(), padded.part(from..to))?;
            let (rows, later) = std::mem::take(&mut rest).split_at_mut(block.len() * vocab);
            self.pool_scores(&mut device, batch, pooling, rows).await?;
            rest = later;
        }
        if !pooling.sum {
            data.iter_mut().for_each(|score| *score = pooling.weight(*score));
        }
        Ok(Tensor { dims: vec![count, vocab], data })
    }

    /// Pools the scores of one pass. `into` has a row per sequence.
    async fn pool_scores(
        &self,
        Device { backend, scratch }: &mut Device<B>,
        batch: Batch,
        pooling: ScorePooling,
        into: &mut [f32],
    ) -> Result<()> {
        let vocab = self.scores();
        // A masked first token has a row, but is no token of the text.
        let sequences: Vec<Range<usize>> = batch.sequences.iter().map(|s| s.keys.clone()).collect();
        let layers = self.config().layers;
        let span = Span { layers, ..Span::default() };
        encode(backend, self.config(), &self.engine().encoder(), batch, scratch, &span)?;
        for (rows, into) in sequences.into_iter().zip(into.chunks_exact_mut(vocab)) {
            let tokens: Vec<u32> = rows.map(|row| row as u32).collect();
            for tile in tokens.chunks((SCORES / vocab.max(1)).max(1)) {
                let scores = self.score_rows(backend, scratch, tile).await?;
                scores.chunks_exact(vocab).for_each(|scores| pooling.add(into, scores));
            }
        }
        Ok(())
    }

    /// Returns the scores of some rows of the encoder's output, `[rows, vocabulary]`.
    async fn score_rows(
        &self,
        backend: &mut B,
        scratch: &Scratch<B>,
        rows: &[u32],
    ) -> Result<Vec<f32>> {
        let outputs = {
            let rows = HeadRows { first: None, tokens: Some(rows) };
            heads::run(backend, &self.engine().encoder(), &self.head(), &scratch.state, &rows)
        };
        let Some(logits) = &outputs.logits else {
            return Err(Error::Unsupported("the head has no scores".into()));
        };
        Ok(backend.read(&[logits]).await?.into_iter().next().unwrap_or_default())
    }

    /// Returns the last states of all tokens, `[sequences, length, hidden]`. Masked tokens have
    /// states, too: they attend to the other tokens, but no token attends to them.
    ///
    /// # Errors
    /// `BadInput` if masked tokens lie between others. As [`Model::outputs`].
    pub async fn whole_states(&self, inputs: &Inputs, tick: Tick<'_>) -> Result<Tensor> {
        let padded = inputs.padded(HeadKind::Bare)?;
        let (length, hidden) = (padded.length, self.config().hidden);
        let count = padded.ids.len() / length;
        let mut data = Vec::new();
        reserve(&mut data, &[count, length, hidden])?;
        let numbers: Vec<usize> = (0..count).collect();
        let request = |block: &[usize]| {
            let part = block[0] * length..(block[0] + block.len()) * length;
            let batch = self.pack_whole(padded.part(part))?;
            Ok(Request { batch, states: vec![self.config().last_state()], ..Request::default() })
        };
        let each = |_: &[usize], response: super::Response| {
            response.states.iter().for_each(|state| data.extend_from_slice(state));
            Ok(())
        };
        let size = |_: &usize| (length, length * hidden);
        self.passes(&numbers, size, tick, request, each).await?;
        Ok(Tensor { dims: vec![count, length, hidden], data })
    }

    fn pack_whole(&self, padded: Padded<'_>) -> Result<Batch> {
        Batch::pack_whole(self.config(), padded)
    }
}
