//! The tasks, one file each: encode the inputs, compute, and turn scores into answers. A result
//! never depends on the other inputs of a call.

pub mod feature_extraction;
pub mod fill_mask;
pub mod multiple_choice;
pub mod next_sentence;
pub mod question_answering;
pub mod replaced_tokens;
pub mod text_classification;
pub mod text_ranking;
pub mod token_classification;
pub mod zero_shot;
#[cfg(feature = "families")]
pub mod zero_shot_tokens;

mod options;
mod table;
mod windows;

#[cfg(target_arch = "wasm32")]
pub(crate) use options::count_or_null;
pub use table::{Answer, CallOptions, Caller, Input, TASKS, check, head_of, run};

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use crate::backend::Processor;
use crate::engine::{Model, OutputRequest, Tick};
use crate::tokenizer::{Count, Encoding, Truncation};
use crate::{Error, Result};

/// A text, alone or with a second text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// One text.
    One(String),
    /// Two texts, e.g. for inference or paraphrase.
    Pair {
        /// The first text.
        text: String,
        /// The second text.
        text_pair: Option<String>,
    },
}

/// Reads a string, or an object with both texts.
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an object of the strings text and text_pair")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Text, E> {
        Ok(Text::One(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Text, A::Error> {
        #[derive(Deserialize)]
        struct Pair {
            text: String,
            text_pair: Option<String>,
        }
        let Pair { text, text_pair } = Pair::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Text::Pair { text, text_pair })
    }
}

impl Text {
    /// Returns the texts. An empty second text counts as absent, as in Hugging Face's pipelines.
    fn parts(&self) -> (&str, Option<&str>) {
        match self {
            Self::One(text) => (text, None),
            Self::Pair { text, text_pair } => {
                (text, text_pair.as_deref().filter(|pair| !pair.is_empty()))
            }
        }
    }
}

/// Encodings cut to the model's window.
#[derive(Default)]
struct Fitted {
    encodings: Vec<Encoding>,
    /// For each text, whether it was truncated.
    truncated: Vec<bool>,
}

/// Bytes of text between two ticks: a few milliseconds of tokenization.
const BYTES_PER_TICK: usize = 1 << 16;

/// Calls the tick while texts are read.
struct Pace<'a> {
    tick: Tick<'a>,
    /// Bytes read since the last tick.
    bytes: usize,
}

impl<'a> Pace<'a> {
    fn new(tick: Tick<'a>) -> Self {
        Self { tick, bytes: 0 }
    }

    /// Called before a text of `bytes` bytes is read. A call with short texts does not tick here.
    async fn before(&mut self, bytes: usize) -> Result<()> {
        if self.bytes >= BYTES_PER_TICK {
            self.bytes = 0;
            (self.tick)().await?;
        }
        self.bytes += bytes;
        Ok(())
    }
}

/// Encodes texts with special tokens, truncated to at most `limit` tokens.
async fn encode<B: Processor>(
    model: &Model<B>,
    texts: &mut dyn Iterator<Item = (&str, Option<&str>)>,
    truncation: Truncation,
    limit: usize,
    tick: Tick<'_>,
) -> Result<Fitted> {
    let tokenizer = model.tokenizer()?;
    let mut pace = Pace::new(tick);
    let mut fitted = Fitted::default();
    let mut count = Count::default();
    for (text, pair) in texts {
        pace.before(text.len() + pair.map_or(0, str::len)).await?;
        let (encoding, truncated) = tokenizer.fit(text, pair, truncation, limit)?;
        count.add(1, encoding.len() as u64)?;
        fitted.encodings.push(encoding);
        fitted.truncated.push(truncated);
    }
    Ok(fitted)
}

/// The score of a pair, and whether the pair was truncated.
type PairScore = (f32, bool);

/// Returns the scores of each text paired with its other texts. The head must return one score per
/// pair.
async fn score_pairs<B: Processor>(
    model: &Model<B>,
    inputs: &[(String, Vec<String>)],
    tick: Tick<'_>,
) -> Result<Vec<Vec<PairScore>>> {
    let pairs = &mut inputs.iter().flat_map(|(text, others)| {
        others.iter().map(|other| (text.as_str(), Some(other.as_str())))
    });
    let Fitted { encodings, truncated } =
        encode(model, pairs, Truncation::LongestFirst, model.max_tokens(), tick).await?;
    let tables = model.compute(&encodings, OutputRequest::Logits, None, tick).await?;
    let scores = tables.iter().map(|table| table.row(0)[0]);
    let mut scores = scores.zip(truncated);
    Ok(inputs.iter().map(|(_, others)| scores.by_ref().take(others.len()).collect()).collect())
}

/// Rejects a text without words.
fn need_words(task: &str, what: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::BadInput(format!("{task}: the {what} is empty")));
    }
    Ok(())
}

/// Returns the softmax. It is computed in f64 because differences between many small scores matter.
fn softmax(scores: &[f32]) -> Vec<f32> {
    let greatest = scores.iter().fold(f32::NEG_INFINITY, |max, &x| max.max(x));
    let exps: Vec<f64> = scores.iter().map(|&x| f64::from(x - greatest).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.iter().map(|e| (e / sum) as f32).collect()
}

fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}
