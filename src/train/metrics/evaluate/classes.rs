//! Predictions with one result per row: classes, several labels, numbers, choices.

use super::{Metrics, Scores, best, binary_cross_entropy, cross_entropy, mean, names};
use crate::batch::Batch;
use crate::engine::Response;
use crate::train::data::batches::MicroBatch;
use crate::train::metrics::{classification, correlation, multi_label};

/// Splits the scores of a batch into its rows.
fn rows(scores: &[f32], rows: usize) -> std::slice::ChunksExact<'_, f32> {
    scores.chunks_exact((scores.len() / rows.max(1)).max(1))
}

/// One of several classes, or one of a row's choices; the scores of the choices follow each other.
#[derive(Default)]
pub(super) struct Classes {
    has_f1: bool,
    predicted: Vec<usize>,
    expected: Vec<usize>,
}

impl Classes {
    /// Computes accuracy and the macro F1.
    pub(super) fn with_f1() -> Self {
        Self { has_f1: true, ..Self::default() }
    }
}

impl Scores for Classes {
    fn add(&mut self, micro: &MicroBatch, _: &Batch, response: &Response) -> Option<f64> {
        let expected = micro.classes.iter().map(|&class| class as usize);
        let scored = rows(&response.logits, micro.classes.len()).zip(expected.clone());
        let loss = mean(scored.clone().map(|(scores, class)| cross_entropy(scores, class)));
        self.predicted.extend(scored.map(|(scores, _)| best(scores)));
        self.expected.extend(expected);
        loss
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        let scores = classification(&self.predicted, &self.expected);
        match self.has_f1 {
            true => vec![scores.accuracy, scores.f1_macro],
            false => vec![scores.accuracy],
        }
    }
}

/// Any number of labels per row.
pub(super) struct SeveralLabels {
    labels: usize,
    predicted: Vec<bool>,
    expected: Vec<bool>,
}

impl SeveralLabels {
    pub(super) fn new(labels: usize) -> Self {
        Self { labels, predicted: Vec::new(), expected: Vec::new() }
    }
}

impl Scores for SeveralLabels {
    fn add(&mut self, micro: &MicroBatch, _: &Batch, response: &Response) -> Option<f64> {
        // sigmoid(score) > 0.5 exactly if score > 0.
        self.predicted.extend(response.logits.iter().map(|&score| score > 0.0));
        self.expected.extend(micro.scores.iter().map(|&share| share >= 0.5));
        let pairs = response.logits.iter().zip(&micro.scores);
        mean(pairs.map(|(&score, &share)| binary_cross_entropy(score, share)))
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        let scores = multi_label(&self.predicted, &self.expected, self.labels);
        vec![scores.accuracy, scores.f1_micro, scores.f1_macro]
    }
}

/// Returns loss and metrics of scores that another head computed, `[rows, labels]`, as an evaluation
/// of text-classification does. `targets` has the share of each label, from 0 to 1, in the same
/// layout. If `several` is true, each label is an answer of its own.
///
/// ```
/// use webert::train::metrics::evaluate::score_metrics;
///
/// let metrics = score_metrics(&[0.0, 2.0, 3.0, 0.0], &[0.0, 1.0, 0.0, 1.0], 2, false);
/// assert_eq!(metrics[1], ("accuracy", 0.5));
/// ```
pub fn score_metrics(scores: &[f32], targets: &[f32], labels: usize, several: bool) -> Metrics {
    let rows = || scores.chunks_exact(labels.max(1)).zip(targets.chunks_exact(labels.max(1)));
    if several {
        let pairs = scores.iter().zip(targets);
        let loss = mean(pairs.map(|(&score, &share)| binary_cross_entropy(score, share)));
        let found: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
        let expected: Vec<bool> = targets.iter().map(|&share| share >= 0.5).collect();
        let of = multi_label(&found, &expected, labels);
        let values = [loss.unwrap_or(f64::NAN), of.accuracy, of.f1_micro, of.f1_macro];
        return names::LABELS.iter().copied().zip(values).collect();
    }
    let loss = mean(rows().map(|(scores, shares)| {
        let shares = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        shares.map(|(label, &share)| f64::from(share) * cross_entropy(scores, label)).sum()
    }));
    let (found, expected): (Vec<_>, Vec<_>) =
        rows().map(|(scores, shares)| (best(scores), best(shares))).unzip();
    let of = classification(&found, &expected);
    let values = [loss.unwrap_or(f64::NAN), of.accuracy, of.f1_macro];
    names::CLASSES.iter().copied().zip(values).collect()
}

/// Numbers. A row may have several; all are compared together.
#[derive(Default)]
pub(super) struct Numbers {
    predicted: Vec<f64>,
    expected: Vec<f64>,
}

impl Scores for Numbers {
    fn add(&mut self, micro: &MicroBatch, _: &Batch, response: &Response) -> Option<f64> {
        let pairs = response.logits.iter().zip(&micro.scores);
        let pairs = pairs.map(|(&found, &expected)| (f64::from(found), f64::from(expected)));
        self.predicted.extend(pairs.clone().map(|pair| pair.0));
        self.expected.extend(pairs.clone().map(|pair| pair.1));
        mean(pairs.map(|(found, expected)| (found - expected).powi(2)))
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        let scores = correlation(&self.predicted, &self.expected);
        let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
        vec![scores.mse, or_nan(scores.pearson), or_nan(scores.spearmanr)]
    }
}
