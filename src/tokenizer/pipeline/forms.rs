//! Unicode's normalisation forms, in the reference's version of Unicode.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::edits::Edit;
use crate::tokenizer::unicode::{self, DECOMPOSES, REORDERS, categories};

/// A normalisation form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// Whether characters are composed: NFC and NFKC.
    pub(super) composes: bool,
    /// Whether compatibility decompositions are used: NFKC and NFKD.
    pub(super) compatible: bool,
}

/// The canonical combining class of a decomposed character, and the character's edit.
type Part = (u8, Edit);

impl Form {
    /// Returns `true` only if `text` is already in this form.
    pub(super) fn keeps(self, text: &str) -> bool {
        // Characters below `end` never change in this form.
        let end = if self.composes && !self.compatible { '\u{300}' } else { '\u{80}' };
        text.is_ascii() || text.chars().all(|c| c < end || self.keeps_char(c))
    }

    /// Returns `true` only if the character keeps its value and position after any text in this
    /// form.
    fn keeps_char(self, c: char) -> bool {
        unicode::flags(c) & (DECOMPOSES | REORDERS) == 0
            && !(self.composes && may_be_second(c))
            && !(self.compatible && categories::compatible(c).is_some())
    }

    /// Returns the edits of the characters of `text`.
    pub(super) fn edits(self, text: &str) -> Vec<Edit> {
        let parts = self.decompose(text);
        if self.composes {
            compose(parts)
        } else {
            parts.into_iter().map(|(_, edit)| edit).collect()
        }
    }

    /// Returns the decomposed characters in canonical order.
    fn decompose(self, text: &str) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::with_capacity(text.len());
        // The start of the marks that are not sorted yet.
        let mut marks = 0;
        for c in text.chars() {
            let mut change = 0;
            let mut push = |c| {
                let is_mark = unicode::flags(c) & REORDERS != 0;
                let class = if is_mark { unicode::combining_class(c) } else { 0 };
                if !is_mark {
                    parts[marks..].sort_by_key(|&(class, _)| class);
                }
                parts.push((class, (c, change)));
                if !is_mark {
                    marks = parts.len();
                }
                change = 1;
            };
            if c.is_ascii() {
                push(c);
                continue;
            }
            match categories::compatible(c).filter(|_| self.compatible) {
                Some(compatible) => compatible.chars().for_each(push),
                None if unicode::flags(c) & DECOMPOSES != 0 => unicode::decompose(c, push),
                None => push(c),
            }
        }
        parts[marks..].sort_by_key(|&(class, _)| class);
        parts
    }
}

/// Composes characters. A mark is composed with the preceding starter if the pair has a
/// composition. No mark of the same or a higher class may be between them.
fn compose(parts: Vec<Part>) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::with_capacity(parts.len());
    // The index of the last starter, and the class of the last mark after it that was not composed.
    let (mut starter, mut last): (Option<usize>, Option<u8>) = (None, None);
    for (class, (c, change)) in parts {
        if let Some(at) = starter
            && last.is_none_or(|last| last < class)
            && let Some(both) = composed(edits[at].0, c)
        {
            edits[at] = (both, edits[at].1 + change - 1);
            continue;
        }
        if class == 0 {
            (starter, last) = (Some(edits.len()), None);
        } else if starter.is_some() {
            last = Some(class);
        }
        edits.push((c, change));
    }
    edits
}

/// Returns the composition of two characters.
fn composed(first: char, second: char) -> Option<char> {
    if !may_be_second(second) {
        return None;
    }
    static PAIRS: OnceLock<BTreeMap<(char, char), char>> = OnceLock::new();
    let pairs = PAIRS.get_or_init(pairs);
    hangul(first, second).or_else(|| pairs.get(&(first, second)).copied())
}

/// Returns whether the character may be the second one of a composition. For most characters, it is
/// false.
fn may_be_second(c: char) -> bool {
    match c {
        '\0'..'\u{300}' | '\u{2000}'..'\u{3099}' | '\u{309b}'..='\u{ffff}' | '\u{12000}'.. => false,
        '\u{300}'..'\u{900}' => unicode::flags(c) & REORDERS != 0,
        _ => true,
    }
}

/// Returns the syllable of two jamo, or of a syllable and its trailing jamo (the Unicode Standard,
/// 3.12).
fn hangul(first: char, second: char) -> Option<char> {
    let (first, second) = (first as u32, second as u32);
    let syllable = match (first, second) {
        (0x1100..=0x1112, 0x1161..=0x1175) => {
            0xac00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28
        }
        (0xac00..=0xd7a3, 0x11a8..=0x11c2) if (first - 0xac00).is_multiple_of(28) => {
            first + second - 0x11a7
        }
        _ => return None,
    };
    char::from_u32(syllable)
}

/// Builds the compositions from the decompositions. In a decomposition of more than two characters,
/// all but the last are the decomposition of another character.
fn pairs() -> BTreeMap<(char, char), char> {
    let mut whole = BTreeMap::new();
    for (c, parts) in categories::composable() {
        whole.insert(parts, c);
    }
    let pair = |(parts, &c): (&&str, &char)| {
        let (at, last) = parts.char_indices().next_back()?;
        let mut rest = parts[..at].chars();
        let first = match (rest.next()?, rest.next()) {
            (one, None) => one,
            _ => *whole.get(&parts[..at])?,
        };
        Some(((first, last), c))
    };
    whole.iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::{Form, hangul, may_be_second, pairs};

    #[test]
    fn what_composes_is_not_kept() {
        let nfc = Form { composes: true, compatible: false };
        for text in ["\u{9c7}\u{9be}", "\u{1100}\u{1161}", "e\u{301}"] {
            assert!(!nfc.keeps(text), "{text:?}");
            assert_eq!(nfc.edits(text).len(), 1, "{text:?}");
        }
        assert!(nfc.keeps("\u{e9}\u{436}\u{3042}\u{4e00}\u{1f600}"));
        assert!(!Form { compatible: true, ..nfc }.keeps("\u{fb01}"));
    }

    /// Covers all characters that are composed, including jamo.
    #[test]
    fn every_second_character_may_be_one() {
        let pairs = pairs();
        assert!(pairs.len() > 900, "{}", pairs.len());
        for &(_, second) in pairs.keys() {
            assert!(may_be_second(second), "{second:?}");
        }
        let jamo = ('\u{1161}'..='\u{11c2}')
            .filter(|&c| hangul('\u{1100}', c).or_else(|| hangul('\u{ac00}', c)).is_some());
        assert!(jamo.map(|c| assert!(may_be_second(c), "{c:?}")).count() > 40);
        assert!(!['a', '\u{e9}', '\u{430}', '\u{4e00}'].map(may_be_second).contains(&true));
    }
}
