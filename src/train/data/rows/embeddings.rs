//! Rows for embeddings: `{text, positive, negative?}` names a text that must be near and one that
//! must be far; `{text, text_pair, score}` names the cosine of two texts.

use crate::error::{fault, unexpected};
use serde::Deserialize;

use super::{Example, Reading, Target, at, each, need, need_text};
use crate::Result;

/// A row with one of two sets of fields.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// The text.
    pub text: Option<String>,
    /// A text with the same meaning, or an answer to the text.
    pub positive: Option<String>,
    /// A text with another meaning, though it may look similar.
    pub negative: Option<String>,
    /// The other text of a scored pair.
    pub text_pair: Option<String>,
    /// Target cosine of the scored pair.
    pub score: Option<f64>,
}

impl Row {
    /// Returns the set of fields of the row.
    fn kind(&self) -> Result<Kind> {
        match self {
            Self { positive: Some(_), negative: None, text_pair: None, score: None, .. } => {
                Ok(Kind::Pair)
            }
            Self { positive: Some(_), negative: Some(_), text_pair: None, score: None, .. } => {
                Ok(Kind::Triplet)
            }
            Self { positive: None, negative: None, text_pair: Some(_), score: Some(_), .. } => {
                Ok(Kind::Scored)
            }
            _ => Err(fault!(
                BadInput,
                "expected text and positive, text, positive and negative, or text, text_pair and score",
                expected =
                    "text and positive, text, positive and negative, or text, text_pair and score",
            )),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pair,
    Triplet,
    Scored,
}

/// Checks and encodes the rows, with two or three sequences each. All rows must have the same
/// fields, because one loss runs over all texts of a batch.
///
/// # Errors
/// `BadInput`, naming a row that lacks a field, has other fields than the first row, or a score
/// outside -1 to 1.
pub fn examples(rows: &[Row], reading: &Reading<'_>) -> Result<Vec<Example>> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let kind = first.kind().map_err(|error| at(0, error))?;
    each(rows, |row, value| {
        if value.kind()? != kind {
            return Err(fault!(
                BadInput,
                "expected the same fields as in the first row",
                expected = "the same fields as in the first row",
            ));
        }
        let encode = |name: &str, text: &Option<String>| {
            reading.encode(need_text(name, text.as_ref())?, None)
        };
        let mut encodings = vec![encode("text", &value.text)?];
        let mut target = Target::None;
        if kind == Kind::Scored {
            let score = *need("score", value.score.as_ref())?;
            if !(-1.0..=1.0).contains(&score) {
                return Err(unexpected!(BadInput, "score", "a cosine, -1 to 1", "{score}"));
            }
            encodings.push(encode("text_pair", &value.text_pair)?);
            target = Target::Scores(vec![score as f32]);
        } else {
            encodings.push(encode("positive", &value.positive)?);
        }
        if kind == Kind::Triplet {
            encodings.push(encode("negative", &value.negative)?);
        }
        Ok(vec![Example { row, encodings, target }])
    })
}
