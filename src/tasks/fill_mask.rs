//! Fill-mask: predicts the words for `[MASK]`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::options::{count, resolve, strings_or_null};
use super::{Fitted, Input, encode, softmax};
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, OutputRequest, Tick};
use crate::tokenizer::{Encoding, Tokenizer, Truncation};
use crate::{Error, Result};
use webert_kernels::top_indices;

/// The maximum number of answers per mask that are selected on the device.
const MOST_BEST: usize = 64;

/// The maximum number of tokens in all answers of a call, about a gigabyte. Each answer holds a
/// whole text.
const MOST_TOKENS: u64 = 1 << 27;

/// The name of the task.
pub const TASK: &str = "fill-mask";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FillMaskOptions {
    /// The number of answers per mask, best first.
    #[serde(deserialize_with = "count")]
    pub top_k: usize,
    /// If present, only these words are considered. A word outside the vocabulary counts by its
    /// first piece.
    #[serde(deserialize_with = "strings_or_null")]
    pub targets: Option<Vec<String>>,
    /// The layer whose state the head reads. 0 is the output of the embeddings, n the output of
    /// layer n, and negative numbers count from the last layer. Defaults to the last layer.
    pub layer: Option<i64>,
}

/// A text with masks, or its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Masked {
    /// A text.
    Text(String),
    /// Tokens.
    Tokens(Tokens),
}

impl From<String> for Masked {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// The tokens of a text, with special tokens.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Tokens {
    /// Their ids.
    pub ids: Vec<u32>,
    /// For each mask, the id whose probability is returned. Empty: the best ids are returned.
    #[serde(default)]
    pub targets: Vec<u32>,
}

/// Reads a string, or an object with ids and targets.
impl<'de> Deserialize<'de> for Masked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(MaskedVisitor)
    }
}

struct MaskedVisitor;

impl<'de> Visitor<'de> for MaskedVisitor {
    type Value = Masked;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an object of ids and targets")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Masked, E> {
        Ok(Masked::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Masked, A::Error> {
        Tokens::deserialize(MapAccessDeserializer::new(map)).map(Masked::Tokens)
    }
}

impl Input for Masked {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Tokens(_) => "",
        }
    }
}

impl Masked {
    fn targets(&self) -> &[u32] {
        match self {
            Self::Text(_) => &[],
            Self::Tokens(tokens) => &tokens.targets,
        }
    }
}

impl Default for FillMaskOptions {
    fn default() -> Self {
        Self { top_k: 5, targets: None, layer: None }
    }
}

/// A word for a mask.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaskPrediction {
    /// The word's probability in the whole vocabulary.
    pub score: f32,
    /// The word's id.
    pub token: u32,
    /// The word's text.
    pub token_str: String,
    /// The text with the word in place of the mask. Special tokens are kept if other masks remain.
    pub sequence: String,
    /// Present if the text was truncated to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The answers for one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MaskAnswer {
    /// The words for the text's only mask.
    One(Vec<MaskPrediction>),
    /// The words for each of the text's masks.
    Many(Vec<Vec<MaskPrediction>>),
}

impl super::Answer for MaskAnswer {}

