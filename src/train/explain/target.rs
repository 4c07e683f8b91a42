//! The logits of a head that are explained, per task.

use crate::error::fault;
use std::fmt::Display;

use serde::Serialize;

use super::options::{ExplainOptions, TargetOption};
use crate::Result;
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::Model;
use crate::tasks::question_answering;
use crate::tokenizer::Encoding;
use crate::train::data::rows::{Offsets, Places};
use webert_kernels::top_indices;

/// Logits of a sequence whose sum is explained.
pub(super) struct ExplainTarget {
    /// Tokens that the head scores. Empty if it scores the sequence.
    pub(super) tokens: Vec<u32>,
    /// Pairs of a row among the tokens' rows and a score in that row.
    pub(super) terms: Vec<(usize, usize)>,
}

impl ExplainTarget {
    /// Returns the number of score rows of `sequences` sequences.
    pub(super) fn rows(&self, sequences: usize) -> usize {
        sequences * self.tokens.len().max(1)
    }

    /// Returns the gradient of the sum with respect to the scores of `sequences` sequences,
    /// `[rows, scores]`: 1 at each term.
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

/// What is explained, with the field names of the task's results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Subject {
    /// A label of a text.
    Label {
        /// Name of the label.
        label: String,
    },
    /// A label of a token.
    Entity {
        /// Name of the label.
        entity: String,
        /// Index of the token among the model's tokens; `[CLS]` is 0.
        index: u32,
    },
    /// Start and end of an answer.
    Answer {
        /// The answer, as it stands in the context.
        answer: String,
        /// Byte offset in the context.
        start: u32,
        /// Byte offset of the end, exclusive.
        end: u32,
    },
    /// A token in place of a mask.
    Filled {
        /// Token id.
        token: u32,
        /// Token text.
        token_str: String,
    },
}

/// Logits of a sequence: all rows of the head, or the rows of some tokens.
pub(super) struct Logits<'a> {
    /// Tokens of the rows. `None`: each token has a row, or the sequence has a single one.
    pub(super) tokens: Option<&'a [u32]>,
    pub(super) scores: usize,
    pub(super) values: &'a [f32],
}

impl Logits<'_> {
    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.scores..][..self.scores]
    }

    /// Returns the sum of a target's logits.
    pub(super) fn sum(&self, target: &ExplainTarget) -> f64 {
        let row = |n: usize| match (self.tokens, target.tokens.get(n)) {
            (None, Some(&token)) => token as usize,
            _ => n,
        };
        target.terms.iter().map(|&(n, column)| f64::from(self.row(row(n))[column])).sum()
    }
}

/// A call: the encoded text and the options.
pub(super) struct Call<'a, B: Processor> {
    pub(super) model: &'a Model<B>,
    /// Only for question answering.
    pub(super) context: Option<&'a str>,
    pub(super) encoding: &'a Encoding,
    pub(super) options: &'a ExplainOptions,
    /// Unit of offsets in the options.
    pub(super) offsets: Offsets,
}

/// Returns an error with the text `explain: {item}: expected {expected}, got {found}`.
pub(super) fn refuse<T>(item: &str, expected: &str, found: impl Display) -> Result<T> {
    Err(fault!(
        BadInput,
        "explain: {item}: expected {expected}, got {found}",
        item = "{item}",
        expected = "{expected}",
        found = "{found}",
    ))
}

