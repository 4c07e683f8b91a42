//! Added tokens: found in the text as they stand, before anything else is done to it.

use super::{
    normalize::Normalizer,
    unicode,
    vocab::{Hash, Vocab, VocabBuilder},
};
use crate::Result;

/// A token found by its text rather than by WordPiece, and how it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AddedToken {
    pub(super) content: String,
    pub(super) id: u32,
    /// Left out by `decode` where special tokens are.
    pub(super) special: bool,
    /// Looked for in the normalised text, not in the text.
    pub(super) normalized: bool,
    /// Takes the white space before it.
    pub(super) lstrip: bool,
    /// Takes the white space after it.
    pub(super) rstrip: bool,
    /// Only where no word character touches it.
    pub(super) single_word: bool,
}

/// All added tokens of a tokenizer.
#[derive(Debug, Clone)]
pub(super) struct AddedTokens {
    tokens: Vec<AddedToken>,
    /// Finds those that stand in the text itself.
    pub(super) raw: Matcher,
    /// Finds those that stand in the normalised text.
    pub(super) normalized: Matcher,
}

impl AddedTokens {
    pub(super) fn new(tokens: Vec<AddedToken>, normalizer: Option<Normalizer>) -> Result<Self> {
        let raw = tokens.iter().filter(|token| !token.normalized);
        let raw = Matcher::new(raw.map(|token| (token.content.clone(), token)))?;
        let normalized = tokens.iter().filter(|token| token.normalized);
        let normalized = Matcher::new(normalized.map(|token| {
            let content = match normalizer {
                Some(normalizer) => normalizer.text(&token.content, 0).text,
                None => token.content.clone(),
            };
            (content, token)
        }))?;
        Ok(Self { tokens, raw, normalized })
    }

    pub(super) fn by_id(&self, id: u32) -> Option<&AddedToken> {
        self.tokens.iter().find(|token| token.id == id)
    }

    pub(super) fn by_content(&self, content: &str) -> Option<&AddedToken> {
        self.tokens.iter().find(|token| token.content == content)
    }

    /// One more than the largest id; 0 where there are none.
    pub(super) fn size(&self) -> usize {
        self.tokens.iter().map(|token| token.id as usize + 1).max().unwrap_or(0)
    }
}

/// A stretch of text: an added token, or what lies between two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The id of the added token.
    pub(super) id: Option<u32>,
}

/// Finds the leftmost, of those the longest, of a set of texts.
#[derive(Debug, Clone)]
pub(super) struct Matcher {
    /// The texts; their ids are indices into `tokens`.
    contents: Vocab,
    tokens: Vec<AddedToken>,
    /// The different lengths in bytes, longest first.
    lengths: Vec<usize>,
    /// Whether any text begins with that byte.
    first: [bool; 256],
}

impl Matcher {
    fn new<'a>(tokens: impl Iterator<Item = (String, &'a AddedToken)>) -> Result<Self> {
        let mut contents = VocabBuilder::default();
        let mut matcher = Vec::new();
        let mut lengths = Vec::new();
        let mut first = [false; 256];
        for (content, token) in tokens {
            if let Some(&byte) = content.as_bytes().first() {
                contents.insert(&content, matcher.len() as u32)?;
                matcher.push(token.clone());
                let place = lengths.partition_point(|&longer| longer > content.len());
                if lengths.get(place) != Some(&content.len()) {
                    lengths.insert(place, content.len());
                }
                first[usize::from(byte)] = true;
            }
        }
        Ok(Self { contents: contents.finish(), tokens: matcher, lengths, first })
    }

    /// There is nothing to find.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Calls `each` with the parts of `text`, in order, none of them empty.
    pub(super) fn split(&self, text: &str, mut each: impl FnMut(Part)) {
        let (mut done, mut at) = (0, 0);
        while let Some((found, token)) = self.find(text.as_bytes(), at) {
            at = found.end;
            let mut range = found;
            if token.single_word && !stands_alone(text, &range) {
                continue;
            }
            if token.lstrip {
                // White space that the match before has taken stays there.
                range.start = text[..range.start].trim_end().len().max(done);
                if range.is_empty() {
                    continue;
                }
            }
            if token.rstrip {
                range.end = text.len() - text[range.end..].trim_start().len();
            }
            if done < range.start {
                each(Part { start: done, end: range.start, id: None });
            }
            each(Part { start: range.start, end: range.end, id: Some(token.id) });
            done = range.end;
        }
        if done < text.len() {
            each(Part { start: done, end: text.len(), id: None });
        }
    }

    /// The next match that begins at byte `from` or later.
    fn find(&self, text: &[u8], from: usize) -> Option<(std::ops::Range<usize>, &AddedToken)> {
        if self.is_empty() {
            return None;
        }
        let mut from = from;
        loop {
            let skip = text.get(from..)?.iter().position(|&byte| self.first[usize::from(byte)])?;
            from += skip;
            let found = self.lengths.iter().find_map(|&len| {
                let candidate = text.get(from..from + len)?;
                let token = self.contents.find(Hash::of(candidate), b"", candidate)?;
                Some((from..from + len, self.tokens.get(token as usize)?))
            });
            if found.is_some() {
                return found;
            }
            from += 1;
        }
    }
}

/// No word character touches the range.
fn stands_alone(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    !before.is_some_and(unicode::is_word) && !after.is_some_and(unicode::is_word)
}
