//! The Unicode data of the reference, which mixes several versions of Unicode.
//!
//! Hugging Face's `tokenizers` takes general categories from Unicode 8, decompositions and
//! combining classes from Unicode 9, and case from the compiler. All three affect the ids of a
//! text, so none may be replaced by newer data. `packed` and `tables` hold the data. A compressed
//! wasm module is 22 kB smaller than with crates for such tables and the compiler's lower case.

#[cfg(feature = "tokenizers")]
pub(super) mod categories;
mod packed;
mod tables;

use std::sync::OnceLock;

use packed::DECOMPOSITIONS;
use tables::ZEROS;

/// Properties of a code point, as bits.
pub(super) type Flags = u8;

/// Removed by `clean_text`: NUL, U+FFFD and the categories Cc, Cf, Co.
pub(super) const REMOVED: Flags = 1;
/// White_Space. Words are split here.
pub(super) const SPACE: Flags = 1 << 1;
/// A separate word: every ASCII symbol, and the categories P*.
pub(super) const PUNCTUATION: Flags = 1 << 2;
/// Category Mn: an accent that can be removed.
pub(super) const MARK: Flags = 1 << 3;
/// An ideograph that becomes a separate word.
pub(super) const CJK: Flags = 1 << 4;
/// Has a canonical decomposition.
pub(super) const DECOMPOSES: Flags = 1 << 5;
/// Its canonical combining class is not 0, so its order is normalised.
pub(super) const REORDERS: Flags = 1 << 6;
/// Has a different lower case.
pub(super) const UPPER: Flags = 1 << 7;

/// Code points below this are looked up in a table. They include the alphabets, the punctuation and
/// the kana.
pub(super) const TABLE_LEN: usize = 0x3100;

/// Returns the properties of `c`.
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

/// The first and the last character of a run, and a value.
type Run = (u32, u32, u32);

/// The numbers of a table, with seven bits per byte, lowest bits first. A byte of 128 or more is
/// not the last one of a number.
struct Numbers(&'static [u8]);

impl Iterator for Numbers {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let len = self.0.iter().position(|&byte| byte < 128)? + 1;
        let (number, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(number.iter().rev().fold(0, |number, &byte| number << 7 | u32::from(byte & 127)))
    }
}

/// Reads the runs of a table. For each run, the table has the distance from the end of the previous
/// run, the length minus one, and a value if the table has values.
struct Runs {
    numbers: Numbers,
    has_values: bool,
    end: u32,
}

impl Runs {
    fn read(bytes: &'static [u8], has_values: bool) -> Vec<Run> {
        Self { numbers: Numbers(bytes), has_values, end: 0 }.collect()
    }
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let first = self.end + self.numbers.next()?;
        self.end = first + self.numbers.next()?;
        let value = if self.has_values { self.numbers.next()? } else { 0 };
        Some((first, self.end, value))
    }
}

/// The tables of runs.
struct Tables {
    removed: Vec<Run>,
    punctuation: Vec<Run>,
    marks: Vec<Run>,
    classes: Vec<Run>,
    lower: Vec<Run>,
}

impl Tables {
    fn get() -> &'static Self {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| Self {
            removed: Runs::read(packed::REMOVED, false),
            punctuation: Runs::read(packed::PUNCTUATION, false),
            marks: Runs::read(packed::MARKS, false),
            classes: Runs::read(packed::CLASSES, true),
            lower: Runs::read(packed::LOWER, true),
        })
    }
}

/// Returns the run that contains `c`. The runs must be in order.
fn run_of(runs: &[Run], c: char) -> Option<&Run> {
    let c = c as u32;
    let at = runs.partition_point(|&(_, last, _)| last < c);
    runs.get(at).filter(|&&(first, ..)| first <= c)
}

/// Returns the properties of `c` from the tables that define them.
fn look_up(c: char) -> Flags {
    let bit = |flag, is| if is { flag } else { 0 };
    let tables = Tables::get();
    bit(REMOVED, run_of(&tables.removed, c).is_some())
        | bit(SPACE, c.is_whitespace())
        | bit(PUNCTUATION, run_of(&tables.punctuation, c).is_some())
        | bit(MARK, run_of(&tables.marks, c).is_some())
        | bit(CJK, is_cjk(c))
        | bit(DECOMPOSES, is_hangul(c) || decomposition(c).is_some())
        | bit(REORDERS, combining_class(c) != 0)
        | bit(UPPER, c == DOTTED_I || lower_one(c) != c)
}

/// The only character whose lower case has two characters: i and a dot above.
const DOTTED_I: char = '\u{130}';

/// Calls `each` with the lower case of `c`. It does not depend on the neighbouring characters.
pub(crate) fn lower(c: char, mut each: impl FnMut(char)) {
    if c == DOTTED_I {
        each('i');
        each('\u{307}');
    } else {
        each(lower_one(c));
    }
}

