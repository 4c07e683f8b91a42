//! BERTweet's normalizer: users become `@USER`, links `HTTPURL` and emoji their names. Words and
//! punctuation are separated by spaces.
//!
//! The rules are taken from `BertweetTokenizer` in transformers, which contains NLTK's tweet
//! tokenizer. The names of emoji come from the Python package `emoji`, version 2.16.

use std::ops::Range;

use super::fast_bpe::is_space;
use super::normalizers::places;
use super::regex::{Fuel, Regex};
use crate::tokenizer::Span;
use crate::tokenizer::normalized::Normalized;
use crate::{Error, Result};

/// NLTK's expression for a token: links, phone numbers, emoticons, tags, arrows, users, hashtags,
/// addresses, words, numbers, dots, and any other character.
const TOKEN: &str = concat!(
    r"(?i)(?:https?:(?:/{1,3}|[a-z0-9%])|[a-z0-9.\-]+[.](?:[a-z]{2,13})/)",
    r"(?:[^\s()<>{}\[\]]+|\([^\s()]*?\([^\s()]+\)[^\s()]*?\)|\([^\s]+?\))+",
    r"(?:\([^\s()]*?\([^\s()]+\)[^\s()]*?\)|\([^\s]+?\)|[^\s`!()\[\]{};:'",
    "\"",
    r".,<>?«»“”‘’])",
    r"|(?:(?<!@)[a-z0-9]+(?:[.\-][a-z0-9]+)*[.](?:[a-z]{2,13})\b/?(?!@))",
    r"|(?:(?:\+?[01][ *\-.\)]*)?(?:[\(]?\d{3}[ *\-.\)]*)?\d{3}[ *\-.\)]*\d{4})",
    r"|(?:[<>]?[:;=8][\-o\*\']?[\)\]\(\[dDpP/\:\}\{@\|\\]",
    r"|[\)\]\(\[dDpP/\:\}\{@\|\\][\-o\*\']?[:;=8][<>]?|<3)",
    r"|<[^>\s]+>|[\-]+>|<[\-]+|(?:@[\w_]+)|(?:\#+[\w_]+[\w\'_\-]*[\w_]+)",
    r"|[\w.+-]+@[\w-]+\.(?:[\w-]\.?)+[\w-]",
    r"|(?:[^\W\d_](?:[^\W\d_]|['\-_])+[^\W\d_])|(?:[+\-]?\d+[,/.:-]\d+[+\-]?)",
    r"|(?:[\w_]+)|(?:\.(?:\s*\.){1,})|(?:\S)",
);

/// Replacements after the tokens are joined with spaces, in order. Each moves spaces only.
const SPACES: [(&str, &str); 15] = [
    ("cannot ", "can not "),
    ("n't ", " n't "),
    ("n 't ", " n't "),
    ("ca n't", "can't"),
    ("ai n't", "ain't"),
    ("'m ", " 'm "),
    ("'re ", " 're "),
    ("'s ", " 's "),
    ("'ll ", " 'll "),
    ("'d ", " 'd "),
    ("'ve ", " 've "),
    (" p . m .", "  p.m."),
    (" p . m ", " p.m "),
    (" a . m .", " a.m."),
    (" a . m ", " a.m "),
];

/// HTML's named characters, as `name=code point`.
const ENTITIES: &str = include_str!("data/entities.txt");

/// Emoji of one character and their names, one per line, ordered by character.
const EMOJI: &str = include_str!("data/emoji.txt");

/// The characters of bytes 0x80 to 0x9F in Windows-1252; a space for a byte without one.
const WINDOWS: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/// The normalizer.
#[derive(Debug, Clone)]
pub(super) struct Tweets {
    token: Box<Regex>,
}

impl Tweets {
    /// # Errors
    /// `BadTokenizer` if the expression is not valid, which is impossible.
    pub(super) fn new() -> Result<Self> {
        let token = Regex::new(TOKEN, "BertweetTokenizer");
        let invalid = |cause| Error::BadTokenizer(format!("BertweetTokenizer: {cause:?}"));
        Ok(Self { token: Box::new(token.map_err(invalid)?) })
    }