/// Returns the answers for each text.
///
/// # Errors
/// `BadInput` if a text has no mask, a mask is outside the model's window, `targets` has no words,
/// or the answers would exceed the limit of a call.
pub async fn fill_mask<B: Processor>(
    model: &Model<B>,
    texts: &[Masked],
    options: &FillMaskOptions,
    tick: Tick<'_>,
) -> Result<Vec<MaskAnswer>> {
    model.need(TASK, &[HeadKind::MaskedLm, HeadKind::PreTraining])?;
    let tokenizer = model.tokenizer()?;
    let Some(mask) = tokenizer.special().mask.clone() else {
        return Err(Error::Unsupported("fill-mask: the tokenizer has no mask token".into()));
    };
    let vocab = model.config().vocab;
    let targets = options.targets.as_ref().map(|t| target_ids(tokenizer, vocab, t)).transpose()?;
    let Fitted { encodings, truncated } = read(model, texts, tick).await?;
    let mut places = Vec::with_capacity(texts.len());
    for ((text, encoding), &truncated) in texts.iter().zip(&encodings).zip(&truncated) {
        let masks = masks(&encoding.ids, mask.id);
        // a mask that was truncated away would otherwise get no answer without an error
        let written = || text.text().matches(mask.token.as_str()).count();
        let lost = truncated && masks.len() < written();
        if masks.is_empty() || lost {
            return Err(no_mask(text.text(), &mask.token, lost, model.max_tokens()));
        }
        check_targets(text.targets(), masks.len(), vocab)?;
        places.push(masks);
    }
    let most = options.top_k.min(targets.as_ref().map_or(vocab, Vec::len));
    let masks: Vec<usize> = places.iter().map(Vec::len).collect();
    limit_answers(&encodings, &masks, most)?;
    // if few answers are requested, the device need not return scores for the whole vocabulary
    let named = targets.is_some() || texts.iter().any(|text| !text.targets().is_empty());
    let few =
        !named && options.layer.is_none() && (1..=MOST_BEST.min(vocab)).contains(&options.top_k);
    let want = match options.layer {
        Some(layer) => OutputRequest::LogitsAt(resolve(TASK, layer, model.config().layers)?),
        None if few => OutputRequest::Best(options.top_k),
        None => OutputRequest::Logits,
    };
    let tables = model.compute(&encodings, want, Some(&places), tick).await?;
    let mut answers = Vec::with_capacity(texts.len());
    for (n, table) in tables.iter().enumerate() {
        let mut masks = Vec::with_capacity(places[n].len());
        for (at, (scores, &place)) in table.rows().zip(&places[n]).enumerate() {
            let best = match texts[n].targets().get(at..=at) {
                _ if few => chosen(scores),
                None => best(scores, options.top_k, targets.as_deref()),
                target => best(scores, 1, target),
            };
            check_scores(&best, vocab)?;
            let gap = MaskPosition { ids: &encodings[n].ids, place, others: places[n].len() > 1 };
            masks.push(gap.fill(model.tokenizer()?, &best, truncated[n])?);
        }
        answers.push(match <[_; 1]>::try_from(masks) {
            Ok([one]) => MaskAnswer::One(one),
            Err(masks) => MaskAnswer::Many(masks),
        });
    }
    Ok(answers)
}

/// Rejects the scores of a model with broken weights.
fn check_scores(best: &[(u32, f32)], vocab: usize) -> Result<()> {
    if best.iter().any(|(id, score)| *id as usize >= vocab || score.is_nan()) {
        return Err(Error::BadWeights("fill-mask: the model's scores are not numbers".into()));
    }
    Ok(())
}

/// Encodes the texts that are not tokenized yet.
async fn read<B: Processor>(model: &Model<B>, texts: &[Masked], tick: Tick<'_>) -> Result<Fitted> {
    let mut written = texts.iter().filter_map(|text| match text {
        Masked::Text(text) => Some((text.as_str(), None)),
        Masked::Tokens(_) => None,
    });
    let cut = Truncation::LongestFirst;
    let fitted = encode(model, &mut written, cut, model.max_tokens(), tick).await?;
    let mut rest = fitted.encodings.into_iter().zip(fitted.truncated);
    let mut all = Fitted::default();
    for text in texts {
        let (encoding, truncated) = match text {
            Masked::Text(_) => rest.next().unwrap_or_default(),
            Masked::Tokens(Tokens { ids, .. }) => {
                let (type_ids, attention_mask) = (vec![0; ids.len()], vec![1; ids.len()]);
                let ids = ids.clone();
                (Encoding { ids, type_ids, attention_mask, ..Encoding::default() }, false)
            }
        };
        all.encodings.push(encoding);
        all.truncated.push(truncated);
    }
    Ok(all)
}

