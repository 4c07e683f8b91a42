//! Token classification: assigns a label to each token of a text, e.g. person, place or verb.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::options::count_or_null;
use super::windows::{self, Scored, Token};
use super::{Answer, Input, softmax};
use crate::backend::Processor;
use crate::config::{Config, HeadKind, Label};
use crate::engine::{Model, Tick};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};
use webert_kernels::top_indices;

/// The name of the task.
pub const TASK: &str = "token-classification";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenClassificationOptions {
    /// Labels that are left out, both for tokens and for groups.
    pub ignore_labels: Vec<String>,
    /// How tokens are combined into words and groups.
    pub aggregation_strategy: Aggregation,
    /// The number of tokens shared by neighbouring windows of a long text. If set and tokens are
    /// grouped, Hugging Face's rule applies: each window is grouped on its own, and the longest of
    /// overlapping groups is kept. Otherwise each token's scores come from the
    /// window with the most context around it, and groups can span windows.
    #[serde(deserialize_with = "count_or_null")]
    pub stride: Option<usize>,
    /// What is added to the logits of labels before the softmax, by label. A negative number for
    /// `O` finds more entities, and more that are none.
    pub label_bias: LabelBias,
}

/// Numbers by label. An object in JSON.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelBias(pub Vec<(String, f32)>);

impl Serialize for LabelBias {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(label, bias)| (label, bias)))
    }
}

impl<'de> Deserialize<'de> for LabelBias {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(LabelBiasVisitor)
    }
}

struct LabelBiasVisitor;

impl<'de> Visitor<'de> for LabelBiasVisitor {
    type Value = LabelBias;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of numbers by label")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<LabelBias, A::Error> {
        let mut by_label = Vec::new();
        while let Some(entry) = map.next_entry()? {
            by_label.push(entry);
        }
        Ok(LabelBias(by_label))
    }
}

/// How tokens are combined into groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Aggregation {
    /// Tokens are not grouped.
    #[default]
    None,
    /// Neighbouring tokens with the same label form a group.
    Simple,
    /// Neighbouring words with the same label form a group. A word has the label of its first
    /// token.
    First,
    /// A word has the label with the best average over its tokens.
    Average,
    /// A word has the label of its token with the highest probability.
    Max,
}

impl Default for TokenClassificationOptions {
    fn default() -> Self {
        Self {
            ignore_labels: std::iter::once("O".to_owned()).collect(),
            aggregation_strategy: Aggregation::None,
            stride: None,
            label_bias: LabelBias::default(),
        }
    }
}

/// A text, optionally with its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence {
    /// The text.
    pub text: String,
    /// The words of the text in order, with the same delimiter between all of them. Each word is
    /// tokenized on its own. If empty, the tokenizer finds the words.
    pub words: Vec<String>,
}

impl Input for Sentence {
    fn text(&self) -> &str {
        &self.text
    }
}

/// Reads a string, or an array with the text and its words.
impl<'de> Deserialize<'de> for Sentence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(SentenceVisitor)
    }
}

struct SentenceVisitor;

impl<'de> Visitor<'de> for SentenceVisitor {
    type Value = Sentence;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an array of a text and its words")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Sentence, E> {
        Ok(Sentence { text: text.to_owned(), words: Vec::new() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> std::result::Result<Sentence, A::Error> {
        let (text, words) = Deserialize::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(Sentence { text, words })
    }
}

/// A token or a group of tokens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entity {
    /// A token's label; a number or a boolean if `id2label` of config.json has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<Label>,
    /// A group's label, without `B-` and `I-`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_group: Option<String>,
    /// The label's probability. For a group, this is the mean over its members.
    pub score: f32,
    /// A token's index in the model's input; `[CLS]` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The token, with `##`, or the text of the group's tokens.
    pub word: String,
    /// The first byte in the text.
    pub start: u32,
    /// The end in the text, in bytes.
    pub end: u32,
}

impl Answer for Entity {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        (self.start, self.end) = (to(self.start), to(self.end));
    }
}

