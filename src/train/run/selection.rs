//! The evaluations of a run: the best one with its weights, and early stopping.

use super::early_stopping::EarlyStopping;
use super::state::NamedTensor;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::train::arguments::TrainingArguments;
use crate::train::data::dataset::Dataset;
use crate::train::metrics::evaluate::Metrics;
use crate::train::step::trainer::Trainer;
use crate::{Error, ErrorKind, Result};

/// Results of a run's evaluations. Part of the run's state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// `None` before the first evaluation.
    pub stopping: Option<EarlyStopping>,
    /// Number of steps taken at the last evaluation.
    pub evaluated_at: u32,
    /// The best evaluation. Kept only with `load_best_model_at_end`.
    pub best: Option<Best>,
}

/// The best evaluation of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// Its metrics.
    pub metrics: Metrics,
    /// Values of the trained parameters at that time.
    pub parameters: Vec<NamedTensor>,
}

/// Checks that a run can evaluate as the arguments demand.
///
/// # Errors
/// `BadInput` for an evaluation argument without evaluation data, and for a metric that the
/// evaluations do not have.
pub(in crate::train) fn check_evaluations(
    arguments: &TrainingArguments,
    eval: Option<&Dataset>,
) -> Result<()> {
    if let Some(eval) = eval {
        return EarlyStopping::new(arguments).check(eval.metric_names());
    }
    let given = [
        ("eval_steps", arguments.eval_steps.is_some()),
        ("load_best_model_at_end", arguments.load_best_model_at_end),
        ("metric_for_best_model", arguments.metric_for_best_model.is_some()),
        ("early_stopping_patience", arguments.early_stopping_patience.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("{name}"),
            format_args!("an eval_dataset"),
            format_args!("none"),
        )),
        None => Ok(()),
    }
}

impl Selection {
    /// Returns true if the evaluation after this number of steps ends the run.
    pub(in crate::train) fn stops_at(&self, step: usize) -> bool {
        let is_last = step > 0 && self.evaluated_at as usize == step;
        is_last && self.stopping.as_ref().is_some_and(EarlyStopping::stops)
    }
}

impl<B: Train + Processor> Trainer<B> {
    /// Evaluates the model within a run. [`Selection::stops_at`] then returns if the run must end.
    ///
    /// # Errors
    /// As [`Trainer::evaluate`].
    pub(in crate::train) async fn evaluate_in_run(
        &mut self,
        eval: &Dataset,
        arguments: &TrainingArguments,
    ) -> Result<Metrics> {
        let go_on = || -> std::pin::Pin<Box<dyn Future<Output = _>>> { Box::pin(async { Ok(()) }) };
        let metrics = self.evaluate(eval, arguments, &go_on).await?;
        let new = || EarlyStopping::new(arguments);
        let verdict = self.selection.stopping.get_or_insert_with(new).evaluated(&metrics)?;
        if verdict.is_best && arguments.load_best_model_at_end {
            let parameters = self.trained_parameters().await?;
            self.selection.best = Some(Best { metrics: metrics.clone(), parameters });
        }
        self.selection.evaluated_at = self.steps();
        Ok(metrics)
    }

    /// Restores the parameters of the best evaluation, if one is kept. Returns its metrics.
    ///
    /// # Errors
    /// As [`Trainer::resume`].
    pub(in crate::train) fn load_best(&mut self) -> Result<Option<Metrics>> {
        let Some(Best { metrics, parameters }) = self.selection.best.take() else {
            return Ok(None);
        };
        self.write_parameters(&parameters)?;
        Ok(Some(metrics))
    }
}
