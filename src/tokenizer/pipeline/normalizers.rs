//! The normalizers of a `tokenizer.json` other than BERT's, each applied to the whole text.

use std::ops::Range;

use super::{
    charsmap::Charsmap,
    edits::{Piece, Sources},
    forms::Form,
};
use crate::tokenizer::{
    Span,
    normalize::Normalizer,
    normalized::Normalized,
    unicode::{self, UPPER, categories},
};

/// One normalizer.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// NFC, NFD, NFKC, NFKD.
    Form(Form),
    /// Case goes, code point by code point.
    Lowercase,
    /// Marks go; what is composed keeps its accents.
    StripAccents,
    /// White space goes at the ends.
    Strip { left: bool, right: bool },
    /// A text before every text that is not empty.
    Prepend(String),
    /// Every place that the pattern matches becomes the content.
    Replace { pattern: Pattern, content: String },
    /// Sentencepiece's own.
    Precompiled(Charsmap),
    /// BERT's.
    Bert(Normalizer),
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    /// The text.
    Text(String),
    /// As many of a character as stand in a row, if they are that many: ` {2,}`.
    Run { of: char, least: usize },
}

/// Applies all `steps` to a text, or to a part of it, that begins at byte `start` of the caller's;
/// `text_only`: without sources. `None` where they leave it as it is.
pub(super) fn normalize(
    steps: &[Step],
    text: &str,
    start: usize,
    text_only: bool,
) -> Option<Normalized> {
    let first = steps.iter().position(|step| !step.keeps(text))?;
    let mut normalized = Normalized::new(text, start, text_only);
    for step in &steps[first..] {
        if !step.keeps(&normalized.text) {
            step.apply(&mut normalized);
        }
    }
    Some(normalized)
}

impl Step {
    /// Whether the text surely stays as it is.
    fn keeps(&self, text: &str) -> bool {
        match self {
            Self::Form(form) => form.keeps(text),
            Self::Lowercase if text.is_ascii() => !text.bytes().any(|c| c.is_ascii_uppercase()),
            Self::Lowercase => !text.chars().any(|c| unicode::flags(c) & UPPER != 0),
            Self::StripAccents => text.is_ascii() || !text.chars().any(categories::is_mark),
            Self::Strip { .. } => self.stripped(text) == (0..text.len()),
            Self::Prepend(before) => before.is_empty() || text.is_empty(),
            Self::Replace { pattern, .. } => pattern.matches(text).next().is_none(),
            Self::Precompiled(charsmap) => charsmap.keeps(text),
            Self::Bert(_) => false,
        }
    }

    fn apply(&self, text: &mut Normalized) {
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
            Self::Prepend(before) => text.prepend(before),
            Self::Replace { pattern, content } => {
                let matches: Vec<_> = pattern.matches(&text.text).collect();
                text.replace(matches.into_iter(), content);
            }
            Self::Precompiled(charsmap) => {
                if let Some(edits) = charsmap.edits(&text.text) {
                    text.edit(edits.into_iter(), 0);
                }
            }
            Self::Bert(normalizer) => text.normalize(*normalizer),
        }
    }

    /// The bytes that are left of `text` without the white space at its ends.
    fn stripped(&self, text: &str) -> Range<usize> {
        let Self::Strip { left, right } = *self else { return 0..text.len() };
        let end = if right { text.trim_end().len() } else { text.len() };
        let start = if left { end - text[..end].trim_start().len() } else { 0 };
        start..end
    }
}

impl Normalized {
    /// Puts what `each` gives in the place of every character.
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

    /// Applies BERT's normalizer; each character comes from where its source of this text came from.
    fn normalize(&mut self, normalizer: Normalizer) {
        let new = normalizer.text(&self.text, 0);
        if !self.text_only {
            let source = |span: &Span| self.source(span.start as usize, span.end as usize);
            self.sources = new.sources.iter().map(source).collect();
        }
        self.text = new.text;
    }

    /// Puts a text before this one, unless it is empty; it comes from the first character.
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
    /// Where it matches, from left to right.
    pub(super) fn matches<'a>(
        &'a self,
        text: &'a str,
    ) -> Box<dyn Iterator<Item = Range<usize>> + 'a> {
        match self {
            Self::Text(pattern) if pattern.is_empty() => Box::new(std::iter::empty()),
            Self::Text(pattern) => {
                let range = |(at, found): (usize, &str)| at..at + found.len();
                Box::new(text.match_indices(pattern.as_str()).map(range))
            }
            &Self::Run { of, least } => {
                let mut at = 0;
                Box::new(std::iter::from_fn(move || {
                    loop {
                        let start = at + text[at..].find(of)?;
                        at = start + text[start..].find(|c| c != of).unwrap_or(text.len() - start);
                        if at - start >= least * of.len_utf8() {
                            return Some(start..at);
                        }
                    }
                }))
            }
        }
    }
}

/// A text after all `steps`, without its sources.
pub(super) fn text(steps: &[Step], text: &str) -> String {
    normalize(steps, text, 0, true).map_or_else(|| text.to_owned(), |normalized| normalized.text)
}

/// The piece of a text that may have been normalised.
pub(super) fn piece<'a>(
    normalized: Option<&'a Normalized>,
    text: &'a str,
    start: usize,
) -> Piece<'a> {
    let same = Piece { text, sources: Sources::Same(start) };
    normalized.map_or(same, Normalized::piece)
}
