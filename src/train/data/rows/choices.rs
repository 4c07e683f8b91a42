//! Rows of multiple choice, `{prompt, choices, label}`, with one sequence per choice; rows of next
//! sentence prediction, `{text, next, is_next}`, with one sequence per pair.

use serde::Deserialize;

use super::{Example, Reading, Target, each, need, need_text, whole};
use crate::Result;
use crate::error::unexpected;
use crate::train::data::pairs::{IS_NEXT, NOT_NEXT};

/// A row of multiple choice.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// Text to be continued.
    pub prompt: Option<String>,
    /// Continuations.
    pub choices: Vec<String>,
    /// Index of the right continuation.
    pub label: Option<f64>,
}

/// Checks and encodes rows of multiple choice.
///
/// # Errors
/// `BadInput`, naming a row without prompt, label or choices, with a label that is not the index of
/// a choice, or with another number of choices than the first row. All rows must have the same
/// number, because the choices of a batch are concatenated.
pub fn examples(rows: &[Row], reading: &Reading<'_>) -> Result<Vec<Example>> {
    let expected = rows.first().map_or(0, |first| first.choices.len());
    each(rows, |row, value| {
        let prompt = need_text("prompt", value.prompt.as_ref())?;
        let label = *need("label", value.label.as_ref())?;
        let count = value.choices.len();
        if count < 2 {
            return Err(unexpected!(BadInput, "choices", "two or more", "{count}"));
        }
        if count != expected {
            return Err(unexpected!(
                BadInput,
                "choices",
                "{expected} like the first row",
                "{count}"
            ));
        }
        let class = whole(label, count).ok_or_else(|| {
            unexpected!(BadInput, "label", "the index of one of {count} choices", "{label}")
        })?;
        let encode =
            |choice: &String| reading.encode(prompt, Some(need_text("choice", Some(choice))?));
        let encodings = value.choices.iter().map(encode).collect::<Result<_>>()?;
        Ok(vec![Example { row, encodings, target: Target::Class(class as i32) }])
    })
}

/// A row of next sentence prediction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NextRow {
    /// First text.
    pub text: Option<String>,
    /// Second text, which may follow the first.
    pub next: Option<String>,
    /// True if the second text follows the first.
    pub is_next: Option<bool>,
}

/// Checks and encodes rows of next sentence prediction.
///
/// # Errors
/// `BadInput`, naming a row that lacks a text or the label.
pub fn next_examples(rows: &[NextRow], reading: &Reading<'_>) -> Result<Vec<Example>> {
    each(rows, |row, value| {
        let text = need_text("text", value.text.as_ref())?;
        let next = need_text("next", value.next.as_ref())?;
        let class = if *need("is_next", value.is_next.as_ref())? { IS_NEXT } else { NOT_NEXT };
        let encoding = reading.encode(text, Some(next))?;
        Ok(vec![Example { row, encodings: vec![encoding], target: Target::Class(class) }])
    })
}
