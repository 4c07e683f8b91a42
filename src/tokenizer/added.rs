//! Added tokens. They are matched in the text before any other step.

use super::automaton::Automaton;
use super::unicode;
use crate::Result;
use crate::tokenizer::bert::normalize::Ascii;

/// A token that is matched by its text, and the rules for the match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AddedToken {
    pub(super) content: String,
    pub(super) id: u32,
    /// `decode` omits the token when it skips special tokens.
    pub(super) special: bool,
    /// The token is matched in the normalised text instead of the text.
    pub(super) normalized: bool,
    /// The match includes the white space before it.
    pub(super) lstrip: bool,
    /// The match includes the white space after it.
    pub(super) rstrip: bool,
    /// The token matches only without a word character on either side.
    pub(super) single_word: bool,
}

/// All added tokens of a tokenizer.
#[derive(Debug, Clone)]
pub(super) struct AddedTokens {
    tokens: Vec<AddedToken>,
    /// Indices into `tokens`, ordered by id.
    by_id: Vec<u32>,
    /// Indices into `tokens`, ordered by text.
    by_content: Vec<u32>,
    /// Matches tokens in the text itself.
    pub(super) raw: Matcher,
    /// Matches tokens in the normalised text.
    pub(super) normalized: Matcher,
}

impl AddedTokens {
    /// `normalize` returns the normalised text.
    ///
    /// # Errors
    /// The errors of `normalize` and of [`Matcher::new`].
    pub(super) fn new(
        tokens: Vec<AddedToken>,
        normalize: impl Fn(&str) -> Result<String>,
    ) -> Result<Self> {
        let raw = tokens.iter().filter(|token| !token.normalized);
        let raw = Matcher::new(raw.map(|token| (token.content.clone(), token)))?;
        let normalized = tokens.iter().filter(|token| token.normalized);
        let normalized: Vec<_> = normalized
            .map(|token| Ok((normalize(&token.content)?, token)))
            .collect::<Result<_>>()?;
        let normalized = Matcher::new(normalized.into_iter())?;
        let mut by_id: Vec<u32> = (0..tokens.len() as u32).collect();
        let mut by_content = by_id.clone();
        by_id.sort_by_key(|&at| tokens[at as usize].id);
        by_content.sort_by(|&a, &b| tokens[a as usize].content.cmp(&tokens[b as usize].content));
        Ok(Self { tokens, by_id, by_content, raw, normalized })
    }

    /// Returns the first token with this id.
    pub(super) fn by_id(&self, id: u32) -> Option<&AddedToken> {
        let of = |at: u32| &self.tokens[at as usize];
        let at = self.by_id.partition_point(|&at| of(at).id < id);
        self.by_id.get(at).map(|&at| of(at)).filter(|token| token.id == id)
    }

    pub(super) fn by_content(&self, content: &str) -> Option<&AddedToken> {
        let of = |at: u32| &self.tokens[at as usize];
        let at = self.by_content.binary_search_by(|&at| of(at).content.as_str().cmp(content));
        at.ok().map(|at| of(self.by_content[at]))
    }

    /// Returns all tokens, ordered by id.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &AddedToken> {
        self.by_id.iter().map(|&at| &self.tokens[at as usize])
    }

    /// Returns the largest id plus one; 0 without tokens.
    pub(super) fn size(&self) -> usize {
        self.in_order().last().map_or(0, |token| token.id as usize + 1)
    }
}

/// A part of a text: an added token, or the text between two of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The id of the added token, if the part is one.
    pub(super) id: Option<u32>,
}

/// Finds the leftmost longest match of a set of texts, in linear time.
#[derive(Debug, Clone)]
pub(super) struct Matcher {
    /// The texts, numbered by their index in `tokens`.
    texts: Automaton,
    tokens: Vec<AddedToken>,
    /// The texts, possibly normalised.
    contents: Vec<String>,
    /// The first bytes of the texts, if [`Matcher::may_occur`] can use them.
    firsts: Option<Box<[bool; 256]>>,
}

/// The maximum number of texts whose first bytes are compared one by one.
const FEW: usize = 8;

/// U+226E, which decomposes into `<` and a mark.
const NOT_LESS: &[u8] = "\u{226e}".as_bytes();