impl<B: Processor> Call<'_, B> {
    /// Returns the tokens whose scores [`Call::target`] needs. `None`: all tokens, or the sequence
    /// as a whole.
    pub(super) fn tokens(&self) -> Result<Option<Vec<u32>>> {
        match self.model.head_spec().kind {
            HeadKind::TokenClassification => Ok(Some(vec![self.token()?])),
            HeadKind::MaskedLm | HeadKind::PreTraining => Ok(Some(vec![self.mask()?])),
            _ => Ok(None),
        }
    }

    /// Returns the logits to explain and their meaning.
    pub(super) fn target(&self, logits: &Logits<'_>) -> Result<(ExplainTarget, Subject)> {
        let tokens = logits.tokens.unwrap_or_default().to_vec();
        let labels = &self.model.config().labels;
        match self.model.head_spec().kind {
            HeadKind::QuestionAnswering => self.answer(logits),
            HeadKind::TokenClassification => {
                let (label, index) = (self.label(logits.row(0))?, tokens[0]);
                let entity = labels[label].clone();
                Ok((
                    ExplainTarget { tokens, terms: vec![(0, label)] },
                    Subject::Entity { entity, index },
                ))
            }
            HeadKind::MaskedLm | HeadKind::PreTraining => {
                let token = self.word(logits.row(0))?;
                let tokenizer = self.model.tokenizer()?;
                let token_str = tokenizer.decode(&[token], false, tokenizer.cleans_up())?;
                let terms = vec![(0, token as usize)];
                Ok((ExplainTarget { tokens, terms }, Subject::Filled { token, token_str }))
            }
            _ => {
                let label = self.label(logits.row(0))?;
                let subject = Subject::Label { label: labels[label].clone() };
                Ok((ExplainTarget { tokens, terms: vec![(0, label)] }, subject))
            }
        }
    }

    /// Returns the token of the option `index`, which counts like results of token classification.
    fn token(&self) -> Result<u32> {
        let Some(token) = self.options.index else {
            return refuse("index", "the index of a token of the text", "none");
        };
        match self.encoding.sequence_ids.get(token as usize) {
            Some(Some(_)) => Ok(token),
            _ => {
                let count = self.encoding.len();
                let expected =
                    format!("a token of the text, which has {count} tokens with its special ones");
                refuse("index", &expected, token)
            }
        }
    }

    /// Returns the place of the mask chosen by the option `mask`; the first by default.
    fn mask(&self) -> Result<u32> {
        let Some(mask) = &self.model.tokenizer()?.special().mask else {
            return Err(fault!(
                Unsupported,
                "explain: the tokenizer has no mask token",
                item = "explain",
                expected = "a tokenizer with a mask token",
            ));
        };
        let places = (0..).zip(&self.encoding.ids).filter(|(_, id)| **id == mask.id);
        let places: Vec<u32> = places.map(|(place, _)| place).collect();
        let asked = self.options.mask.unwrap_or(0);
        places.get(asked as usize).copied().map_or_else(
            || {
                let (found, name) = (places.len(), &mask.token);
                let expected = format!("one of the {found} {name} in the model's window");
                refuse("mask", &expected, asked)
            },
            Ok,
        )
    }

    /// Returns the label chosen by the option `target`, or the best one.
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
                let names = labels.join(", ");
                Err(fault!(
                    BadInput,
                    "explain: target: expected a label or its index, got {given}. The labels are {names}.",
                    item = "target",
                    expected = "a label or its index",
                    found = "{given}",
                ))
            },
            Ok,
        )
    }

    /// Returns the vocabulary id chosen by the option `target`, or the best one.
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
                let expected = format!("one of the {size} tokens of the vocabulary or its id");
                refuse("target", &expected, given)
            },
            Ok,
        )
    }

    /// Returns start and end of the answer chosen by the option `target`, or of the best one.
    fn answer(&self, logits: &Logits<'_>) -> Result<(ExplainTarget, Subject)> {
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
                let expected = "an answer, or start and end of a part of the context";
                return refuse("target", expected, other);
            }
        }
        .map_or_else(
            || {
                Err(fault!(
                    BadInput,
                    "explain: target: expected a part of the context within the model's window",
                    item = "target",
                    expected = "a part of the context within the model's window",
                ))
            },
            Ok,
        )?;
        let (start, end) = (spans[first].start, spans[last].end);
        let answer = context[start as usize..end as usize].to_owned();
        let target =
            ExplainTarget { tokens: vec![first as u32, last as u32], terms: vec![(0, 0), (1, 1)] };
        Ok((target, Subject::Answer { answer, start, end }))
    }
}

/// Returns the first and the last token of the span with the largest sum of start and end logits.
/// `places` are the candidates, in order. The span has at most the default number of tokens of an
/// answer.
fn best_span(logits: &Logits<'_>, places: &[usize]) -> Option<(usize, usize)> {
    let most = question_answering::QuestionAnsweringOptions::default().max_answer_len;
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
