//! Normalised text that normalizers edit, and pieces of it that are passed to the model.

use std::ops::Range;

use crate::tokenizer::{
    Span,
    normalized::{self, Normalized},
    span,
};

/// A character of an edited text, and its change. 0: it replaces the next character. Below 0: it
/// also replaces this number of further characters. Above 0: it is new, and its source is the
/// source of the character before it.
pub(super) type Edit = (char, i32);

impl Normalized {
    /// Returns `text` unchanged. Its first byte is the byte `start` of the caller's text. With
    /// `text_only`, it has no sources.
    pub(super) fn new(text: &str, start: usize, text_only: bool) -> Self {
        let mut new = Self { start: start as u32, text_only, ..Self::default() };
        new.push(Piece { text, sources: Sources::Same(start) });
        new
    }

    /// Appends a piece of text.
    pub(super) fn push(&mut self, piece: Piece<'_>) {
        self.text.push_str(piece.text);
        if self.text_only {
            return;
        }
        match piece.sources {
            Sources::Unknown => {}
            Sources::Bytes(sources) => self.sources.extend_from_slice(sources),
            Sources::Same(start) => {
                self.sources.reserve(piece.text.len());
                for (at, c) in piece.text.char_indices() {
                    let source = span(start + at, start + at + c.len_utf8());
                    self.sources.extend(std::iter::repeat_n(source, c.len_utf8()));
                }
            }
        }
    }

    /// Removes the text and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.sources.clear();
    }

    /// Returns the whole text as a piece.
    pub(super) fn piece(&self) -> Piece<'_> {
        let sources = if self.text_only { Sources::Unknown } else { Sources::Bytes(&self.sources) };
        Piece { text: &self.text, sources }
    }

    /// Replaces the text by the characters of `edits`. The first `skipped` characters are removed
    /// before.
    pub(super) fn edit(&mut self, edits: impl Iterator<Item = Edit>, skipped: usize) {
        let mut new = Self { start: self.start, text_only: self.text_only, ..Self::default() };
        new.text.reserve(self.text.len());
        if self.text_only {
            new.text.extend(edits.map(|(c, _)| c));
            *self = new;
            return;
        }
        new.sources.reserve(self.text.len());
        let mut rest = self.text.chars();
        let mut skip = |count: usize| rest.by_ref().take(count).map(char::len_utf8).sum::<usize>();
        let mut at = skip(skipped);
        for (c, change) in edits {
            let source = if change > 0 { at.checked_sub(1) } else { Some(at) };
            let source = source.and_then(|at| self.sources.get(at).copied());
            new.push_char(c, source.unwrap_or(Span { start: self.start, end: self.start }));
            if change <= 0 {
                at += skip(1 + change.unsigned_abs() as usize);
            }
        }
        *self = new;
    }

    /// Replaces every range of bytes by `by`. The ranges must be in order. The source of `by` is
    /// the source of the last byte before the end of the range.
    pub(super) fn replace(&mut self, ranges: impl Iterator<Item = Range<usize>>, by: &str) {
        let old = std::mem::take(self);
        (self.start, self.text_only) = (old.start, old.text_only);
        let mut done = 0;
        for range in ranges {
            self.push(old.piece().slice(done..range.start));
            let source = range.end.checked_sub(1).and_then(|at| old.sources.get(at).copied());
            self.text.push_str(by);
            self.end_source(source.unwrap_or(Span { start: old.start, end: old.start }));
            done = range.end;
        }
        self.push(old.piece().slice(done..old.text.len()));
    }
}

/// A piece of text that is passed to the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) sources: Sources<'a>,
}

/// The sources of the bytes of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sources<'a> {
    /// The piece is a part of the caller's text that starts at this byte.
    Same(usize),
    /// A source for each byte.
    Bytes(&'a [Span]),
    /// No sources.
    Unknown,
}

impl<'a> Piece<'a> {
    /// Returns a part of the piece. `range` is in bytes.
    pub(super) fn slice(self, range: Range<usize>) -> Self {
        let sources = match self.sources {
            Sources::Same(start) => Sources::Same(start + range.start),
            Sources::Bytes(sources) => Sources::Bytes(&sources[range.clone()]),
            Sources::Unknown => Sources::Unknown,
        };
        Self { text: &self.text[range], sources }
    }

    /// Returns the source of a range of bytes. It covers all characters with a byte in the range.
    pub(super) fn source(self, mut start: usize, mut end: usize) -> Span {
        match self.sources {
            Sources::Bytes(sources) => normalized::source(sources, start, end),
            Sources::Unknown => Span::default(),
            Sources::Same(offset) => {
                while !self.text.is_char_boundary(start) {
                    start -= 1;
                }
                while !self.text.is_char_boundary(end) {
                    end += 1;
                }
                span(offset + start, offset + end)
            }
        }
    }

    /// Returns the position of the piece's first byte in the caller's text.
    pub(super) fn start(self) -> u32 {
        self.source(0, 1.min(self.text.len())).start
    }
}
