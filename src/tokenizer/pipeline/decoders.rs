//! The decoders of a `tokenizer.json`, applied in order. WordPiece alone is handled elsewhere.

use crate::error::fault;
use std::ops::Range;

use super::{byte_level, fast_bpe::is_space, normalizers::Pattern, regex::Fuel};
use crate::Result;
use crate::tokenizer::decode;

/// The maximum bytes of a decoded text. A decoder can multiply the length of a text.
const MAX_TEXT: usize = 1 << 28;

/// A decoder. It converts the texts of tokens to the same number of texts or fewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DecodeStep {
    /// Replaces characters by their bytes.
    ByteLevel,
    /// Joins tokens with the prefix to the previous token. With `cleanup`, spaces around
    /// punctuation are removed.
    WordPiece { prefix: String, cleanup: bool },
    /// Replaces the replacement by a space. With `drops_first`, it is removed from the first token.
    Metaspace { replacement: char, drops_first: bool },
    /// Replaces the suffix of a word by a space. The suffix of the last word is removed.
    Suffix(String),
    /// Joins tokens with spaces. A token that ends with the mark is joined to the next one.
    Continued(&'static str),
    /// Merges equal neighbours and removes the padding. With `cleanup`, delimiters become spaces.
    Ctc { pad: String, delimiter: String, cleanup: bool },
    /// Replaces every match by the content.
    Replace { pattern: Pattern, content: String },
    /// Replaces tokens such as `<0xE2>` by their bytes.
    ByteFallback,
    /// Joins all tokens.
    Fuse,
    /// Removes a character from the ends of each token, at most this many times.
    Strip { content: char, start: usize, stop: usize },
}

/// A sequence of decoders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tokenizer) struct Decoders(pub(super) Vec<DecodeStep>);

impl Decoders {
    /// Returns the text of tokens.
    ///
    /// # Errors
    /// `BadInput` if a decoder makes a text of over [`MAX_TEXT`] bytes.
    pub(in crate::tokenizer) fn decode(&self, tokens: &[&str]) -> Result<String> {
        let mut tokens: Vec<String> = tokens.iter().map(|&token| token.to_owned()).collect();
        for step in &self.0 {
            tokens = step.decode(tokens)?;
            let bytes = tokens.iter().map(String::len).sum();
            Room(MAX_TEXT).take(bytes)?;
        }
        Ok(tokens.concat())
    }
}

/// The number of bytes that a text may still grow by.
struct Room(usize);

impl Room {
    fn take(&mut self, bytes: usize) -> Result<()> {
        let left = self.0.checked_sub(bytes).ok_or_else(|| {
            fault!(
                BadInput,
                "decode: expected a text of at most {MAX_TEXT} bytes, got a longer one",
                item = "decode",
                expected = "a text of at most {MAX_TEXT} bytes",
                found = "a longer one",
            )
        });
        self.0 = left?;
        Ok(())
    }

    /// Returns `text` with each range replaced by `by`. The ranges must be in order.
    fn replace(
        &mut self,
        text: &str,
        ranges: impl Iterator<Item = Range<usize>>,
        by: &str,
    ) -> Result<String> {
        self.take(text.len())?;
        let (mut new, mut done) = (String::new(), 0);
        for Range { start, end } in ranges {
            self.take(by.len())?;
            new.push_str(&text[done..start]);
            new.push_str(by);
            done = end;
        }
        new.push_str(&text[done..]);
        Ok(new)
    }

    /// Replaces each occurrence of `pattern`. An empty pattern matches around every character.
    fn replace_text(&mut self, text: &str, pattern: &str, by: &str) -> Result<String> {
        self.replace(text, text.match_indices(pattern).map(range), by)
    }
}

fn range((at, found): (usize, &str)) -> Range<usize> {
    at..at + found.len()
}

