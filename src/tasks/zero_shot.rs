//! Zero-shot classification: which of these labels, never trained on, does a text have? Each is
//! put into a sentence, and a model of inference says whether the text entails it.

use serde::{Deserialize, Serialize};

use super::{Answer, Fitted, encode, softmax};
use crate::backend::Processor;
use crate::config::{Config, HeadKind};
use crate::engine::{Model, OutputRequest, Tick};
use crate::tokenizer::Truncation;
use crate::{Error, Result};
use webert_kernels::top_indices;

/// The name of the task.
pub const TASK: &str = "zero-shot-classification";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ZeroShotOptions {
    /// The sentence that a label stands in, at `{}`.
    pub hypothesis_template: String,
    /// Each label by itself, rather than one against the others.
    pub multi_label: bool,
}

impl Default for ZeroShotOptions {
    fn default() -> Self {
        Self { hypothesis_template: "This example is {}.".into(), multi_label: false }
    }
}

/// The labels of one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The text.
    pub sequence: String,
    /// The labels, best first.
    pub labels: Vec<String>,
    /// Their probabilities.
    pub scores: Vec<f32>,
    /// Present where the text was cut to leave room for a label's sentence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Ranking {}

/// Ranks the labels given with each text.
///
/// # Errors
/// `BadInput` without labels, for a template without `{}`, or a sentence as long as the model's
/// window; `Unsupported` where the model was not trained on inference.
pub async fn zero_shot<B: Processor>(
    model: &Model<B>,
    inputs: &[(String, Vec<String>)],
    options: &ZeroShotOptions,
    tick: Tick<'_>,
) -> Result<Vec<Ranking>> {
    model.need(TASK, &[HeadKind::SequenceClassification])?;
    let (entailment, other) = entailment(model.config())?;
    let sentences = sentences(inputs, &options.hypothesis_template)?;
    let pairs = &mut sentences.iter().map(|(text, sentence)| (*text, Some(sentence.as_str())));
    let Fitted { encodings, truncated } =
        encode(model, pairs, Truncation::OnlyFirst, model.max_tokens(), tick).await?;
    let tables = model.compute(&encodings, OutputRequest::Logits, None, tick).await?;
    let mut rankings = Vec::with_capacity(inputs.len());
    let mut first = 0;
    for (text, labels) in inputs {
        let range = first..first + labels.len();
        first = range.end;
        let logits = tables[range.clone()].iter().map(|table| table.row(0));
        let scores: Vec<f32> = if options.multi_label || labels.len() == 1 {
            logits.map(|row| softmax(&[row[entailment], row[other]])[0]).collect()
        } else {
            softmax(&logits.map(|row| row[entailment]).collect::<Vec<_>>())
        };
        let order = top_indices(&scores, labels.len());
        rankings.push(Ranking {
            sequence: text.clone(),
            labels: order.iter().map(|&n| labels[n].clone()).collect(),
            scores: order.iter().map(|&n| scores[n]).collect(),
            truncated: truncated[range].contains(&true),
        });
    }
    Ok(rankings)
}

/// Each text with each of its labels' sentences.
fn sentences<'a>(
    inputs: &'a [(String, Vec<String>)],
    template: &str,
) -> Result<Vec<(&'a str, String)>> {
    let refuse = |what: String| Err(Error::BadInput(format!("zero-shot-classification: {what}")));
    if !template.contains("{}") {
        return refuse(format!("hypothesis_template \"{template}\" has no {{}} for the label"));
    }
    let mut sentences = Vec::new();
    for (text, labels) in inputs {
        if labels.is_empty() {
            return refuse("there are no labels".into());
        }
        for label in labels {
            sentences.push((text.as_str(), template.replace("{}", label)));
        }
    }
    Ok(sentences)
}

/// The place of the label for entailment, and that of the one it is weighed against where labels
/// stand alone. Labels without names are taken to end with entailment, as by Hugging Face.
fn entailment(config: &Config) -> Result<(usize, usize)> {
    let labels = &config.labels;
    let last = labels.len().saturating_sub(1);
    let unnamed = labels.iter().all(|label| label.starts_with("LABEL_"));
    let is_entailment =
        |label: &String| label.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("entail"));
    match labels.iter().position(is_entailment).or(unnamed.then_some(last)) {
        Some(0) if last > 0 => Ok((0, last)),
        Some(place) if last > 0 => Ok((place, 0)),
        _ => Err(Error::Unsupported(format!(
            "zero-shot-classification needs a model of inference, with a label for entailment; \
             this one's labels: {}",
            labels.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        ))),
    }
}
