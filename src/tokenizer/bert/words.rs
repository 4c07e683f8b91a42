//! Words. Normalised text is split at white space and around punctuation. Each word is split into
//! tokens when it ends.

use super::normalize::{Ascii, Sink, Stream};
use super::wordpiece::{Piece, Scratch, WordPiece};
use crate::tokenizer::unicode::{self, PUNCTUATION, SPACE};
use crate::tokenizer::{Place, Span};

/// The tokens of a text before special tokens are added.
#[derive(Debug, Clone, Default)]
pub(in crate::tokenizer) struct Tokens {
    /// If true, only `ids` are needed and the other fields stay empty.
    pub(in crate::tokenizer) ids_only: bool,
    /// If true, special tokens in the text are treated as text.
    pub(in crate::tokenizer) splits_special: bool,
    /// The position of the text in the input.
    #[cfg_attr(
        not(feature = "tokenizers"),
        allow(dead_code, reason = "only post-processors of the pipeline ask")
    )]
    pub(in crate::tokenizer) place: Place,
    pub(in crate::tokenizer) ids: Vec<u32>,
    pub(in crate::tokenizer) spans: Vec<Span>,
    /// For each token, the number of its word in the text.
    pub(in crate::tokenizer) words: Vec<u32>,
    /// The spans of tokens at the start of a window, if they differ from `spans`; otherwise empty.
    pub(in crate::tokenizer) first_spans: Vec<Span>,
    /// Whether an allocation failed.
    pub(in crate::tokenizer) lack_memory: bool,
}

impl Tokens {
    /// Reserves memory for `more` tokens, if possible.
    #[cold]
    pub(in crate::tokenizer) fn reserve(&mut self, more: usize) {
        let mut reserved = self.ids.try_reserve_exact(more);
        if !(crate::tokenizer::IS_FAST && self.ids_only) {
            reserved = reserved
                .and_then(|()| self.spans.try_reserve_exact(more))
                .and_then(|()| self.words.try_reserve_exact(more));
        }
        self.lack_memory |= reserved.is_err();
    }

    /// Adds the span of the next token for the case that it begins a window.
    #[cfg(feature = "tokenizers")]
    pub(in crate::tokenizer) fn push_first(&mut self, span: Span) {
        self.lack_memory |= self.first_spans.try_reserve(1).is_err();
        if !self.lack_memory {
            self.first_spans.push(span);
        }
    }

    #[inline]
    pub(in crate::tokenizer) fn push(&mut self, id: u32, span: Span, word: u32) {
        if self.ids.len() == self.ids.capacity() {
            self.reserve(self.ids.len().max(16));
        }
        if !self.lack_memory {
            self.ids.push(id);
            if !(crate::tokenizer::IS_FAST && self.ids_only) {
                self.spans.push(span);
                self.words.push(word);
            }
        }
    }
}

/// Collects characters into words, and splits words into tokens.
pub(in crate::tokenizer) struct Words<'a> {
    model: &'a WordPiece,
    tokens: &'a mut Tokens,
    /// The number of words that have ended.
    count: u32,
    /// The current word, up to the maximum length of a word.
    word: String,
    /// The source bytes of each byte of `word`.
    sources: Vec<Span>,
    /// The code points of the current word, without a limit.
    chars: usize,
    /// The source bytes of the current word.
    span: Span,
    scratch: Scratch<'a>,
    pieces: Vec<Piece>,
}

impl<'a> Words<'a> {
    pub(in crate::tokenizer) fn new(model: &'a WordPiece, tokens: &'a mut Tokens) -> Self {
        Self {
            model,
            tokens,
            count: 0,
            word: String::new(),
            sources: Vec::new(),
            chars: 0,
            span: Span::default(),
            scratch: model.scratch(),
            pieces: Vec::new(),
        }
    }

    /// Adds an added token as a word of its own.
    pub(in crate::tokenizer) fn added(&mut self, id: u32, span: Span) {
        self.end();
        self.push(id, span);
        self.count += 1;
    }

