//! Plain texts: rows of masked language modelling and replaced-token detection, whole or split, and
//! documents of pre-training.

use crate::error::{fault, unexpected};
use serde::Deserialize;

use super::{Example, Reading, Target, at, each, need_text};
use crate::Result;
use crate::train::arguments::TrainingArguments;
use crate::train::data::masking::Masking;
use crate::train::data::pairs::{self, Packing, sentences};

/// A row of masked language modelling or replaced-token detection.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Row {
    /// The text.
    Text(String),
    /// An object with the text as a field.
    Field {
        /// The text.
        text: Option<String>,
    },
}

impl Row {
    fn text(&self) -> Option<&String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Field { text } => text.as_ref(),
        }
    }
}

/// Checks and encodes texts. A text that is longer than a sequence is split into several, and
/// nothing is lost. With `masking`, each text must have a token to mask.
///
/// # Errors
/// `BadInput`, naming a row that is empty or has no token to mask.
pub fn examples(
    rows: &[Row],
    masking: Option<&Masking>,
    reading: &Reading<'_>,
) -> Result<Vec<Example>> {
    let Reading { tokenizer, max_length, .. } = *reading;
    let Some(room) =
        max_length.checked_sub(tokenizer.special_tokens_to_add(false)).filter(|&room| room > 0)
    else {
        return Err(unexpected!(
            BadInput,
            "max_length",
            "room for a text between special tokens",
            "{max_length}",
        ));
    };
    each(rows, |row, value| {
        let text = tokenizer.segment(need_text("text", value.text())?)?;
        let mut examples = Vec::new();
        for start in (0..text.len()).step_by(room) {
            let part = text.slice(start..text.len().min(start + room));
            let encoding = tokenizer.assemble(&part, None)?;
            // A part without a token to mask has no loss, so it is dropped.
            if masking.is_none_or(|masking| masking.can_mask(&encoding)) {
                examples.push(Example { row, encodings: vec![encoding], target: Target::None });
            }
        }
        if examples.is_empty() {
            return Err(fault!(
                BadInput,
                "the text has no token to mask",
                expected = "a token to mask",
            ));
        }
        Ok(examples)
    })
}

/// A row of pre-training.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Document {
    /// A list of sentences.
    Sentences(Vec<String>),
    /// A text, which is split into sentences.
    Text(String),
}

/// Packs documents into pairs, see [`pairs`].
///
/// # Errors
/// As [`pairs::pack`]. `BadInput`, naming a document with a pair that has no token to mask.
pub fn pretraining_examples(
    documents: &[Document],
    arguments: &TrainingArguments,
    masking: &Masking,
    reading: &Reading<'_>,
) -> Result<Vec<Example>> {
    let documents: Vec<Vec<String>> = documents
        .iter()
        .map(|document| match document {
            Document::Sentences(sentences) => sentences.clone(),
            Document::Text(text) => sentences(text),
        })
        .collect();
    let TrainingArguments { objective, seed, .. } = *arguments;
    let packing = Packing { objective, seed, max_length: reading.max_length };
    let examples = pairs::pack(reading.tokenizer, &documents, &packing)?;
    match examples
        .iter()
        .find(|example| !example.encodings.iter().any(|encoding| masking.can_mask(encoding)))
    {
        Some(example) => {
            let what = "the document has no token to mask";
            Err(at(example.row, fault!(BadInput, "{what}", expected = "a token to mask")))
        }
        None => Ok(examples),
    }
}
