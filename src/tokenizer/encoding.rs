//! The result for a text: its tokens and where they are.

/// A byte range of the caller's text. Both ends are 0 for tokens without text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

pub(super) fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// A text, or a text and its pair, as model input. Every field has one entry per token.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Encoding {
    /// Indices into the vocabulary.
    pub ids: Vec<u32>,
    /// The segment of each token: 0 for the text, 1 for the pair.
    pub type_ids: Vec<u32>,
    /// The bytes of the text, or of the pair, for each token. Characters that normalisation removes
    /// are included only inside a token.
    pub spans: Vec<Span>,
    /// For each token, the number of its word in the text; `None` for added tokens and padding.
    pub word_ids: Vec<Option<u32>>,
    /// 0 for tokens of the text, 1 for tokens of the pair, `None` for added tokens and padding.
    pub sequence_ids: Vec<Option<u8>>,
    /// 1 for tokens, 0 for padding.
    pub attention_mask: Vec<u8>,
}

impl Encoding {
    /// Returns the number of tokens, with added tokens and padding.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether the encoding has no tokens, not even added ones.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}
