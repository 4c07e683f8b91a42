//! Tokens without special tokens. They are parts of texts that are combined into an input, e.g. the
//! sentences of a pre-training pair.

use std::ops::Range;

use super::template::Window;
use super::{EncodeOptions, Encoding, Place, Tokenizer};
use crate::Result;
use crate::tokenizer::bert::words::Tokens;

/// The tokens of one text, or of several consecutive texts.
#[derive(Debug, Clone, Default)]
pub struct Segment(Tokens);

impl Segment {
    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.0.ids.len()
    }

    /// Returns whether the segment has no tokens.
    pub fn is_empty(&self) -> bool {
        self.0.ids.is_empty()
    }

    /// Returns the ids of the tokens.
    pub fn ids(&self) -> &[u32] {
        &self.0.ids
    }

    /// Returns the word number of each token. Words of appended texts have separate numbers.
    pub fn words(&self) -> &[u32] {
        &self.0.words
    }

    /// Appends another segment. Its spans still refer to its own text.
    pub fn append(&mut self, other: &Self) {
        let first = self.0.words.last().map_or(0, |last| last + 1);
        self.append_words(other, |word| first + word);
    }

    /// Appends another segment as a single word with the number `word`.
    pub fn append_as_word(&mut self, other: &Self, word: u32) {
        self.append_words(other, |_| word);
    }

    /// Returns a window over the whole segment.
    fn window(&self) -> Window<'_> {
        Window { tokens: &self.0, range: 0..self.len(), is_kept: true }
    }

    fn append_words(&mut self, other: &Self, number: impl Fn(u32) -> u32) {
        self.0.ids.extend_from_slice(&other.0.ids);
        self.0.spans.extend_from_slice(&other.0.spans);
        self.0.first_spans.extend_from_slice(&other.0.first_spans);
        self.0.words.extend(other.0.words.iter().map(|&word| number(word)));
    }

    /// Returns the tokens of a range.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        Self(Tokens {
            ids: self.0.ids[range.clone()].to_vec(),
            spans: self.0.spans[range.clone()].to_vec(),
            words: self.0.words[range.clone()].to_vec(),
            first_spans: self.0.first_spans.get(range).unwrap_or_default().to_vec(),
            ids_only: false,
            splits_special: false,
            place: self.0.place,
            lack_memory: false,
        })
    }
}

impl Tokenizer {
    /// Returns the tokens of a text without special tokens.
    ///
    /// # Errors
    /// The errors of [`Tokenizer::encode`].
    pub fn segment(&self, text: &str) -> Result<Segment> {
        let place = Place(Some(0));
        let tokens = Tokens { splits_special: self.splits_special, place, ..Tokens::default() };
        self.tokens(text, tokens).map(Segment)
    }

    /// Returns the encoding of a text, or of a text and its pair, with special tokens.
    ///
    /// # Errors
    /// `OutOfMemory`.
    ///
    /// ```
    /// # use webert::tokenizer::{EncodeOptions, Files, Tokenizer};
    /// # let vocab_txt = Some(&b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nlow\nhigh\n"[..]);
    /// # let tokenizer = Tokenizer::load(&Files { vocab_txt, ..Files::default() })?;
    /// let (text, pair) = (tokenizer.segment("low")?, tokenizer.segment("high")?);
    /// let encoding = tokenizer.assemble(&text, Some(&pair))?;
    /// let options = EncodeOptions::default();
    /// assert_eq!(encoding, tokenizer.encode("low", Some("high"), &options)?[0]);
    /// # Ok::<(), webert::Error>(())
    /// ```
    pub fn assemble(&self, text: &Segment, pair: Option<&Segment>) -> Result<Encoding> {
        let add_special_tokens = EncodeOptions::default().add_special_tokens;
        self.template.fill(text.window(), pair.map(Segment::window), add_special_tokens)
    }

    /// Returns the number of special tokens that are added to a text, or to a text and its pair.
    pub fn special_tokens_to_add(&self, pair: bool) -> usize {
        self.template.added(pair)
    }
}
