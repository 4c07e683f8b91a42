//! The normalizers of a `tokenizer.json`, each applied to the whole text.

use crate::error::fault;
use std::ops::Range;

use super::{
    byte_level,
    charsmap::Charsmap,
    edits::{Piece, Sources},
    forms::Form,
    regex::{Fuel, Regex},
    tweets::Tweets,
};
use crate::Result;
use crate::tokenizer::Span;
use crate::tokenizer::bert::normalize::Normalizer;
use crate::tokenizer::normalized::Normalized;
use crate::tokenizer::unicode::{self, UPPER, categories};

/// The maximum growth factor of a text. NFKD can turn one character into eighteen.
const MAX_GROWTH: usize = 64;

/// A normalizer.
#[derive(Debug, Clone)]
pub(super) enum PipelineNormalizer {
    /// NFC, NFD, NFKC, NFKD.
    Form(Form),
    /// Lowercases every character without regard to its neighbours.
    Lowercase,
    /// Removes combining marks. A composed character keeps its accents.
    StripAccents,
    /// Removes white space at the ends.
    Strip { left: bool, right: bool },
    /// Inserts a text before every text that is not empty.
    Prepend(String),
    /// Replaces every match of the pattern by the content.
    Replace { pattern: Pattern, content: String },
    /// Removes control characters, and replaces other white space by spaces.
    Nmt,
    /// Replaces every byte by its character.
    ByteLevel,
    /// Replaces texts by sentencepiece's table.
    Precompiled(Charsmap),
    /// BERT's normalizer.
    Bert(Normalizer),
    /// BERTweet's normalizer.
    Tweets(Tweets),
}

/// A pattern to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    /// A literal text.
    Text(String),
    /// At least `least` repetitions of a character, e.g. ` {2,}`.
    Run { of: char, least: usize },
    /// A regular expression.
    Regex(Box<Regex>),
}

/// Applies all `steps` to a part of the caller's text that begins at byte `start`. With
/// `text_only`, the result has no sources. Returns `None` if the text does not change.
///
/// # Errors
/// `BadInput` if a regular expression takes too many steps, or a text grows too long.
pub(super) fn normalize(
    steps: &[PipelineNormalizer],
    text: &str,
    start: usize,
    text_only: bool,
    fuel: &mut Fuel,
) -> Result<Option<Normalized>> {
    let Some(first) = steps.iter().position(|step| !step.keeps(text)) else { return Ok(None) };
    let mut normalized = Normalized::new(text, start, text_only);
    for step in &steps[first..] {
        if !step.keeps(&normalized.text) {
            step.apply(&mut normalized, fuel)?;
        }
        let most = MAX_GROWTH * (text.len() + MAX_GROWTH);
        if normalized.text.len() > most {
            let length = text.len();
            return Err(fault!(
                BadInput,
                "tokenizer.json: normalizer: expected at most {most} bytes of a text of {length}, got more",
                file = "tokenizer.json",
                item = "normalizer",
                expected = "at most {most} bytes of a text of {length}",
                found = "more",
            ));
        }
    }
    Ok(Some(normalized))
}

impl PipelineNormalizer {
    /// Returns `true` only if the text does not change.
    fn keeps(&self, text: &str) -> bool {
        match self {
            Self::Form(form) => form.keeps(text),
            Self::Lowercase if text.is_ascii() => !text.bytes().any(|c| c.is_ascii_uppercase()),
            Self::Lowercase => !text.chars().any(|c| unicode::flags(c) & UPPER != 0),
            Self::StripAccents => text.is_ascii() || !text.chars().any(categories::is_mark),
            Self::Strip { .. } => self.stripped(text) == (0..text.len()),
            Self::Prepend(_) => text.is_empty(),
            Self::Replace { pattern, .. } => pattern.is_absent(text),
            Self::Nmt => !text.chars().any(|c| nmt(c) != Some(c)),
            Self::ByteLevel => text.bytes().all(|byte| byte.is_ascii_graphic()),
            Self::Precompiled(charsmap) => charsmap.keeps(text),
            Self::Bert(_) | Self::Tweets(_) => false,
        }
    }

    fn apply(&self, text: &mut Normalized, fuel: &mut Fuel) -> Result<()> {
        match self {
            Self::Form(form) => {
                let edits = form.edits(&text.text);
                text.edit(edits.into_iter(), 0);
            }
            Self::Lowercase if text.text.is_ascii() => text.text.make_ascii_lowercase(),
            Self::Lowercase => text.map(|c, push| match c.is_ascii() {
                true => push(c.to_ascii_lowercase()),
                false => c.to_lowercase().for_each(push),
            }),
            Self::StripAccents => text.map(|c, push| {
                if !categories::is_mark(c) {
                    push(c);
                }
            }),
            Self::Strip { .. } => {
                let kept = self.stripped(&text.text);
                let rest = [0..kept.start, kept.end..text.text.len()];
                text.replace(rest.into_iter(), "");
            }
            Self::Prepend(before) if before.is_empty() => {
                // The library treats the first character as inserted, so it has an empty source.
                let first = text.text.chars().next().map_or(0, char::len_utf8);
                let span = Span { start: text.start, end: text.start };
                text.sources.iter_mut().take(first).for_each(|source| *source = span);
            }
            Self::Prepend(before) => text.prepend(before),
            Self::Replace { pattern, content } => {
                let matches = pattern.matches(&text.text, fuel)?;
                fuel.grow(matches.len() * content.len())?;
                text.replace(matches.into_iter(), content);
            }
            Self::Nmt => text.map(|c, push| nmt(c).into_iter().for_each(push)),
            Self::ByteLevel => text.map(|c, push| {
                let mut buffer = [0; 4];
                c.encode_utf8(&mut buffer).bytes().map(byte_level::char_of).for_each(push);
            }),
            Self::Precompiled(charsmap) => {
                if let Some(edits) = charsmap.edits(&text.text) {
                    text.edit(edits.into_iter(), 0);
                }
            }
            Self::Bert(normalizer) => text.normalize(*normalizer),
            Self::Tweets(tweets) => tweets.apply(text, fuel)?,
        }
        Ok(())
    }

