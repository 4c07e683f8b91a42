//! Texts of any length, for tasks that answer per token. Overlapping windows cover a text that does
//! not fit the model. Each token's scores come from the window that has the most context around the
//! token.

use std::ops::Range;

use super::Pace;
use crate::backend::Processor;
use crate::engine::{Model, OutputRequest, Table, Tick};
use crate::tokenizer::{Count, EncodeOptions, Encoding, Tokenizer};
use crate::{Error, Result};

/// The default maximum number of tokens shared by neighbouring windows, as in question answering.
const OVERLAP: usize = 128;

/// A text and the scores of its tokens.
pub(super) struct Scored {
    encoding: Encoding,
    /// Special tokens before the text.
    lead: usize,
    /// Special tokens after the text.
    trail: usize,
    /// The tokens of each window, counted from the first token of the text. Empty for a text
    /// without tokens.
    pub(super) windows: Vec<Range<usize>>,
    /// The scores of each window.
    tables: Vec<Table>,
}

/// A token of a text.
pub(super) struct Token {
    /// The token's index in the model's input. Tokens before the text, e.g. `[CLS]`, are counted.
    pub(super) index: u32,
    /// The first byte of the token in the text.
    pub(super) start: u32,
    /// The end of the token in the text, in bytes.
    pub(super) end: u32,
    /// The token, with `##`. If the vocabulary has no token for the word, the word itself.
    pub(super) word: String,
    /// Whether the token continues a word by Hugging Face's rule: the token and its text differ in
    /// length.
    pub(super) is_subword: bool,
}

impl Scored {
    /// Returns the tokens whose scores are taken from window `n`. Each token of the text is in
    /// exactly one of these ranges.
    pub(super) fn owned(&self, n: usize) -> Range<usize> {
        let windows = &self.windows;
        let middle = |left: &Range<usize>, right: &Range<usize>| (right.start + left.end) / 2;
        let start = if n == 0 { 0 } else { middle(&windows[n - 1], &windows[n]) };
        let end = windows.get(n + 1).map_or(windows[n].end, |next| middle(&windows[n], next));
        start..end
    }

    /// Returns the scores of a token in window `n`.
    pub(super) fn scores(&self, n: usize, token: usize) -> &[f32] {
        self.tables[n].row(self.lead + token - self.windows[n].start)
    }

    /// Returns a window's tokens between the special tokens of the whole text.
    fn cut(&self, window: &Range<usize>) -> Encoding {
        let (whole, lead) = (&self.encoding, self.lead);
        let text = lead + window.start..lead + window.end;
        let trail = whole.len() - self.trail..whole.len();
        let places = || (0..lead).chain(text.clone()).chain(trail.clone());
        Encoding {
            ids: places().map(|n| whole.ids[n]).collect(),
            type_ids: places().map(|n| whole.type_ids[n]).collect(),
            spans: places().map(|n| whole.spans[n]).collect(),
            word_ids: places().map(|n| whole.word_ids[n]).collect(),
            sequence_ids: places().map(|n| whole.sequence_ids[n]).collect(),
            attention_mask: places().map(|n| whole.attention_mask[n]).collect(),
        }
    }

    /// Returns the properties of a token.
    pub(super) fn token(&self, tokenizer: &Tokenizer, text: &str, token: usize) -> Token {
        let index = self.lead + token;
        let span = self.encoding.spans[index];
        let piece = &text[span.start as usize..span.end as usize];
        let id = self.encoding.ids[index];
        let is_unknown = tokenizer.special().unk.as_ref().is_some_and(|unk| unk.id == id);
        let word = tokenizer.token(id).filter(|_| !is_unknown).unwrap_or(piece);
        let is_subword = if tokenizer.marks_subwords() {
            word.chars().count() != piece.chars().count()
        } else {
            // Hugging Face's rule if tokens have no subword marks: neither the text before the
            // token nor the token has a space at the boundary
            let last = text[..span.start as usize].chars().next_back();
            !is_unknown && last.is_some_and(|last| last != ' ') && !piece.starts_with(' ')
        };
        let (start, end, word) = (span.start, span.end, word.to_owned());
        Token { index: index as u32, start, end, word, is_subword }
    }
}

