//! Places in a text, as rows count them.

use super::bad;
use crate::Result;

/// What offsets in rows count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Offsets {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// Code units of UTF-16, as JavaScript does.
    Utf16,
}

/// The bytes of a text at which offsets lie.
pub(in crate::train) struct Places {
    /// The greatest offset.
    len: usize,
    /// By offset; a character's second code unit of UTF-16 is the byte after its first, which is within the character.
    /// `None`: offsets are bytes.
    bytes: Option<Vec<usize>>,
}

impl Places {
    pub(in crate::train) fn new(text: &str, offsets: Offsets) -> Self {
        if offsets == Offsets::Bytes || text.is_ascii() {
            return Self { len: text.len(), bytes: None };
        }
        let mut bytes = Vec::with_capacity(text.len() + 1);
        for (at, c) in text.char_indices() {
            bytes.extend((0..c.len_utf16()).map(|unit| at + unit));
        }
        bytes.push(text.len());
        Self { len: bytes.len() - 1, bytes: Some(bytes) }
    }

    /// The byte of an offset.
    ///
    /// # Errors
    /// `BadInput` where the text is shorter.
    pub(in crate::train) fn byte(&self, offset: usize) -> Result<usize> {
        if offset > self.len {
            return Err(bad(format!("{offset} is outside the text, which ends at {}", self.len)));
        }
        Ok(self.bytes.as_ref().map_or(offset, |bytes| bytes[offset]))
    }
}
