//! How much one call may give. Of a short text, too, windows and padding can make any number of
//! tokens, so these are counted before memory is taken for them.

use crate::{Error, Result};

/// Tokens that one call gives at most, those of all windows and padding: about 30 bytes each in
/// Rust, and twice that in JavaScript.
pub const MAX_TOKENS: usize = 1 << 24;

/// Windows that one call gives at most; a text that is not cut is one.
pub const MAX_WINDOWS: usize = 1 << 20;

/// Counts what a call is about to give.
#[derive(Debug, Default)]
pub(crate) struct Count {
    windows: u64,
    tokens: u64,
}

impl Count {
    /// Counts `windows` more, of `tokens` tokens together.
    ///
    /// # Errors
    /// `BadInput` where they are too many.
    pub(crate) fn add(&mut self, windows: u64, tokens: u64) -> Result<()> {
        self.windows = self.windows.saturating_add(windows);
        self.tokens = self.tokens.saturating_add(tokens);
        if self.windows > MAX_WINDOWS as u64 || self.tokens > MAX_TOKENS as u64 {
            return Err(Error::BadInput(format!(
                "the texts make {} tokens in {} windows, padding included; one call takes \
                 {MAX_TOKENS} tokens in {MAX_WINDOWS} windows: give fewer texts, a smaller stride \
                 or less padding",
                self.tokens, self.windows
            )));
        }
        Ok(())
    }
}