/// Returns the tokens or groups of each text. A text may have any length.
///
/// # Errors
/// `Unsupported` if the model has no head for the task; `BadInput` for a stride as long as a
/// window, and for a bias of an unknown label or one that is not finite.
pub async fn token_classification<B: Processor>(
    model: &Model<B>,
    texts: &[Sentence],
    options: &TokenClassificationOptions,
    tick: Tick<'_>,
) -> Result<Vec<Vec<Entity>>> {
    model.need(TASK, &[HeadKind::TokenClassification])?;
    let bias = label_bias(&options.label_bias, model.config())?;
    let parts = &mut texts.iter().map(|sentence| (&sentence.text[..], &sentence.words[..]));
    let scored = windows::score(model, parts, options.stride, tick).await?;
    let reader = Reader { tokenizer: model.tokenizer()?, config: model.config(), options, bias };
    let texts = texts.iter().zip(&scored);
    texts.map(|(text, scored)| reader.entities(&text.text, scored)).collect()
}

/// Returns what to add to the logit of each label; nothing if there is no bias.
fn label_bias(LabelBias(by_name): &LabelBias, config: &Config) -> Result<Vec<f32>> {
    let mut bias = vec![0.0; if by_name.is_empty() { 0 } else { config.labels.len() }];
    for (name, value) in by_name {
        let label = config.labels.iter().position(|label| label == name);
        let Some(label) = label.filter(|_| value.is_finite()) else {
            return Err(Error::BadInput(format!(
                "{TASK}: label_bias: expected finite numbers for labels of the model, got another for \"{name}\""
            )));
        };
        bias[label] = *value;
    }
    Ok(bias)
}

/// A token with its probabilities.
struct Piece {
    token: Token,
    probabilities: Vec<f32>,
}

/// A token or a word with its label.
struct Labelled {
    label: usize,
    score: f32,
    index: u32,
    word: String,
    start: u32,
    end: u32,
}

struct Reader<'a> {
    tokenizer: &'a Tokenizer,
    config: &'a Config,
    options: &'a TokenClassificationOptions,
    /// What to add to the logit of each label, or nothing.
    bias: Vec<f32>,
}

