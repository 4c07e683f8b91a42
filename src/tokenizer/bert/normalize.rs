//! BERT's normalisation, one character at a time, each with the bytes of the text it came from.

use crate::tokenizer::normalized::Normalized;
use crate::tokenizer::unicode::{
    self, CJK, DECOMPOSES, Flags, MARK, REMOVED, REORDERS, SPACE, UPPER,
};
use crate::tokenizer::{Span, span};

/// What is done to the text before it is split into words, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::tokenizer) struct Normalizer {
    /// Control characters go, white space becomes U+0020.
    pub(in crate::tokenizer) clean_text: bool,
    /// Ideographs become words by themselves.
    pub(in crate::tokenizer) handle_chinese_chars: bool,
    /// Canonical decomposition without its accents; `None` is whatever `lowercase` is.
    pub(in crate::tokenizer) strip_accents: Option<bool>,
    /// Case goes, code point by code point: no context, so no final sigma.
    pub(in crate::tokenizer) lowercase: bool,
}

impl Normalizer {
    fn strips(&self) -> bool {
        self.strip_accents.unwrap_or(self.lowercase)
    }

    /// A table of what the ASCII bytes become, for the way around [`Stream`] that most text takes.
    pub(in crate::tokenizer) fn ascii(&self) -> [Ascii; 256] {
        std::array::from_fn(|byte| {
            let c = char::from(byte as u8);
            let flags = unicode::flags(c);
            let is_space = flags & SPACE != 0;
            if !c.is_ascii() || (self.clean_text && flags & REMOVED != 0) {
                Ascii::Other
            } else if is_space {
                Ascii::Space
            } else if flags & unicode::PUNCTUATION != 0 {
                Ascii::Punctuation
            } else if self.lowercase && flags & UPPER != 0 {
                Ascii::Upper
            } else {
                Ascii::Word
            }
        })
    }
}

/// What becomes of a byte of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tokenizer) enum Ascii {
    /// Part of a word as it is.
    Word,
    /// Part of a word in lower case.
    Upper,
    Punctuation,
    Space,
    /// Not ASCII, or removed: needs the whole of the normaliser.
    Other,
}

/// Takes the normalised characters.
pub(in crate::tokenizer) trait Sink {
    /// `source`: the bytes of the text that `c` came from.
    fn accept(&mut self, c: char, source: Span);
}

/// Normalises the characters pushed into it and hands them on.
pub(in crate::tokenizer) struct Stream<S> {
    normalizer: Normalizer,
    strips: bool,
    pub(in crate::tokenizer) sink: S,
    /// Marks whose canonical order is not known until the next starter.
    marks: Vec<Mark>,
    /// The bytes each of `marks` came from, before they are put in order.
    sources: Vec<Span>,
    /// The bytes the last starter came from: also those of marks in its decomposition.
    starter: Span,
}

struct Mark {
    class: u8,
    c: char,
    /// Not the first character of its decomposition.
    inserted: bool,
}

impl<S: Sink> Stream<S> {
    pub(in crate::tokenizer) fn new(normalizer: Normalizer, sink: S) -> Self {
        let strips = normalizer.strips();
        Self {
            normalizer,
            strips,
            sink,
            marks: Vec::new(),
            sources: Vec::new(),
            starter: Span::default(),
        }
    }

    /// Nothing is held back.
    pub(in crate::tokenizer) fn is_idle(&self) -> bool {
        self.marks.is_empty()
    }

    /// Takes one character of the text, which stands at the bytes `source`.
    pub(in crate::tokenizer) fn push(&mut self, c: char, source: Span) {
        let flags = unicode::flags(c);
        let Normalizer { clean_text, handle_chinese_chars, .. } = self.normalizer;
        if clean_text && flags & REMOVED != 0 {
            return;
        }
        if clean_text && flags & SPACE != 0 {
            return self.decompose(' ', SPACE, source);
        }
        let isolated = handle_chinese_chars && flags & CJK != 0;
        if isolated {
            self.decompose(' ', SPACE, source);
        }
        self.decompose(c, flags, source);
        if isolated {
            self.decompose(' ', SPACE, source);
        }
    }

    /// Hands on the marks that the text ended with.
    pub(in crate::tokenizer) fn finish(&mut self) {
        if self.marks.is_empty() {
            return;
        }
        // Stable: marks of one class keep their order.
        self.marks.sort_by_key(|mark| mark.class);
        let mut marks = std::mem::take(&mut self.marks);
        let mut sources = std::mem::take(&mut self.sources);
        let (mut source, mut next) = (self.starter, 0);
        for mark in &marks {
            // The reference gives the sources out by position: reordered marks swap theirs.
            if !mark.inserted {
                source = sources.get(next).copied().unwrap_or(source);
                next += 1;
            }
            self.lower(mark.c, unicode::flags(mark.c), source);
        }
        // Emptied and put back, as there is a mark in every other word of some languages.
        marks.clear();
        sources.clear();
        (self.marks, self.sources) = (marks, sources);
    }

    fn decompose(&mut self, c: char, flags: Flags, source: Span) {
        if !self.strips {
            return self.lower(c, flags, source);
        }
        if flags & DECOMPOSES == 0 {
            return self.order(c, flags, false, source);
        }
        let mut inserted = false;
        unicode::decompose(c, |part| {
            self.order(part, unicode::flags(part), inserted, source);
            inserted = true;
        });
    }

    /// Puts marks into their canonical order.
    fn order(&mut self, c: char, flags: Flags, inserted: bool, source: Span) {
        if flags & REORDERS == 0 {
            self.finish();
            self.starter = source;
            return self.lower(c, flags, source);
        }
        if !inserted {
            self.sources.push(source);
        }
        self.marks.push(Mark { class: unicode::combining_class(c), c, inserted });
    }

    fn lower(&mut self, c: char, flags: Flags, source: Span) {
        if self.strips && flags & MARK != 0 {
            return;
        }
        if self.normalizer.lowercase && flags & UPPER != 0 {
            unicode::lower(c, |c| self.sink.accept(c, source));
        } else {
            self.sink.accept(c, source);
        }
    }
}

impl Normalizer {
    /// Normalises a whole text, whose first byte is the byte `offset` of the caller's.
    pub(in crate::tokenizer) fn text(self, text: &str, offset: usize) -> Normalized {
        let mut stream = Stream::new(self, Normalized::default());
        for (at, c) in text.char_indices() {
            let start = offset + at;
            stream.push(c, span(start, start + c.len_utf8()));
        }
        stream.finish();
        stream.sink
    }
}
