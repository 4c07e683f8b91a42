//! Finds the best evaluation of a run, and decides when to stop.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::error::unexpected;
use crate::train::arguments::TrainingArguments;

/// Metrics for which less is better, besides every name that ends in "loss".
const LESS_IS_BETTER: [&str; 2] = ["perplexity", "mse"];

/// Follows the evaluations of a run. It is saved with the run, so a resumed run knows its best
/// evaluation.
///
/// ```
/// use webert::train::arguments::TrainingArguments;
/// use webert::train::run::early_stopping::{EarlyStopping, Verdict};
///
/// let arguments = TrainingArguments {
///     metric_for_best_model: Some("accuracy".into()),
///     early_stopping_patience: Some(2),
///     ..Default::default()
/// };
/// let mut stopping = EarlyStopping::new(&arguments);
/// let mut verdict = |accuracy| stopping.evaluated(&[("loss", 1.0), ("accuracy", accuracy)]).unwrap();
/// assert_eq!(verdict(0.5), Verdict { is_best: true, stop: false });
/// assert_eq!(verdict(0.5), Verdict { is_best: false, stop: false });
/// assert_eq!(verdict(0.4), Verdict { is_best: false, stop: true });
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlyStopping {
    metric: String,
    /// Number of evaluations without improvement after which a run ends. `None`: no limit.
    patience: Option<usize>,
    best: Option<f64>,
    /// Number of evaluations since the best one.
    since: usize,
}

/// Result of an evaluation for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// True if it is better than all earlier ones.
    pub is_best: bool,
    /// True if the run has not improved within its patience and must end.
    pub stop: bool,
}

impl EarlyStopping {
    /// Creates the state for a run's `metric_for_best_model` and `early_stopping_patience`.
    pub fn new(arguments: &TrainingArguments) -> Self {
        let metric = arguments.metric_for_best_model.as_deref().unwrap_or("loss");
        // Hugging Face's metric names have the data set as a prefix.
        let metric = metric.strip_prefix("eval_").unwrap_or(metric).to_owned();
        Self { metric, patience: arguments.early_stopping_patience, best: None, since: 0 }
    }

    /// Returns the best value so far.
    pub fn best(&self) -> Option<f64> {
        self.best
    }

    /// Returns true if the last evaluation ends the run.
    pub fn stops(&self) -> bool {
        self.patience.is_some_and(|patience| self.since >= patience)
    }

    /// Checks that evaluations with these metrics have `metric_for_best_model`.
    ///
    /// # Errors
    /// `BadInput` if they do not.
    pub fn check(&self, names: &[&str]) -> Result<()> {
        if names.contains(&self.metric.as_str()) {
            return Ok(());
        }
        let (known, metric) = (names.join(", "), &self.metric);
        Err(unexpected!(BadInput, "metric_for_best_model", "one of {known}", "{metric:?}"))
    }

    /// Takes the metrics of an evaluation. NaN, an undefined metric, is never the best.
    ///
    /// # Errors
    /// `BadInput` if `metric_for_best_model` is missing.
    pub fn evaluated(&mut self, metrics: &[(&str, f64)]) -> Result<Verdict> {
        // `check` returns the error that lists the metrics.
        let Some(&(_, found)) = metrics.iter().find(|(name, _)| *name == self.metric) else {
            let names: Vec<&str> = metrics.iter().map(|(name, _)| *name).collect();
            return self.check(&names).map(|()| Verdict { is_best: false, stop: false });
        };
        let less = self.metric.ends_with("loss") || LESS_IS_BETTER.contains(&self.metric.as_str());
        let is_better = |best: f64| if less { found < best } else { found > best };
        let is_best = !found.is_nan() && self.best.is_none_or(is_better);
        if is_best {
            self.best = Some(found);
        }
        self.since = if is_best { 0 } else { self.since + 1 };
        Ok(Verdict { is_best, stop: self.stops() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{EarlyStopping, Verdict};
    use crate::train::arguments::TrainingArguments;

    #[test]
    fn the_least_loss_is_the_best_and_nan_never_is() {
        let mut stopping = EarlyStopping::new(&TrainingArguments::default());
        let mut best = |loss| stopping.evaluated(&[("loss", loss)]).unwrap().is_best;
        let losses = [f64::NAN, 2.0, 3.0, 1.0, 1.0, f64::NAN, 0.5];
        assert_eq!(losses.map(&mut best), [false, true, false, true, false, false, true]);
        assert_eq!(stopping.best(), Some(0.5));
    }

    #[test]
    fn a_better_evaluation_starts_the_patience_anew() {
        let arguments = TrainingArguments {
            metric_for_best_model: Some("eval_perplexity".into()),
            early_stopping_patience: Some(2),
            ..TrainingArguments::default()
        };
        let mut stopping = EarlyStopping::new(&arguments);
        let mut stop = |value| stopping.evaluated(&[("perplexity", value)]).unwrap().stop;
        assert_eq!([9.0, 9.5, 8.0, 8.5].map(&mut stop), [false; 4]);
        // A saved state continues from here.
        let saved = serde_json::to_string(&stopping).unwrap();
        let mut resumed: EarlyStopping = serde_json::from_str(&saved).unwrap();
        let verdict = resumed.evaluated(&[("perplexity", 8.1)]).unwrap();
        assert_eq!(verdict, Verdict { is_best: false, stop: true });
    }

    #[test]
    fn a_metric_that_is_not_there_is_refused_by_name() {
        let metric_for_best_model = Some("f2".into());
        let arguments = TrainingArguments { metric_for_best_model, ..TrainingArguments::default() };
        let error =
            EarlyStopping::new(&arguments).evaluated(&[("loss", 1.0), ("f1", 0.5)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "metric_for_best_model: expected one of loss, f1, got \"f2\""
        );
    }
}