    /// Ends the current word.
    pub(in crate::tokenizer) fn end(&mut self) {
        if self.chars == 0 {
            return;
        }
        if self.chars > self.model.max_chars() {
            self.push(self.model.unk(), self.span);
        } else {
            self.model.cut(self.word.as_bytes(), &mut self.scratch, &mut self.pieces);
            for at in 0..self.pieces.len() {
                let Piece { id, start, end } = self.pieces[at];
                let (first, last) = (self.sources[start as usize], self.sources[end as usize - 1]);
                self.push(id, Span { start: first.start, end: last.end });
            }
            self.pieces.clear();
        }
        self.count += 1;
        self.chars = 0;
        self.word.clear();
        self.sources.clear();
    }

    /// Processes whole words of plain ASCII, starting at byte `at`. Returns the start of the first
    /// word that is not plain ASCII.
    fn ascii(&mut self, table: &[Ascii; 256], text: &[u8], mut at: usize) -> usize {
        while let Some(&byte) = text.get(at) {
            match table[usize::from(byte)] {
                Ascii::Space => at += 1,
                Ascii::Punctuation => {
                    self.ascii_word(&text[at..=at], at as u32);
                    at += 1;
                }
                Ascii::Other => return at,
                Ascii::Word | Ascii::Upper => {
                    let start = at;
                    let mut upper = false;
                    let next = loop {
                        match text.get(at).map(|&byte| table[usize::from(byte)]) {
                            Some(Ascii::Word) => {}
                            Some(Ascii::Upper) => upper = true,
                            next => break next,
                        }
                        at += 1;
                    };
                    match (next, upper) {
                        // the full normalizer needs the word from its start
                        (Some(Ascii::Other), _) => return start,
                        (_, false) => self.ascii_word(&text[start..at], start as u32),
                        (_, true) => self.ascii_upper(&text[start..at], start as u32),
                    }
                }
            }
        }
        at
    }

    /// Adds an ASCII word that starts at byte `start` of the text.
    #[inline]
    fn ascii_word(&mut self, word: &[u8], start: u32) {
        if word.len() > self.model.max_chars() {
            self.push(self.model.unk(), Span { start, end: start + word.len() as u32 });
        } else {
            self.model.cut(word, &mut self.scratch, &mut self.pieces);
            for at in 0..self.pieces.len() {
                let piece = self.pieces[at];
                self.push(piece.id, Span { start: start + piece.start, end: start + piece.end });
            }
            self.pieces.clear();
        }
        self.count += 1;
    }

    /// Adds an ASCII word in lower case.
    fn ascii_upper(&mut self, word: &[u8], start: u32) {
        let mut lower = std::mem::take(&mut self.word).into_bytes();
        // A word over the limit becomes one unknown token, whatever its bytes are.
        lower.extend_from_slice(word);
        lower.make_ascii_lowercase();
        self.ascii_word(&lower, start);
        lower.clear();
        self.word = String::from_utf8(lower).unwrap_or_default();
    }

    #[inline]
    fn push(&mut self, id: u32, span: Span) {
        self.tokens.push(id, span, self.count);
    }
}

impl Sink for Words<'_> {
    fn accept(&mut self, c: char, source: Span) {
        let flags = unicode::flags(c);
        if flags & (SPACE | PUNCTUATION) != 0 {
            self.end();
        }
        if flags & SPACE != 0 {
            return;
        }
        if self.chars == 0 {
            self.span.start = source.start;
        }
        self.span.end = source.end;
        self.chars += 1;
        // A word over the limit is not split, so its characters are not kept.
        if self.chars <= self.model.max_chars() {
            self.word.push(c);
            self.sources.resize(self.word.len(), source);
        }
        if flags & PUNCTUATION != 0 {
            self.end();
        }
    }
}

impl Stream<Words<'_>> {
    /// Processes the bytes `range` of `text`. `table` is the result of `Normalizer::ascii`.
    pub(in crate::tokenizer) fn run(
        &mut self,
        table: &[Ascii; 256],
        text: &str,
        range: std::ops::Range<usize>,
    ) {
        let mut at = range.start;
        loop {
            // Between words nothing is pending, so the fast path for plain ASCII is possible.
            if self.is_idle() && self.sink.chars == 0 {
                at = self.sink.ascii(table, &text.as_bytes()[..range.end], at);
            }
            let Some(c) = text[at..range.end].chars().next() else { break };
            let end = at + c.len_utf8();
            self.push(c, Span { start: at as u32, end: end as u32 });
            at = end;
        }
        self.finish();
        self.sink.end();
    }
}