/// Returns the scores of all tokens of all texts. If a text has words, they are its tokenization.
/// `overlap` is the number of tokens shared by neighbouring windows.
///
/// # Errors
/// `BadInput` if the overlap is as long as a window, or if it makes more windows than a call
/// accepts. Also the errors of [`Model::compute`].
pub(super) async fn score<B: Processor>(
    model: &Model<B>,
    texts: &mut dyn Iterator<Item = (&str, &[String])>,
    overlap: Option<usize>,
    tick: Tick<'_>,
) -> Result<Vec<Scored>> {
    let mut scored = Vec::new();
    let mut encodings = Vec::new();
    let mut pace = Pace::new(tick);
    let mut count = Count::default();
    for (text, words) in texts {
        pace.before(text.len()).await?;
        let text = slide(model, text, words, overlap)?;
        let of_window = |window: &Range<usize>| (text.lead + window.len() + text.trail) as u64;
        let tokens = text.windows.iter().map(of_window).sum();
        count.add(text.windows.len() as u64, tokens)?;
        for window in &text.windows {
            encodings.push(text.cut(window));
        }
        scored.push(text);
    }
    let mut tables =
        model.compute(&encodings, OutputRequest::Logits, None, tick).await?.into_iter();
    for text in &mut scored {
        text.tables.extend(tables.by_ref().take(text.windows.len()));
    }
    Ok(scored)
}

fn encode(tokenizer: &Tokenizer, text: &str) -> Result<Encoding> {
    let mut encoded = tokenizer.encode(text, None, &EncodeOptions::default())?;
    Ok(encoded.pop().unwrap_or_default())
}

/// Returns the number of special tokens before and after a text.
fn special(encoding: &Encoding) -> (usize, usize) {
    let special = |sequence: &&Option<u8>| sequence.is_none();
    let lead = encoding.sequence_ids.iter().take_while(special).count();
    let trail = encoding.sequence_ids[lead..].iter().rev().take_while(special).count();
    (lead, trail)
}

/// Encodes each word of a text on its own. All words are separated by the same delimiter.
fn of_words(tokenizer: &Tokenizer, text: &str, words: &[String]) -> Result<Encoding> {
    let length: usize = words.iter().map(String::len).sum();
    let delimiter = text.len().saturating_sub(length).checked_div(words.len() - 1).unwrap_or(0);
    let mut tokens = Encoding::default();
    let mut frame = Encoding::default();
    let mut start = 0;
    for (n, word) in words.iter().enumerate() {
        let mut one = encode(tokenizer, word)?;
        let (lead, trail) = special(&one);
        let range = lead..one.len() - trail;
        for token in range.clone() {
            one.spans[token].start += start;
            one.spans[token].end += start;
            one.word_ids[token] = Some(n as u32);
        }
        start += (word.len() + delimiter) as u32;
        let is_first = tokens.is_empty();
        append(&mut tokens, &one, range);
        // the special tokens come from the first word; a word without tokens does not show how they
        // are split
        if is_first {
            frame = one;
        }
    }
    let (lead, trail) = special(&frame);
    let mut whole = Encoding::default();
    append(&mut whole, &frame, 0..lead);
    append(&mut whole, &tokens, 0..tokens.len());
    append(&mut whole, &frame, frame.len() - trail..frame.len());
    tokenizer.set_types(&mut whole, [text, ""]);
    Ok(whole)
}

fn append(to: &mut Encoding, from: &Encoding, range: Range<usize>) {
    to.ids.extend_from_slice(&from.ids[range.clone()]);
    to.type_ids.extend_from_slice(&from.type_ids[range.clone()]);
    to.spans.extend_from_slice(&from.spans[range.clone()]);
    to.word_ids.extend_from_slice(&from.word_ids[range.clone()]);
    to.sequence_ids.extend_from_slice(&from.sequence_ids[range.clone()]);
    to.attention_mask.extend_from_slice(&from.attention_mask[range]);
}

/// Encodes a whole text and divides it into windows.
fn slide<B: Processor>(
    model: &Model<B>,
    text: &str,
    words: &[String],
    overlap: Option<usize>,
) -> Result<Scored> {
    let tokenizer = model.tokenizer()?;
    let encoding = match words {
        [] => encode(tokenizer, text)?,
        words => of_words(tokenizer, text, words)?,
    };
    let (lead, trail) = special(&encoding);
    let tokens = encoding.len() - lead - trail;
    let room = model.max_tokens().saturating_sub(lead + trail);
    let overlap = overlap.unwrap_or(OVERLAP.min(room / 2));
    let Some(step) = room.checked_sub(overlap).filter(|&step| step > 0) else {
        return Err(Error::BadInput(format!(
            "stride {overlap} must be less than the {room} tokens that a window has room for"
        )));
    };
    let mut windows = Vec::new();
    let mut end = 0;
    while end < tokens {
        let start = windows.len() * step;
        end = tokens.min(start + room);
        windows.push(start..end);
    }
    Ok(Scored { encoding, lead, trail, windows, tables: Vec::new() })
}
