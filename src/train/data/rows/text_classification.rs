//! Rows of text classification, `{text, text_pair?, label}`, with one class per text, any number of
//! labels, or scores.

use crate::error::{fault, unexpected};
use serde::Deserialize;

use super::{Example, Label, Reading, Target, at, each, need, need_text};
use crate::Result;
use crate::config::Problem;

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// The text.
    pub text: Option<String>,
    /// A second text.
    pub text_pair: Option<String>,
    /// Label or labels of the text.
    pub label: Option<Labels>,
}

/// One label or several.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Labels {
    /// The class, or the score of the only label.
    One(Label),
    /// Names: the labels of the text. Numbers: one per label of the head, in order.
    Many(Vec<Label>),
}

/// Returns the meaning of the rows' labels for a head with `labels` labels, by the rules of
/// transformers. A single label means a score. Arrays mean any number of labels. Otherwise each
/// text has one class.
pub fn problem(rows: &[Row], labels: usize) -> Problem {
    if labels == 1 {
        return Problem::Regression;
    }
    match rows.iter().any(|row| matches!(row.label, Some(Labels::Many(_)))) {
        true => Problem::MultiLabel,
        false => Problem::SingleLabel,
    }
}

/// Checks and encodes the rows.
///
/// # Errors
/// `BadInput`, naming a row without text or label, or with a label that the head does not have.
pub fn examples(rows: &[Row], reading: &Reading<'_>) -> Result<Vec<Example>> {
    let problem = reading.problem.unwrap_or_else(|| problem(rows, reading.labels.len()));
    each(rows, |row, value| {
        let label = need("label", value.label.as_ref())?;
        let target = match problem {
            Problem::SingleLabel => Target::Class(class(label, reading)?),
            Problem::MultiLabel => Target::Scores(several(label, reading)?),
            Problem::Regression => Target::Scores(scores(label, reading)?),
        };
        let text = need_text("text", value.text.as_ref())?;
        let encoding = reading.encode(text, value.text_pair.as_deref())?;
        Ok(vec![Example { row, encodings: vec![encoding], target }])
    })
}

fn class(label: &Labels, reading: &Reading<'_>) -> Result<i32> {
    match label {
        Labels::One(label) => reading.index(label).map(|index| index as i32),
        Labels::Many(_) => Err(unexpected!(
            BadInput,
            "label",
            "a single one, because the labels of this model exclude each other",
            "an array",
        )),
    }
}

/// Returns 1 for each label of the text and 0 for the others.
fn several(label: &Labels, reading: &Reading<'_>) -> Result<Vec<f32>> {
    let many = match label {
        Labels::One(label) => std::slice::from_ref(label),
        Labels::Many(many) if many.iter().any(|label| matches!(label, Label::Number(_))) => {
            let shares = numbers(many, reading.labels.len())?;
            return match shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
                Some(share) => {
                    Err(unexpected!(BadInput, "label", "0 to 1 for each label", "{share}"))
                }
                None => Ok(shares),
            };
        }
        Labels::Many(many) => many,
    };
    let mut shares = vec![0.0; reading.labels.len()];
    for label in many {
        shares[reading.index(label)?] = 1.0;
    }
    Ok(shares)
}

fn scores(label: &Labels, reading: &Reading<'_>) -> Result<Vec<f32>> {
    let many = match label {
        Labels::One(label) => std::slice::from_ref(label),
        Labels::Many(many) => many,
    };
    numbers(many, reading.labels.len())
}

/// Returns a finite number for each label of the head.
fn numbers(label: &[Label], count: usize) -> Result<Vec<f32>> {
    if label.len() != count {
        let found = label.len();
        return Err(unexpected!(
            BadInput,
            "label",
            "a number for each of {count} labels",
            "{found} numbers",
        ));
    }
    let number = |label: &Label| match label {
        Label::Number(number) if (*number as f32).is_finite() => Ok(*number as f32),
        Label::Number(number) => Err(unexpected!(BadInput, "label", "a finite number", "{number}")),
        Label::Name(name) => Err(unexpected!(BadInput, "label", "a number", "{name:?}")),
    };
    label.iter().map(number).collect()
}

/// Returns the label names in the rows, for a new head, in alphabetical order.
///
/// # Errors
/// `BadInput`, naming a row without a label or with a number as a label. Numbers do not define
/// names.
///
/// ```
/// use webert::train::data::rows::text_classification::{Labels, Row, label_names};
/// use webert::train::data::rows::Label;
///
/// let row = |name: &str| {
///     let label = Some(Labels::One(Label::Name(name.into())));
///     Row { text: Some("…".into()), label, ..Row::default() }
/// };
/// assert_eq!(label_names(&[row("up"), row("down"), row("up")]).unwrap(), ["down", "up"]);
/// ```
pub fn label_names(rows: &[Row]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for (row, value) in rows.iter().enumerate() {
        let labels = need("label", value.label.as_ref()).map_err(|error| at(row, error))?;
        let labels = match labels {
            Labels::One(label) => std::slice::from_ref(label),
            Labels::Many(many) => many,
        };
        for label in labels {
            let Label::Name(name) = label else {
                let number = fault!(
                    BadInput,
                    "label: expected a name, got a number. Pass the labels of the new head.",
                    item = "label",
                    expected = "a name",
                    found = "a number",
                );
                return Err(at(row, number));
            };
            names.push(name.clone());
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}
