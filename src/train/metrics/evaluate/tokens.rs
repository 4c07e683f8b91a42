//! Predictions with one result per token: labels of words, masked tokens, replaced tokens.

use super::{Scores, best, binary_cross_entropy, cross_entropy, mean};
use crate::batch::Batch;
use crate::engine::Response;
use crate::train::data::batches::MicroBatch;
use crate::train::metrics::{self, perplexity};

/// Returns the scores and the class of each token that is not ignored.
fn chosen<'a>(
    micro: &'a MicroBatch,
    response: &'a Response,
) -> impl Iterator<Item = (&'a [f32], usize)> + Clone {
    let classes = micro.chosen_tokens().map(|(_, class)| class);
    let columns = response.logits.len() / classes.clone().count().max(1);
    response.logits.chunks_exact(columns.max(1)).zip(classes)
}

/// Counts predictions, and the right ones among them.
#[derive(Default)]
struct Tally {
    right: usize,
    all: usize,
}

impl Tally {
    fn add(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.all += 1;
    }

    fn accuracy(&self) -> f64 {
        if self.all == 0 { 0.0 } else { self.right as f64 / self.all as f64 }
    }
}

/// Labels of words, read from their first tokens, and the entities they form.
pub(super) struct Entities<'a> {
    names: &'a [String],
    predicted: Vec<Vec<&'a str>>,
    expected: Vec<Vec<&'a str>>,
}

impl<'a> Entities<'a> {
    pub(super) fn new(names: &'a [String]) -> Self {
        Self { names, predicted: Vec::new(), expected: Vec::new() }
    }
}

impl Scores for Entities<'_> {
    fn add(&mut self, micro: &MicroBatch, batch: &Batch, response: &Response) -> Option<f64> {
        let mut answers = chosen(micro, response);
        for sequence in &batch.sequences {
            let words = micro.tokens[sequence.rows.clone()].iter().filter(|label| **label >= 0);
            let labels = answers.by_ref().take(words.count());
            let (predicted, expected) = labels
                .map(|(scores, class)| (&*self.names[best(scores)], &*self.names[class]))
                .unzip();
            self.predicted.push(predicted);
            self.expected.push(expected);
        }
        mean(chosen(micro, response).map(|(scores, class)| cross_entropy(scores, class)))
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        let scores = metrics::entities(&self.predicted, &self.expected);
        vec![scores.precision, scores.recall, scores.f1, scores.accuracy]
    }
}

/// Masked tokens.
#[derive(Default)]
pub(super) struct Masked {
    tokens: Tally,
}

impl Scores for Masked {
    fn add(&mut self, micro: &MicroBatch, _: &Batch, response: &Response) -> Option<f64> {
        mean(chosen(micro, response).map(|(scores, token)| {
            self.tokens.add(best(scores) == token);
            cross_entropy(scores, token)
        }))
    }

    fn finish(&self, loss: f64) -> Vec<f64> {
        vec![perplexity(loss), self.tokens.accuracy()]
    }
}

/// Masked tokens and next sentence prediction.
#[derive(Default)]
pub(super) struct PreTraining {
    masked: Masked,
    relations: Tally,
    /// Losses of tokens and of next sentence prediction, summed over the rows.
    losses: [f64; 2],
    rows: usize,
}

impl Scores for PreTraining {
    fn add(&mut self, micro: &MicroBatch, batch: &Batch, response: &Response) -> Option<f64> {
        let rows = micro.classes.len();
        let relations = response.relation.chunks_exact(2).zip(&micro.classes);
        let relations = relations.map(|(scores, &class)| {
            self.relations.add(best(scores) == class as usize);
            cross_entropy(scores, class as usize)
        });
        let losses = [self.masked.add(micro, batch, response)?, mean(relations)?];
        self.losses.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += rows as f64 * loss);
        self.rows += rows;
        Some(losses[0] + losses[1])
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        let [tokens, relations] = self.losses.map(|sum| sum / self.rows as f64);
        vec![tokens, relations, self.masked.tokens.accuracy(), self.relations.accuracy()]
    }
}

/// Detection of replaced tokens. F1 counts the replaced ones as positive.
#[derive(Default)]
pub(super) struct Replaced {
    tokens: Tally,
    found: usize,
    there: usize,
    both: usize,
}

impl Scores for Replaced {
    fn add(&mut self, micro: &MicroBatch, _: &Batch, response: &Response) -> Option<f64> {
        mean(response.logits.iter().zip(&micro.tokens).map(|(&score, &label)| {
            let (found, there) = (score > 0.0, label == 1);
            self.tokens.add(found == there);
            self.found += usize::from(found);
            self.there += usize::from(there);
            self.both += usize::from(found && there);
            binary_cross_entropy(score, label as f32)
        }))
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        let scores = metrics::Scores::of(self.both, self.found, self.there);
        vec![self.tokens.accuracy(), scores.f1]
    }
}
