//! Texts of any length, for tasks that answer token by token: windows that overlap slide over a
//! text that does not fit the model, and each token's scores come from the window in which it
//! stands farthest from a cut.

use std::ops::Range;

use super::Pace;
use crate::backend::Processor;
use crate::engine::{Model, OutputRequest, Table, Tick};
use crate::tokenizer::{Count, EncodeOptions, Encoding, Tokenizer};
use crate::{Error, Result};

/// Tokens that neighbouring windows share at most, unless the caller says; as in question
/// answering.
const OVERLAP: usize = 128;

/// A text and the scores of its tokens.
pub(super) struct Scored {
    encoding: Encoding,
    /// Special tokens before the text.
    lead: usize,
    /// Special tokens after it.
    trail: usize,
    /// Each window's tokens, counted from the first of the text; none for a text without tokens.
    pub(super) windows: Vec<Range<usize>>,
    /// Each window's scores.
    tables: Vec<Table>,
}

/// A token of a text.
pub(super) struct Token {
    /// Its place among the model's tokens, `[CLS]` and all before it counted.
    pub(super) index: u32,
    /// Where its bytes begin in the text.
    pub(super) start: u32,
    /// Where they end.
    pub(super) end: u32,
    /// The token itself, `##` included; where the vocabulary has none for the word, the word.
    pub(super) word: String,
    /// It goes on with a word, by Hugging Face's rule: its length is not that of its text.
    pub(super) is_subword: bool,
}

impl Scored {
    /// The tokens whose scores are best taken from the `n`th window: each token of the text is
    /// in just one such range.
    pub(super) fn owned(&self, n: usize) -> Range<usize> {
        let windows = &self.windows;
        let middle = |left: &Range<usize>, right: &Range<usize>| (right.start + left.end) / 2;
        let start = if n == 0 { 0 } else { middle(&windows[n - 1], &windows[n]) };
        let end = windows.get(n + 1).map_or(windows[n].end, |next| middle(&windows[n], next));
        start..end
    }

    /// The scores of a token in the `n`th window.
    pub(super) fn scores(&self, n: usize, token: usize) -> &[f32] {
        self.tables[n].row(self.lead + token - self.windows[n].start)
    }

    /// A window's tokens between the special tokens of the whole.
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

    /// What a token is.
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
            // Hugging Face's rule where tokens do not show it: no space before it, nor as its first character
            let last = text[..span.start as usize].chars().next_back();
            !is_unknown && last.is_some_and(|last| last != ' ') && !piece.starts_with(' ')
        };
        let (start, end, word) = (span.start, span.end, word.to_owned());
        Token { index: index as u32, start, end, word, is_subword }
    }
}

/// The scores of all tokens of all texts, each with its words if they are given. `overlap`: tokens that neighbouring windows share.
///
/// # Errors
/// `BadInput` where the overlap is as long as a window, or so long that the windows would be more
/// than one call takes; as [`Model::compute`].
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

/// Returns how many special tokens precede a text and how many follow it.
fn special(encoding: &Encoding) -> (usize, usize) {
    let special = |sequence: &&Option<u8>| sequence.is_none();
    let lead = encoding.sequence_ids.iter().take_while(special).count();
    let trail = encoding.sequence_ids[lead..].iter().rev().take_while(special).count();
    (lead, trail)
}

/// Encodes each word of a text by itself. The words have the same delimiter between them.
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
        // a word without tokens does not show where its special tokens are split
        if is_first {
            frame = one;
        }
    }
    let (lead, trail) = special(&frame);
    let mut whole = Encoding::default();
    append(&mut whole, &frame, 0..lead);
    append(&mut whole, &tokens, 0..tokens.len());
    append(&mut whole, &frame, frame.len() - trail..frame.len());
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

/// Encodes a text as a whole and lays windows over it.
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