    /// Normalises a text.
    ///
    /// # Errors
    /// `BadInput` if the fuel is used up.
    pub(super) fn apply(&self, text: &mut Normalized, fuel: &mut Fuel) -> Result<()> {
        for (from, to) in [("’", "'"), ("…", "...")] {
            let matches: Vec<_> = places(from, &text.text).collect();
            text.replace(matches.into_iter(), to);
        }
        replace_entities(text);
        shorten_runs(text);
        let tokens = self.token.matches(&text.text, fuel)?;
        separate(text, &tokens);
        for (from, to) in SPACES {
            move_spaces(text, from, to);
        }
        Ok(())
    }
}

/// Returns an empty text to which the parts of `old` are added.
fn empty(old: &Normalized) -> Normalized {
    Normalized { start: old.start, text_only: old.text_only, ..Normalized::default() }
}

/// Replaces ranges of bytes, in order, each by a character or by nothing.
fn replace(text: &mut Normalized, edits: impl Iterator<Item = (Range<usize>, Option<char>)>) {
    let mut edits = edits.peekable();
    if edits.peek().is_none() {
        return;
    }
    let mut new = empty(text);
    let mut done = 0;
    for (Range { start, end }, by) in edits {
        new.push(text.piece().slice(done..start));
        if let Some(c) = by {
            new.push_char(c, text.source(start, end));
        }
        done = end;
    }
    new.push(text.piece().slice(done..text.text.len()));
    *text = new;
}

/// Replaces HTML's names and numbers of characters, e.g. `&amp;`. Unknown ones are removed.
fn replace_entities(text: &mut Normalized) {
    let mut edits = Vec::new();
    let mut done = 0;
    for (start, _) in text.text.match_indices('&') {
        let rest = &text.text[start + 1..];
        let len = rest.find(|c| c == '&' || c == ';' || is_space(c)).unwrap_or(rest.len());
        if start < done || len == 0 || !rest[len..].starts_with(';') {
            continue;
        }
        let Some(c) = entity(&rest[..len]) else { continue };
        done = start + len + 2;
        edits.push((start..done, c));
    }
    replace(text, edits.into_iter());
}

/// Returns the character for the text between `&` and `;`. The inner `None` stands for a character
/// that does not exist; the outer one for a text that is kept.
///
/// As in the reference, a name that begins with `x` is read as a hexadecimal number.
fn entity(text: &str) -> Option<Option<char>> {
    let (is_number, rest) = text.strip_prefix('#').map_or((false, text), |rest| (true, rest));
    let (is_hex, body) = match rest.strip_prefix('x').filter(|body| !body.is_empty()) {
        Some(body) => (true, body),
        None => (false, rest),
    };
    if body.is_empty() {
        // The `#` of `&#;` is the whole name.
        return is_number.then_some(None);
    }
    if !is_number && !is_hex {
        let named = ENTITIES.split(' ').find_map(|entry| {
            let (name, code) = entry.split_once('=')?;
            if name == body { u32::from_str_radix(code, 16).ok() } else { None }
        });
        return Some(named.and_then(char::from_u32));
    }
    let digits = body.strip_prefix(['+', '-']).unwrap_or(body);
    let prefix = ["0x", "0X"].into_iter().find_map(|prefix| digits.strip_prefix(prefix));
    let digits = prefix.filter(|_| is_hex).unwrap_or(digits);
    let number = number(digits, if is_hex { 16 } else { 10 });
    let number = number.filter(|&number| number == 0 || !body.starts_with('-'));
    Some(match number {
        Some(number @ 0x80..=0x9f) => {
            WINDOWS.chars().nth(number as usize - 0x80).filter(|&c| c != ' ')
        }
        // Half of a surrogate pair is no character; the token for it is unknown.
        Some(0xd800..=0xdfff) => Some(char::REPLACEMENT_CHARACTER),
        number => number.and_then(char::from_u32),
    })
}

/// Returns a number in Python's notation, which allows single underscores between digits.
fn number(digits: &str, base: u32) -> Option<u32> {
    let is_valid = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_alphanumeric());
    let parts: Vec<&str> = digits.split('_').collect();
    if !parts.iter().all(|part| is_valid(part)) {
        return None;
    }
    u32::from_str_radix(&parts.concat(), base).ok()
}

/// Shortens runs of four or more of a character to three, except of ASCII letters and digits.
fn shorten_runs(text: &mut Normalized) {
    let mut edits = Vec::new();
    let (mut last, mut count) = (None, 0);
    for (at, c) in text.text.char_indices() {
        count = if last == Some(c) { count + 1 } else { 1 };
        last = Some(c);
        if count > 3 && !c.is_ascii_alphanumeric() {
            edits.push((at..at + c.len_utf8(), None));
        }
    }
    replace(text, edits.into_iter());
}