/// Returns the first bytes of these texts, or `None` if the texts are too many. All of them must
/// begin with an ASCII character that BERT's normalizer produces from no other character, except
/// `NOT_LESS`.
fn firsts(contents: &[String]) -> Option<Box<[bool; 256]>> {
    let first = |text: &String| text.bytes().next().filter(|byte| b"<[{(|@#$%&*_".contains(byte));
    let firsts: Option<Vec<u8>> = contents.iter().map(first).collect();
    firsts.filter(|firsts| firsts.len() <= FEW).map(|firsts| {
        let mut table = Box::new([false; 256]);
        firsts.iter().for_each(|&first| table[usize::from(first)] = true);
        table[usize::from(NOT_LESS[0])] = firsts.contains(&b'<');
        table
    })
}

impl Matcher {
    fn new<'a>(tokens: impl Iterator<Item = (String, &'a AddedToken)>) -> Result<Self> {
        let tokens = tokens.filter(|(content, _)| !content.is_empty());
        let (contents, tokens): (Vec<_>, Vec<_>) =
            tokens.map(|(content, token)| (content, token.clone())).unzip();
        let texts = Automaton::new("added tokens", contents.iter().map(String::as_str).zip(0..))?;
        let firsts = if super::IS_FAST { firsts(&contents) } else { None };
        Ok(Self { texts, tokens, contents, firsts })
    }

    /// Returns whether one of the texts may occur in `text` after BERT's normalizer. `ascii` is the
    /// normalizer's table. Takes linear time. The result is exact for plain ASCII.
    pub(super) fn may_occur(&self, text: &str, ascii: &[Ascii; 256]) -> bool {
        if self.tokens.is_empty() {
            return false;
        }
        let Some(firsts) = self.firsts.as_ref().filter(|_| super::IS_FAST) else { return true };
        let text = text.as_bytes();
        let matches = |at: usize, content: &[u8]| {
            for (&found, &wanted) in text[at..].iter().zip(content) {
                match ascii[usize::from(found)] {
                    // The normalizer may remove the byte or change it to anything.
                    Ascii::Other => return true,
                    Ascii::Space if wanted == b' ' => {}
                    _ if found.eq_ignore_ascii_case(&wanted) => {}
                    _ => return false,
                }
            }
            text.len() - at >= content.len()
        };
        let begins = |at: usize| match text[at].is_ascii() {
            true => self.contents.iter().any(|text| matches(at, text.as_bytes())),
            false => text[at..].starts_with(NOT_LESS),
        };
        (0..text.len()).any(|at| firsts[usize::from(text[at])] && begins(at))
    }

    /// Calls `each` with the nonempty parts of `text` in order. With `as_text`, special tokens are
    /// not matched.
    pub(super) fn split(&self, text: &str, as_text: bool, mut each: impl FnMut(Part)) {
        let mut matches = Vec::new();
        self.texts.scan(text.as_bytes(), |at, token| matches.push((at, token as usize)));
        let mut white = WhiteSpace { text, before: (0, 0), after: (0, 0) };
        let (mut done, mut at) = (0, 0);
        for (start, token) in matches.into_iter().rev() {
            if start < at {
                continue;
            }
            let mut range = start..start + self.contents[token].len();
            let token = &self.tokens[token];
            at = range.end;
            if as_text && token.special || token.single_word && !stands_alone(text, &range) {
                continue;
            }
            if token.lstrip {
                // White space that belongs to the previous match stays there.
                range.start = white.before(range.start).max(done);
                if range.is_empty() {
                    continue;
                }
            }
            if token.rstrip {
                range.end = white.after(range.end);
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
}

/// The ends of white space in a text. Queries come from left to right, and each byte is scanned
/// once even if many matches touch the same white space.
struct WhiteSpace<'a> {
    text: &'a str,
    /// A byte, and the start of the white space before it.
    before: (usize, usize),
    /// A byte, and the end of the white space after it.
    after: (usize, usize),
}

impl WhiteSpace<'_> {
    /// Returns the start of the white space that ends at byte `at`.
    fn before(&mut self, at: usize) -> usize {
        let (known, start) = self.before;
        let rest = self.text[known..at].trim_end();
        self.before = (at, if rest.is_empty() { start } else { known + rest.len() });
        self.before.1
    }

    /// Returns the end of the white space that begins at byte `at`.
    fn after(&mut self, at: usize) -> usize {
        if !(self.after.0..self.after.1).contains(&at) {
            self.after = (at, self.text.len() - self.text[at..].trim_start().len());
        }
        self.after.1
    }
}

/// Returns whether no word character touches the range.
fn stands_alone(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    !before.is_some_and(unicode::is_word) && !after.is_some_and(unicode::is_word)
}
