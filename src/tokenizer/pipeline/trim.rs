//! `trim_offsets`: the white space at the ends of tokens is no part of what they stand for.

use super::byte_level;
use crate::tokenizer::Span;

/// The rule of a ByteLevel or RobertaProcessing post-processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tokenizer) struct Trim {
    /// One space before the first token stays: it may have been added.
    pub(super) add_prefix_space: bool,
}

impl Trim {
    /// The span of a token, written `token`, that stood for `span` of `text`. `is_first`: it
    /// begins a window, or the text. Where spaces are not in `text` that many characters go, as
    /// in the reference.
    pub(in crate::tokenizer) fn span(
        self,
        text: &str,
        token: &str,
        span: Span,
        is_first: bool,
    ) -> Span {
        let is_space = |c: &char| *c == byte_level::SPACE || c.is_whitespace();
        let leading = token.chars().take_while(is_space).count();
        let trailing = token.chars().rev().take_while(is_space).count();
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
