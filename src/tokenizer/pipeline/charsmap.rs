//! Sentencepiece's normalizer: a trie of texts and their replacements.

use crate::error::fault;
use unicode_segmentation::UnicodeSegmentation;

use super::edits::Edit;
use crate::Result;

/// Clusters with fewer bytes are looked up as a whole.
const CLUSTER: usize = 6;

/// Combining marks that are new in Unicode 17. The reference uses Unicode 16, so they begin a new
/// cluster.
const NEWER: [(char, char); 2] = [('\u{1acf}', '\u{1add}'), ('\u{1ae0}', '\u{1aeb}')];

/// A `precompiled_charsmap`.
#[derive(Debug, Clone)]
pub(super) struct Charsmap {
    /// A double array. Of each unit, 8 bits are a byte, 1 bit marks the end of a text, and the
    /// others are an offset.
    trie: Vec<u32>,
    /// The replacements, each terminated by NUL.
    texts: String,
    /// The ASCII characters that never change, regardless of their neighbours.
    kept: [bool; 128],
}

impl Charsmap {
    /// Reads the charsmap of a `tokenizer.json`. It is base64 with the length of the trie, the trie
    /// and the texts. Numbers are little-endian.
    pub(super) fn new(base64: &str) -> Result<Self> {
        let damaged = || {
            fault!(
                BadTokenizer,
                "tokenizer.json: the precompiled_charsmap of the normalizer is damaged",
                file = "tokenizer.json",
                item = "the precompiled_charsmap of the normalizer",
            )
        };
        decode(base64).and_then(|bytes| Self::of_bytes(&bytes)).ok_or_else(damaged)
    }

    /// Reads the bytes that a `tokenizer.json` encodes as base64; `None` if they are damaged.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (len, rest) = bytes.split_first_chunk()?;
        let (trie, texts) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        let words = trie.chunks_exact(4).map(|word| word.try_into().map(u32::from_le_bytes));
        let mut new = Self {
            trie: words.collect::<std::result::Result<_, _>>().ok()?,
            texts: String::from_utf8(texts.to_vec()).ok()?,
            kept: [false; 128],
        };
        // CR and LF form one cluster.
        let keeps = |c: u8| c != b'\r' && new.get(char::from(c).encode_utf8(&mut [0; 4])).is_none();
        new.kept = std::array::from_fn(|c| keeps(c as u8));
        Some(new)
    }

    /// Returns `true` only if `text` does not change.
    pub(super) fn keeps(&self, text: &str) -> bool {
        if text.is_ascii() {
            return text.bytes().all(|byte| self.keeps_byte(byte));
        }
        // A cluster changes only if it begins with a text of the trie, or if one of its characters
        // is such a text.
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let next = rest.as_str().chars().next().filter(|next| !next.is_ascii());
            let stays = match next {
                _ if !c.is_ascii() => !self.goes_on([c]),
                _ if !self.keeps_byte(c as u8) => false,
                // A kept ASCII character alone does not change, but the trie may have it with the
                // next character.
                Some(next) => !self.goes_on([c, next]),
                None => true,
            };
            if !stays {
                return false;
            }
        }
        true
    }

    /// Returns whether a text of the trie may begin with these characters, or the characters with a
    /// text.
    fn goes_on<const N: usize>(&self, characters: [char; N]) -> bool {
        let Some(&first) = self.trie.first() else { return false };
        let mut at = offset(first);
        let mut buffer = [0; 4];
        for c in characters {
            for &byte in c.encode_utf8(&mut buffer).as_bytes() {
                at ^= u32::from(byte);
                let Some(&unit) = self.trie.get(at as usize) else { return false };
                if byte == 0 || unit & 0x8000_00ff != u32::from(byte) {
                    return false;
                }
                if unit >> 8 & 1 == 1 {
                    return true;
                }
                at ^= offset(unit);
            }
        }
        true
    }

    /// Returns the edits of the characters of `text`; `None` if nothing changes.
    pub(super) fn edits(&self, text: &str) -> Option<Vec<Edit>> {
        let mut edits = Vec::with_capacity(text.len());
        let (mut changed, mut rest) = (false, text);
        while !rest.is_empty() {
            // A cluster ends between two ASCII characters, unless they are CR and LF.
            let stays = |pair: &&[u8]| self.keeps_byte(pair[0]) && pair[1].is_ascii();
            let plain = rest.as_bytes().windows(2).take_while(stays).count();
            edits.extend(rest[..plain].chars().map(|c| (c, 0)));
            rest = &rest[plain..];
            let mut places = rest.as_bytes().windows(3);
            let ends = |place: &[u8]| {
                let [before, first, second] = [place[0], place[1], place[2]];
                before.is_ascii() && before != b'\r' && self.keeps_byte(first) && second.is_ascii()
            };
            let end = places.position(ends).map_or(rest.len(), |at| at + 1);
            for cluster in clusters(&rest[..end]) {
                changed |= self.edit(cluster, &mut edits);
            }
            rest = &rest[end..];
        }
        changed.then_some(edits)
    }

    /// Returns whether the byte is ASCII and never changes.
    fn keeps_byte(&self, byte: u8) -> bool {
        self.kept.get(usize::from(byte)) == Some(&true)
    }

    /// Appends the edits of a cluster. Returns whether anything changes.
    fn edit(&self, cluster: &str, edits: &mut Vec<Edit>) -> bool {
        let whole = if cluster.len() < CLUSTER { self.get(cluster) } else { None };
        if let Some(by) = whole {
            replace(edits, cluster, by);
            return true;
        }
        let mut changed = false;
        let mut buffer = [0; 4];
        for c in cluster.chars() {
            match self.get(c.encode_utf8(&mut buffer)) {
                Some(by) => {
                    changed = true;
                    replace(edits, &*c.encode_utf8(&mut buffer), by);
                }
                None => edits.push((c, 0)),
            }
        }
        changed
    }

    /// Returns the replacement of `text`. The trie's shortest text at the start of `text` decides.
    fn get(&self, text: &str) -> Option<&str> {
        let mut at = offset(*self.trie.first()?);
        for byte in text.bytes() {
            at ^= u32::from(byte);
            let unit = *self.trie.get(at as usize)?;
            // The label of an inner unit has no sign bit.
            if byte == 0 || unit & 0x8000_00ff != u32::from(byte) {
                return None;
            }
            at ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let start = self.trie.get(at as usize)? & 0x7fff_ffff;
                return self.texts.get(start as usize..)?.split('\0').next();
            }
        }
        None
    }
}