/// Returns an error if `targets` is not empty and does not hold one vocabulary id per mask.
fn check_targets(targets: &[u32], masks: usize, vocab: usize) -> Result<()> {
    if targets.is_empty()
        || targets.len() == masks && targets.iter().all(|&id| (id as usize) < vocab)
    {
        return Ok(());
    }
    Err(Error::BadInput(format!(
        "fill-mask: targets {targets:?} of {masks} masks, expected one below {vocab} for each"
    )))
}

/// Returns the positions of the masks.
fn masks(ids: &[u32], mask: u32) -> Vec<u32> {
    (0..).zip(ids).filter_map(|(place, &id)| (id == mask).then_some(place)).collect()
}

/// Rejects a call with more answers than memory can hold. `best` is the number of answers per mask.
fn limit_answers(encodings: &[Encoding], masks: &[usize], best: usize) -> Result<()> {
    let answers = masks.iter().map(|&masks| masks as u64 * best as u64);
    let tokens: u64 =
        answers.zip(encodings).map(|(answers, text)| answers * text.len() as u64).sum();
    if tokens <= MOST_TOKENS {
        return Ok(());
    }
    Err(Error::BadInput(format!(
        "fill-mask: {best} answers for each of {} masks are texts of {tokens} tokens together, and \
         one call gives {MOST_TOKENS}: ask for a smaller top_k or with fewer texts",
        masks.iter().sum::<usize>()
    )))
}

/// One mask among the ids of a text.
struct MaskPosition<'a> {
    ids: &'a [u32],
    place: u32,
    /// Whether the text has other masks.
    others: bool,
}

impl MaskPosition<'_> {
    fn fill(
        &self,
        tokenizer: &Tokenizer,
        best: &[(u32, f32)],
        truncated: bool,
    ) -> Result<Vec<MaskPrediction>> {
        let mut ids = self.ids.to_vec();
        let mut filled = Vec::with_capacity(best.len());
        for &(token, score) in best {
            ids[self.place as usize] = token;
            let token_str = tokenizer.decode(&[token], false, tokenizer.cleans_up())?;
            let sequence = tokenizer.decode(&ids, !self.others, tokenizer.cleans_up())?;
            filled.push(MaskPrediction { score, token, token_str, sequence, truncated });
        }
        Ok(filled)
    }
}

/// Returns the best ids with their probabilities.
fn best(scores: &[f32], k: usize, targets: Option<&[u32]>) -> Vec<(u32, f32)> {
    let probabilities = softmax(scores);
    let with = |id: u32| (id, probabilities[id as usize]);
    match targets {
        None => top_indices(scores, k).into_iter().map(|id| with(id as u32)).collect(),
        Some(targets) => {
            let chosen: Vec<f32> = targets.iter().map(|&id| scores[id as usize]).collect();
            top_indices(&chosen, k).into_iter().map(|n| with(targets[n])).collect()
        }
    }
}

/// Returns the best ids with their probabilities from a row of [`OutputRequest::Best`]. The row
/// holds the sum of the softmax, then the best scores, then their ids.
fn chosen(row: &[f32]) -> Vec<(u32, f32)> {
    let (scores, ids) = row[1..].split_at(row.len() / 2);
    let share = |score: f32| f64::from(score - scores[0]).exp() / f64::from(row[0]);
    ids.iter().zip(scores).map(|(&id, &score)| (id as u32, share(score) as f32)).collect()
}

/// Returns the ids of the targets without duplicates. Added tokens without a score in the model are
/// left out.
fn target_ids(tokenizer: &Tokenizer, vocab: usize, words: &[String]) -> Result<Vec<u32>> {
    let options =
        crate::tokenizer::EncodeOptions { add_special_tokens: false, ..Default::default() };
    let mut ids = Vec::new();
    let mut seen = vec![false; vocab];
    for word in words {
        let id = match tokenizer.id(word) {
            Some(id) => Some(id),
            None => {
                tokenizer.encode(word, None, &options)?.first().and_then(|e| e.ids.first().copied())
            }
        };
        if let Some((id, false)) = id.and_then(|id| Some((id, *seen.get(id as usize)?))) {
            seen[id as usize] = true;
            ids.push(id);
        }
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
