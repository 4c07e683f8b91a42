//! Normalised text. Every byte keeps the bytes of the caller's text that it came from.

use std::ops::Range;

use super::Span;
use crate::tokenizer::bert::normalize::Sink;

/// A whole normalised text.
#[derive(Debug, Default)]
pub(super) struct Normalized {
    pub(super) text: String,
    /// The source of each byte of `text`; empty if sources are not needed.
    pub(super) sources: Vec<Span>,
    /// Whether `sources` are not needed.
    #[cfg(feature = "tokenizers")]
    pub(super) text_only: bool,
    /// The start of the text in the caller's text. Text that is inserted before everything has this
    /// source.
    #[cfg(feature = "tokenizers")]
    pub(super) start: u32,
}

impl Normalized {
    /// Appends a character that came from `source`.
    pub(super) fn push_char(&mut self, c: char, source: Span) {
        self.text.push(c);
        self.end_source(source);
    }

    /// Sets the source of the bytes at the end of `text` that have none yet.
    pub(super) fn end_source(&mut self, source: Span) {
        #[cfg(feature = "tokenizers")]
        if self.text_only {
            return;
        }
        self.sources.resize(self.text.len(), source);
    }

    /// Returns the source of a range of bytes of `text`.
    pub(super) fn source(&self, start: usize, end: usize) -> Span {
        source(&self.sources, start, end)
    }

    /// Passes on the characters in a range of bytes of `text`.
    pub(super) fn replay(&self, range: Range<usize>, sink: &mut impl Sink) {
        for (at, c) in self.text[range.clone()].char_indices() {
            let start = range.start + at;
            sink.accept(c, self.source(start, start + c.len_utf8()));
        }
    }
}

impl Sink for Normalized {
    fn accept(&mut self, c: char, source: Span) {
        self.push_char(c, source);
    }
}

/// Returns the source of a range of bytes with these sources.
pub(super) fn source(sources: &[Span], start: usize, end: usize) -> Span {
    let at = |byte: usize| sources.get(byte).copied().unwrap_or_default();
    Span { start: at(start).start, end: at(end.saturating_sub(1)).end }
}
