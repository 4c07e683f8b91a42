//! SQuAD's `{question, context, answers: [{text, answer_start}]}`: the question with each window of the context,
//! and where in it the first answer is. No answers: an impossible question.

use std::ops::Range;

use serde::Deserialize;

use super::offsets::Places;
use super::{Example, Reading, Target, bad, each, need_text};
use crate::Result;
use crate::tokenizer::{EncodeOptions, Encoding, Truncation};

/// Tokens that neighbouring windows share unless the caller says.
const STRIDE: usize = 128;

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// The question.
    pub question: Option<String>,
    /// The text with the answer.
    pub context: Option<String>,
    /// Answers, of which the first is learnt; all of them are right in an evaluation.
    pub answers: Vec<Answer>,
}

/// A part of the context.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answer {
    /// As the context has it.
    pub text: String,
    /// Where in the context it starts, by [`Reading::offsets`].
    pub answer_start: usize,
}

/// Checks and encodes the rows: an example for each window. `stride`: tokens that neighbouring windows share;
/// `None`: 128, or half a short window.
///
/// # Errors
/// `BadInput` naming a row without question or context, with an answer that is not where it says, or with a
/// question as long as a window.
pub fn examples(
    rows: &[Row],
    stride: Option<usize>,
    reading: &Reading<'_>,
) -> Result<Vec<Example>> {
    each(rows, |row, value| {
        let question = need_text("question", value.question.as_ref())?;
        let context = need_text("context", value.context.as_ref())?;
        let places = Places::new(context, reading.offsets);
        let found = value.answers.iter().map(|answer| bytes(context, &places, answer));
        let answer = found.collect::<Result<Vec<_>>>()?.into_iter().next();
        let cls = reading.tokenizer.special().cls.as_ref().map_or(u32::MAX, |cls| cls.id);
        let example = |window: Encoding| {
            let target = target(&window, answer.as_ref(), cls);
            Example { row, encodings: vec![window], target }
        };
        Ok(windows(question, context, stride, reading)?.into_iter().map(example).collect())
    })
}

/// The bytes of an answer, which stands in the context.
fn bytes(context: &str, places: &Places, answer: &Answer) -> Result<Range<usize>> {
    let Answer { text, answer_start } = answer;
    if text.is_empty() {
        return Err(bad("an answer is empty; a question without an answer has none in answers"));
    }
    let start = places.byte(*answer_start).ok();
    let stands = |start: &usize| context.get(*start..).is_some_and(|rest| rest.starts_with(text));
    match start.filter(stands) {
        Some(start) => Ok(start..start + text.len()),
        None => Err(bad(format!("the answer {text:?} is not at {answer_start} of the context"))),
    }
}

/// The question with each part of the context.
fn windows(
    question: &str,
    context: &str,
    stride: Option<usize>,
    reading: &Reading<'_>,
) -> Result<Vec<Encoding>> {
    let Reading { tokenizer, max_length, .. } = *reading;
    let taken = tokenizer.segment(question)?.len() + tokenizer.special_tokens_to_add(true);
    let Some(room) = max_length.checked_sub(taken).filter(|&room| room > 0) else {
        return Err(bad(format!("the question takes all of a window's {max_length} tokens")));
    };
    let stride = match stride {
        Some(stride) if stride >= room => {
            return Err(bad(format!(
                "doc_stride {stride} must be less than the {room} tokens that a window has for the context"
            )));
        }
        Some(stride) => stride,
        None => STRIDE.min(room / 2),
    };
    tokenizer.encode(
        question,
        Some(context),
        &EncodeOptions {
            truncation: Truncation::OnlySecond,
            max_length: Some(max_length),
            stride,
            return_overflowing_tokens: true,
            ..EncodeOptions::default()
        },
    )
}

/// The tokens that have the answer's first and last byte; `[CLS]` where the window has not all of it.
fn target(window: &Encoding, answer: Option<&Range<usize>>, cls: u32) -> Target {
    let none = window.ids.iter().position(|&id| id == cls).unwrap_or(0) as u32;
    let found = answer.and_then(|&Range { start, end }| {
        let context: Vec<usize> =
            (0..window.len()).filter(|&at| window.sequence_ids[at] == Some(1)).collect();
        let span = |at: usize| (window.spans[at].start as usize, window.spans[at].end as usize);
        let (&first, &last) = (context.first()?, context.last()?);
        if span(first).0 > start || span(last).1 < end {
            return None;
        }
        // of the tokens of one character the last for the start and the first for the end, as in run_qa.py
        let start = context.iter().rev().find(|&&at| span(at).0 <= start)?;
        let end = context.iter().find(|&&at| span(at).1 >= end)?;
        (start <= end).then_some((*start as u32, *end as u32))
    });
    let (start, end) = found.unwrap_or((none, none));
    Target::Span { start, end }
}
