//! Rows of question answering in SQuAD's form,
//! `{question, context, answers: [{text, answer_start}]}`. Each window of the context becomes an
//! example with the first answer's place. A row without answers is an unanswerable question.

use crate::error::{fault, unexpected};
use std::ops::Range;

use serde::Deserialize;

use super::offsets::Places;
use super::{Example, Reading, Target, each, need_text};
use crate::Result;
use crate::tokenizer::{EncodeOptions, Encoding, Truncation};

/// Default number of tokens that neighbouring windows share.
const STRIDE: usize = 128;

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// The question.
    pub question: Option<String>,
    /// The text that contains the answer.
    pub context: Option<String>,
    /// Answers. Training uses the first; an evaluation accepts any of them.
    pub answers: Vec<AnswerRow>,
}

/// An answer, which is a part of the context.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AnswerRow {
    /// The answer, exactly as in the context.
    pub text: String,
    /// Start offset in the context, in the unit of [`Reading::offsets`].
    pub answer_start: usize,
}

/// Checks and encodes the rows, with an example per window. `stride` is the number of tokens that
/// neighbouring windows share. `None`: 128, or half of a short window.
///
/// # Errors
/// `BadInput`, naming a row without question or context, with an answer that is not at its offset,
/// or with a question that fills a window.
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

/// Returns the bytes of an answer, after checking that the context has it there.
fn bytes(context: &str, places: &Places, answer: &AnswerRow) -> Result<Range<usize>> {
    let AnswerRow { text, answer_start } = answer;
    if text.is_empty() {
        return Err(fault!(
            BadInput,
            "answers: expected a text, got an empty one. For a question without an answer, pass no answers.",
            item = "answers",
            expected = "a text",
            found = "an empty one",
        ));
    }
    let start = places.byte(*answer_start).ok();
    let stands = |start: &usize| context.get(*start..).is_some_and(|rest| rest.starts_with(text));
    match start.filter(stands) {
        Some(start) => Ok(start..start + text.len()),
        None => Err(fault!(
            BadInput,
            "answers: expected {text:?} in the context at {answer_start}",
            item = "answers",
            expected = "{text:?} in the context at {answer_start}",
        )),
    }
}

/// Encodes the question with each window of the context.
fn windows(
    question: &str,
    context: &str,
    stride: Option<usize>,
    reading: &Reading<'_>,
) -> Result<Vec<Encoding>> {
    let Reading { tokenizer, max_length, .. } = *reading;
    let taken = tokenizer.segment(question)?.len() + tokenizer.special_tokens_to_add(true);
    let Some(room) = max_length.checked_sub(taken).filter(|&room| room > 0) else {
        return Err(fault!(
            BadInput,
            "question: expected less than a window's {max_length} tokens",
            item = "question",
            expected = "less than a window's {max_length} tokens",
        ));
    };
    let stride = match stride {
        Some(stride) if stride >= room => {
            return Err(unexpected!(
                BadInput,
                "doc_stride",
                "less than the {room} tokens that a window has for the context",
                "{stride}",
            ));
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

/// Returns the tokens with the answer's first and last byte, or `[CLS]` if the window does not
/// contain the whole answer.
fn target(window: &Encoding, answer: Option<&Range<usize>>, cls: u32) -> Target {
    let none = window.ids.iter().position(|&id| id == cls).unwrap_or(0) as u32;
    let found = answer.and_then(|&Range { start, end }| {
        let context: Vec<usize> =
            (0..window.len()).filter(|&at| window.sequence_ids[at] == Some(1)).collect();
        let span = |at: usize| (window.spans[at].start as usize, window.spans[at].end as usize);
        let (&first, &last) = (context.first()?, context.last()?);
        // The window does not contain the whole answer.
        if span(first).0 > start || span(last).1 < end {
            return None;
        }
        // If one character has several tokens, the start is the last of them and the end the first,
        // as in run_qa.py.
        let start = context.iter().rev().find(|&&at| span(at).0 <= start)?;
        let end = context.iter().find(|&&at| span(at).1 >= end)?;
        (start <= end).then_some((*start as u32, *end as u32))
    });
    let (start, end) = found.unwrap_or((none, none));
    Target::Span { start, end }
}
