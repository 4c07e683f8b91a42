//! Unicode's normalisation forms, of the version that the reference has.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::edits::Edit;
use crate::tokenizer::unicode::{self, DECOMPOSES, REORDERS, categories};

/// A normalisation form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// Characters are put together again: NFC and NFKC.
    pub(super) composes: bool,
    /// Also what only looks different is decomposed: NFKC and NFKD.
    pub(super) compatible: bool,
}

/// A character that is decomposed, and its canonical combining class.
type Part = (u8, Edit);

impl Form {
    /// Whether `text` is surely in this form already.
    pub(super) fn keeps(self, text: &str) -> bool {
        // Up to here there are only characters that NFC leaves alone.
        let end = if self.composes && !self.compatible { '\u{300}' } else { '\u{80}' };
        text.is_ascii() || text.chars().all(|c| c < end || self.keeps_char(c))
    }

    /// Whether neither the character changes nor its place, whatever stands before it that is in
    /// this form.
    fn keeps_char(self, c: char) -> bool {
        unicode::flags(c) & (DECOMPOSES | REORDERS) == 0
            && !(self.composes && may_be_second(c))
            && !(self.compatible && categories::compatible(c).is_some())
    }

    /// What becomes of the characters of `text`.
    pub(super) fn edits(self, text: &str) -> Vec<Edit> {
        let parts = self.decompose(text);
        if self.composes {
            compose(parts)
        } else {
            parts.into_iter().map(|(_, edit)| edit).collect()
        }
    }

    /// The decomposed characters in their canonical order.
    fn decompose(self, text: &str) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::with_capacity(text.len());
        // Where the marks begin whose order is not known yet.
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

/// Puts characters together: every mark with the starter before it, if there is a character for
/// both and no mark of its class or a higher one between them.
fn compose(parts: Vec<Part>) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::with_capacity(parts.len());
    // The last starter's place, and the class of the mark after it that was left.
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

/// The character for two.
fn composed(first: char, second: char) -> Option<char> {
    if !may_be_second(second) {
        return None;
    }
    static PAIRS: OnceLock<BTreeMap<(char, char), char>> = OnceLock::new();
    let pairs = PAIRS.get_or_init(pairs);
    hangul(first, second).or_else(|| pairs.get(&(first, second)).copied())
}

/// Whether there may be a character for this one and another before it: for most there is not.
fn may_be_second(c: char) -> bool {
    match c {
        '\0'..'\u{300}' | '\u{2000}'..'\u{3099}' | '\u{309b}'..='\u{ffff}' | '\u{12000}'.. => false,
        '\u{300}'..'\u{900}' => unicode::flags(c) & REORDERS != 0,
        _ => true,
    }
}

/// The syllable of two jamo, or of a syllable without its trailing jamo and that: the Unicode
/// Standard, 3.12.
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

/// The characters that two make, from the decompositions: all but the last part of one is that of
/// another.
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

    /// Of all characters that are composed, jamo too.
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
