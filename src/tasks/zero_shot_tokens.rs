//! Zero-shot token classification: finds entities of labels that the model was not trained on, with
//! a GLiNER model. The prompt has the labels, and one pass scores all spans of words for all labels.

use crate::error::fault;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use webert_kernels::Rows;

use super::{Answer, Pace, sigmoid};
use crate::backend::Processor;
use crate::config::{Gliner, SpanMode};
use crate::engine::{Model, OutputRequest, Table, Tick};
use crate::model::GlinerHead;
use crate::tokenizer::{Count, EncodeOptions, Encoding, Tokenizer, words};
use crate::{Error, ErrorKind, Result};

/// The name of the task.
pub const TASK: &str = "zero-shot-token-classification";

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ZeroShotTokensOptions {
    /// Least probability of an entity, from 0 to 1; an entity must have more.
    pub threshold: f64,
    /// Whether no two entities overlap. Otherwise an entity may lie within another one.
    pub flat_ner: bool,
    /// Whether the same words may have several labels.
    pub multi_label: bool,
}

impl Default for ZeroShotTokensOptions {
    fn default() -> Self {
        Self { threshold: 0.5, flat_ner: true, multi_label: false }
    }
}

/// Words of a text with a label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelledWords {
    /// The label.
    pub entity_group: String,
    /// The probability of the label.
    pub score: f32,
    /// The text of the words.
    pub word: String,
    /// The first byte in the text.
    pub start: u32,
    /// The end in the text, in bytes.
    pub end: u32,
}

impl Answer for LabelledWords {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        (self.start, self.end) = (to(self.start), to(self.end));
    }
}

/// A possible entity: its first and its last word, the number of its label, its probability.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    first: usize,
    last: usize,
    label: usize,
    score: f32,
}

/// Labels without repetition and their tokens.
struct Prompt {
    labels: Vec<String>,
    /// The prompt, with the special tokens before it.
    head: Encoding,
    /// Special tokens after the text.
    tail: Encoding,
    /// The token in `head` whose state is the label's vector, one per label.
    places: Vec<usize>,
}

/// A text whose words are read in windows.
struct Reading {
    /// The bytes of each word.
    words: Vec<Range<usize>>,
    /// Words of each window.
    windows: Vec<Range<usize>>,
    /// For each window, the tokens in its encoding that begin a word.
    firsts: Vec<Vec<usize>>,
}

/// Returns the entities of each text in order of their first words; those with the same first word
/// begin with the most probable. A text may have any length.
///
/// # Errors
/// `BadInput` for a text without labels, a label without tokens, labels that leave no room for the
/// text, or a threshold that is no probability. `Unsupported` for a model of another kind.
pub async fn zero_shot_tokens<B: Processor>(
    model: &Model<B>,
    inputs: &[(String, Vec<String>)],
    options: &ZeroShotTokensOptions,
    tick: Tick<'_>,
) -> Result<Vec<Vec<LabelledWords>>> {
    let Some(head) = model.gliner() else {
        return Err(Error::unexpected(
            ErrorKind::Unsupported,
            format_args!("{TASK}"),
            format_args!("a GLiNER model"),
            format_args!("another one"),
        ));
    };
    if !(0.0..=1.0).contains(&options.threshold) {
        return Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("threshold"),
            format_args!("a number from 0 to 1"),
            format_args!("{}", options.threshold),
        ));
    }
    let mut answers = Vec::with_capacity(inputs.len());
    let mut last: Option<(&[String], Prompt)> = None;
    for (text, labels) in inputs {
        // most calls have the same labels for all texts
        if last.as_ref().is_none_or(|(other, _)| other != labels) {
            last = Some((labels, prompt(model, head.config(), labels)?));
        }
        if let Some((_, prompt)) = &last {
            answers.push(entities(model, head, text, prompt, options, tick).await?);
        }
    }
    Ok(answers)
}

/// The cost of tokenizing a word by itself, in bytes of a longer text.
const WORD_COST: usize = 64;

