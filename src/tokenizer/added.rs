//! Added tokens: found in the text as they stand, before anything else is done to it.

use super::automaton::Automaton;
use super::unicode;
use crate::Result;
use crate::tokenizer::bert::normalize::Ascii;

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
    /// Places in `tokens`, in order of the ids.
    by_id: Vec<u32>,
    /// Places in `tokens`, in order of the texts.
    by_content: Vec<u32>,
    /// Finds those that stand in the text itself.
    pub(super) raw: Matcher,
    /// Finds those that stand in the normalised text.
    pub(super) normalized: Matcher,
}

impl AddedTokens {
    /// `normalize` returns the normalised text.
    ///
    /// # Errors
    /// The errors of `normalize`, and the errors of [`Matcher::new`].
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

    /// Of tokens with one id the first.
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

    /// All, in order of their ids.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &AddedToken> {
        self.by_id.iter().map(|&at| &self.tokens[at as usize])
    }

    /// One more than the largest id; 0 where there are none.
    pub(super) fn size(&self) -> usize {
        self.in_order().last().map_or(0, |token| token.id as usize + 1)
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

/// Finds the leftmost, of those the longest, of a set of texts, in time linear in the text.
#[derive(Debug, Clone)]
pub(super) struct Matcher {
    /// The texts, by their places in `tokens`.
    texts: Automaton,
    tokens: Vec<AddedToken>,
    /// The texts, which may be normalised.
    contents: Vec<String>,
    /// The bytes that the texts begin with, where [`Matcher::may_occur`] can tell.
    firsts: Option<Box<[bool; 256]>>,
}

/// Texts whose beginnings are looked for one by one.
const FEW: usize = 8;

/// U+226E, which is composed of `<` and a mark.
const NOT_LESS: &[u8] = "\u{226e}".as_bytes();

/// The bytes that these texts begin with, where they are few and begin with ASCII that BERT's normalizer makes of no other
/// character, but for `NOT_LESS`.
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

    /// Whether one of the texts may stand in `text` once BERT's normalizer, whose table `ascii` is,
    /// has normalised it. In time linear in the text; what it says is exact for plain ASCII.
    pub(super) fn may_occur(&self, text: &str, ascii: &[Ascii; 256]) -> bool {
        if self.tokens.is_empty() {
            return false;
        }
        let Some(firsts) = self.firsts.as_ref().filter(|_| super::IS_FAST) else { return true };
        let text = text.as_bytes();
        let matches = |at: usize, content: &[u8]| {
            for (&found, &wanted) in text[at..].iter().zip(content) {
                match ascii[usize::from(found)] {
                    // It may go, or become anything.
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

    /// Calls `each` with the parts of `text`, in order, none of them empty. `as_text`: special tokens stay text.
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
                // White space that the match before has taken stays there.
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

/// The ends of white space in a text. They are asked for from left to right and looked for once
/// in each byte: the same white space may lie beside many matches.
struct WhiteSpace<'a> {
    text: &'a str,
    /// A place, and where the white space before it begins.
    before: (usize, usize),
    /// A place, and where the white space after it ends.
    after: (usize, usize),
}

impl WhiteSpace<'_> {
    /// Where the white space that ends at byte `at` begins.
    fn before(&mut self, at: usize) -> usize {
        let (known, start) = self.before;
        let rest = self.text[known..at].trim_end();
        self.before = (at, if rest.is_empty() { start } else { known + rest.len() });
        self.before.1
    }

    /// Where the white space that begins at byte `at` ends.
    fn after(&mut self, at: usize) -> usize {
        if !(self.after.0..self.after.1).contains(&at) {
            self.after = (at, self.text.len() - self.text[at..].trim_start().len());
        }
        self.after.1
    }
}

/// No word character touches the range.
fn stands_alone(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    !before.is_some_and(unicode::is_word) && !after.is_some_and(unicode::is_word)
}
