//! Multiple choice: finds the continuation that fits a prompt best.

use serde::Serialize;

pub use super::options::NoOptions as Options;
use super::{Answer, PairScore, need_words, score_pairs, softmax};
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, Tick};
use crate::{Error, Result};

/// The name of the task.
pub const TASK: &str = "multiple-choice";

/// A continuation and how well it fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The continuation.
    pub choice: String,
    /// The probability among the prompt's choices.
    pub score: f32,
    /// Present if the prompt or the choice was truncated to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Choice {}

/// Returns the probability of each choice of each prompt, in the order of the choices.
///
/// # Errors
/// `Unsupported` if the model has no head for the task; `BadInput` if a prompt has no choices or a
/// text is empty.
pub async fn multiple_choice<B: Processor>(
    model: &Model<B>,
    inputs: &[(String, Vec<String>)],
    _options: &Options,
    tick: Tick<'_>,
) -> Result<Vec<Vec<Choice>>> {
    model.need(TASK, &[HeadKind::MultipleChoice])?;
    for (prompt, choices) in inputs {
        need_words(TASK, "prompt", prompt)?;
        choices.iter().try_for_each(|choice| need_words(TASK, "choice", choice))?;
        if choices.is_empty() {
            return Err(Error::BadInput(format!("{TASK}: there are no choices")));
        }
    }
    let weighed = |(scores, (_, choices)): (Vec<PairScore>, &(String, Vec<String>))| {
        let logits: Vec<f32> = scores.iter().map(|&(logit, _)| logit).collect();
        let each = softmax(&logits).into_iter().zip(scores).zip(choices);
        each.map(|((score, (_, truncated)), choice)| Choice {
            choice: choice.clone(),
            score,
            truncated,
        })
        .collect()
    };
    Ok(score_pairs(model, inputs, tick).await?.into_iter().zip(inputs).map(weighed).collect())
}
