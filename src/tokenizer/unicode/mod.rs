//! What the reference knows of Unicode, which is several versions at once.
//!
//! Hugging Face's `tokenizers` takes general categories from Unicode 8, decompositions and
//! combining classes from Unicode 9 and case from the compiler. All three decide which ids a text
//! has, so none is replaced by newer data. `tables` holds the data that the compiler has not. It takes
//! 19 kB less of a compressed wasm module than the crates with such tables.

#[cfg(feature = "tokenizers")]
pub(super) mod categories;
mod tables;

use std::sync::OnceLock;

use tables::{
    CLASSES, DECOMPOSITIONS, MARKS, PUNCTUATION as PUNCTUATIONS, REMOVED as REMOVALS, ZEROS,
};

/// Properties of a code point, as bits.
pub(super) type Flags = u8;

/// `clean_text` drops it: NUL, U+FFFD and the categories Cc, Cf, Co.
pub(super) const REMOVED: Flags = 1;
/// White_Space: where words are split.
pub(super) const SPACE: Flags = 1 << 1;
/// A word by itself: every ASCII symbol, and the categories P*.
pub(super) const PUNCTUATION: Flags = 1 << 2;
/// Category Mn: an accent that is stripped.
pub(super) const MARK: Flags = 1 << 3;
/// An ideograph that becomes a word by itself.
pub(super) const CJK: Flags = 1 << 4;
/// Has a canonical decomposition.
pub(super) const DECOMPOSES: Flags = 1 << 5;
/// Its canonical combining class is not 0: the order of such marks is normalised.
pub(super) const REORDERS: Flags = 1 << 6;
/// Has a lower case of its own.
pub(super) const UPPER: Flags = 1 << 7;

/// Everything below is looked up in a table: up to here are the alphabets, the punctuation and
/// the kana.
pub(super) const TABLE_LEN: usize = 0x3100;

/// The properties of `c`.
#[inline]
pub(super) fn flags(c: char) -> Flags {
    static TABLE: OnceLock<Box<[Flags]>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        (0..TABLE_LEN as u32).map(|c| char::from_u32(c).map_or(0, look_up)).collect()
    });
    match table.get(c as usize) {
        Some(&flags) => flags,
        None => match c {
            '\u{4e00}'..='\u{9fff}' => CJK,
            '\u{ac00}'..='\u{d7a3}' => DECOMPOSES,
            _ => look_up(c),
        },
    }
}

/// The properties of `c`, from the tables they are defined by.
fn look_up(c: char) -> Flags {
    let bit = |flag, is| if is { flag } else { 0 };
    bit(REMOVED, contains(&REMOVALS, c))
        | bit(SPACE, c.is_whitespace())
        | bit(PUNCTUATION, contains(&PUNCTUATIONS, c))
        | bit(MARK, contains(&MARKS, c))
        | bit(CJK, is_cjk(c))
        | bit(DECOMPOSES, is_hangul(c) || decomposition(c).is_some())
        | bit(REORDERS, combining_class(c) != 0)
        | bit(UPPER, c.to_lowercase().ne([c]))
}

/// Whether `c` is in one of the ranges, which are in order.
pub(super) fn contains(ranges: &[(char, char)], c: char) -> bool {
    let at = ranges.partition_point(|&(_, last)| last < c);
    ranges.get(at).is_some_and(|&(first, _)| first <= c)
}

/// BERT's CJK ranges, with the reference's slip: U+2B920 where BERT's own code has U+2B820.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{2f800}'..='\u{2fa1f}')
}

/// A syllable of jamo, which is decomposed by arithmetic.
fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// The canonical combining class.
pub(super) fn combining_class(c: char) -> u8 {
    let at = CLASSES.partition_point(|&(_, last, _)| last < c);
    CLASSES.get(at).filter(|(first, ..)| *first <= c).map_or(0, |&(.., class)| class)
}

/// Calls `each` with the canonical decomposition of `c`.
pub(super) fn decompose(c: char, each: impl FnMut(char)) {
    if is_hangul(c) {
        // The Unicode Standard, 3.12: 19 leading, 21 vowel and 28 trailing jamo, the first of
        // them none.
        let at = c as u32 - 0xac00;
        let (leading, vowel, trailing) = (at / (21 * 28), at / 28 % 21, at % 28);
        let jamo = [0x1100 + leading, 0x1161 + vowel, 0x11a7 + trailing];
        let len = if trailing == 0 { 2 } else { 3 };
        jamo.into_iter().take(len).filter_map(char::from_u32).for_each(each);
    } else {
        decomposition(c).unwrap_or_default().chars().for_each(each);
    }
}

/// The canonical decomposition of all but Hangul; `None` for what has none.
fn decomposition(c: char) -> Option<&'static str> {
    find(canonical(), c)
}

/// Characters and what they become, in order.
pub(super) type Lines = Vec<(char, &'static str)>;

pub(super) fn canonical() -> &'static Lines {
    static LINES: OnceLock<Lines> = OnceLock::new();
    LINES.get_or_init(|| split(DECOMPOSITIONS))
}

pub(super) fn split(lines: &'static str) -> Lines {
    let split = |line: &'static str| {
        let mut rest = line.chars();
        rest.next().map(|c| (c, rest.as_str()))
    };
    lines.lines().filter_map(split).collect()
}

pub(super) fn find(lines: &Lines, c: char) -> Option<&'static str> {
    let at = lines.binary_search_by_key(&c, |&(c, _)| c).ok()?;
    lines.get(at).map(|&(_, parts)| parts)
}

/// A letter, mark, digit, connector or joiner: what `\w` matches in a regular expression.
pub(super) fn is_word(c: char) -> bool {
    let is_connector = matches!(
        c,
        '_' | '\u{203f}' | '\u{2040}' | '\u{2054}' | '\u{fe33}' | '\u{fe34}' | '\u{fe4d}'
            ..='\u{fe4f}' | '\u{ff3f}'
    );
    let is_enclosing = matches!(c, '\u{488}' | '\u{489}' | '\u{1abe}' | '\u{20dd}'..='\u{20e0}'
        | '\u{20e2}'..='\u{20e4}' | '\u{a670}'..='\u{a672}');
    let is_joiner = matches!(c, '\u{200c}' | '\u{200d}');
    c.is_alphabetic()
        || flags(c) & (MARK | REORDERS) != 0
        || is_digit(c)
        || is_connector
        || is_enclosing
        || is_joiner
}

/// A decimal digit of any script: each has ten in a row.
pub(super) fn is_digit(c: char) -> bool {
    let at = ZEROS.partition_point(|&(zero, _)| zero <= c);
    let zero = at.checked_sub(1).and_then(|at| ZEROS.get(at));
    zero.is_some_and(|&(zero, _)| c as u32 - zero as u32 <= 9)
}
