//! Names of the metrics per task. Each list has the order of [`super::Metrics`].

pub(in crate::train) const CLASSES: &[&str] = &["loss", "accuracy", "f1"];
pub(in crate::train) const LABELS: &[&str] = &["loss", "accuracy", "f1_micro", "f1_macro"];
pub(in crate::train) const REGRESSION: &[&str] = &["loss", "mse", "pearson", "spearman"];
pub(in crate::train) const ENTITIES: &[&str] = &["loss", "precision", "recall", "f1", "accuracy"];
pub(in crate::train) const ANSWERS: &[&str] = &["loss", "exact_match", "f1"];
pub(in crate::train) const CHOICES: &[&str] = &["loss", "accuracy"];
pub(in crate::train) const MASKED_LM: &[&str] = &["loss", "perplexity", "accuracy"];
pub(in crate::train) const PRE_TRAINING: &[&str] =
    &["loss", "masked_lm_loss", "next_sentence_loss", "accuracy", "next_sentence_accuracy"];
pub(in crate::train) const SIMILARITIES: &[&str] = &["loss", "pearson", "spearman"];
pub(in crate::train) const PAIRS: &[&str] = &["loss", "accuracy", "mrr"];

/// All lists.
const ALL: [&[&str]; 10] = [
    CLASSES,
    LABELS,
    REGRESSION,
    ENTITIES,
    ANSWERS,
    CHOICES,
    MASKED_LM,
    PRE_TRAINING,
    SIMILARITIES,
    PAIRS,
];

/// Returns the metric with this name.
pub(in crate::train) fn named(name: &str) -> Option<&'static str> {
    ALL.into_iter().flatten().copied().find(|known| *known == name)
}
