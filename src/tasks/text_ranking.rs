//! Text ranking with a cross-encoder: orders documents by how well they answer a query. The model
//! reads each document together with the query.

use serde::{Deserialize, Serialize};

use super::options::count_or_null;
use super::{Answer, PairScore, score_pairs, sigmoid};
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, Tick};
use crate::{Error, Result};
use webert_kernels::top_indices;

/// The name of the task.
pub const TASK: &str = "text-ranking";

/// Options of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextRankingOptions {
    /// The number of documents per query, best first. `None` (JavaScript: null) means all.
    #[serde(deserialize_with = "count_or_null")]
    pub top_k: Option<usize>,
    /// Whether answers include the documents' texts.
    pub return_documents: bool,
    /// The function from logit to score. `None` means the function in the model's folder, else the
    /// sigmoid.
    pub function_to_apply: Option<Function>,
}

/// A function applied to a pair's logit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Function {
    /// The sigmoid, a probability.
    Sigmoid,
    /// The logit is unchanged.
    None,
    /// The hyperbolic tangent.
    #[serde(skip)]
    Tanh,
}

impl Function {
    fn apply(self, logit: f32) -> f32 {
        match self {
            Self::Sigmoid => sigmoid(logit),
            Self::None => logit,
            Self::Tanh => logit.tanh(),
        }
    }
}

/// A document and how well it fits the query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// The document's index in the input.
    pub corpus_id: u32,
    /// The result of the requested function for the model's logit.
    pub score: f32,
    /// The document, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Present if the query or the document was truncated to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Ranked {}

/// Orders the documents of each query by descending score. Documents with equal scores keep their
/// order.
///
/// # Errors
/// `Unsupported` if the model does not return one score per pair, or its folder names an unknown
/// function.
pub async fn text_ranking<B: Processor>(
    model: &Model<B>,
    inputs: &[(String, Vec<String>)],
    options: &TextRankingOptions,
    tick: Tick<'_>,
) -> Result<Vec<Vec<Ranked>>> {
    model.need(TASK, &[HeadKind::SequenceClassification])?;
    let labels = model.config().labels.len();
    if labels != 1 {
        return Err(Error::Unsupported(format!("{TASK} needs a model with 1 label, not {labels}")));
    }
    let function = match options.function_to_apply {
        Some(function) => function,
        None => folder_function(model.config().score_function.as_deref())?,
    };
    let ranked = |(pairs, (_, documents)): (Vec<PairScore>, &(String, Vec<String>))| {
        let scores: Vec<f32> = pairs.iter().map(|&(logit, _)| function.apply(logit)).collect();
        let best = top_indices(&scores, options.top_k.unwrap_or(usize::MAX)).into_iter();
        best.map(|n| Ranked {
            corpus_id: n as u32,
            score: scores[n],
            text: options.return_documents.then(|| documents[n].clone()),
            truncated: pairs[n].1,
        })
        .collect()
    };
    Ok(score_pairs(model, inputs, tick).await?.into_iter().zip(inputs).map(ranked).collect())
}

/// Returns the function named by a PyTorch class. Classes of other packages are not trusted and are
/// replaced by the sigmoid, as in sentence-transformers.
fn folder_function(class: Option<&str>) -> Result<Function> {
    let Some(name) = class.and_then(|class| class.strip_prefix("torch.")) else {
        return Ok(Function::Sigmoid);
    };
    match name {
        _ if name.ends_with(".Sigmoid") => Ok(Function::Sigmoid),
        _ if name.ends_with(".Identity") => Ok(Function::None),
        _ if name.ends_with(".Tanh") => Ok(Function::Tanh),
        _ => Err(Error::Unsupported(format!(
            "{TASK}: the folder's activation_fn is torch.{name}, expected Sigmoid, Identity or Tanh"
        ))),
    }
}