impl Reader<'_> {
    fn entities(&self, text: &str, scored: &Scored) -> Result<Vec<Entity>> {
        let by_window =
            self.options.stride.is_some() && self.options.aggregation_strategy != Aggregation::None;
        let mut entities = Vec::new();
        let mut pieces = Vec::new();
        for n in 0..scored.windows.len() {
            let range = if by_window { scored.windows[n].clone() } else { scored.owned(n) };
            pieces.extend(range.map(|place| Piece {
                token: scored.token(self.tokenizer, text, place),
                probabilities: self.probabilities(scored.scores(n, place)),
            }));
            if by_window {
                self.aggregate(&std::mem::take(&mut pieces), &mut entities)?;
            }
        }
        self.aggregate(&pieces, &mut entities)?;
        let has_windows = by_window && scored.windows.len() > 1;
        Ok(if has_windows { longest(text, &entities) } else { entities })
    }

    fn probabilities(&self, logits: &[f32]) -> Vec<f32> {
        if self.bias.is_empty() {
            return softmax(logits);
        }
        let biased: Vec<f32> = logits.iter().zip(&self.bias).map(|(a, b)| a + b).collect();
        softmax(&biased)
    }

    /// Adds the groups of neighbouring tokens, except groups with an ignored label.
    fn aggregate(&self, pieces: &[Piece], entities: &mut Vec<Entity>) -> Result<()> {
        let strategy = self.options.aggregation_strategy;
        let by_words = !matches!(strategy, Aggregation::None | Aggregation::Simple);
        let words = pieces.chunk_by(|_, next| by_words && next.token.is_subword);
        let labelled = words.map(|word| self.word(word, strategy));
        let labelled: Vec<Labelled> = labelled.collect::<Result<_>>()?;
        let goes_on = |last: &Labelled, next: &Labelled| {
            let ((_, last), (begins, next)) = (self.tag(last.label), self.tag(next.label));
            strategy != Aggregation::None && !begins && last == next
        };
        for group in labelled.chunk_by(goes_on) {
            let entity = match strategy {
                Aggregation::None => self.token(&group[0]),
                _ => self.group(group)?,
            };
            let label = entity.entity_group.as_ref();
            let label = label.unwrap_or_else(|| &self.config.labels[group[0].label]);
            if !self.options.ignore_labels.contains(label) {
                entities.push(entity);
            }
        }
        Ok(())
    }

    /// Returns a word of one or more tokens with its label by the strategy.
    fn word(&self, pieces: &[Piece], strategy: Aggregation) -> Result<Labelled> {
        let (first, last) = (&pieces[0], &pieces[pieces.len() - 1]);
        let probabilities = match strategy {
            Aggregation::Average => {
                let sum = |label| pieces.iter().map(|piece| piece.probabilities[label]).sum();
                let sums = (0..self.config.labels.len()).map(sum);
                sums.map(|sum: f32| sum / pieces.len() as f32).collect()
            }
            Aggregation::Max => {
                let sure = |piece: &Piece| piece.probabilities[best(&piece.probabilities)];
                let sure: Vec<f32> = pieces.iter().map(sure).collect();
                pieces[best(&sure)].probabilities.clone()
            }
            _ => first.probabilities.clone(),
        };
        let label = best(&probabilities);
        let words: Vec<&str> = pieces.iter().map(|piece| piece.token.word.as_str()).collect();
        let word = match strategy {
            Aggregation::None | Aggregation::Simple => first.token.word.clone(),
            _ => self.tokenizer.join(&words)?,
        };
        Ok(Labelled {
            label,
            score: probabilities[label],
            index: first.token.index,
            word,
            start: first.token.start,
            end: last.token.end,
        })
    }

    fn token(&self, token: &Labelled) -> Entity {
        Entity {
            entity: Some(self.config.label(token.label)),
            entity_group: None,
            score: token.score,
            index: Some(token.index),
            word: token.word.clone(),
            start: token.start,
            end: token.end,
        }
    }

    fn group(&self, members: &[Labelled]) -> Result<Entity> {
        let label = &self.config.labels[members[0].label];
        let words: Vec<&str> = members.iter().map(|member| member.word.as_str()).collect();
        let sum: f32 = members.iter().map(|member| member.score).sum();
        Ok(Entity {
            entity: None,
            // unlike `tag`, Hugging Face removes any text before the first "-" from a group's name
            entity_group: Some(label.split_once('-').map_or(&label[..], |(_, tag)| tag).to_owned()),
            score: sum / members.len() as f32,
            index: None,
            word: self.tokenizer.join(&words)?,
            start: members[0].start,
            end: members[members.len() - 1].end,
        })
    }

    /// Returns whether a label begins a group, and the kind of the group.
    fn tag(&self, label: usize) -> (bool, &str) {
        let name = &self.config.labels[label];
        match name.strip_prefix("B-") {
            Some(tag) => (true, tag),
            None => (false, name.strip_prefix("I-").unwrap_or(name)),
        }
    }
}

/// Returns the index of the highest score.
fn best(scores: &[f32]) -> usize {
    top_indices(scores, 1).first().copied().unwrap_or_default()
}

/// Returns the longest of overlapping groups, e.g. at the border of windows. For equal lengths, the
/// group with the highest score is kept.
fn longest(text: &str, entities: &[Entity]) -> Vec<Entity> {
    // the groups of each window are in order, so only overlapping groups must move
    let mut by_start: Vec<usize> = Vec::with_capacity(entities.len());
    for (n, entity) in entities.iter().enumerate() {
        let at = by_start.partition_point(|&before| entities[before].start <= entity.start);
        by_start.insert(at, n);
    }
    let length =
        |n: usize| text[entities[n].start as usize..entities[n].end as usize].chars().count();
    let mut kept: Vec<usize> = Vec::new();
    for n in by_start {
        match kept.last_mut().filter(|last| entities[n].start < entities[**last].end) {
            None => kept.push(n),
            Some(last) => {
                let (old, new) = (length(*last), length(n));
                if new > old || (new == old && entities[n].score > entities[*last].score) {
                    *last = n;
                }
            }
        }
    }
    kept.into_iter().map(|n| entities[n].clone()).collect()
}