/// Returns the lower case of any character except `DOTTED_I`.
fn lower_one(c: char) -> char {
    let Some(&(first, _, value)) = run_of(&Tables::get().lower, c) else { return c };
    // Bit 0: only every second character of the run is upper case. Bit 1: the distance is negative.
    let (of_two, is_negative, by) = (value & 1, value & 2 != 0, value >> 2);
    let c32 = c as u32;
    if (c32 - first) & of_two != 0 {
        return c;
    }
    let lower = if is_negative { c32 - by } else { c32 + by };
    char::from_u32(lower).unwrap_or(c)
}

/// Returns whether `c` is in one of the ranges. The ranges must be in order.
#[cfg(feature = "tokenizers")]
pub(super) fn contains(ranges: &[(char, char)], c: char) -> bool {
    let at = ranges.partition_point(|&(_, last)| last < c);
    ranges.get(at).is_some_and(|&(first, _)| first <= c)
}

/// Returns whether `c` is in BERT's CJK ranges, with an error of the reference: U+2B920 instead of
/// U+2B820.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{2f800}'..='\u{2fa1f}')
}

/// Returns whether `c` is a Hangul syllable, which is decomposed by arithmetic.
fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// Returns the canonical combining class.
pub(super) fn combining_class(c: char) -> u8 {
    run_of(&Tables::get().classes, c).map_or(0, |&(.., class)| class as u8)
}

/// Calls `each` with the canonical decomposition of `c`.
pub(super) fn decompose(c: char, each: impl FnMut(char)) {
    if is_hangul(c) {
        // The Unicode Standard, 3.12: 19 leading, 21 vowel and 28 trailing jamo. The first trailing
        // index means no trailing jamo.
        let at = c as u32 - 0xac00;
        let (leading, vowel, trailing) = (at / (21 * 28), at / 28 % 21, at % 28);
        let jamo = [0x1100 + leading, 0x1161 + vowel, 0x11a7 + trailing];
        let len = if trailing == 0 { 2 } else { 3 };
        jamo.into_iter().take(len).filter_map(char::from_u32).for_each(each);
    } else {
        decomposition(c).unwrap_or_default().chars().for_each(each);
    }
}

/// Returns the canonical decomposition of any character except Hangul; `None` if it has none.
fn decomposition(c: char) -> Option<&'static str> {
    find(canonical(), c)
}

/// Characters and their decompositions, in order.
pub(super) type Lines = Vec<(char, &'static str)>;

pub(super) fn canonical() -> &'static Lines {
    static TEXT: OnceLock<String> = OnceLock::new();
    static LINES: OnceLock<Lines> = OnceLock::new();
    LINES.get_or_init(|| split(TEXT.get_or_init(|| unpacked(DECOMPOSITIONS))))
}

/// Returns one line per character with its decomposition. See scripts/pack_unicode_tables.py.
fn unpacked(bytes: &'static [u8]) -> String {
    let mut numbers = Numbers(bytes);
    let (mut text, mut c, mut parts) = (String::new(), 0, [0u32; 4]);
    while let Some(head) = numbers.next() {
        c += head >> 2;
        text.extend(char::from_u32(c));
        for part in &mut parts[..(head as usize & 3) + 1] {
            let by = numbers.next().unwrap_or_default();
            *part = part.wrapping_add(by >> 1 ^ (by & 1).wrapping_neg());
            text.extend(char::from_u32(*part));
        }
        text.push('\n');
    }
    text
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

/// Returns whether `\w` matches the character in a regular expression: a letter, mark, digit,
/// connector or joiner.
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

/// Returns whether the character is a decimal digit of any script. Each script has ten consecutive
/// digits.
pub(super) fn is_digit(c: char) -> bool {
    let at = ZEROS.partition_point(|&(zero, _)| zero <= c);
    let zero = at.checked_sub(1).and_then(|at| ZEROS.get(at));
    zero.is_some_and(|&(zero, _)| c as u32 - zero as u32 <= 9)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{Run, Tables, UPPER, canonical, look_up, lower, split};

    #[test]
    fn packed_tables_are_those_of_data() {
        let tables = Tables::get();
        for (runs, text) in [
            (&tables.removed, include_str!("data/removed.txt")),
            (&tables.punctuation, include_str!("data/punctuation.txt")),
            (&tables.marks, include_str!("data/marks.txt")),
            (&tables.classes, include_str!("data/classes.txt")),
        ] {
            let number = |hex: &str| u32::from_str_radix(hex, 16).unwrap();
            let expected: Vec<Run> = text
                .lines()
                .map(|line| {
                    let (span, value) = line.split_once(' ').unwrap_or((line, "0"));
                    let (first, last) = span.split_once("..").unwrap_or((span, span));
                    (number(first), number(last), value.parse().unwrap())
                })
                .collect();
            assert_eq!(*runs, expected);
        }
        assert_eq!(*canonical(), split(include_str!("data/decompositions.txt")));
    }

    #[test]
    fn lower_case_is_the_compilers() {
        for c in '\0'..=char::MAX {
            let mut found = String::new();
            lower(c, |c| found.push(c));
            let expected: String = c.to_lowercase().collect();
            assert_eq!(found, expected, "U+{:04X}; run scripts/pack_unicode_tables.py", c as u32);
            assert_eq!(look_up(c) & UPPER != 0, expected != c.to_string(), "U+{:04X}", c as u32);
        }
    }
}
