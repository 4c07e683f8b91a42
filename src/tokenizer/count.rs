//! Limits on the output of a call. Windows and padding can turn a short text into any number of
//! tokens, so tokens are counted before memory is allocated.

use crate::{Error, Result};

/// The maximum number of tokens returned by a call, with all windows and padding. A token takes
/// about 30 bytes in Rust and twice as much in JavaScript.
pub const MAX_TOKENS: usize = 1 << 24;

/// The maximum number of windows returned by a call. A text that is not truncated is one window.
pub const MAX_WINDOWS: usize = 1 << 20;

/// Counts the output of a call.
#[derive(Debug, Default)]
pub(crate) struct Count {
    windows: u64,
    tokens: u64,
}

impl Count {
    /// Adds `windows` windows with `tokens` tokens in total.
    ///
    /// # Errors
    /// `BadInput` if a limit is exceeded.
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
