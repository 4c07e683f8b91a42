//! Metrics of evaluations, as in scikit-learn, SciPy, seqeval and SQuAD's own script. All numbers
//! are f64. Shares are from 0 to 1; SQuAD's scores are percentages.

mod answers;
mod classification;
mod correlation;
mod entities;
pub mod evaluate;

use serde::Serialize;

pub use answers::{Answers, answer_scores, normalize_answer};
pub use classification::{Classification, MultiLabel, classification, multi_label};
pub use correlation::{Correlation, correlation, pearson, spearman};
pub use entities::{Chunk, Entities, chunks, entities};

/// Precision, recall and their harmonic mean. Each is 0 if its denominator is 0.
///
/// ```
/// use webert::train::metrics::Scores;
///
/// // 4 were predicted, 3 of them are right, and the references have 6.
/// let scores = Scores::of(3, 4, 6);
/// assert_eq!((scores.precision, scores.recall, scores.f1), (0.75, 0.5, 0.6));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Right ones / predicted ones.
    pub precision: f64,
    /// Right ones / reference ones.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Number of reference ones.
    pub support: usize,
}

impl Scores {
    /// Computes the scores from counts: right, predicted (`found`) and reference (`support`).
    pub fn of(right: usize, found: usize, support: usize) -> Self {
        Self {
            precision: share(right, found),
            recall: share(right, support),
            f1: share(2 * right, found + support),
            support,
        }
    }
}

/// Returns the perplexity of a mean loss in nats.
///
/// ```
/// assert_eq!(webert::train::metrics::perplexity(0.0), 1.0);
/// ```
pub fn perplexity(loss: f64) -> f64 {
    loss.exp()
}

/// Returns the share of right predictions among the targets that are not -100, or 0 if every target
/// is. For masked language modelling this is the masked accuracy.
///
/// ```
/// use webert::train::metrics::token_accuracy;
///
/// assert_eq!(token_accuracy(&[7, 3, 5], &[7, -100, 4]), 0.5);
/// ```
pub fn token_accuracy(predictions: &[i32], targets: &[i32]) -> f64 {
    let counted = || predictions.iter().zip(targets).filter(|(_, target)| **target >= 0);
    share(counted().filter(|(prediction, target)| prediction == target).count(), counted().count())
}

/// Returns a quotient of counts, or 0 if the denominator is 0.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Returns the mean, or 0 for no numbers.
fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let len = numbers.len();
    if len == 0 { 0.0 } else { numbers.sum::<f64>() / len as f64 }
}
