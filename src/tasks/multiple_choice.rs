//! Multiple choice: which of these continuations fits a prompt best?

use serde::Serialize;

pub use super::options::NoOptions as Options;
use super::{Answer, Fitted, encode, need_words, softmax};
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, Tick, Want};
use crate::tokenizer::Truncation;
use crate::{Error, Result};

/// The name of the task.
pub const TASK: &str = "multiple-choice";

/// A continuation and how well it fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The continuation.
    pub choice: String,
    /// Its probability among the prompt's choices.
    pub score: f32,
    /// Present where prompt or choice was cut to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Choice {}

/// Weighs the choices given with each prompt; they stay in their order.
///
/// # Errors
/// `Unsupported` where the model has no such head, `BadInput` without choices or for an empty
/// text.
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
    let pairs = &mut inputs.iter().flat_map(|(prompt, choices)| {
        choices.iter().map(|choice| (prompt.as_str(), Some(choice.as_str())))
    });
    let Fitted { encodings, truncated } =
        encode(model, pairs, Truncation::LongestFirst, model.max_tokens(), tick).await?;
    let tables = model.compute(&encodings, Want::Logits, None, tick).await?;
    let mut answers = Vec::with_capacity(inputs.len());
    let mut first = 0;
    for (_, choices) in inputs {
        let range = first..first + choices.len();
        first = range.end;
        let logits: Vec<f32> = tables[range.clone()].iter().map(|table| table.row(0)[0]).collect();
        let scores = softmax(&logits).into_iter().zip(&truncated[range]).zip(choices);
        let weighed = scores.map(|((score, &truncated), choice)| Choice {
            choice: choice.clone(),
            score,
            truncated,
        });
        answers.push(weighed.collect());
    }
    Ok(answers)
}
