//! Which of a head's logits are explained, by task.

use serde::Serialize;

use super::options::{Options, TargetOption};
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::Model;
use crate::tasks::question_answering;
use crate::tokenizer::Encoding;
use crate::train::rows::{Offsets, Places};
use crate::{Error, Result};
use webert_kernels::top_indices;

/// Logits of a sequence, of which the sum is explained.
pub(super) struct Target {
    /// The tokens that the head scores; empty: it scores the sequence.
    pub(super) tokens: Vec<u32>,
    /// Which of the tokens' rows, and which score in it.
    pub(super) terms: Vec<(usize, usize)>,
}

impl Target {
    /// Rows of scores that so many sequences have.
    pub(super) fn rows(&self, sequences: usize) -> usize {
        sequences * self.tokens.len().max(1)
    }

    /// The sum's gradient by the scores of so many sequences, `[rows, scores]`: 1 at each term.
    pub(super) fn gradient(&self, sequences: usize, scores: usize) -> Vec<f32> {
        let rows = self.rows(1);
        let mut gradient = vec![0.0; self.rows(sequences) * scores];
        for sequence in 0..sequences {
            for (row, column) in &self.terms {
                gradient[(sequence * rows + row) * scores + column] += 1.0;
            }
        }
        gradient
    }
}

/// What is explained, by the names that the task's answers have.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Subject {
    /// A label of a text.
    Label {
        /// Its name.
        label: String,
    },
    /// A label of a token.
    Entity {
        /// The label's name.
        entity: String,
        /// The token's place among the model's tokens, `[CLS]` being 0.
        index: u32,
    },
    /// An answer's start and end.
    Answer {
        /// It, as the context has it.
        answer: String,
        /// Where its bytes begin in the context.
        start: u32,
        /// Where they end.
        end: u32,
    },
    /// A token in a mask's place.
    Filled {
        /// Its id.
        token: u32,
        /// Its text.
        token_str: String,
    },
}

/// The logits of a sequence: all rows that the head gives, or those of some tokens.
pub(super) struct Logits<'a> {
    /// The tokens of the rows; `None`: each token has one, or the sequence has the only one.
    pub(super) tokens: Option<&'a [u32]>,
    pub(super) scores: usize,
    pub(super) values: &'a [f32],
}

impl Logits<'_> {
    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.scores..][..self.scores]
    }

    /// The sum of a target's logits.
    pub(super) fn sum(&self, target: &Target) -> f64 {
        let row = |n: usize| match (self.tokens, target.tokens.get(n)) {
            (None, Some(&token)) => token as usize,
            _ => n,
        };
        target.terms.iter().map(|&(n, column)| f64::from(self.row(row(n))[column])).sum()
    }
}

/// A call: what is read of a text, and what was asked for.
pub(super) struct Call<'a, B: Processor> {
    pub(super) model: &'a Model<B>,
    /// Of question answering.
    pub(super) context: Option<&'a str>,
    pub(super) encoding: &'a Encoding,
    pub(super) options: &'a Options,
    /// What offsets in the options count.
    pub(super) offsets: Offsets,
}

pub(super) fn refuse<T>(what: impl std::fmt::Display) -> Result<T> {
    Err(Error::BadInput(format!("explain: {what}")))
}

