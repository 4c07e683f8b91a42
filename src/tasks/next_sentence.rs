//! Next-sentence prediction: predicts whether the second text follows the first.

use serde::Serialize;

pub use super::options::NoOptions as Options;
use super::{Answer, Fitted, encode, need_words, softmax};
use crate::Result;
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, OutputRequest, Tick};
use crate::tokenizer::Truncation;

/// The name of the task.
pub const TASK: &str = "next-sentence-prediction";

/// Two probabilities with the sum 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NextSentence {
    /// The second text follows the first: label 0 in every checkpoint.
    pub is_next: f32,
    /// The second text comes from elsewhere.
    pub not_next: f32,
    /// Present if the texts were truncated to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for NextSentence {}

/// Returns the probabilities for each pair of a text and a possible continuation.
///
/// # Errors
/// `Unsupported` if the model has no head for the task; `BadInput` for an empty text.
pub async fn next_sentence<B: Processor>(
    model: &Model<B>,
    inputs: &[(String, String)],
    _options: &Options,
    tick: Tick<'_>,
) -> Result<Vec<NextSentence>> {
    model.need(TASK, &[HeadKind::NextSentence])?;
    for (text, next) in inputs {
        need_words(TASK, "text", text)?;
        need_words(TASK, "next text", next)?;
    }
    let pairs = &mut inputs.iter().map(|(text, next)| (text.as_str(), Some(next.as_str())));
    let Fitted { encodings, truncated } =
        encode(model, pairs, Truncation::LongestFirst, model.max_tokens(), tick).await?;
    let tables = model.compute(&encodings, OutputRequest::Logits, None, tick).await?;
    let answer = |(n, &truncated): (usize, &bool)| {
        let scores = softmax(tables[n].row(0));
        NextSentence { is_next: scores[0], not_next: scores[1], truncated }
    };
    Ok(truncated.iter().enumerate().map(answer).collect())
}
