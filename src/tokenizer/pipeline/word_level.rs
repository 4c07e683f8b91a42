//! WordLevel: a word is one token, or the unknown token.

use super::NO_TOKEN;
use crate::tokenizer::bert::wordpiece::Piece;
use crate::tokenizer::vocab::Vocab;

/// The vocabulary and the token of words that it lacks.
#[derive(Debug, Clone)]
pub(super) struct WordLevel {
    vocab: Vocab,
    /// `NO_TOKEN` if the vocabulary has no unknown token.
    unk: u32,
}

impl WordLevel {
    /// `unk`: the text of the unknown token, which only texts with unknown words need.
    pub(super) fn new(vocab: Vocab, unk: &str) -> Self {
        let unk = vocab.id(unk).unwrap_or(NO_TOKEN);
        Self { vocab, unk }
    }

    pub(super) fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// The id of the unknown token; `NO_TOKEN` if there is none.
    pub(super) fn unk(&self) -> u32 {
        self.unk
    }

    /// The token of a word.
    pub(super) fn piece(&self, word: &str) -> Piece {
        Piece { id: self.vocab.id(word).unwrap_or(self.unk), start: 0, end: word.len() as u32 }
    }
}
