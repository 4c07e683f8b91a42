//! Normalised text: every byte with the bytes of the caller's text that it came from.

use std::ops::Range;

use super::Span;
use crate::tokenizer::bert::normalize::Sink;

/// Normalised text as a whole.
#[derive(Debug, Default)]
pub(super) struct Normalized {
    pub(super) text: String,
    /// Where each byte of `text` came from; empty where that is not asked for.
    pub(super) sources: Vec<Span>,
    /// `sources` is not asked for.
    #[cfg(feature = "tokenizers")]
    pub(super) text_only: bool,
    /// Where in the caller's text this one begins: what is put before everything comes from there.
    #[cfg(feature = "tokenizers")]
    pub(super) start: u32,
}

impl Normalized {
    /// Appends a character that came from `source`.
    pub(super) fn push_char(&mut self, c: char, source: Span) {
        self.text.push(c);
        self.end_source(source);
    }

    /// What `text` ends with, and has no source yet, came from `source`.
    pub(super) fn end_source(&mut self, source: Span) {
        #[cfg(feature = "tokenizers")]
        if self.text_only {
            return;
        }
        self.sources.resize(self.text.len(), source);
    }

    /// Where a range of bytes of `text` came from.
    pub(super) fn source(&self, start: usize, end: usize) -> Span {
        source(&self.sources, start, end)
    }

    /// Hands on the characters in a range of bytes of `text`.
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

/// Where a range of bytes came from that have these sources.
pub(super) fn source(sources: &[Span], start: usize, end: usize) -> Span {
    let at = |byte: usize| sources.get(byte).copied().unwrap_or_default();
    Span { start: at(start).start, end: at(end.saturating_sub(1)).end }
}
