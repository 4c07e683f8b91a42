//! Classes: accuracy and F1, as in scikit-learn.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Scores, mean, share};

/// Quality of predictions with one class per text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Classification {
    /// Share of texts with the right class.
    pub accuracy: f64,
    /// Mean F1 over the classes that occur in predictions or references.
    pub f1_macro: f64,
}

/// Scores classes, one per text in each list.
///
/// ```
/// let scores = webert::train::metrics::classification(&[0, 1, 1, 1], &[0, 0, 1, 1]);
/// assert_eq!(scores.accuracy, 0.75);
/// assert_eq!(scores.f1_macro, (2.0 / 3.0 + 0.8) / 2.0);
/// ```
pub fn classification(predictions: &[usize], references: &[usize]) -> Classification {
    let mut classes: BTreeMap<usize, Counts> = BTreeMap::new();
    for (&predicted, &reference) in predictions.iter().zip(references) {
        classes.entry(predicted).or_default().found += 1;
        let class = classes.entry(reference).or_default();
        class.support += 1;
        class.right += usize::from(predicted == reference);
    }
    let right = classes.values().map(|class| class.right).sum();
    Classification {
        accuracy: share(right, references.len()),
        f1_macro: mean(classes.values().map(|class| class.scores().f1)),
    }
}

/// Quality of predictions with any number of labels per text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MultiLabel {
    /// Share of texts whose labels are all right and complete.
    pub accuracy: f64,
    /// F1 over all texts and labels together.
    pub f1_micro: f64,
    /// Mean F1 over the labels.
    pub f1_macro: f64,
}

/// Scores sets of labels, row-major `[texts, labels]` in each list.
///
/// ```
/// let scores = webert::train::metrics::multi_label(&[true, false, true, true], &[true, false, true, false], 2);
/// assert_eq!((scores.accuracy, scores.f1_micro), (0.5, 0.8));
/// ```
pub fn multi_label(predictions: &[bool], references: &[bool], labels: usize) -> MultiLabel {
    let mut counts = vec![Counts::default(); labels];
    let mut exact = 0;
    let texts = predictions.chunks_exact(labels.max(1)).zip(references.chunks_exact(labels.max(1)));
    let len = texts.len();
    for (predicted, reference) in texts {
        exact += usize::from(predicted == reference);
        for ((label, &found), &there) in counts.iter_mut().zip(predicted).zip(reference) {
            label.found += usize::from(found);
            label.support += usize::from(there);
            label.right += usize::from(found && there);
        }
    }
    let all = counts.iter().fold(Counts::default(), |all, label| Counts {
        right: all.right + label.right,
        found: all.found + label.found,
        support: all.support + label.support,
    });
    MultiLabel {
        accuracy: share(exact, len),
        f1_micro: all.scores().f1,
        f1_macro: mean(counts.iter().map(|label| label.scores().f1)),
    }
}

/// Counts for the scores of a class.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    right: usize,
    found: usize,
    support: usize,
}

impl Counts {
    fn scores(self) -> Scores {
        Scores::of(self.right, self.found, self.support)
    }
}
