//! `trim_offsets`: spans exclude the white space at the ends of tokens.

use super::byte_level;
use crate::tokenizer::{Place, Span};

/// The rules of a file's ByteLevel and RobertaProcessing post-processors, in order. As in the
/// reference, each one trims the result of the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tokenizer) struct Trim(pub(super) Vec<Rule>);

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// Whether a single space before the first token is kept, because it may have been inserted.
    pub(super) add_prefix_space: bool,
    /// For each place, whether a special token precedes the text when the rule is applied.
    pub(super) is_behind: [bool; Place::COUNT],
}

impl Trim {
    /// Returns a single rule that is applied before special tokens are added.
    pub(super) fn new(add_prefix_space: bool) -> Self {
        Self(vec![Rule { add_prefix_space, is_behind: [false; Place::COUNT] }])
    }

    /// Returns whether the first token of a text or window may have a different span.
    pub(super) fn asks_first(&self) -> bool {
        self.0.iter().any(|rule| rule.add_prefix_space)
    }

    /// Returns the trimmed span of a token with the text `token` and the span `span` of `text`.
    /// `first` is set if the token begins a window or the text; it is the place of the text.
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
    /// Returns the trimmed span. As in the reference, the number of removed characters is the
    /// number of spaces in `token`, even if `text` has other characters there.
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
            // Only if the text before the end has this number of characters.
            _ => text[..end].char_indices().nth_back(trailing - 1).map_or(end, |(at, _)| at),
        };
        Span { start: start as u32, end: end.max(start) as u32 }
    }
}
