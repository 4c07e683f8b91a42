//! Truncation: the tokens of text and pair that are kept, and the windows over the rest.

use std::ops::Range;

use super::options::{EncodeOptions, Side, Truncation};
use crate::{Error, Result};

/// The maximum length of an encoding, and the strategy for longer ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limit {
    strategy: Truncation,
    /// The maximum number of tokens, without special tokens.
    len: usize,
    /// The number of tokens shared by neighbouring windows.
    stride: usize,
    side: Side,
}

/// The windows of a text or a pair, as ranges of its tokens. The first one holds the tokens that
/// are kept.
pub(super) type Windows = Vec<Range<usize>>;

/// Returns a single window over all tokens.
pub(super) fn whole(len: usize) -> Windows {
    std::iter::once(0..len).collect()
}

impl Limit {
    /// Returns the limit. `max_length` includes `added` special tokens. Returns `None` if
    /// truncation is off, or if the special tokens alone exceed the limit.
    pub(super) fn new(
        options: &EncodeOptions,
        max_length: Option<usize>,
        added: usize,
        side: Side,
    ) -> Option<Self> {
        let len = max_length?.checked_sub(added)?;
        let strategy = options.truncation;
        let stride = options.stride;
        (strategy != Truncation::None).then_some(Self { strategy, len, stride, side })
    }

    /// Returns the windows for a text of `text` tokens and a pair of `pair` tokens.
    pub(super) fn windows(&self, text: usize, pair: Option<usize>) -> Result<(Windows, Windows)> {
        let (keep_text, keep_pair) = self.lengths(text, pair)?;
        Ok((self.slide(text, keep_text)?, self.slide(pair.unwrap_or(0), keep_pair)?))
    }

    /// Returns the number of tokens that are kept of each.
    fn lengths(&self, text: usize, pair: Option<usize>) -> Result<(usize, usize)> {
        let other = pair.unwrap_or(0);
        let excess = (text + other).saturating_sub(self.len);
        if excess == 0 {
            return Ok((text, other));
        }
        // without room for text, nothing is kept, whatever the strategy
        if self.len == 0 {
            return Ok((0, 0));
        }
        match self.strategy {
            Truncation::None => Ok((text, other)),
            Truncation::LongestFirst if pair.is_none() => Ok((self.len, 0)),
            Truncation::LongestFirst if text > other => {
                let (short, long) = self.longest_first(other);
                Ok((long, short))
            }
            Truncation::LongestFirst => Ok(self.longest_first(text)),
            Truncation::OnlyFirst => Ok((self.shorten("text", text, excess)?, other)),
            Truncation::OnlySecond if pair.is_none() => Err(Error::BadInput(
                "truncation \"only_second\" needs a text pair, and there is none".into(),
            )),
            Truncation::OnlySecond => Ok((text, self.shorten("text pair", other, excess)?)),
        }
    }

    /// Returns the lengths of the shorter and the longer one. The shorter one keeps its `short`
    /// tokens if possible. Otherwise both get half of the limit, and the longer one gets the odd
    /// token.
    fn longest_first(&self, short: usize) -> (usize, usize) {
        let long = if short > self.len { short } else { short.max(self.len - short) };
        if short + long > self.len {
            (self.len / 2, self.len / 2 + self.len % 2)
        } else {
            (short, long)
        }
    }

    fn shorten(&self, name: &str, len: usize, excess: usize) -> Result<usize> {
        len.checked_sub(excess).filter(|&kept| kept > 0).ok_or_else(|| {
            Error::BadInput(format!(
                "{excess} tokens are too many, and the {name}, the only one to be truncated, has {len}"
            ))
        })
    }

    /// Returns windows of `keep` tokens over `len` tokens. Each one shares `stride` tokens with the
    /// previous one.
    fn slide(&self, len: usize, keep: usize) -> Result<Windows> {
        if keep >= len {
            return Ok(whole(len));
        }
        if keep == 0 {
            // nothing is kept; the other window has all tokens
            return Ok(vec![0..0, 0..len]);
        }
        let step = keep.checked_sub(self.stride).filter(|&step| step > 0).ok_or_else(|| {
            Error::BadInput(format!(
                "stride {} must be less than the {keep} tokens of text that a window has room for",
                self.stride
            ))
        })?;
        let mut windows = Vec::new();
        for shift in (0..len).step_by(step) {
            let window = match self.side {
                Side::Right => shift..len.min(shift + keep),
                Side::Left => (len - shift).saturating_sub(keep)..len - shift,
            };
            let is_last = match self.side {
                Side::Right => window.end == len,
                Side::Left => window.start == 0,
            };
            windows.push(window);
            if is_last {
                break;
            }
        }
        Ok(windows)
    }
}
