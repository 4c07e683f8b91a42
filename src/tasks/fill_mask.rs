//! Fill-mask: what could stand in the place of `[MASK]`?

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

/// The most answers a mask that are worth picking on the device.
const MOST_BEST: usize = 64;

/// Tokens that the answers of one call have at most, each of them being a whole text: about a
/// gigabyte of it.
const MOST_TOKENS: u64 = 1 << 27;

/// The name of the task.
pub const TASK: &str = "fill-mask";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FillMaskOptions {
    /// How many answers a mask, best first.
    #[serde(deserialize_with = "count")]
    pub top_k: usize,
    /// Only these words are considered. One that is no vocabulary entry counts by its first piece.
    #[serde(deserialize_with = "strings_or_null")]
    pub targets: Option<Vec<String>>,
    /// The layer whose state the head reads: 0 the embeddings' output, n layer n's, negative from the last, which it is
    /// by default. Over all of them one sees an answer form.
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

/// The tokens of a text, special ones included.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Tokens {
    /// Their ids.
    pub ids: Vec<u32>,
    /// For each mask the id whose probability is asked for; empty: the best.
    #[serde(default)]
    pub targets: Vec<u32>,
}

/// From a string, or an object of ids and targets.
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

/// One word for one mask.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaskPrediction {
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
pub enum MaskAnswer {
    /// Words for its one mask.
    One(Vec<MaskPrediction>),
    /// Words for each of its masks.
    Many(Vec<Vec<MaskPrediction>>),
}

impl super::Answer for MaskAnswer {}

/// Answers for each text.
///
/// # Errors
/// `BadInput` where a text has no mask, or one beyond the model's window, no target is given, or
/// the answers would be more than one call gives.
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
    // a device need not send a whole vocabulary's scores where few are asked for
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

/// Refuses what a model with broken weights gives.
fn check_scores(best: &[(u32, f32)], vocab: usize) -> Result<()> {
    if best.iter().any(|(id, score)| *id as usize >= vocab || score.is_nan()) {
        return Err(Error::BadWeights("fill-mask: the model's scores are not numbers".into()));
    }
    Ok(())
}

/// Encodes those of the texts that are no tokens yet.
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

/// Refuses targets of tokens, where there are some, unless each mask has one of the vocabulary.
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

/// Where the masks are.
fn masks(ids: &[u32], mask: u32) -> Vec<u32> {
    (0..).zip(ids).filter_map(|(place, &id)| (id == mask).then_some(place)).collect()
}

/// Refuses answers that memory would not hold: `best` for each mask of each text.
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
    /// There are other masks, too.
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

/// The best ids with their probabilities.
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

/// The same from what [`Want::Best`] gives: the softmax's sum, the best scores, their ids.
fn chosen(row: &[f32]) -> Vec<(u32, f32)> {
    let (scores, ids) = row[1..].split_at(row.len() / 2);
    let share = |score: f32| f64::from(score - scores[0]).exp() / f64::from(row[0]);
    ids.iter().zip(scores).map(|(&id, &score)| (id as u32, share(score) as f32)).collect()
}

/// The targets' ids, each once; those of added tokens that the model has no score for are left out.
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
