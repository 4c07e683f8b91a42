//! The vocabulary. All token texts are in one string and can be found by id or by hash.
//!
//! A `String` and a map entry per token would cost several megabytes and most of the loading time
//! for a checkpoint of 120,000 tokens.

use crate::{Error, Result};

/// Ids from this value on are rejected as damage. No vocabulary in use has a million tokens, and
/// the table of ids is as long as the largest id.
const MAX_ID: u32 = 1 << 22;

/// The start of an id without a token.
const HOLE: u32 = u32::MAX;

/// FNV-1a over bytes. The hash is extended byte by byte, so one pass over a word returns the hashes
/// of all its prefixes. The hash of every continuing piece starts from the hash of `##`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hash(u64);

impl Hash {
    /// The hash of zero bytes.
    pub(super) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Returns the hash with another byte at the end.
    #[inline]
    pub(super) fn push(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// Returns the hash of `bytes`.
    pub(super) fn of(bytes: &[u8]) -> Self {
        bytes.iter().fold(Self::EMPTY, |hash, &byte| hash.push(byte))
    }

    /// Returns the index for a table whose size is a power of two, in the lower bits.
    #[inline]
    pub(super) fn place(self) -> usize {
        self.mixed() as usize
    }

    /// Returns bits that distinguish entries with the same index.
    #[inline]
    pub(super) fn tag(self) -> u32 {
        (self.mixed() >> 32) as u32
    }

    /// Returns the hash with all bits mixed. With FNV alone, the upper bits are poor for short
    /// words.
    #[inline]
    fn mixed(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }
}

/// A slot of the hash table. It is free if `id` is [`HOLE`].
#[derive(Clone, Copy, Debug)]
struct HashEntry {
    /// The bits of the hash that are not used by the slot's index. Equal tags almost always mean a
    /// match.
    tag: u32,
    id: u32,
}

/// Token texts by id, and ids by token text.
#[derive(Debug, Clone)]
pub(super) struct Vocab {
    arena: String,
    /// For each id, the start and the length in bytes of `arena`.
    ranges: Vec<(u32, u32)>,
    /// A hash table with open addressing. Its size is a power of two, and at most half of it is
    /// used.
    slots: Vec<HashEntry>,
    longest: usize,
}

impl Vocab {
    /// Returns the id of `prefix` followed by `rest`. `hash` is the hash of both together.
    #[inline]
    pub(super) fn find(&self, hash: Hash, prefix: &[u8], rest: &[u8]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mixed = hash.mixed();
        let tag = (mixed >> 32) as u32;
        let mut at = mixed as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id == HOLE {
                return None;
            }
            if slot.tag == tag {
                let (start, len) = self.ranges[slot.id as usize];
                let text = &self.arena.as_bytes()[start as usize..(start + len) as usize];
                if text.strip_prefix(prefix) == Some(rest) {
                    return Some(slot.id);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Returns the id of a token.
    pub(super) fn id(&self, token: &str) -> Option<u32> {
        self.find(Hash::of(token.as_bytes()), b"", token.as_bytes())
    }

    /// Returns the text of an id.
    pub(super) fn token(&self, id: u32) -> Option<&str> {
        let &(start, len) = self.ranges.get(id as usize).filter(|range| range.0 != HOLE)?;
        self.arena.get(start as usize..(start + len) as usize)
    }

    /// Returns all tokens with their ids, ordered by id.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, u32)> {
        (0..self.ranges.len() as u32).filter_map(|id| Some((self.token(id)?, id)))
    }

    /// Returns the largest id plus one.
    pub(super) fn size(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the number of distinct tokens.
    pub(super) fn count(&self) -> usize {
        self.slots.iter().filter(|slot| slot.id != HOLE).count()
    }

    /// Returns the length of the longest token in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }
}

/// Collects tokens in any order and builds a [`Vocab`].
#[derive(Debug, Default)]
pub(super) struct VocabBuilder {
    arena: String,
    ranges: Vec<(u32, u32)>,
    count: usize,
}

impl VocabBuilder {
    /// Reserves memory for about `bytes` of text.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            arena: String::with_capacity(bytes),
            ranges: Vec::with_capacity(bytes / 8),
            count: 0,
        }
    }

    /// Adds a token. If an id is repeated, the later text is kept.
    pub(super) fn insert(&mut self, token: &str, id: u32) -> Result<()> {
        if id >= MAX_ID {
            return Err(Error::BadTokenizer(format!(
                "the vocabulary gives {token:?} the id {id}; ids of {MAX_ID} and more are not possible"
            )));
        }
        let too_long = |_| Error::BadTokenizer("the vocabulary is longer than 4 GB".into());
        let start = u32::try_from(self.arena.len()).map_err(too_long)?;
        self.arena.push_str(token);
        u32::try_from(self.arena.len()).map_err(too_long)?;
        if self.ranges.len() <= id as usize {
            self.ranges.resize(id as usize + 1, (HOLE, 0));
        }
        self.ranges[id as usize] = (start, token.len() as u32);
        self.count += 1;
        Ok(())
    }

    /// Builds the hash table. If a text has several ids, the largest one is found, as for the line
    /// numbers of a `vocab.txt`.
    pub(super) fn finish(self) -> Vocab {
        let free = HashEntry { tag: 0, id: HOLE };
        let slots = vec![free; (self.count * 2).next_power_of_two().max(2)];
        let mut vocab = Vocab { arena: self.arena, ranges: self.ranges, slots, longest: 0 };
        let mask = vocab.slots.len() - 1;
        for id in 0..vocab.ranges.len() as u32 {
            let (start, len) = vocab.ranges[id as usize];
            if start == HOLE {
                continue;
            }
            vocab.longest = vocab.longest.max(len as usize);
            let text = |(start, len): (u32, u32)| {
                &vocab.arena.as_bytes()[start as usize..(start + len) as usize]
            };
            let mixed = Hash::of(text((start, len))).mixed();
            let tag = (mixed >> 32) as u32;
            let mut at = mixed as usize & mask;
            loop {
                let slot = vocab.slots[at];
                let same = || text(vocab.ranges[slot.id as usize]) == text((start, len));
                if slot.id == HOLE || (slot.tag == tag && same()) {
                    break;
                }
                at = (at + 1) & mask;
            }
            vocab.slots[at] = HashEntry { tag, id };
        }
        vocab
    }
}
