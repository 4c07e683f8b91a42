//! What a row of each task is: read, checked and encoded before the first step of a run. What cannot be used is
//! `BadInput` that names the row, the first one being row 0.
//!
//! ```
//! # use webert::tokenizer::{Files, Tokenizer};
//! use serde_json::json;
//! use webert::train::rows::{self, Offsets, Reading, Target, text_classification};
//!
//! # let vocab_txt = Some(&b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nlow\nhigh\n"[..]);
//! # let tokenizer = Tokenizer::load(&Files { vocab_txt, ..Files::default() })?;
//! let labels = ["down".to_owned(), "up".to_owned()];
//! let reading = Reading {
//!     tokenizer: &tokenizer,
//!     labels: &labels,
//!     problem: None,
//!     max_length: 128,
//!     offsets: Offsets::Bytes,
//! };
//! let rows = [json!({ "text": "low", "label": "down" }), json!({ "text": "high", "label": 1 })];
//! let rows: Vec<text_classification::Row> = rows::parse(rows, serde_json::from_value)?;
//! let examples = text_classification::examples(&rows, &reading)?;
//! assert_eq!(examples[1].target, Target::Class(1));
//!
//! let unknown = rows::parse([json!({ "text": "low", "label": "sideways" })], serde_json::from_value)?;
//! let error = text_classification::examples(&unknown, &reading).unwrap_err();
//! assert!(error.to_string().starts_with("row 0: there is no label \"sideways\""));
//! # Ok::<(), webert::Error>(())
//! ```

pub mod choices;
pub mod embeddings;
mod offsets;
pub mod question_answering;
pub mod text_classification;
pub mod texts;
pub mod token_classification;

use std::fmt::Display;

use serde::Deserialize;

pub use offsets::Offsets;
pub(super) use offsets::Places;

use crate::config::Problem;
use crate::tokenizer::{Encoding, Tokenizer, Truncation};
use crate::{Error, Result};

/// What rows are read with.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The model's.
    pub tokenizer: &'a Tokenizer,
    /// The names of the head's labels, in order.
    pub labels: &'a [String],
    /// What a sequence classifier's scores mean; `None`: told from the labels of the rows, see
    /// [`text_classification::problem`].
    pub problem: Option<Problem>,
    /// Tokens of a sequence at most, special ones included.
    pub max_length: usize,
    /// What offsets in rows count.
    pub offsets: Offsets,
}

/// A row as training takes it, or a part of a row that is too long for one sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The row it is of.
    pub row: usize,
    /// One sequence; of choices one each; of pairs and triplets of embeddings two or three.
    pub encodings: Vec<Encoding>,
    /// What it is to become.
    pub target: Target,
}

impl Example {
    /// Tokens of all its sequences.
    pub fn len(&self) -> usize {
        self.encodings.iter().map(Encoding::len).sum()
    }

    /// It has no tokens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What an example is to become.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Nothing of its own: masked tokens, replaced ones, or the other examples of its batch are the target.
    None,
    /// A class, or the number of the right choice.
    Class(i32),
    /// A number for each label, or the score of a pair.
    Scores(Vec<f32>),
    /// A class for each token, -100 for those that do not count.
    Tokens(Vec<i32>),
    /// An answer's first and last token; both `[CLS]` where there is none.
    Span {
        /// Counted from the sequence's first token.
        start: u32,
        /// The token itself, not the one after it.
        end: u32,
    },
}

/// A label as rows have it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// Its index, or a score.
    Number(f64),
    /// Its name.
    Name(String),
}

/// Reads each row by itself, so that an error can name it.
///
/// # Errors
/// `BadInput` for the first row that cannot be read.
pub fn parse<T, R, E: Display>(
    rows: impl IntoIterator<Item = R>,
    read: impl Fn(R) -> std::result::Result<T, E>,
) -> Result<Vec<T>> {
    let read =
        |(row, value)| read(value).map_err(|error| at(row, Error::BadInput(error.to_string())));
    rows.into_iter().enumerate().map(read).collect()
}

/// Puts the row in front of what is wrong with it.
fn at(row: usize, error: Error) -> Error {
    match error {
        Error::BadInput(text) => Error::BadInput(format!("row {row}: {text}")),
        other => other,
    }
}

/// Calls `read` with each row and puts together what it gives.
fn each<T>(rows: &[T], read: impl Fn(usize, &T) -> Result<Vec<Example>>) -> Result<Vec<Example>> {
    let mut examples = Vec::with_capacity(rows.len());
    for (row, value) in rows.iter().enumerate() {
        examples.extend(read(row, value).map_err(|error| at(row, error))?);
    }
    Ok(examples)
}

impl<'a> Reading<'a> {
    /// With a tokenizer, cut to so many tokens: without labels, and offsets count bytes.
    pub fn new(tokenizer: &'a Tokenizer, max_length: usize) -> Self {
        Self { tokenizer, labels: &[], problem: None, max_length, offsets: Offsets::Bytes }
    }

    /// A text or a pair, cut to `max_length` tokens.
    fn encode(&self, text: &str, pair: Option<&str>) -> Result<Encoding> {
        let pair = pair.filter(|pair| !pair.is_empty());
        Ok(self.tokenizer.fit(text, pair, Truncation::LongestFirst, self.max_length)?.0)
    }

    /// The index of a label.
    fn index(&self, label: &Label) -> Result<usize> {
        let count = self.labels.len();
        match label {
            Label::Name(name) => {
                self.labels.iter().position(|label| label == name).ok_or_else(|| {
                    let known: Vec<&str> =
                        self.labels.iter().take(10).map(String::as_str).collect();
                    let more = if count > 10 { ", …" } else { "" };
                    bad(format!("there is no label {name:?}; there are {}{more}", known.join(", ")))
                })
            }
            Label::Number(number) => whole(*number, count).ok_or_else(|| {
                bad(format!(
                    "the label {number} is none of the {count} labels, 0 to {}",
                    count.saturating_sub(1)
                ))
            }),
        }
    }
}

/// A number as an index below `count`.
fn whole(number: f64, count: usize) -> Option<usize> {
    let index = number as usize;
    (number.fract() == 0.0 && number >= 0.0 && index < count).then_some(index)
}

fn bad(text: impl Into<String>) -> Error {
    Error::BadInput(text.into())
}

/// A field that has to be there.
fn need<'a, T: ?Sized>(name: &str, value: Option<&'a T>) -> Result<&'a T> {
    value.ok_or_else(|| bad(format!("there is no {name}")))
}

/// A text that has to have words.
fn need_text<'a>(name: &str, text: Option<&'a String>) -> Result<&'a str> {
    let text = need(name, text)?;
    if text.trim().is_empty() {
        return Err(bad(format!("the {name} is empty")));
    }
    Ok(text)
}
