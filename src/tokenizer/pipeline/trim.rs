//! `trim_offsets`: the white space at the ends of tokens is no part of what they stand for.

use super::byte_level;
use crate::tokenizer::{Place, Span};

/// The rules of the ByteLevel and RobertaProcessing post-processors of a file, in order. Each trims
/// what the one before it left, as in the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tokenizer) struct Trim(pub(super) Vec<Rule>);

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// One space before the first token stays: it may have been added.
    pub(super) add_prefix_space: bool,
    /// By place: a special token stands before the text when the rule is applied.
    pub(super) is_behind: [bool; Place::COUNT],
}

impl Trim {
    /// One rule, which is applied before there are special tokens.
    pub(super) fn new(add_prefix_space: bool) -> Self {
        Self(vec![Rule { add_prefix_space, is_behind: [false; Place::COUNT] }])
    }

    /// Whether the first token of a text or window may have another span than elsewhere.
    pub(super) fn asks_first(&self) -> bool {
        self.0.iter().any(|rule| rule.add_prefix_space)
    }

    /// The span of a token, written `token`, that stood for `span` of `text`. `first`: the token
    /// begins a window, or the text, at this place.
    pub(in crate::tokenizer) fn span(
        &self,
        text: &str,
        token: &str,
        span: Span,
        first: Option<Place>,
    ) -> Span {
        self.0.iter().fold(span, |span, rule| rule.span(text, token, span, first))
    }
}

impl Rule {
    /// If spaces are not in `text`, that many characters go, as in the reference.
    fn span(&self, text: &str, token: &str, span: Span, first: Option<Place>) -> Span {
        let is_space = |c: &char| *c == byte_level::SPACE || c.is_whitespace();
        let leading = token.chars().take_while(is_space).count();
        let trailing = token.chars().rev().take_while(is_space).count();
        let is_first =
            first.is_some_and(|Place(place)| place.is_none_or(|place| !self.is_behind[place]));
        let stays = leading == 1 && self.add_prefix_space && (is_first || span.start == 0);
        let (start, end) = (span.start as usize, span.end as usize);
        let start = match leading {
            0 => start,
            _ if stays => start,
            _ => text
                .get(start..end)
                .unwrap_or_default()
                .char_indices()
                .nth(leading)
                .map_or(end, |(at, _)| start + at),
        };
        let end = match trailing {
            0 => end,
            // Only if the whole text before it has so many characters.
            _ => text[..end].char_indices().nth_back(trailing - 1).map_or(end, |(at, _)| at),
        };
        Span { start: start as u32, end: end.max(start) as u32 }
    }
}
