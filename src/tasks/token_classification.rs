//! Token classification: what does each piece of a text name? A person, a place, a verb …

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::options::count_or_null;
use super::windows::{self, Scored, Token};
use super::{Answer, Input, softmax};
use crate::Result;
use crate::backend::Processor;
use crate::config::{Config, HeadKind, Label};
use crate::engine::{Model, Tick};
use crate::tokenizer::Tokenizer;
use webert_kernels::top_indices;

/// The name of the task.
pub const TASK: &str = "token-classification";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenClassificationOptions {
    /// Labels left out, of tokens as of groups.
    pub ignore_labels: Vec<String>,
    /// How tokens become words and groups.
    pub aggregation_strategy: Aggregation,
    /// Tokens that neighbouring windows of a long text share. Where it is given and tokens are
    /// grouped, each window is grouped by itself, and of groups that overlap the longest stays:
    /// Hugging Face's rule. Otherwise each token's scores come from one window, see
    /// [`super`]'s windows, and groups know of no windows.
    #[serde(deserialize_with = "count_or_null")]
    pub stride: Option<usize>,
}

/// From tokens to groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Aggregation {
    /// Tokens as they are.
    #[default]
    None,
    /// Neighbouring tokens of one label make a group.
    Simple,
    /// The same of words, which have their first token's label.
    First,
    /// A word has the label that is best on the average of its tokens.
    Average,
    /// A word has the label of its surest token.
    Max,
}

impl Default for TokenClassificationOptions {
    fn default() -> Self {
        Self {
            ignore_labels: std::iter::once("O".to_owned()).collect(),
            aggregation_strategy: Aggregation::None,
            stride: None,
        }
    }
}

/// A text, or the words that it is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence {
    /// The text.
    pub text: String,
    /// Its words in order, the same delimiter between them. Each is tokenized by itself. Empty: the tokenizer finds the words.
    pub words: Vec<String>,
}

impl Input for Sentence {
    fn text(&self) -> &str {
        &self.text
    }
}

/// From a string, or an array of the text and its words.
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

/// A token or a group of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entity {
    /// A token's label; a number or a boolean if `id2label` of config.json has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<Label>,
    /// A group's label, without `B-` and `I-`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_group: Option<String>,
    /// The label's probability; of a group, the mean of its members'.
    pub score: f32,
    /// A token's place among the model's tokens, `[CLS]` being 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The token, `##` included, or the text of the group's tokens.
    pub word: String,
    /// Where its bytes begin in the text.
    pub start: u32,
    /// Where they end.
    pub end: u32,
}

impl Answer for Entity {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        (self.start, self.end) = (to(self.start), to(self.end));
    }
}

/// The pieces of each text, of any length.
///
/// # Errors
/// `Unsupported` where the model has no such head; `BadInput` for a stride as long as a window.
pub async fn token_classification<B: Processor>(
    model: &Model<B>,
    texts: &[Sentence],
    options: &TokenClassificationOptions,
    tick: Tick<'_>,
) -> Result<Vec<Vec<Entity>>> {
    model.need(TASK, &[HeadKind::TokenClassification])?;
    let parts = &mut texts.iter().map(|sentence| (&sentence.text[..], &sentence.words[..]));
    let scored = windows::score(model, parts, options.stride, tick).await?;
    let reader = Reader { tokenizer: model.tokenizer()?, config: model.config(), options };
    let texts = texts.iter().zip(&scored);
    texts.map(|(text, scored)| reader.entities(&text.text, scored)).collect()
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
                probabilities: softmax(scored.scores(n, place)),
            }));
            if by_window {
                self.aggregate(&std::mem::take(&mut pieces), &mut entities)?;
            }
        }
        self.aggregate(&pieces, &mut entities)?;
        let has_windows = by_window && scored.windows.len() > 1;
        Ok(if has_windows { longest(text, &entities) } else { entities })
    }

    /// Adds what neighbouring tokens make, but for what is to be ignored.
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

    /// A word of one or more tokens, labelled by the strategy.
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
            // not as in `tag`, but this is how Hugging Face names a group
            entity_group: Some(label.split_once('-').map_or(&label[..], |(_, tag)| tag).to_owned()),
            score: sum / members.len() as f32,
            index: None,
            word: self.tokenizer.join(&words)?,
            start: members[0].start,
            end: members[members.len() - 1].end,
        })
    }

    /// Whether a label begins a group, and which kind of group it is of.
    fn tag(&self, label: usize) -> (bool, &str) {
        let name = &self.config.labels[label];
        match name.strip_prefix("B-") {
            Some(tag) => (true, tag),
            None => (false, name.strip_prefix("I-").unwrap_or(name)),
        }
    }
}

/// The place of the greatest.
fn best(scores: &[f32]) -> usize {
    top_indices(scores, 1).first().copied().unwrap_or_default()
}

/// Of groups that overlap, as those of neighbouring windows do, the longest, of such the surest.
fn longest(text: &str, entities: &[Entity]) -> Vec<Entity> {
    // each window's are in order, so only those that overlap have to move
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
