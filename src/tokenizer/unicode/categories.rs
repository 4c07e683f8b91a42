//! Properties of characters that only some tokenizers use, from `tables`.

use std::sync::OnceLock;

use super::tables::{ALL_MARKS, COMPATIBLE, LETTERS, NOT_COMPOSED, NUMBERS};
use super::{Lines, TABLE_LEN, canonical, contains, find, split};

/// Returns the compatibility decomposition if it differs from the canonical one.
pub(in crate::tokenizer) fn compatible(c: char) -> Option<&'static str> {
    static LINES: OnceLock<Lines> = OnceLock::new();
    static HAVE: OnceLock<Box<[bool]>> = OnceLock::new();
    let lines = LINES.get_or_init(|| split(COMPATIBLE));
    let have = HAVE.get_or_init(|| {
        let mut have: Box<[bool]> = (0..TABLE_LEN).map(|_| false).collect();
        for &(c, _) in lines {
            if let Some(has) = have.get_mut(c as usize) {
                *has = true;
            }
        }
        have
    });
    match have.get(c as usize) {
        Some(false) => None,
        Some(true) => find(lines, c),
        None if matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}') => None,
        None => find(lines, c),
    }
}

/// Returns the characters that NFC composes, with their decompositions. Hangul is excluded.
pub(in crate::tokenizer) fn composable() -> impl Iterator<Item = (char, &'static str)> {
    canonical().iter().copied().filter(|&(c, _)| !contains(&NOT_COMPOSED, c))
}

/// The class of a character in ByteLevel's pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tokenizer) enum Class {
    /// The categories L*.
    Letter,
    /// The categories N*.
    Number,
    /// The property White_Space.
    Space,
    Other,
}

/// Returns the class of `c`.
#[inline]
pub(in crate::tokenizer) fn class(c: char) -> Class {
    const ASCII: [Class; 128] = {
        let mut classes = [Class::Other; 128];
        let mut at = 0;
        while at < 128 {
            classes[at] = match at as u8 {
                b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
                b'0'..=b'9' => Class::Number,
                b'\t'..=b'\r' | b' ' => Class::Space,
                _ => Class::Other,
            };
            at += 1;
        }
        classes
    };
    if let Some(&class) = ASCII.get(c as usize) {
        return class;
    }
    static TABLE: OnceLock<Box<[Class]>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let look_up = |c| char::from_u32(c).map_or(Class::Other, look_up_class);
        (0..TABLE_LEN as u32).map(look_up).collect()
    });
    match table.get(c as usize) {
        Some(&class) => class,
        None => match c {
            '\u{4e00}'..='\u{9fcc}' | '\u{ac00}'..='\u{d7a3}' => Class::Letter,
            _ => look_up_class(c),
        },
    }
}

fn look_up_class(c: char) -> Class {
    if c.is_whitespace() {
        Class::Space
    } else if contains(&LETTERS, c) {
        Class::Letter
    } else if contains(&NUMBERS, c) {
        Class::Number
    } else {
        Class::Other
    }
}

/// Returns whether the category is Mn, Mc or Me. StripAccents removes these characters.
pub(in crate::tokenizer) fn is_mark(c: char) -> bool {
    c >= '\u{300}' && contains(&ALL_MARKS, c)
}

#[cfg(test)]
mod tests {
    use super::{COMPATIBLE, TABLE_LEN, class, compatible, find, look_up_class, split};

    #[test]
    fn tables_say_what_they_are_made_of() {
        let lines = split(COMPATIBLE);
        for c in '\0'..=char::MAX {
            assert_eq!(class(c), look_up_class(c), "{c:?}");
            assert_eq!(compatible(c), find(&lines, c), "{c:?}");
        }
        assert!(lines.iter().any(|&(c, _)| c as usize >= TABLE_LEN));
    }
}
