//! WordLevel: each word is one token, or the unknown token.

use super::NO_TOKEN;
use crate::tokenizer::bert::wordpiece::Piece;
use crate::tokenizer::vocab::Vocab;

/// The vocabulary, and the token for unknown words.
#[derive(Debug, Clone)]
pub(super) struct WordLevel {
    vocab: Vocab,
    /// `NO_TOKEN` if the vocabulary has no unknown token.
    unk: u32,
}

impl WordLevel {
    /// Returns a model. `unk` is the text of the unknown token. Only texts with unknown words
    /// require it.
    pub(super) fn new(vocab: Vocab, unk: &str) -> Self {
        let unk = vocab.id(unk).unwrap_or(NO_TOKEN);
        Self { vocab, unk }
    }

    pub(super) fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// Returns the id of the unknown token; `NO_TOKEN` if the model has none.
    pub(super) fn unk(&self) -> u32 {
        self.unk
    }

    /// Returns the token of a word.
    pub(super) fn piece(&self, word: &str) -> Piece {
        Piece { id: self.vocab.id(word).unwrap_or(self.unk), start: 0, end: word.len() as u32 }
    }
}
