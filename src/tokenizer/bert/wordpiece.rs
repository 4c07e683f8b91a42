//! WordPiece: takes the longest token that begins the word, then repeatedly the longest token that
//! continues it.

use std::sync::MutexGuard;

use crate::Result;
use crate::tokenizer::automaton::Automaton;
use crate::tokenizer::cache::{self, Cache};
use crate::tokenizer::vocab::{Hash, Vocab};

/// Words and tokens with more bytes count as long. Other words take at most this many times their
/// length.
const LONG: usize = 256;

/// The maximum code points of a word in BERT.
const BERT_MAX_CHARS: usize = 100;

/// The vocabulary and the rules for splitting words.
#[derive(Debug, Clone)]
pub(in crate::tokenizer) struct WordPiece {
    vocab: Vocab,
    /// The mark of tokens that continue a word, e.g. `##`.
    prefix: String,
    prefix_hash: Hash,
    unk: u32,
    max_chars: usize,
    /// The tokens that continue a word, without their prefix. Present only if tokens and words may
    /// be long.
    continuing: Option<Automaton>,
    /// Words that became several tokens.
    cache: Cache,
}

/// A token of a word: its id and the bytes `start..end` of the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tokenizer) struct Piece {
    pub(in crate::tokenizer) id: u32,
    pub(in crate::tokenizer) start: u32,
    pub(in crate::tokenizer) end: u32,
}

/// The ends of the prefixes of the rest of a word, and their hashes.
pub(in crate::tokenizer) type Prefixes = Vec<(usize, Hash)>;

/// Buffers that are reused between words.
pub(in crate::tokenizer) struct Scratch<'a> {
    prefixes: Prefixes,
    cache: Option<MutexGuard<'a, cache::CachedWords>>,
}

impl WordPiece {
    /// Returns a model. A word with more than `max_chars` code points becomes one `unk`.
    ///
    /// # Errors
    /// `BadTokenizer` if tokens and words may be long and the vocabulary exceeds 4 MiB.
    pub(in crate::tokenizer) fn new(
        vocab: Vocab,
        prefix: String,
        unk: u32,
        max_chars: usize,
    ) -> Result<Self> {
        let prefix_hash = Hash::of(prefix.as_bytes());
        let continuing = if max_chars > BERT_MAX_CHARS && vocab.longest() > LONG {
            let rest =
                vocab.entries().filter_map(|(token, id)| Some((token.strip_prefix(&*prefix)?, id)));
            Some(Automaton::new("tokens of a vocabulary that has some of over 256 bytes", rest)?)
        } else {
            None
        };
        Ok(Self { vocab, prefix, prefix_hash, unk, max_chars, continuing, cache: Cache::default() })
    }

    /// Returns the buffers for [`WordPiece::cut`].
    pub(in crate::tokenizer) fn scratch(&self) -> Scratch<'_> {
        Scratch { prefixes: Vec::new(), cache: self.cache.words() }
    }

    pub(in crate::tokenizer) fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    pub(in crate::tokenizer) fn unk(&self) -> u32 {
        self.unk
    }

    /// Returns the maximum code points of a word. A longer word becomes one unknown token.
    pub(in crate::tokenizer) fn max_chars(&self) -> usize {
        self.max_chars
    }

    /// Appends the pieces of `word` to `pieces`. `word` must be UTF-8, not empty, and not longer
    /// than `max_chars`. If any part matches no token, the whole word becomes one unknown token.
    #[inline]
    pub(in crate::tokenizer) fn cut(
        &self,
        word: &[u8],
        scratch: &mut Scratch<'_>,
        pieces: &mut Vec<Piece>,
    ) {
        let hash = Hash::of(word);
        if let Some(id) = self.vocab.find(hash, b"", word) {
            return pieces.push(Piece { id, start: 0, end: word.len() as u32 });
        }
        let Scratch { prefixes, cache } = scratch;
        if let Some(known) = cache.as_ref().and_then(|cache| cache.get(hash, word)) {
            return pieces.extend_from_slice(known);
        }
        let before = pieces.len();
        self.cut_anew(word, prefixes, pieces);
        if let Some(cache) = cache {
            cache.insert(hash, word, &pieces[before..]);
        }
    }

    /// Splits as [`WordPiece::cut`], but without the cache.
    pub(in crate::tokenizer) fn cut_anew(
        &self,
        word: &[u8],
        prefixes: &mut Prefixes,
        pieces: &mut Vec<Piece>,
    ) {
        let before = pieces.len();
        let long = self.continuing.as_ref().filter(|_| word.len() > LONG);
        let long = long.map(|tokens| self.all_longest(tokens, word));
        let mut start = 0;
        while start < word.len() {
            let longest = match &long {
                Some(long) if start > 0 => long[start],
                _ => self.longest(word, start, prefixes),
            };
            let Some((id, end)) = longest else {
                pieces.truncate(before);
                pieces.push(Piece { id: self.unk, start: 0, end: word.len() as u32 });
                return;
            };
            pieces.push(Piece { id, start: start as u32, end: end as u32 });
            start = end;
        }
    }

    /// Returns the longest token at byte `start` of `word`, and its end.
    ///
    /// The time is linear in the longest token and does not depend on the word. One forward pass
    /// computes the hash of every prefix. Then the table is searched from the longest prefix to the
    /// shortest.
    #[inline]
    fn longest(&self, word: &[u8], start: usize, prefixes: &mut Prefixes) -> Option<(u32, usize)> {
        let (prefix, mut hash) = match start {
            0 => ("", Hash::EMPTY),
            _ => (self.prefix.as_str(), self.prefix_hash),
        };
        let room = self.vocab.longest().saturating_sub(prefix.len());
        let limit = word.len().min(start.saturating_add(room));
        prefixes.clear();
        for at in start..limit {
            hash = hash.push(word[at]);
            // Only prefixes of whole characters: the next byte must not continue one.
            if word.get(at + 1).is_none_or(|&next| next & 0xc0 != 0x80) {
                prefixes.push((at + 1, hash));
            }
        }
        prefixes.iter().rev().find_map(|&(end, hash)| {
            let id = self.vocab.find(hash, prefix.as_bytes(), &word[start..end])?;
            Some((id, end))
        })
    }

    /// Returns for every byte of `word` the longest continuing token and its end. The time is
    /// linear in the word and does not depend on the tokens.
    fn all_longest(&self, continuing: &Automaton, word: &[u8]) -> Vec<Option<(u32, usize)>> {
        let mut longest = vec![None; word.len()];
        continuing.scan(word, |at, id| {
            let len = self.vocab.token(id).map_or(0, str::len) - self.prefix.len();
            longest[at] = Some((id, at + len));
        });
        longest
    }
}
