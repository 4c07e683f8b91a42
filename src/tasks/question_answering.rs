//! Question answering: finds the part of a context that answers a question.

use serde::{Deserialize, Serialize};

use super::options::{count, count_or_null};
use super::{Pace, need_words, softmax};
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, OutputRequest, Table, Tick};
use crate::tokenizer::{Count, EncodeOptions, Encoding, Truncation, lower};
use crate::{Error, Result};
use webert_kernels::top_indices;

/// The name of the task.
pub const TASK: &str = "question-answering";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuestionAnsweringOptions {
    /// The number of answers, best first.
    #[serde(deserialize_with = "count")]
    pub top_k: usize,
    /// The maximum number of tokens per answer.
    #[serde(deserialize_with = "count")]
    pub max_answer_len: usize,
    /// The number of tokens shared by neighbouring windows of a context. `None` means 128, or half
    /// of a short window.
    #[serde(deserialize_with = "count_or_null")]
    pub doc_stride: Option<usize>,
    /// The maximum number of tokens per window, with question and special tokens. `None` means 384.
    /// Limited by the model's maximum.
    #[serde(deserialize_with = "count_or_null")]
    pub max_seq_len: Option<usize>,
    /// Whether an empty answer may be returned.
    pub handle_impossible_answer: bool,
    /// Whether an answer is extended to whole words.
    pub align_to_words: bool,
}

impl Default for QuestionAnsweringOptions {
    fn default() -> Self {
        Self {
            top_k: 1,
            max_answer_len: 15,
            doc_stride: None,
            max_seq_len: None,
            handle_impossible_answer: false,
            align_to_words: true,
        }
    }
}

/// A part of the context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerSpan {
    /// The text of the part in the context. Empty means that the context has no answer.
    pub answer: String,
    /// The answer's probability. Answers with the same wording share the sum of their
    /// probabilities, as in Hugging Face. The sum can exceed 1.
    pub score: f32,
    /// The first byte of the answer in the context.
    pub start: u32,
    /// The end of the answer in the context, in bytes.
    pub end: u32,
}

impl super::Answer for AnswerSpan {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        (self.start, self.end) = (to(self.start), to(self.end));
    }
}

/// Returns the answers to each question: at most `top_k`, best first. A context may have any
/// length.
///
/// # Errors
/// `Unsupported` if the model has no head for the task. `BadInput` for an empty question or
/// context, options that exclude every answer, and a question as long as a window.
pub async fn question_answering<B: Processor>(
    model: &Model<B>,
    inputs: &[(String, String)],
    options: &QuestionAnsweringOptions,
    tick: Tick<'_>,
) -> Result<Vec<Vec<AnswerSpan>>> {
    model.need(TASK, &[HeadKind::QuestionAnswering])?;
    let mut encodings = Vec::new();
    let mut counts = Vec::with_capacity(inputs.len());
    let mut pace = Pace::new(tick);
    let mut count = Count::default();
    for (question, context) in inputs {
        pace.before(context.len()).await?;
        let windows = windows(model, question, context, options)?;
        let tokens: usize = windows.iter().map(Encoding::len).sum();
        count.add(windows.len() as u64, tokens as u64)?;
        counts.push(windows.len());
        encodings.extend(windows);
    }
    let tables = model.compute(&encodings, OutputRequest::Logits, None, tick).await?;
    let cls = model.tokenizer()?.special().cls.as_ref().map_or(u32::MAX, |cls| cls.id);
    let mut windows = encodings.iter().zip(&tables);
    let mut answers = Vec::with_capacity(inputs.len());
    for ((_, context), count) in inputs.iter().zip(counts) {
        let mut search = Search::new(context, cls, options);
        windows.by_ref().take(count).for_each(|(encoding, table)| search.window(encoding, table));
        answers.push(search.finish());
    }
    Ok(answers)
}

/// Returns the encodings of the question with each part of the context.
fn windows<B: Processor>(
    model: &Model<B>,
    question: &str,
    context: &str,
    options: &QuestionAnsweringOptions,
) -> Result<Vec<Encoding>> {
    need_words(TASK, "question", question)?;
    need_words(TASK, "context", context)?;
    let refuse = |what: String| Err(Error::BadInput(format!("{TASK}: {what}")));
    if options.top_k == 0 || options.max_answer_len == 0 {
        return refuse("top_k and max_answer_len are at least 1".into());
    }
    let limit = options.max_seq_len.unwrap_or(384).min(model.max_tokens());
    let stride = options.doc_stride.unwrap_or(128.min(limit / 2));
    if stride > limit {
        return refuse(format!("doc_stride {stride} is more than the {limit} tokens of a window"));
    }
    let tokenizer = model.tokenizer()?;
    // with all special tokens of a pair
    let (alone, _) = tokenizer.fit(question, Some(""), Truncation::None, limit)?;
    let Some(room) = limit.checked_sub(alone.len()).filter(|&room| room > 0) else {
        return refuse(format!("the question takes all of a window's {limit} tokens"));
    };
    let encode = EncodeOptions {
        truncation: Truncation::OnlySecond,
        max_length: Some(limit),
        stride: match options.doc_stride {
            // a long question leaves no room for the default overlap
            None if stride >= room => room / 2,
            _ => stride,
        },
        return_overflowing_tokens: true,
        ..EncodeOptions::default()
    };
    tokenizer.encode(question, Some(context), &encode)
}

/// The answers found in one context.
pub(crate) struct Search<'a> {
    context: &'a str,
    cls: u32,
    options: &'a QuestionAnsweringOptions,
    found: Vec<AnswerSpan>,
    /// The answers in lower case. Answers with the same wording are merged.
    wordings: Vec<String>,
    /// Indices into both lists, ordered by wording.
    by_wording: Vec<usize>,
    /// The lowest probability over all windows that the window has no answer.
    none: f32,
}