/// Returns the entities of one text.
async fn entities<B: Processor>(
    model: &Model<B>,
    head: &GlinerHead,
    text: &str,
    prompt: &Prompt,
    options: &ZeroShotTokensOptions,
    tick: Tick<'_>,
) -> Result<Vec<LabelledWords>> {
    let (reading, encodings) = read(model, head.config(), text, prompt, tick).await?;
    let mut found = Vec::new();
    for (n, encoding) in encodings.iter().enumerate() {
        let states = OutputRequest::States(&[model.config().last_state()]);
        let tables = model.compute(std::slice::from_ref(encoding), states, None, tick).await?;
        let Some(table) = tables.first() else { continue };
        let window = &reading.windows[n];
        let labels = rows(table, &prompt.places, prompt.places.len());
        let words = rows(table, &reading.firsts[n], window.len());
        let scores = head.scores(labels, words)?;
        let candidates = candidates(head.config(), &scores, window.len(), options.threshold as f32);
        let owned = owned(&reading.windows, n);
        let whole = candidates.into_iter().map(|c| Candidate {
            first: c.first + window.start,
            last: c.last + window.start,
            ..c
        });
        found.extend(whole.filter(|candidate| owned.contains(&candidate.first)));
    }
    let kept = greedy(found, reading.words.len(), options);
    Ok(kept.into_iter().map(|entity| labelled(text, &reading.words, prompt, &entity)).collect())
}

fn labelled(
    text: &str,
    words: &[Range<usize>],
    prompt: &Prompt,
    entity: &Candidate,
) -> LabelledWords {
    let (start, end) = (words[entity.first].start, words[entity.last].end);
    LabelledWords {
        entity_group: prompt.labels[entity.label].clone(),
        score: entity.score,
        word: text[start..end].to_owned(),
        start: start as u32,
        end: end as u32,
    }
}

fn encode(tokenizer: &Tokenizer, text: &str) -> Result<Encoding> {
    let mut encoded = tokenizer.encode(text, None, &EncodeOptions::default())?;
    Ok(encoded.pop().unwrap_or_default())
}

/// Returns the tokens of a text without special tokens.
fn tokens_of(tokenizer: &Tokenizer, text: &str) -> Result<Encoding> {
    let encoding = encode(tokenizer, text)?;
    let mut tokens = Encoding::default();
    for n in 0..encoding.len() {
        if encoding.sequence_ids[n].is_some() {
            push(&mut tokens, encoding.ids[n], encoding.type_ids[n]);
        }
    }
    Ok(tokens)
}

/// Adds a token. Only ids and types matter to the encoder.
fn push(to: &mut Encoding, id: u32, kind: u32) {
    to.ids.push(id);
    to.type_ids.push(kind);
    to.attention_mask.push(1);
}

fn append(to: &mut Encoding, from: &Encoding, count: usize) {
    for n in 0..count.min(from.ids.len()) {
        push(to, from.ids[n], from.type_ids[n]);
    }
}

/// Returns the ids of the tokens before a label and behind all labels.
fn marks(tokenizer: &Tokenizer, gliner: &Gliner) -> Result<[u32; 2]> {
    let missing = |token: &str| {
        fault!(
            BadConfig,
            "tokenizer: expected the token \"{token}\" of gliner_config.json",
            item = "tokenizer",
            expected = "the token \"{token}\" of gliner_config.json",
        )
    };
    let (ent, sep) = (tokenizer.id(&gliner.ent_token), tokenizer.id(&gliner.sep_token));
    match gliner.class_token {
        Some(class) => Ok([ent.unwrap_or(class), sep.ok_or_else(|| missing(&gliner.sep_token))?]),
        // The library adds "[FLERT]" and the two marks behind the vocabulary.
        None => match (ent, sep) {
            (Some(ent), Some(sep)) => Ok([ent, sep]),
            _ => {
                let next = tokenizer.vocab_size() as u32;
                Ok([next + 1, next + 2])
            }
        },
    }
}

