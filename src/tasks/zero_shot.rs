//! Zero-shot classification: assigns labels that the model was not trained on. Each label is put
//! into a sentence, and an inference model predicts whether the text entails the sentence.

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
    /// The sentence for a label, with `{}` in place of the label.
    pub hypothesis_template: String,
    /// Whether each label is scored independently of the others.
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
    /// The probabilities of the labels.
    pub scores: Vec<f32>,
    /// Present if the text was truncated to leave room for a label's sentence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Ranking {}

/// Ranks the labels of each text.
///
/// # Errors
/// `BadInput` if a text has no labels, the template has no `{}`, or a sentence is as long as the
/// model's window. `Unsupported` if the model was not trained on inference.
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
        // with one label, the softmax over labels would always be 1
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

/// Returns each text with the sentence of each of its labels.
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

/// Returns the index of the entailment label, and the index of its alternative for independent
/// labels. If no label has a name, the last one is entailment, as in Hugging Face.
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
