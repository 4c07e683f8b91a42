//! BERT's normalisation, one character at a time. Each result keeps the bytes of the text that it
//! came from.

use crate::tokenizer::normalized::Normalized;
use crate::tokenizer::unicode::{
    self, CJK, DECOMPOSES, Flags, MARK, REMOVED, REORDERS, SPACE, UPPER,
};
use crate::tokenizer::{Span, span};

/// The steps before the text is split into words, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::tokenizer) struct Normalizer {
    /// Removes control characters and replaces white space by U+0020.
    pub(in crate::tokenizer) clean_text: bool,
    /// Makes each ideograph a word.
    pub(in crate::tokenizer) handle_chinese_chars: bool,
    /// Decomposes canonically and removes accents. `None` means the value of `lowercase`.
    pub(in crate::tokenizer) strip_accents: Option<bool>,
    /// Lowercases each code point without context, so there is no final sigma.
    pub(in crate::tokenizer) lowercase: bool,
}

impl Normalizer {
    fn strips(&self) -> bool {
        self.strip_accents.unwrap_or(self.lowercase)
    }

    /// Returns a table of the result for each ASCII byte. Most text is normalised with it instead
    /// of [`Stream`].
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

/// The result for a byte of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tokenizer) enum Ascii {
    /// Part of a word, unchanged.
    Word,
    /// Part of a word, to be lowercased.
    Upper,
    Punctuation,
    Space,
    /// Not ASCII, or removed. The full normalizer is needed.
    Other,
}

/// Receives the normalised characters.
pub(in crate::tokenizer) trait Sink {
    /// Receives a character. `source` is the byte range that `c` came from.
    fn accept(&mut self, c: char, source: Span);
}

/// Normalises the characters that are pushed into it and passes them on.
pub(in crate::tokenizer) struct Stream<S> {
    normalizer: Normalizer,
    strips: bool,
    pub(in crate::tokenizer) sink: S,
    /// Marks whose canonical order is unknown until the next starter.
    marks: Vec<Mark>,
    /// The source bytes of `marks`, in the original order.
    sources: Vec<Span>,
    /// The source bytes of the last starter. Marks in its decomposition have them too.
    starter: Span,
}

struct Mark {
    class: u8,
    c: char,
    /// Whether the mark is not the first character of its decomposition.
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

    /// Returns whether no marks are pending.
    pub(in crate::tokenizer) fn is_idle(&self) -> bool {
        self.marks.is_empty()
    }

    /// Receives a character of the text at the bytes `source`.
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

    /// Passes on the pending marks.
    pub(in crate::tokenizer) fn finish(&mut self) {
        if self.marks.is_empty() {
            return;
        }
        // The sort is stable, so marks of one class keep their order.
        self.marks.sort_by_key(|mark| mark.class);
        let mut marks = std::mem::take(&mut self.marks);
        let mut sources = std::mem::take(&mut self.sources);
        let (mut source, mut next) = (self.starter, 0);
        for mark in &marks {
            // The reference assigns the source bytes by position, so reordered marks exchange them.
            if !mark.inserted {
                source = sources.get(next).copied().unwrap_or(source);
                next += 1;
            }
            self.lower(mark.c, unicode::flags(mark.c), source);
        }
        // The vectors are reused, because in some languages every other word has a mark.
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

    /// Puts marks into canonical order.
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
    /// Normalises a whole text. `offset` is the position of its first byte in the caller's text.
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
