//! The decoders of a `tokenizer.json` other than WordPiece's, one after the other.

use super::byte_level;

/// One decoder: from the texts of tokens to as many or fewer texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DecodeStep {
    /// Characters become the bytes that they stand for.
    ByteLevel,
    /// The replacement becomes a space; with `drops_first` it goes from the first token.
    Metaspace { replacement: char, drops_first: bool },
    /// The end of a word becomes a space; that of the last goes.
    Suffix(String),
    /// One text becomes another.
    Replace { pattern: String, content: String },
    /// `<0xE2>` becomes the byte.
    ByteFallback,
    /// All tokens become one.
    Fuse,
    /// A character goes from the ends of each token, so often at most.
    Strip { content: char, start: usize, stop: usize },
}

/// Decoders, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tokenizer) struct Decoders(pub(super) Vec<DecodeStep>);

impl Decoders {
    /// The text of tokens.
    pub(in crate::tokenizer) fn decode(&self, tokens: &[&str]) -> String {
        let tokens = tokens.iter().map(|&token| token.to_owned()).collect();
        self.0.iter().fold(tokens, |tokens, step| step.decode(tokens)).concat()
    }
}

impl DecodeStep {
    fn decode(&self, tokens: Vec<String>) -> Vec<String> {
        let last = tokens.len().saturating_sub(1);
        let numbered = || tokens.iter().enumerate();
        match self {
            Self::ByteLevel => vec![bytes(&tokens)],
            &Self::Metaspace { replacement, drops_first } => {
                let spaces = |at| if at == 0 && drops_first { "" } else { " " };
                numbered().map(|(at, token)| token.replace(replacement, spaces(at))).collect()
            }
            Self::Suffix(suffix) => {
                let space = |at| if at == last { "" } else { " " };
                numbered().map(|(at, token)| token.replace(suffix.as_str(), space(at))).collect()
            }
            Self::Replace { pattern, .. } if pattern.is_empty() => tokens,
            Self::Replace { pattern, content } => {
                tokens.iter().map(|token| token.replace(pattern.as_str(), content)).collect()
            }
            Self::ByteFallback => fallback(&tokens),
            Self::Fuse => vec![tokens.concat()],
            &Self::Strip { content, start, stop } => {
                tokens.iter().map(|token| strip(token, content, start, stop).to_owned()).collect()
            }
        }
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

/// Runs of tokens of bytes become their text, or where that is none a U+FFFD each.
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

/// `token` without up to `start` times `content` before it and `stop` times behind it.
fn strip(token: &str, content: char, start: usize, stop: usize) -> &str {
    let mut rest = token;
    for _ in 0..start {
        rest = rest.strip_prefix(content).unwrap_or(rest);
    }
    for _ in 0..stop {
        rest = rest.strip_suffix(content).unwrap_or(rest);
    }
    rest
}