impl<B: Processor> Call<'_, B> {
    /// The tokens whose scores are needed for [`Call::target`]; `None`: all, or those of the sequence.
    pub(super) fn tokens(&self) -> Result<Option<Vec<u32>>> {
        match self.model.head_spec().kind {
            HeadKind::TokenClassification => Ok(Some(vec![self.token()?])),
            HeadKind::MaskedLm | HeadKind::PreTraining => Ok(Some(vec![self.mask()?])),
            _ => Ok(None),
        }
    }

    /// The logits that are explained, and what they say.
    pub(super) fn target(&self, logits: &Logits<'_>) -> Result<(Target, Subject)> {
        let tokens = logits.tokens.unwrap_or_default().to_vec();
        let labels = &self.model.config().labels;
        match self.model.head_spec().kind {
            HeadKind::QuestionAnswering => self.answer(logits),
            HeadKind::TokenClassification => {
                let (label, index) = (self.label(logits.row(0))?, tokens[0]);
                let entity = labels[label].clone();
                Ok((Target { tokens, terms: vec![(0, label)] }, Subject::Entity { entity, index }))
            }
            HeadKind::MaskedLm | HeadKind::PreTraining => {
                let token = self.word(logits.row(0))?;
                let tokenizer = self.model.tokenizer()?;
                let token_str = tokenizer.decode(&[token], false, tokenizer.cleans_up())?;
                let terms = vec![(0, token as usize)];
                Ok((Target { tokens, terms }, Subject::Filled { token, token_str }))
            }
            _ => {
                let label = self.label(logits.row(0))?;
                let subject = Subject::Label { label: labels[label].clone() };
                Ok((Target { tokens, terms: vec![(0, label)] }, subject))
            }
        }
    }

    /// The token that is asked for, as answers of token classification count.
    fn token(&self) -> Result<u32> {
        let Some(token) = self.options.index else {
            return refuse("index is missing, that of one of the text's answers");
        };
        match self.encoding.sequence_ids.get(token as usize) {
            Some(Some(_)) => Ok(token),
            _ => refuse(format!(
                "index is {token}, expected that of a token of the text, which with its special ones has {}",
                self.encoding.len()
            )),
        }
    }

    /// The place of the mask that is asked for; the first by default.
    fn mask(&self) -> Result<u32> {
        let Some(mask) = &self.model.tokenizer()?.special().mask else {
            return Err(Error::Unsupported("explain: the tokenizer has no mask token".into()));
        };
        let places = (0..).zip(&self.encoding.ids).filter(|(_, id)| **id == mask.id);
        let places: Vec<u32> = places.map(|(place, _)| place).collect();
        let asked = self.options.mask.unwrap_or(0);
        places.get(asked as usize).copied().map_or_else(
            || {
                let (found, name) = (places.len(), &mask.token);
                refuse(format!(
                    "mask is {asked}, the text has {found} {name} in the model's window"
                ))
            },
            Ok,
        )
    }

    /// The label that is asked for, or the best.
    fn label(&self, scores: &[f32]) -> Result<usize> {
        let labels = &self.model.config().labels;
        let found = match &self.options.target {
            None => top_indices(scores, 1).first().copied(),
            Some(TargetOption::Name(name)) => labels.iter().position(|label| label == name),
            Some(TargetOption::Index(index)) => {
                Some(*index as usize).filter(|index| *index < labels.len())
            }
            Some(TargetOption::Span { .. }) => None,
        };
        let given = self.options.target.as_ref();
        found.map_or_else(
            || {
                let given = given.map(ToString::to_string).unwrap_or_default();
                refuse(format!(
                    "target is {given}, expected a label or its index: {}",
                    labels.join(", ")
                ))
            },
            Ok,
        )
    }

    /// The vocabulary entry that is asked for, or the best.
    fn word(&self, scores: &[f32]) -> Result<u32> {
        let tokenizer = self.model.tokenizer()?;
        let found = match &self.options.target {
            None => top_indices(scores, 1).first().map(|&id| id as u32),
            Some(TargetOption::Name(word)) => tokenizer.id(word),
            Some(TargetOption::Index(id)) => Some(*id),
            Some(TargetOption::Span { .. }) => None,
        };
        let given = self.options.target.as_ref();
        found.filter(|&id| (id as usize) < scores.len()).map_or_else(
            || {
                let given = given.map(ToString::to_string).unwrap_or_default();
                let size = scores.len();
                refuse(format!("target is {given}, expected one of the {size} tokens of the vocabulary or its id"))
            },
            Ok,
        )
    }

    /// The start and the end of the answer that is asked for, or of the best.
    fn answer(&self, logits: &Logits<'_>) -> Result<(Target, Subject)> {
        let spans = &self.encoding.spans;
        let context = self.context.unwrap_or_default();
        let is_context = |n: &usize| self.encoding.sequence_ids[*n] == Some(1);
        let places: Vec<usize> = (0..self.encoding.len()).filter(is_context).collect();
        let (first, last) = match &self.options.target {
            None => best_span(logits, &places),
            Some(TargetOption::Span { start, end }) => {
                let offsets = Places::new(context, self.offsets);
                let [start, end] = [offsets.byte(*start as usize)?, offsets.byte(*end as usize)?];
                let within = |n: &&usize| {
                    (spans[**n].end as usize) > start && (spans[**n].start as usize) < end
                };
                let inside: Vec<usize> = places.iter().filter(within).copied().collect();
                inside.first().copied().zip(inside.last().copied())
            }
            Some(other) => {
                return refuse(format!(
                    "target is {other}, expected an answer, or start and end of a part of the context"
                ));
            }
        }
        .map_or_else(
            || refuse("target has no token of the context in the model's window"),
            Ok,
        )?;
        let (start, end) = (spans[first].start, spans[last].end);
        let answer = context[start as usize..end as usize].to_owned();
        let target =
            Target { tokens: vec![first as u32, last as u32], terms: vec![(0, 0), (1, 1)] };
        Ok((target, Subject::Answer { answer, start, end }))
    }
}

/// The first and the last token of these, which follow each other, whose logits to start and to end there have the
/// greatest sum: no more tokens than answers have unless options say otherwise.
fn best_span(logits: &Logits<'_>, places: &[usize]) -> Option<(usize, usize)> {
    let most = question_answering::Options::default().max_answer_len;
    let mut best: Option<(f32, usize, usize)> = None;
    for (n, &first) in places.iter().enumerate() {
        for &last in places[n..].iter().take(most) {
            let sum = logits.row(first)[0] + logits.row(last)[1];
            if best.is_none_or(|(greatest, ..)| sum > greatest) {
                best = Some((sum, first, last));
            }
        }
    }
    best.map(|(_, first, last)| (first, last))
}