/// Joins the tokens with spaces, each replaced if it is a user, a link or an emoji.
fn separate(text: &mut Normalized, tokens: &[Range<usize>]) {
    let mut new = empty(text);
    for range in tokens {
        let source = text.source(range.start, range.end);
        if !new.text.is_empty() {
            new.push_char(' ', Span { end: source.start, ..source });
        }
        let token = &text.text[range.clone()];
        match replacement(token) {
            Some(by) => {
                new.text.push_str(&by);
                new.end_source(source);
            }
            None => push_spaced(&mut new, text, range.clone()),
        }
    }
    *text = new;
}

/// Appends a range of bytes of `old` with plain spaces as white space.
fn push_spaced(new: &mut Normalized, old: &Normalized, range: Range<usize>) {
    let token = &old.text[range.clone()];
    if !token.contains(is_space) {
        return new.push(old.piece().slice(range));
    }
    for (at, c) in token.char_indices() {
        let start = range.start + at;
        let source = old.source(start, start + c.len_utf8());
        new.push_char(if is_space(c) { ' ' } else { c }, source);
    }
}

/// Returns the text for a user, a link or an emoji.
fn replacement(token: &str) -> Option<String> {
    let starts = |prefix: &str| {
        token.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    if token.starts_with('@') {
        return Some("@USER".into());
    }
    if starts("http") || starts("www") {
        return Some("HTTPURL".into());
    }
    let mut chars = token.chars();
    match (chars.next(), chars.next()) {
        // These two may come from an HTML number.
        (Some('’'), None) => Some("'".into()),
        (Some('…'), None) => Some("...".into()),
        // Variation selectors are removed.
        (Some('\u{fe0e}' | '\u{fe0f}'), None) => Some(String::new()),
        (Some(c), None) if !c.is_ascii() => emoji(c).map(|name| format!(":{name}:")),
        _ => None,
    }
}

/// Returns the name of an emoji.
fn emoji(c: char) -> Option<&'static str> {
    let first = |line: &str| line.chars().next().unwrap_or_default();
    // A binary search over the bytes of the table.
    let (mut low, mut high) = (0, EMOJI.len());
    while low < high {
        let middle = (low + high) / 2;
        let bytes = &EMOJI.as_bytes()[..middle];
        let start = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = EMOJI.get(start..)?.lines().next()?;
        match first(line).cmp(&c) {
            std::cmp::Ordering::Equal => return line.get(c.len_utf8()..),
            std::cmp::Ordering::Less => low = start + line.len() + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

/// Replaces `from` by `to`, which has the same characters except for spaces.
fn move_spaces(text: &mut Normalized, from: &str, to: &str) {
    if !text.text.contains(from) {
        return;
    }
    let mut new = empty(text);
    let mut done = 0;
    for range in places(from, &text.text) {
        new.push(text.piece().slice(done..range.start));
        let mut letters = range.clone().filter(|&at| text.text.as_bytes()[at] != b' ');
        for c in to.chars() {
            let at = if c == ' ' { None } else { letters.next() };
            let at = at.unwrap_or(range.start);
            new.push_char(c, text.source(at, at + 1));
        }
        done = range.end;
    }
    new.push(text.piece().slice(done..text.text.len()));
    *text = new;
}

#[cfg(test)]
mod tests {
    use super::{emoji, entity};

    #[test]
    fn every_emoji_is_found() {
        for line in super::EMOJI.lines() {
            let c = line.chars().next().unwrap_or_default();
            assert_eq!(emoji(c), line.get(c.len_utf8()..), "{line}");
        }
        assert_eq!([emoji('a'), emoji('\u{1}'), emoji('\u{10ffff}')], [None; 3]);
    }

    #[test]
    fn entities_are_read_as_python_reads_them() {
        let cases = [
            ("amp", '&'),
            ("#65", 'A'),
            ("#x41", 'A'),
            ("#x0x41", 'A'),
            ("#6_5", 'A'),
            ("#+65", 'A'),
            ("#133", '…'),
            ("there4", '\u{2234}'),
        ];
        for (text, c) in cases {
            assert_eq!(entity(text), Some(Some(c)), "{text}");
        }
        for text in ["xi", "#x", "#129", "#-65", "#X41", "#_65", "#6__5", "none", "#99999999"] {
            assert_eq!(entity(text), Some(None), "{text}");
        }
    }
}
