//! From inputs to answers, one file a task: encode, compute, read the scores. A result never
//! depends on the other inputs of a call.

pub mod feature_extraction;
pub mod fill_mask;
pub mod text_classification;

use crate::config::HeadKind;
use crate::model::Model;
use crate::tokenizer::{EncodeOptions, Encoding, Truncation};
use crate::{Error, Result};

/// The head a task wants of a checkpoint that has several; `None` for a task of another name.
pub fn head_of(task: &str) -> Option<HeadKind> {
    match task {
        "fill-mask" => Some(HeadKind::MaskedLm),
        "text-classification" | "zero-shot-classification" => {
            Some(HeadKind::SequenceClassification)
        }
        "token-classification" => Some(HeadKind::TokenClassification),
        "question-answering" => Some(HeadKind::QuestionAnswering),
        "next-sentence-prediction" => Some(HeadKind::NextSentence),
        "multiple-choice" => Some(HeadKind::MultipleChoice),
        "feature-extraction" => Some(HeadKind::Bare),
        _ => None,
    }
}

/// A text, alone or with a second one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// One text.
    One(String),
    /// Two, as in inference or paraphrase.
    Pair {
        /// The first.
        text: String,
        /// The second.
        text_pair: Option<String>,
    },
}

impl Text {
    fn parts(&self) -> (&str, Option<&str>) {
        match self {
            Self::One(text) => (text, None),
            Self::Pair { text, text_pair } => (text, text_pair.as_deref()),
        }
    }
}

/// An encoding cut to the model's window, and whether anything was cut.
struct Fitted {
    encoding: Encoding,
    truncated: bool,
}

/// Encodes texts with special tokens, cut to at most `limit` tokens.
fn encode<'a>(
    model: &Model,
    texts: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    limit: usize,
) -> Result<Vec<Fitted>> {
    let tokenizer = model.tokenizer()?;
    let options = EncodeOptions {
        truncation: Truncation::LongestFirst,
        max_length: Some(limit),
        return_overflowing_tokens: true,
        ..EncodeOptions::default()
    };
    texts
        .into_iter()
        .map(|(text, pair)| {
            let mut windows = tokenizer.encode(text, pair, &options)?.into_iter();
            let Some(encoding) = windows.next() else {
                return Err(Error::BadInput("the text has no tokens".into()));
            };
            Ok(Fitted { encoding, truncated: windows.next().is_some() })
        })
        .collect()
}

/// Softmax in f64, as the differences of many small scores matter.
fn softmax(scores: &[f32]) -> Vec<f32> {
    let greatest = scores.iter().fold(f32::NEG_INFINITY, |max, &x| max.max(x));
    let exps: Vec<f64> = scores.iter().map(|&x| f64::from(x - greatest).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.iter().map(|e| (e / sum) as f32).collect()
}

fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}
