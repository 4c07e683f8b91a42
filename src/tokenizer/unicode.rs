//! What the reference knows of Unicode, which is several versions at once.
//!
//! Hugging Face's `tokenizers` takes general categories from Unicode 8 (the `unicode_categories`
//! crate, used here too), decompositions and combining classes from Unicode 9 and case from the
//! compiler. All three decide which ids a text has, so none is replaced by newer data.

use std::sync::OnceLock;

use unicode_categories::UnicodeCategories;
use unicode_normalization::char as nfd;

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
const TABLE_LEN: usize = 0x3100;

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
    bit(REMOVED, is_removed(c))
        | bit(SPACE, c.is_whitespace())
        | bit(PUNCTUATION, c.is_ascii_punctuation() || c.is_punctuation())
        | bit(MARK, c.is_mark_nonspacing())
        | bit(CJK, is_cjk(c))
        | bit(DECOMPOSES, decomposes(c))
        | bit(REORDERS, combining_class(c) != 0)
        | bit(UPPER, c.to_lowercase().ne([c]))
}

fn is_removed(c: char) -> bool {
    let kept = matches!(c, '\t' | '\n' | '\r');
    c == '\0' || c == '\u{fffd}' || (c.is_other() && !kept)
}

/// BERT's CJK ranges, with the reference's slip: U+2B920 where BERT's own code has U+2B820.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{2f800}'..='\u{2fa1f}')
}

fn decomposes(c: char) -> bool {
    let mut same = true;
    nfd::decompose_canonical(c, |part| same &= part == c);
    !same && !is_newer(c)
}

/// The canonical combining class; 0 for all that Unicode 9 did not know.
pub(super) fn combining_class(c: char) -> u8 {
    if is_newer(c) { 0 } else { nfd::canonical_combining_class(c) }
}

/// Calls `each` with the canonical decomposition of `c`.
pub(super) fn decompose(c: char, each: impl FnMut(char)) {
    nfd::decompose_canonical(c, each);
}

/// A letter, mark, digit, connector or joiner: what `\w` matches in a regular expression.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphabetic()
        || nfd::is_combining_mark(c)
        || c.is_number_decimal_digit()
        || c.is_punctuation_connector()
        || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether `c` got its decomposition or its combining class after Unicode 9.
fn is_newer(c: char) -> bool {
    let at = NEWER.partition_point(|&(_, last)| last < c);
    NEWER.get(at).is_some_and(|&(first, _)| first <= c)
}

/// What `unicode_normalization` decomposes or reorders and the reference does not, found by
/// asking both about every code point. As ranges, inclusive.
#[rustfmt::skip]
const NEWER: [(char, char); 63] = [
    ('\u{5c8}', '\u{5c9}'), ('\u{7fd}', '\u{7fd}'), ('\u{897}', '\u{89f}'),
    ('\u{8ca}', '\u{8d3}'), ('\u{9fe}', '\u{9fe}'), ('\u{c3c}', '\u{c3c}'),
    ('\u{d3b}', '\u{d3c}'), ('\u{eba}', '\u{eba}'), ('\u{1715}', '\u{1715}'),
    ('\u{1abf}', '\u{1af0}'), ('\u{1df6}', '\u{1dfa}'), ('\u{a82c}', '\u{a82c}'),
    ('\u{105c9}', '\u{105c9}'), ('\u{105e4}', '\u{105e4}'), ('\u{10d24}', '\u{10d27}'),
    ('\u{10d69}', '\u{10d6d}'), ('\u{10eab}', '\u{10eac}'), ('\u{10ecb}', '\u{10ecf}'),
    ('\u{10ef0}', '\u{10efb}'), ('\u{10efd}', '\u{10eff}'), ('\u{10f46}', '\u{10f50}'),
    ('\u{10f82}', '\u{10f85}'), ('\u{11070}', '\u{11070}'), ('\u{1133b}', '\u{1133b}'),
    ('\u{11383}', '\u{11383}'), ('\u{11385}', '\u{11385}'), ('\u{1138e}', '\u{1138e}'),
    ('\u{11391}', '\u{11391}'), ('\u{113c5}', '\u{113c5}'), ('\u{113c7}', '\u{113c8}'),
    ('\u{113ce}', '\u{113d0}'), ('\u{1145e}', '\u{1145e}'), ('\u{11839}', '\u{1183a}'),
    ('\u{11938}', '\u{11938}'), ('\u{1193d}', '\u{1193e}'), ('\u{11943}', '\u{11943}'),
    ('\u{119e0}', '\u{119e0}'), ('\u{11a34}', '\u{11a34}'), ('\u{11a47}', '\u{11a47}'),
    ('\u{11a99}', '\u{11a99}'), ('\u{11d42}', '\u{11d42}'), ('\u{11d44}', '\u{11d45}'),
    ('\u{11d97}', '\u{11d97}'), ('\u{11f41}', '\u{11f42}'), ('\u{16121}', '\u{16128}'),
    ('\u{1612f}', '\u{1612f}'), ('\u{16d68}', '\u{16d6a}'), ('\u{16ff0}', '\u{16ff1}'),
    ('\u{1d127}', '\u{1d128}'), ('\u{1d250}', '\u{1d252}'), ('\u{1d25b}', '\u{1d25c}'),
    ('\u{1d25f}', '\u{1d25f}'), ('\u{1d280}', '\u{1d281}'), ('\u{1e08f}', '\u{1e08f}'),
    ('\u{1e130}', '\u{1e136}'), ('\u{1e2ae}', '\u{1e2ae}'), ('\u{1e2ec}', '\u{1e2ef}'),
    ('\u{1e4ec}', '\u{1e4ef}'), ('\u{1e5ee}', '\u{1e5ef}'), ('\u{1e6e3}', '\u{1e6e3}'),
    ('\u{1e6e6}', '\u{1e6e6}'), ('\u{1e6ee}', '\u{1e6ef}'), ('\u{1e6f5}', '\u{1e6f5}'),
];
