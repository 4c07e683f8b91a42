//! The decoders of a `tokenizer.json` other than WordPiece's alone, one after the other.

use std::ops::Range;

use super::{byte_level, normalizers::Pattern, regex::Fuel};
use crate::tokenizer::decode;
use crate::{Error, Result};

/// Bytes of a decoded text at most: a decoder may make a text many times as long.
const MAX_TEXT: usize = 1 << 28;

/// One decoder: from the texts of tokens to as many or fewer texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DecodeStep {
    /// Characters become the bytes that they stand for.
    ByteLevel,
    /// Tokens that begin with the prefix are joined to the one before; `cleanup`: without the spaces around punctuation.
    WordPiece { prefix: String, cleanup: bool },
    /// The replacement becomes a space; with `drops_first` it is removed from the first token.
    Metaspace { replacement: char, drops_first: bool },
    /// The end of a word becomes a space; the end of the last word is removed.
    Suffix(String),
    /// Of equal neighbours one stays, without the padding; with `cleanup` delimiters become spaces.
    Ctc { pad: String, delimiter: String, cleanup: bool },
    /// Every match becomes the content.
    Replace { pattern: Pattern, content: String },
    /// `<0xE2>` becomes the byte.
    ByteFallback,
    /// All tokens become one.
    Fuse,
    /// A character is removed from the ends of each token, at most this often.
    Strip { content: char, start: usize, stop: usize },
}

/// Decoders, one after the other.
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

/// Bytes that a text may still grow by.
struct Room(usize);

impl Room {
    fn take(&mut self, bytes: usize) -> Result<()> {
        let left = self.0.checked_sub(bytes).ok_or_else(|| {
            Error::BadInput(format!(
                "decode: expected a text of at most {MAX_TEXT} bytes, got a longer one"
            ))
        });
        self.0 = left?;
        Ok(())
    }

    /// `text` with `by` in the place of each range; the ranges are in order.
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

    /// The same for each place where `pattern` stands. An empty one stands around all characters.
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

/// The bytes that the characters of all tokens stand for, as text; a token with a character that
/// stands for none is taken as it is.
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

/// Runs of tokens of bytes become their text, or if that is none, a U+FFFD each.
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

/// `token` without at most `start` times `content` before it and `stop` times behind it.
fn strip(token: &str, content: char, start: usize, stop: usize) -> &str {
    let before = token.chars().take(start).take_while(|&c| c == content).count();
    let rest = &token[before * content.len_utf8()..];
    let after = rest.chars().rev().take(stop).take_while(|&c| c == content).count();
    &rest[..rest.len() - after * content.len_utf8()]
}
