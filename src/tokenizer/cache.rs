//! A cache of words and their tokens. Most words of a text are repeated, and a lookup takes a
//! fraction of the time of splitting.

use std::sync::{Mutex, MutexGuard};

use super::vocab::Hash;
use crate::tokenizer::bert::wordpiece::Piece;

/// The maximum bytes and the maximum tokens of a cached word.
const MAX_LEN: usize = 48;

/// The maximum number of cached words. When it is reached, the cache is cleared.
const MAX_WORDS: usize = 1 << 13;

/// The maximum number of cached tokens.
const MAX_PIECES: usize = 1 << 15;

/// The cache of a tokenizer, at most about 1 MB. A clone has an empty cache of its own.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<CachedWords>);

impl Clone for Cache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Cache {
    /// Returns the words; `None` if another thread holds them.
    pub(super) fn words(&self) -> Option<MutexGuard<'_, CachedWords>> {
        if !super::IS_FAST {
            return None;
        }
        self.0.try_lock().ok()
    }
}

/// Words and their tokens.
#[derive(Debug, Default)]
pub(super) struct CachedWords {
    /// A hash table with open addressing and twice as many slots as words.
    slots: Vec<CacheEntry>,
    /// The number of used slots.
    count: usize,
    /// The bytes of all words, concatenated.
    bytes: Vec<u8>,
    /// The tokens of all words, concatenated.
    pieces: Vec<Piece>,
}

/// A slot for a word. `len` is 0 if the slot is free.
#[derive(Debug, Clone, Copy, Default)]
struct CacheEntry {
    /// The bits of the hash that are not used by the slot's index.
    tag: u32,
    /// The start of the word in `bytes`.
    start: u32,
    /// The index of the word's first token in `pieces`.
    first: u32,
    /// The word's length in bytes.
    len: u8,
    /// The number of the word's tokens.
    pieces: u8,
}

impl CachedWords {
    /// Returns the tokens of `word` if it is cached. `hash` is the word's hash.
    #[inline]
    pub(super) fn get(&self, hash: Hash, word: &[u8]) -> Option<&[Piece]> {
        let slot = self.slots.get(self.place(hash, word)?).filter(|slot| slot.len > 0)?;
        self.pieces.get(slot.first as usize..slot.first as usize + usize::from(slot.pieces))
    }

    /// Adds the tokens of a word that is not cached.
    pub(super) fn insert(&mut self, hash: Hash, word: &[u8], pieces: &[Piece]) {
        if word.len() > MAX_LEN || pieces.len() > MAX_LEN || word.is_empty() {
            return;
        }
        if self.count == MAX_WORDS || self.pieces.len() + pieces.len() > MAX_PIECES {
            *self = Self::default();
        }
        if self.slots.is_empty() {
            self.slots.resize(2 * MAX_WORDS, CacheEntry::default());
        }
        let Some(at) = self.place(hash, word) else { return };
        self.slots[at] = CacheEntry {
            tag: hash.tag(),
            start: self.bytes.len() as u32,
            first: self.pieces.len() as u32,
            len: word.len() as u8,
            pieces: pieces.len() as u8,
        };
        self.count += 1;
        self.bytes.extend_from_slice(word);
        self.pieces.extend_from_slice(pieces);
    }

    /// Returns the slot of `word`, or the free slot for it.
    #[inline]
    fn place(&self, hash: Hash, word: &[u8]) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash.place() & mask;
        loop {
            let slot = self.slots[at];
            let (start, len) = (slot.start as usize, usize::from(slot.len));
            let is_word = || slot.tag == hash.tag() && self.bytes[start..start + len] == *word;
            if len == 0 || is_word() {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, CachedWords, Hash, MAX_LEN, MAX_WORDS, Piece};

    fn pieces(id: u32) -> Vec<Piece> {
        vec![Piece { id, start: 0, end: 1 }; id as usize % 4]
    }

    /// Adds the words with these numbers. Returns the numbers of the words that are then found with
    /// their own tokens.
    fn kept(words: &mut CachedWords, numbers: std::ops::Range<u32>) -> Vec<u32> {
        for n in numbers.clone() {
            let word = n.to_string();
            words.insert(Hash::of(word.as_bytes()), word.as_bytes(), &pieces(n));
        }
        let is_there = |n: &u32| {
            let word = n.to_string();
            let found = words.get(Hash::of(word.as_bytes()), word.as_bytes());
            assert!(found.is_none_or(|found| found == pieces(*n)), "{n}");
            found.is_some()
        };
        numbers.filter(is_there).collect()
    }

    #[test]
    fn what_was_kept_is_found_until_there_are_too_many_words() {
        let mut words = CachedWords::default();
        assert_eq!(words.get(Hash::of(b"a"), b"a"), None);
        let most = MAX_WORDS as u32;
        assert_eq!(kept(&mut words, 0..most), (0..most).collect::<Vec<_>>());
        let more = kept(&mut words, most..most + 9);
        assert_eq!(more, (most..most + 9).collect::<Vec<_>>());
        assert_eq!(words.get(Hash::of(b"7"), b"7"), None, "all before were forgotten");
    }

    #[test]
    fn words_of_one_hash_are_told_apart_and_long_ones_left_out() {
        let mut words = CachedWords::default();
        let hash = Hash::of(b"one");
        words.insert(hash, b"one", &pieces(1));
        words.insert(hash, b"two", &pieces(2));
        assert_eq!(words.get(hash, b"one"), Some(&*pieces(1)));
        assert_eq!(words.get(hash, b"two"), Some(&*pieces(2)));
        assert_eq!(words.get(hash, b"six"), None);
        let long = [b'x'; MAX_LEN + 1];
        words.insert(Hash::of(&long), &long, &pieces(1));
        assert_eq!(words.get(Hash::of(&long), &long), None);
    }

    #[test]
    fn a_clone_has_its_own_words_and_one_thread_has_them_at_a_time() {
        let cache = Cache::default();
        let mut words = cache.words().map(|mut words| {
            words.insert(Hash::of(b"a"), b"a", &pieces(3));
            words
        });
        assert!(words.is_some() && cache.words().is_none());
        assert!(words.take().is_some_and(|words| words.get(Hash::of(b"a"), b"a").is_some()));
        assert!(cache.words().is_some_and(|words| words.get(Hash::of(b"a"), b"a").is_some()));
        assert!(cache.clone().words().is_some_and(|w| w.get(Hash::of(b"a"), b"a").is_none()));
    }
}