/// Returns the offset from a unit's index to its followers. If bit 9 is set, the offset is a
/// multiple of 256.
fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & (1 << 9)) >> 6)
}

/// Returns the extended grapheme clusters of a text as in the reference.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let is_newer = |c: char| NEWER.iter().any(|&(first, last)| (first..=last).contains(&c));
    text.graphemes(true).flat_map(move |mut rest| {
        std::iter::from_fn(move || {
            let next = rest.char_indices().skip(1).find(|&(_, c)| is_newer(c));
            let (cluster, after) = rest.split_at(next.map_or(rest.len(), |(at, _)| at));
            rest = after;
            (!cluster.is_empty()).then_some(cluster)
        })
    })
}

/// Appends `by` as the replacement of `old`, character for character. Surplus characters of `by`
/// are new. If `by` is shorter, its last character replaces several. If `by` is empty, the previous
/// character replaces them, as in the reference.
fn replace(edits: &mut Vec<Edit>, old: &str, by: &str) {
    let more = by.chars().count() as i32 - old.chars().count() as i32;
    edits.extend(by.chars().map(|c| (c, 0)));
    if more > 0 {
        edits.iter_mut().rev().take(more as usize).for_each(|(_, change)| *change = 1);
    } else if let Some((_, change)) = edits.last_mut() {
        *change += more;
    }
}

/// Decodes base64; `None` if the text is invalid.
fn decode(base64: &str) -> Option<Vec<u8>> {
    let text = base64.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for chunk in text.chunks(4) {
        let mut bits = 0;
        for &c in chunk {
            let six = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(six);
        }
        bits <<= 6 * (4 - chunk.len());
        bytes.extend_from_slice(bits.to_be_bytes().get(1..chunk.len())?);
    }
    Some(bytes)
}
