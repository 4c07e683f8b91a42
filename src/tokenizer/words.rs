//! Words by Python's pattern `\w+(?:[-_]\w+)*|\S`, GLiNER's splitter "whitespace".

use std::ops::Range;

#[cfg(feature = "tokenizers")]
use super::unicode::categories::{Class, class};

/// Returns the bytes of each word of a text: letters, digits and underscores, also joined by single
/// hyphens, or one other character that is no white space.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let start = at + rest.find(|c| !is_space(c))?;
        at = start + word_length(&text[start..]);
        Some(start..at)
    })
}

/// Returns the length of the first word, in bytes. The text begins with it.
fn word_length(text: &str) -> usize {
    let run = |from: usize| {
        let rest = &text[from..];
        from + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    };
    let mut end = run(0);
    if end == 0 {
        return text.chars().next().map_or(0, char::len_utf8);
    }
    while text[end..].starts_with('-') {
        let next = run(end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

/// Returns whether Python's `\w` matches: the categories L* and N*, and the underscore.
fn is_word(c: char) -> bool {
    c == '_' || is_letter(c) || c.is_numeric()
}

#[cfg(feature = "tokenizers")]
fn is_letter(c: char) -> bool {
    // ideographs that are newer than the table
    class(c) == Class::Letter || matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(not(feature = "tokenizers"))]
fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// Returns whether Python's `\s` matches, which includes the separators of ASCII.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::words;

    fn split(text: &str) -> Vec<&str> {
        words(text).map(|word| &text[word]).collect()
    }

    #[test]
    fn words_are_those_of_the_library() {
        // [m.group() for m in re.finditer(r"\w+(?:[-_]\w+)*|\S", text)] of Python 3.11
        for (text, expected) in [
            ("", vec![]),
            (" \u{1c}\n", vec![]),
            ("Anna-Maria's 3.5_x!", vec!["Anna-Maria", "'", "s", "3", ".", "5_x", "!"]),
            ("a--b -c d- _e-", vec!["a", "-", "-", "b", "-", "c", "d", "-", "_e", "-"]),
            ("Где 😂钢琴ok é\u{301}", vec!["Где", "😂", "钢琴ok", "é", "\u{301}"]),
            ("x²½ Ⅷ a-b-c", vec!["x²½", "Ⅷ", "a-b-c"]),
            ("का", vec!["क", "\u{93e}"]),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }
}