fn prompt<B: Processor>(model: &Model<B>, gliner: &Gliner, given: &[String]) -> Result<Prompt> {
    let tokenizer = model.tokenizer()?;
    let [ent, sep] = marks(tokenizer, gliner)?;
    let mut labels: Vec<String> = Vec::with_capacity(given.len());
    for label in given {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    if labels.is_empty() {
        return Err(fault!(
            BadInput,
            "labels: expected at least one label, got none",
            item = "labels",
            expected = "at least one label",
            found = "none",
        ));
    }
    let frame = encode(tokenizer, "")?;
    let lead = lead(tokenizer)?;
    let mut head = Encoding::default();
    append(&mut head, &frame, lead);
    let mut places = Vec::with_capacity(labels.len());
    for (n, label) in labels.iter().enumerate() {
        let tokens = tokens_of(tokenizer, label)?;
        if tokens.ids.is_empty() || tokens.ids.contains(&ent) || tokens.ids.contains(&sep) {
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("labels: label {}", n + 1),
                format_args!("words"),
                format_args!("{label:?}"),
            ));
        }
        places.push(head.ids.len() + usize::from(!gliner.embeds_ent_token));
        push(&mut head, ent, 0);
        append(&mut head, &tokens, tokens.ids.len());
    }
    push(&mut head, sep, 0);
    let mut tail = Encoding::default();
    for n in lead..frame.ids.len() {
        push(&mut tail, frame.ids[n], frame.type_ids[n]);
    }
    Ok(Prompt { labels, head, tail, places })
}

/// Returns the number of special tokens before a text.
fn lead(tokenizer: &Tokenizer) -> Result<usize> {
    let encoding = encode(tokenizer, "a")?;
    Ok(encoding.sequence_ids.iter().take_while(|sequence| sequence.is_none()).count())
}

/// Divides a text into windows. Neighbouring windows share a quarter of their words, at least twice
/// the longest entity.
///
/// # Errors
/// `BadInput` if the labels leave no room, and for more windows than a call accepts.
async fn read<B: Processor>(
    model: &Model<B>,
    gliner: &Gliner,
    text: &str,
    prompt: &Prompt,
    tick: Tick<'_>,
) -> Result<(Reading, Vec<Encoding>)> {
    let tokenizer = model.tokenizer()?;
    let words: Vec<Range<usize>> = words(text).collect();
    let taken = prompt.head.ids.len() + prompt.tail.ids.len();
    let room = model.max_tokens().saturating_sub(taken);
    if room == 0 {
        let (most, count) = (model.max_tokens(), prompt.labels.len());
        return Err(fault!(
            BadInput,
            "labels: expected less than the {most} tokens that the model reads at once, got {taken} tokens of {count} labels. Pass fewer labels.",
            item = "labels",
            expected = "less than the {most} tokens that the model reads at once",
            found = "{taken} tokens of {count} labels",
        ));
    }
    let mut tokens = Vec::with_capacity(words.len());
    let mut pace = Pace::new(tick);
    for word in &words {
        pace.before(WORD_COST + word.len()).await?;
        tokens.push(tokens_of(tokenizer, &text[word.clone()])?);
    }
    let lengths: Vec<usize> = tokens.iter().map(|word| word.ids.len().min(room)).collect();
    let windows = windows(gliner, &lengths, room);
    let mut count = Count::default();
    let (mut firsts, mut encodings) = (Vec::new(), Vec::new());
    for window in &windows {
        let mut encoding = prompt.head.clone();
        let mut begins = Vec::with_capacity(window.len());
        for n in window.clone() {
            // As in the library, words without tokens leave no gap.
            if lengths[n] > 0 {
                begins.push(encoding.ids.len());
            }
            append(&mut encoding, &tokens[n], lengths[n]);
        }
        append(&mut encoding, &prompt.tail, prompt.tail.ids.len());
        count.add(1, encoding.ids.len() as u64)?;
        firsts.push(begins);
        encodings.push(encoding);
    }
    Ok((Reading { words, windows, firsts }, encodings))
}

/// Returns windows of at most `max_len` words with at most `room` tokens.
fn windows(gliner: &Gliner, lengths: &[usize], room: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < lengths.len() {
        let (mut end, mut tokens) = (start, 0);
        while end < lengths.len() && end - start < gliner.max_len {
            tokens += lengths[end];
            if tokens > room {
                break;
            }
            end += 1;
        }
        windows.push(start..end);
        if end == lengths.len() {
            break;
        }
        let shared = ((end - start) / 4).max(2 * gliner.max_width).min((end - start) / 2);
        start = (end - shared).max(start + 1);
    }
    windows
}