impl DecodeStep {
    fn decode(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        let last = tokens.len().saturating_sub(1);
        let numbered = || tokens.iter().enumerate();
        let mut room = Room(MAX_TEXT);
        let mut fuel = Fuel::for_text(tokens.iter().map(String::len).sum());
        Ok(match self {
            Self::ByteLevel => vec![bytes(&tokens)],
            Self::WordPiece { prefix, cleanup } => {
                let piece =
                    |(at, token): (usize, &String)| decode::piece(token, at, prefix, *cleanup);
                numbered().map(piece).collect()
            }
            &Self::Metaspace { replacement, drops_first } => {
                let spaces = |at| if at == 0 && drops_first { "" } else { " " };
                numbered().map(|(at, token)| token.replace(replacement, spaces(at))).collect()
            }
            Self::Suffix(suffix) => {
                let space = |at| if at == last { "" } else { " " };
                let replace =
                    |(at, token): (usize, &String)| room.replace_text(token, suffix, space(at));
                numbered().map(replace).collect::<Result<_>>()?
            }
            Self::Continued(mark) => {
                room.take(tokens.len())?;
                let text = tokens.join(" ");
                vec![text.replace(&[*mark, " "].concat(), "").trim_matches(is_space).to_owned()]
            }
            Self::Ctc { pad, delimiter, cleanup } => {
                let mut tokens = tokens;
                tokens.dedup();
                let one = |token: String| {
                    let text = token.replace(pad.as_str(), "");
                    match cleanup {
                        true => room.replace_text(&decode::tidy(text, true), delimiter, " "),
                        false => Ok(text),
                    }
                };
                let texts: Vec<String> = tokens.into_iter().map(one).collect::<Result<_>>()?;
                texts.into_iter().filter(|text| !text.is_empty()).collect()
            }
            Self::Replace { pattern, content } => {
                let replace = |token: &String| match pattern {
                    _ if token.is_empty() => Ok(String::new()),
                    Pattern::Text(pattern) => room.replace_text(token, pattern, content),
                    pattern => {
                        room.replace(token, pattern.matches(token, &mut fuel)?.into_iter(), content)
                    }
                };
                tokens.iter().map(replace).collect::<Result<_>>()?
            }
            Self::ByteFallback => fallback(&tokens),
            Self::Fuse => vec![tokens.concat()],
            &Self::Strip { content, start, stop } => {
                tokens.iter().map(|token| strip(token, content, start, stop).to_owned()).collect()
            }
        })
    }
}

/// Replaces the characters of all tokens by their bytes. A token with any other character is
/// unchanged.
fn bytes(tokens: &[String]) -> String {
    let mut bytes = Vec::new();
    for token in tokens {
        let before = bytes.len();
        for c in token.chars() {
            match byte_level::byte_of(c) {
                Some(byte) => bytes.push(byte),
                None => {
                    bytes.truncate(before);
                    bytes.extend_from_slice(token.as_bytes());
                    break;
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Replaces runs of byte tokens by their text. If a run is not UTF-8, each token becomes U+FFFD.
fn fallback(tokens: &[String]) -> Vec<String> {
    let byte = |token: &str| {
        let digits = token.strip_prefix("<0x")?.strip_suffix('>').filter(|hex| hex.len() == 2)?;
        u8::from_str_radix(digits, 16).ok()
    };
    let mut texts = Vec::new();
    let mut run = Vec::new();
    let end = |run: &mut Vec<u8>, texts: &mut Vec<String>| {
        let count = run.len();
        match String::from_utf8(std::mem::take(run)) {
            Ok(text) if count > 0 => texts.push(text),
            Ok(_) => {}
            Err(_) => texts.extend(std::iter::repeat_n("\u{fffd}".to_owned(), count)),
        }
    };
    for token in tokens {
        match byte(token) {
            Some(byte) => run.push(byte),
            None => {
                end(&mut run, &mut texts);
                texts.push(token.clone());
            }
        }
    }
    end(&mut run, &mut texts);
    texts
}

/// Removes `content` from `token`, at most `start` times at the front and `stop` times at the end.
fn strip(token: &str, content: char, start: usize, stop: usize) -> &str {
    let before = token.chars().take(start).take_while(|&c| c == content).count();
    let rest = &token[before * content.len_utf8()..];
    let after = rest.chars().rev().take(stop).take_while(|&c| c == content).count();
    &rest[..rest.len() - after * content.len_utf8()]
}
