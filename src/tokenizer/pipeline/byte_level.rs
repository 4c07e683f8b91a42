//! ByteLevel. Text is split into words as in GPT-2, and each byte is written as a character.

use std::ops::Range;

use crate::tokenizer::{
    unicode::categories::{Class, class},
    vocab::Vocab,
};

/// The first character for bytes that are not visible Latin-1 characters.
const SHIFTED: u32 = 0x100;

/// Returns the character for a byte.
pub(super) const fn char_of(byte: u8) -> char {
    match byte {
        b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => byte as char,
        // The other bytes, in order, start at U+0100.
        0..=b' ' => shifted(byte as u32),
        0x7f..=0xa0 => shifted(byte as u32 - 0x7f + 0x21),
        0xad => shifted(0x43),
    }
}

const fn shifted(at: u32) -> char {
    match char::from_u32(SHIFTED + at) {
        Some(c) => c,
        None => char::REPLACEMENT_CHARACTER,
    }
}

/// Returns the byte for a character.
pub(super) fn byte_of(c: char) -> Option<u8> {
    match c as u32 {
        code @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => Some(code as u8),
        code @ SHIFTED..=0x120 => Some((code - SHIFTED) as u8),
        code @ 0x121..=0x142 => Some((code - 0x121 + 0x7f) as u8),
        0x143 => Some(0xad),
        _ => None,
    }
}

/// Returns whether a vocabulary has the characters for all bytes.
pub(super) fn all_in(vocab: &Vocab) -> bool {
    let mut buffer = [0; 4];
    (0..=255).all(|byte| vocab.id(char_of(byte).encode_utf8(&mut buffer)).is_some())
}

/// The character for the space.
pub(super) const SPACE: char = char_of(b' ');

/// Returns the words of a text in order. Together they cover the whole text. They are the matches
/// of GPT-2's pattern `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let word = start..start + word_len(rest);
        start = word.end;
        Some(word)
    })
}

/// Returns the length in bytes of the first word of `text`, which must not be empty.
fn word_len(text: &str) -> usize {
    if let Some(len) = contraction(text.as_bytes()) {
        return len;
    }
    let space = usize::from(text.starts_with(' '));
    match text[space..].chars().next().map(class) {
        Some(first) if first != Class::Space => space + run(&text[space..], first),
        _ => {
            // The last character of white space before a word belongs to the word.
            let len = run(text, Class::Space);
            let last = text[..len].chars().next_back().map_or(0, char::len_utf8);
            if len == text.len() || len == last { len } else { len - last }
        }
    }
}

/// Returns the number of bytes at the start of `text` whose characters have this class.
fn run(text: &str, of: Class) -> usize {
    // ASCII is read byte by byte, up to a byte of another class or outside ASCII.
    let is_of = |&byte: &u8| byte.is_ascii() && class(char::from(byte)) == of;
    let ascii = text.bytes().take_while(is_of).count();
    match text.as_bytes().get(ascii) {
        Some(byte) if !byte.is_ascii() => {
            let rest = &text[ascii..];
            ascii + rest.find(|c| class(c) != of).unwrap_or(rest.len())
        }
        _ => ascii,
    }
}

/// Returns the length of an English contraction at the start of `text`.
fn contraction(text: &[u8]) -> Option<usize> {
    match text {
        [b'\'', b's' | b't' | b'm' | b'd', ..] => Some(2),
        [b'\'', b'r' | b'v', b'e', ..] | [b'\'', b'l', b'l', ..] => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{byte_of, char_of, words};

    #[test]
    fn characters_stand_for_bytes_and_back() {
        for byte in 0..=255 {
            assert_eq!(byte_of(char_of(byte)), Some(byte));
        }
        assert_eq!(
            [b'\n', b' ', b'a', 0x7f, 0xa0, 0xad].map(char_of),
            ['Ċ', 'Ġ', 'a', 'ġ', 'ł', 'Ń']
        );
        assert_eq!(['\u{20}', '\u{144}', '\u{ad}'].map(byte_of), [None; 3]);
    }

    #[test]
    fn words_are_those_of_the_pattern() {
        let split = |text| words(text).map(|word| &text[word]).collect::<Vec<_>>();
        assert_eq!(split("Don't  stop 24h!?"), ["Don", "'t", " ", " stop", " 24", "h", "!?"]);
        assert_eq!(split("'re 'RE'll"), ["'re", " '", "RE", "'ll"]);
        assert_eq!(split("a\t b \u{a0}c\n\n"), ["a", "\t", " b", " ", "\u{a0}", "c", "\n\n"]);
        assert_eq!(split("  "), ["  "]);
        assert_eq!(split("\u{3042}\u{301}\u{662}x"), ["\u{3042}", "\u{301}", "\u{662}", "x"]);
    }
}