/// Returns the words whose entities are taken from window `n`. Each word is in exactly one of these
/// ranges.
fn owned(windows: &[Range<usize>], n: usize) -> Range<usize> {
    let middle = |left: &Range<usize>, right: &Range<usize>| (right.start + left.end) / 2;
    let start = if n == 0 { 0 } else { middle(&windows[n - 1], &windows[n]) };
    let end = windows.get(n + 1).map_or(windows[n].end, |next| middle(&windows[n], next));
    start..end
}

/// Returns the states of some tokens, and zeros up to `count` rows.
fn rows(table: &Table, tokens: &[usize], count: usize) -> Rows {
    let mut data = Vec::with_capacity(count * table.cols);
    tokens.iter().for_each(|&token| data.extend_from_slice(table.row(token)));
    data.resize(count * table.cols, 0.0);
    Rows { data, rows: count, cols: table.cols }
}

/// Returns the spans of a window with a probability above the threshold, in the library's order: by
/// first word, then by length (span modes) or label.
fn candidates(gliner: &Gliner, scores: &Rows, words: usize, threshold: f32) -> Vec<Candidate> {
    if gliner.span_mode == SpanMode::TokenLevel {
        return token_candidates(scores, words, threshold);
    }
    let mut found = Vec::new();
    for (row, scores) in scores.data.chunks_exact(scores.cols).enumerate() {
        let (first, more) = (row / gliner.max_width, row % gliner.max_width);
        if first + more >= words {
            continue;
        }
        for (label, &score) in scores.iter().enumerate() {
            let score = sigmoid(score);
            if score > threshold {
                found.push(Candidate { first, last: first + more, label, score });
            }
        }
    }
    found
}

/// Returns spans whose first word has a start, whose last word has an end, and whose words are all
/// inside. The least of these probabilities is the score.
fn token_candidates(scores: &Rows, words: usize, threshold: f32) -> Vec<Candidate> {
    let labels = scores.rows / words.max(1);
    let at = |word: usize, label: usize, part: usize| {
        sigmoid(scores.data[(word * labels + label) * 3 + part])
    };
    let mut found = Vec::new();
    for first in 0..words {
        for label in (0..labels).filter(|&label| at(first, label, 0) > threshold) {
            let start = at(first, label, 0);
            let mut least = start;
            for last in first..words {
                let inside = at(last, label, 2);
                if inside < threshold {
                    break;
                }
                least = least.min(inside);
                let end = at(last, label, 1);
                if end > threshold {
                    found.push(Candidate { first, last, label, score: least.min(end) });
                }
            }
        }
    }
    found
}

/// Returns the most probable candidates that may stand beside each other, by first word.
fn greedy(
    mut candidates: Vec<Candidate>,
    words: usize,
    options: &ZeroShotTokensOptions,
) -> Vec<Candidate> {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Candidate> = Vec::new();
    // the kept candidates that cover each word; others cannot overlap
    let mut covering: Vec<Vec<usize>> = vec![Vec::new(); words];
    for candidate in candidates {
        let (first, last) = (candidate.first, candidate.last);
        let clashes = |&n: &usize| clash(&candidate, &kept[n], options);
        if covering[first..=last].iter().flatten().any(clashes) {
            continue;
        }
        covering[first..=last].iter_mut().for_each(|word| word.push(kept.len()));
        kept.push(candidate);
    }
    kept.sort_by_key(|candidate| candidate.first);
    kept
}

/// Returns whether two candidates that share a word exclude each other.
fn clash(a: &Candidate, b: &Candidate, options: &ZeroShotTokensOptions) -> bool {
    if (a.first, a.last) == (b.first, b.last) {
        return !options.multi_label;
    }
    let within = |a: &Candidate, b: &Candidate| a.first <= b.first && b.last <= a.last;
    options.flat_ner || !(within(a, b) || within(b, a))
}
