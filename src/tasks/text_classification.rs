//! Text classification: assigns labels to a text or a pair of texts.

use serde::{Deserialize, Serialize};

use super::options::count_or_null;
use super::{Answer, Fitted, Text, encode, sigmoid, softmax};
use crate::Result;
use crate::backend::Processor;
use crate::config::{self, Config, HeadKind, Problem};
use crate::engine::{Model, OutputRequest, Tick};
use crate::tokenizer::Truncation;
use webert_kernels::top_indices;

/// The name of the task.
pub const TASK: &str = "text-classification";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextClassificationOptions {
    /// The number of labels per text, best first. `None` (JavaScript: null) means all.
    #[serde(deserialize_with = "count_or_null")]
    pub top_k: Option<usize>,
    /// The function from scores to answers. `None` means the function for the config's problem
    /// type.
    pub function_to_apply: Option<Function>,
}

/// A function applied to a text's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Function {
    /// The probabilities of all labels have the sum 1.
    Softmax,
    /// Each label has an independent probability.
    Sigmoid,
    /// The scores are unchanged.
    None,
}

impl Default for TextClassificationOptions {
    fn default() -> Self {
        Self { top_k: Some(1), function_to_apply: None }
    }
}

/// A label and how well it fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Label {
    /// The label's name; a number or a boolean if `id2label` of config.json has one.
    pub label: config::Label,
    /// The label's probability, or its score.
    pub score: f32,
    /// Present if the text was truncated to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Label {}

/// Returns the labels of each text or pair.
///
/// # Errors
/// `Unsupported` if the model has no head for the task.
pub async fn text_classification<B: Processor>(
    model: &Model<B>,
    texts: &[Text],
    options: &TextClassificationOptions,
    tick: Tick<'_>,
) -> Result<Vec<Vec<Label>>> {
    model.need(TASK, &[HeadKind::SequenceClassification])?;
    let parts = &mut texts.iter().map(Text::parts);
    let Fitted { encodings, truncated } =
        encode(model, parts, Truncation::LongestFirst, model.max_tokens(), tick).await?;
    let tables = model.compute(&encodings, OutputRequest::Logits, None, tick).await?;
    let config = model.config();
    let function = options.function_to_apply.unwrap_or_else(|| default_function(config));
    let label = |scores: &[f32], n: usize, truncated: bool| Label {
        label: config.label(n),
        score: scores[n],
        truncated,
    };
    Ok(tables
        .iter()
        .zip(truncated)
        .map(|(table, truncated)| {
            let scores = apply(function, table.row(0));
            let best = top_indices(&scores, options.top_k.unwrap_or(usize::MAX)).into_iter();
            best.map(|n| label(&scores, n, truncated)).collect()
        })
        .collect())
}

/// Returns the function that Hugging Face's pipeline chooses: by the problem type, else by the
/// number of labels.
fn default_function(config: &Config) -> Function {
    match config.problem {
        Some(Problem::MultiLabel) => Function::Sigmoid,
        Some(Problem::Regression) => Function::None,
        Some(Problem::SingleLabel) => Function::Softmax,
        None if config.labels.len() == 1 => Function::Sigmoid,
        None => Function::Softmax,
    }
}

fn apply(function: Function, scores: &[f32]) -> Vec<f32> {
    match function {
        Function::Sigmoid => scores.iter().map(|&score| sigmoid(score)).collect(),
        Function::Softmax => softmax(scores),
        Function::None => scores.to_vec(),
    }
}
