//! The tables in `data/`, written by `scripts/unicode_tables.py`.
//!
//! In most files, a line is a code point or a range in hexadecimal, e.g. `300` or `300..314`,
//! followed by its value if the table has values. Lines are in order. They become arrays when the
//! crate is compiled, so no text is parsed at run time. `decompositions.txt` and `compatible.txt`
//! hold a character and its decomposition on each line, in the order of the characters. `packed`
//! holds the tables that are in every binary.

/// A table of inclusive ranges.
macro_rules! ranges {
    ($file:literal) => {{
        const TEXT: &[u8] = include_bytes!(concat!("data/", $file));
        const TABLE: [(char, char, u8); lines(TEXT)] = parse(TEXT);
        let mut ranges = [('\0', '\0'); TABLE.len()];
        let mut at = 0;
        while at < TABLE.len() {
            ranges[at] = (TABLE[at].0, TABLE[at].1);
            at += 1;
        }
        ranges
    }};
}

/// The digit 0 of every script, as ranges of one character.
pub(super) const ZEROS: [(char, char); 66] = ranges!("zeros.txt");

/// The categories L*.
#[cfg(feature = "tokenizers")]
pub(super) const LETTERS: [(char, char); 677] = ranges!("letters.txt");

/// The categories N*.
#[cfg(feature = "tokenizers")]
pub(super) const NUMBERS: [(char, char); 144] = ranges!("numbers.txt");

/// The categories M*.
#[cfg(feature = "tokenizers")]
pub(super) const ALL_MARKS: [(char, char); 250] = ranges!("all_marks.txt");

/// Characters that NFD decomposes and NFC does not compose.
#[cfg(feature = "tokenizers")]
pub(super) const NOT_COMPOSED: [(char, char); 73] = ranges!("not_composed.txt");

/// The compatibility decompositions that differ from the canonical ones.
#[cfg(feature = "tokenizers")]
pub(super) const COMPATIBLE: &str = include_str!("data/compatible.txt");

/// Returns the number of lines in `text`.
const fn lines(text: &[u8]) -> usize {
    let (mut at, mut lines) = (0, 0);
    while at < text.len() {
        if text[at] == b'\n' {
            lines += 1;
        }
        at += 1;
    }
    lines
}

/// Parses `N` lines `FIRST[..LAST][ VALUE]`, with code points in hexadecimal and the value in
/// decimal. Any other text fails the compilation.
const fn parse<const N: usize>(text: &[u8]) -> [(char, char, u8); N] {
    let mut table = [('\0', '\0', 0); N];
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        let (first, end) = number(text, at, 16);
        let (mut last, mut value) = (first, 0);
        at = end;
        if text[at] == b'.' {
            (last, at) = number(text, at + 2, 16);
        }
        if text[at] == b' ' {
            (value, at) = number(text, at + 1, 10);
        }
        assert!(text[at] == b'\n');
        table[line] = (character(first), character(last), value as u8);
        line += 1;
        at += 1;
    }
    assert!(line == N);
    table
}

/// Returns the number that begins at `text[at]`, and the position after it.
const fn number(text: &[u8], mut at: usize, radix: u32) -> (u32, usize) {
    let mut value = 0;
    while let Some(digit) = (text[at] as char).to_digit(radix) {
        value = value * radix + digit;
        at += 1;
    }
    (value, at)
}

const fn character(code: u32) -> char {
    let found = char::from_u32(code);
    assert!(found.is_some(), "not a character");
    let Some(character) = found else { return char::REPLACEMENT_CHARACTER };
    character
}

#[cfg(all(test, feature = "tokenizers"))]
mod tests {
    use super::*;

    /// An editor that normalizes characters would make both sides of a line equal.
    #[test]
    fn no_line_decomposes_a_character_to_itself() {
        for table in [include_str!("data/decompositions.txt"), COMPATIBLE] {
            let mut before = '\0';
            for line in table.lines() {
                let mut rest = line.chars();
                let character = rest.next().unwrap_or_default();
                assert_ne!(rest.as_str(), character.to_string());
                assert!(before < character, "{line}");
                before = character;
            }
        }
    }

    #[test]
    fn ranges_are_in_order() {
        let marks = ranges!("marks.txt");
        for table in [&marks[..], &ZEROS, &LETTERS, &NUMBERS, &ALL_MARKS, &NOT_COMPOSED] {
            assert!(table.iter().all(|(first, last)| first <= last));
            assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
        assert_eq!(ranges!("removed.txt")[1], ('\u{b}', '\u{c}'));
        assert_eq!(
            parse::<334>(include_bytes!("data/classes.txt"))[2],
            ('\u{316}', '\u{319}', 220)
        );
    }
}