    /// Returns the bytes of `text` without the white space at its ends.
    fn stripped(&self, text: &str) -> Range<usize> {
        let Self::Strip { left, right } = *self else { return 0..text.len() };
        let end = if right { text.trim_end().len() } else { text.len() };
        let start = if left { end - text[..end].trim_start().len() } else { 0 };
        start..end
    }
}

impl Normalized {
    /// Replaces every character by the characters that `each` passes on.
    fn map(&mut self, each: impl Fn(char, &mut dyn FnMut(char))) {
        if self.text_only {
            let mut new = String::with_capacity(self.text.len());
            self.text.chars().for_each(|c| each(c, &mut |c| new.push(c)));
            self.text = new;
            return;
        }
        let mut edits = Vec::with_capacity(self.text.len());
        for (at, c) in self.text.char_indices() {
            each(c, &mut |c| edits.push((c, at)));
        }
        let sources = std::mem::take(&mut self.sources);
        self.clear();
        for (c, at) in edits {
            self.push_char(c, sources[at]);
        }
    }

    /// Applies BERT's normalizer. The source of each new character is the source of the old one.
    fn normalize(&mut self, normalizer: Normalizer) {
        let new = normalizer.text(&self.text, 0);
        if !self.text_only {
            let source = |span: &Span| self.source(span.start as usize, span.end as usize);
            self.sources = new.sources.iter().map(source).collect();
        }
        self.text = new.text;
    }

    /// Inserts a text before this one, unless this one is empty. The source of the new text is the
    /// source of the first character.
    pub(super) fn prepend(&mut self, before: &str) {
        if !self.text.is_empty() {
            self.text.insert_str(0, before);
        }
        if let Some(&first) = self.sources.first() {
            self.sources.splice(0..0, std::iter::repeat_n(first, before.len()));
        }
    }
}

impl Pattern {
    /// Returns all matches, from left to right.
    ///
    /// # Errors
    /// `BadInput` if the fuel is used up.
    pub(super) fn matches(&self, text: &str, fuel: &mut Fuel) -> Result<Vec<Range<usize>>> {
        Ok(match self {
            Self::Text(pattern) => places(pattern, text).collect(),
            &Self::Run { of, least } => long_runs(text, of, least).collect(),
            Self::Regex(regex) => regex.matches(text, fuel)?,
        })
    }

    /// Returns `true` only if the text has no match.
    fn is_absent(&self, text: &str) -> bool {
        match self {
            Self::Text(pattern) => places(pattern, text).next().is_none(),
            &Self::Run { of, least } => long_runs(text, of, least).next().is_none(),
            Self::Regex(_) => text.is_empty(),
        }
    }
}

/// Returns all occurrences of `pattern`, which must not be empty.
pub(super) fn places(pattern: &str, text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(pattern).map(|(at, found)| at..at + found.len())
}

/// Returns all runs of at least `least` of a character.
fn long_runs(text: &str, of: char, least: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(of)?;
            at = start + text[start..].find(|c| c != of).unwrap_or(text.len() - start);
            if at - start >= least * of.len_utf8() {
                return Some(start..at);
            }
        }
    })
}

/// Returns a text after all `steps`, without its sources.
///
/// # Errors
/// The errors of [`normalize`].
pub(super) fn text(steps: &[PipelineNormalizer], text: &str) -> Result<String> {
    let normalized = normalize(steps, text, 0, true, &mut Fuel::for_text(text.len()))?;
    Ok(normalized.map_or_else(|| text.to_owned(), |normalized| normalized.text))
}

/// Returns the replacement of a character by Nmt; `None` if the character is removed.
fn nmt(c: char) -> Option<char> {
    match c {
        '\u{1}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{8f}' | '\u{9f}' => None,
        '\t'
        | '\n'
        | '\u{c}'
        | '\r'
        | '\u{1680}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2581}'
        | '\u{feff}'
        | '\u{fffd}' => Some(' '),
        c => Some(c),
    }
}

/// Returns the normalised text as a piece, or the text itself if it did not change.
pub(super) fn piece<'a>(
    normalized: Option<&'a Normalized>,
    text: &'a str,
    start: usize,
) -> Piece<'a> {
    let same = Piece { text, sources: Sources::Same(start) };
    normalized.map_or(same, Normalized::piece)
}