impl<'a> Search<'a> {
    /// Starts a search in `context`; `cls` is the id of `[CLS]`.
    pub(crate) fn new(context: &'a str, cls: u32, options: &'a QuestionAnsweringOptions) -> Self {
        let (found, wordings, by_wording) = (Vec::new(), Vec::new(), Vec::new());
        Self { context, cls, options, found, wordings, by_wording, none: f32::INFINITY }
    }

    /// Adds the best spans of a window, ranked by the product of their start and end probabilities.
    /// `table` is `[tokens, 2]`.
    pub(crate) fn window(&mut self, encoding: &Encoding, table: &Table) {
        let is_context = |n: &usize| encoding.sequence_ids[*n] == Some(1);
        let tokens = 0..encoding.len();
        let context = tokens.clone().find(is_context).unwrap_or(encoding.len());
        // only before the context, because [SEP] after it may be the same token
        let is_cls = |n: &usize| *n < context && (*n == 0 || encoding.ids[*n] == self.cls);
        let places: Vec<usize> = tokens.filter(|n| is_cls(n) || is_context(n)).collect();
        let column =
            |col: usize| softmax(&places.iter().map(|&n| table.row(n)[col]).collect::<Vec<_>>());
        let (starts, ends) = (column(0), column(1));
        self.none = self.none.min(starts[0] * ends[0]);

        // only [CLS] precedes the context; its score is the score of an empty answer
        let lead = places.iter().take_while(|n| !is_context(n)).count();
        let outer = &places[..];
        let (starts, ends, places) = (&starts[lead..], &ends[lead..], &places[lead..]);
        let reach = self.options.max_answer_len.min(places.len());
        let mut products = vec![0.0; places.len() * reach];
        for (first, &start) in starts.iter().enumerate() {
            for (length, &end) in ends[first..].iter().take(reach).enumerate() {
                products[first * reach + length] = start * end;
            }
        }
        // extending to words can make several spans equal, so more are taken
        let k = self.options.top_k;
        let k =
            if self.options.align_to_words { k.saturating_mul(2).saturating_add(10) } else { k };
        let best = top_indices(&products, k);
        let best: Vec<usize> = best.into_iter().filter(|&place| products[place] > 0.0).collect();
        for &place in &best {
            let first = places[place / reach];
            let last = places[place / reach + place % reach];
            let (start, end) = self.span(encoding, first, last);
            self.add(start, end, products[place]);
        }
        self.impossible(encoding, outer, k - best.len());
    }

    /// Adds the first spans with probability 0. Hugging Face does this if a window has fewer spans
    /// than requested. Such a span is too long, ends before it begins, or begins or ends at
    /// `[CLS]`.
    ///
    /// `places` are the tokens of the context and `[CLS]`. `left` is the number of missing spans;
    /// spans of other tokens count too.
    fn impossible(&mut self, encoding: &Encoding, places: &[usize], mut left: usize) {
        let is_place = |token: usize| places.binary_search(&token).is_ok();
        let is_context = |token: usize| encoding.sequence_ids[token] == Some(1);
        let reach = self.options.max_answer_len;
        for first in 0..encoding.len() {
            for last in 0..encoding.len() {
                if left == 0 {
                    return;
                }
                let in_context = is_context(first) && is_context(last);
                if in_context && first <= last && last - first < reach {
                    continue;
                }
                left -= 1;
                if is_place(first) && is_place(last) {
                    let (start, end) = match in_context {
                        true => self.span(encoding, first, last),
                        // [CLS] does not belong to a word
                        false => (encoding.spans[first].start, encoding.spans[last].end),
                    };
                    self.add(start, end.max(start), 0.0);
                }
            }
        }
    }

    /// Returns the byte range from the first token to the last. The range is extended to whole
    /// words within the window.
    fn span(&self, encoding: &Encoding, first: usize, last: usize) -> (u32, u32) {
        let (mut first, mut last) = (first, last);
        if self.options.align_to_words {
            let word = |n: usize| (encoding.sequence_ids[n], encoding.word_ids[n]);
            while first > 0 && word(first - 1) == word(first) {
                first -= 1;
            }
            while last + 1 < encoding.len() && word(last + 1) == word(last) {
                last += 1;
            }
        }
        (encoding.spans[first].start, encoding.spans[last].end)
    }

    fn add(&mut self, start: u32, end: u32, score: f32) {
        let answer = &self.context[start as usize..end as usize];
        // `to_lowercase` needs extra tables for its rule about the final sigma
        let mut wording = String::new();
        answer.chars().for_each(|c| lower(c, |c| wording.push(c)));
        match self.by_wording.binary_search_by(|&place| self.wordings[place].cmp(&wording)) {
            Ok(at) => self.found[self.by_wording[at]].score += score,
            Err(at) => {
                self.by_wording.insert(at, self.found.len());
                self.wordings.push(wording);
                self.found.push(AnswerSpan { answer: answer.to_owned(), score, start, end });
            }
        }
    }

    /// Returns the best answers of all windows, best first.
    pub(crate) fn finish(mut self) -> Vec<AnswerSpan> {
        if self.options.handle_impossible_answer {
            let answer = String::new();
            self.found.push(AnswerSpan { answer, score: self.none, start: 0, end: 0 });
        }
        let scores: Vec<f32> = self.found.iter().map(|answer| answer.score).collect();
        let best = top_indices(&scores, self.options.top_k).into_iter();
        best.map(|n| self.found[n].clone()).collect()
    }
}
