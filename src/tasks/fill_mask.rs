//! Fill-mask: what could stand in the place of `[MASK]`?

use serde::{Deserialize, Serialize};

use super::{Fitted, encode, softmax};
use crate::config::HeadKind;
use crate::model::{Model, Tick, Want};
use crate::ranking::top_k;
use crate::tokenizer::{Tokenizer, Truncation};
use crate::{Error, Result};

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How many answers a mask, best first.
    pub top_k: usize,
    /// Only these words are considered. One that is no vocabulary entry counts by its first piece.
    pub targets: Option<Targets>,
}

/// One word or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Targets {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Default for Options {
    fn default() -> Self {
        Self { top_k: 5, targets: None }
    }
}

/// One word for one mask.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Filled {
    /// Its probability among the whole vocabulary.
    pub score: f32,
    /// Its id.
    pub token: u32,
    /// Its text.
    pub token_str: String,
    /// The text with it in the mask's place; special tokens are left in where other masks remain.
    pub sequence: String,
    /// Present where the text was cut to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The answer for one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Words for its one mask.
    One(Vec<Filled>),
    /// Words for each of its masks.
    Many(Vec<Vec<Filled>>),
}

/// Answers for each text.
///
/// # Errors
/// `BadInput` where a text has no mask, or one beyond the model's window, or no target is given.
pub async fn fill_mask(
    model: &mut Model,
    texts: &[String],
    options: &Options,
    tick: Tick<'_>,
) -> Result<Vec<Answer>> {
    model.need("fill-mask", &[HeadKind::MaskedLm, HeadKind::PreTraining])?;
    let tokenizer = model.tokenizer()?;
    let Some(mask) = tokenizer.special().mask.clone() else {
        return Err(Error::Unsupported("fill-mask: the tokenizer has no mask token".into()));
    };
    let targets = options.targets.as_ref().map(|t| target_ids(tokenizer, t)).transpose()?;
    let Fitted { encodings, truncated } = encode(
        model,
        &mut texts.iter().map(|text| (text.as_str(), None)),
        Truncation::LongestFirst,
        model.max_tokens(),
    )?;
    let mut places = Vec::with_capacity(texts.len());
    for ((text, encoding), &truncated) in texts.iter().zip(&encodings).zip(&truncated) {
        let masks: Vec<u32> = (0..)
            .zip(&encoding.ids)
            .filter_map(|(place, &id)| (id == mask.id).then_some(place))
            .collect();
        let lost = truncated && masks.len() < text.matches(mask.token.as_str()).count();
        if masks.is_empty() || lost {
            return Err(no_mask(text, &mask.token, lost, model.max_tokens()));
        }
        places.push(masks);
    }
    let tables = model.compute(&encodings, Want::Logits, Some(&places), tick).await?;
    let tokenizer = model.tokenizer()?;
    let mut answers = Vec::with_capacity(texts.len());
    for (n, table) in tables.iter().enumerate() {
        let mut masks = Vec::with_capacity(places[n].len());
        for (scores, &place) in table.rows().zip(&places[n]) {
            let mut filled = Vec::new();
            for (id, score) in best(scores, options.top_k, targets.as_deref()) {
                let mut ids = encodings[n].ids.clone();
                ids[place as usize] = id;
                filled.push(Filled {
                    score,
                    token: id,
                    token_str: tokenizer.decode(&[id], false, true)?,
                    sequence: tokenizer.decode(&ids, places[n].len() == 1, true)?,
                    truncated: truncated[n],
                });
            }
            masks.push(filled);
        }
        answers.push(match <[_; 1]>::try_from(masks) {
            Ok([one]) => Answer::One(one),
            Err(masks) => Answer::Many(masks),
        });
    }
    Ok(answers)
}

/// The best ids with their probabilities.
fn best(scores: &[f32], k: usize, targets: Option<&[u32]>) -> Vec<(u32, f32)> {
    let probabilities = softmax(scores);
    match targets {
        None => {
            let ids = top_k(&probabilities, k).into_iter();
            ids.map(|id| (id as u32, probabilities[id])).collect()
        }
        Some(targets) => {
            let chosen: Vec<f32> = targets.iter().map(|&id| probabilities[id as usize]).collect();
            top_k(&chosen, k).into_iter().map(|n| (targets[n], chosen[n])).collect()
        }
    }
}

/// The targets' ids, each once.
fn target_ids(tokenizer: &Tokenizer, targets: &Targets) -> Result<Vec<u32>> {
    let words = match targets {
        Targets::One(word) => std::slice::from_ref(word),
        Targets::Many(words) => words,
    };
    let options =
        crate::tokenizer::EncodeOptions { add_special_tokens: false, ..Default::default() };
    let mut ids = Vec::new();
    for word in words {
        let id = match tokenizer.id(word) {
            Some(id) => Some(id),
            None => {
                tokenizer.encode(word, None, &options)?.first().and_then(|e| e.ids.first().copied())
            }
        };
        ids.extend(id.filter(|id| !ids.contains(id)));
    }
    if ids.is_empty() {
        return Err(Error::BadInput("fill-mask: targets has no word in it".into()));
    }
    Ok(ids)
}

fn no_mask(text: &str, mask: &str, lost: bool, limit: usize) -> Error {
    let shown: String = text.chars().take(60).collect();
    Error::BadInput(if lost {
        format!("fill-mask: a {mask} of \"{shown}…\" lies beyond the model's {limit} tokens")
    } else {
        format!("fill-mask: there is no {mask} in \"{shown}\"")
    })
}
