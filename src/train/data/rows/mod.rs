//! The rows of each task: read, checked and encoded before the first step of a run. An invalid row
//! is `BadInput` that names the row; the first row is row 0.
//!
//! ```
//! # use webert::tokenizer::{Files, Tokenizer};
//! use serde_json::json;
//! use webert::train::data::rows::{self, Offsets, Reading, Target, text_classification};
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
//! assert!(error.to_string().starts_with("row 0: label: expected one of "));
//! # Ok::<(), webert::Error>(())
//! ```

pub mod choices;
pub mod embeddings;
mod offsets;
pub mod question_answering;
pub mod text_classification;
pub mod texts;
pub mod token_classification;

use crate::error::{fault, unexpected};
use std::fmt::Display;

use serde::Deserialize;

pub use offsets::Offsets;
pub(in crate::train) use offsets::Places;

use crate::config::Problem;
use crate::tokenizer::{Encoding, Tokenizer, Truncation};
use crate::{Details, Error, ErrorKind, Result};

/// Everything that reading rows depends on.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The model's tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// Names of the head's labels, in order.
    pub labels: &'a [String],
    /// Meaning of a sequence classifier's scores. `None`: derived from the labels of the rows, see
    /// [`text_classification::problem`].
    pub problem: Option<Problem>,
    /// Largest number of tokens per sequence, including special tokens.
    pub max_length: usize,
    /// Unit of offsets in rows.
    pub offsets: Offsets,
}

/// A row in encoded form, or a part of a row that is too long for one sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Number of the row.
    pub row: usize,
    /// The sequences: one; for multiple choice one per choice; for embeddings two or three.
    pub encodings: Vec<Encoding>,
    /// Target of the example.
    pub target: Target,
}

impl Example {
    /// Returns the number of tokens of all sequences.
    pub fn len(&self) -> usize {
        self.encodings.iter().map(Encoding::len).sum()
    }

    /// Returns true if the example has no tokens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Target of an example.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// No target of its own: it follows from masked or replaced tokens, or from the other examples
    /// of the batch.
    None,
    /// A class, or the number of the right choice.
    Class(i32),
    /// A number per label, or the score of a pair.
    Scores(Vec<f32>),
    /// A class per token; -100 for tokens that are ignored.
    Tokens(Vec<i32>),
    /// First and last token of an answer. Both are `[CLS]` if the window has no answer.
    Span {
        /// First token, counted from the start of the sequence.
        start: u32,
        /// Last token, inclusive.
        end: u32,
    },
}

/// A label in a row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// Index of a label, or a score.
    Number(f64),
    /// Name of a label.
    Name(String),
}

/// Reads each row separately, so that an error can name the row.
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

/// Adds the number of the row to an error, counted from 0 like the rows of the caller's array.
fn at(row: usize, error: Error) -> Error {
    if error.kind() != ErrorKind::BadInput {
        return error;
    }
    let (item, what) = (format_args!("row {row}"), format_args!(": {error}"));
    let details = Details::new(ErrorKind::BadInput, "", item, what);
    let [expected, found] = match error.details() {
        Some(of) => [of.expected(), of.found()].map(Option::unwrap_or_default),
        None => ["", ""],
    };
    let details = details.values(format_args!("{expected}"), format_args!("{found}"));
    details.source(error).error()
}

/// Calls `read` for each row and concatenates the results.
fn each<T>(rows: &[T], read: impl Fn(usize, &T) -> Result<Vec<Example>>) -> Result<Vec<Example>> {
    let mut examples = Vec::with_capacity(rows.len());
    for (row, value) in rows.iter().enumerate() {
        examples.extend(read(row, value).map_err(|error| at(row, error))?);
    }
    Ok(examples)
}

impl<'a> Reading<'a> {
    /// Reads with a tokenizer and a largest number of tokens, without labels. Offsets are in bytes.
    pub fn new(tokenizer: &'a Tokenizer, max_length: usize) -> Self {
        Self { tokenizer, labels: &[], problem: None, max_length, offsets: Offsets::Bytes }
    }

    /// Encodes a text or a pair, truncated to `max_length` tokens.
    fn encode(&self, text: &str, pair: Option<&str>) -> Result<Encoding> {
        // An empty second text counts as no second text.
        let pair = pair.filter(|pair| !pair.is_empty());
        Ok(self.tokenizer.fit(text, pair, Truncation::LongestFirst, self.max_length)?.0)
    }

    /// Returns the index of a label.
    fn index(&self, label: &Label) -> Result<usize> {
        let count = self.labels.len();
        match label {
            Label::Name(name) => {
                self.labels.iter().position(|label| label == name).ok_or_else(|| {
                    let known = first_names(self.labels);
                    unexpected!(BadInput, "label", "one of {known}", "{name:?}")
                })
            }
            Label::Number(number) => whole(*number, count).ok_or_else(|| {
                let last = count.saturating_sub(1);
                unexpected!(
                    BadInput,
                    "label",
                    "an index of {count} labels, 0 to {last}",
                    "{number}"
                )
            }),
        }
    }
}

/// Returns the first ten names and the number of the others: a head may have hundreds of labels.
fn first_names(names: &[String]) -> String {
    let listed = names[..names.len().min(10)].join(", ");
    match names.len().saturating_sub(10) {
        0 => listed,
        others => format!("{listed} and {others} more"),
    }
}

/// Returns a number as an index below `count`.
fn whole(number: f64, count: usize) -> Option<usize> {
    let index = number as usize;
    (number.fract() == 0.0 && number >= 0.0 && index < count).then_some(index)
}

/// Returns a required field.
fn need<'a, T: ?Sized>(name: &str, value: Option<&'a T>) -> Result<&'a T> {
    value.ok_or_else(|| fault!(BadInput, "{name} is missing", item = "{name}"))
}

/// Returns a required text, which must not be blank.
fn need_text<'a>(name: &str, text: Option<&'a String>) -> Result<&'a str> {
    let text = need(name, text)?;
    if text.trim().is_empty() {
        return Err(fault!(BadInput, "{name} is empty", item = "{name}", found = "an empty text"));
    }
    Ok(text)
}
