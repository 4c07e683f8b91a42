//! Offsets in a text, in the units that rows use.

use crate::Result;
use crate::error::fault;

/// Unit of offsets in rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Offsets {
    /// UTF-8 bytes.
    #[default]
    Bytes,
    /// UTF-16 code units, as in JavaScript.
    Utf16,
}

/// Converts offsets in a text to bytes.
pub(in crate::train) struct Places {
    /// Largest offset.
    len: usize,
    /// Byte of each offset. The second UTF-16 code unit of a character maps to a byte inside the
    /// character, so callers can reject it. `None`: offsets are bytes.
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

    /// Returns the byte of an offset.
    ///
    /// # Errors
    /// `BadInput` if the offset is beyond the end of the text.
    pub(in crate::train) fn byte(&self, offset: usize) -> Result<usize> {
        if offset > self.len {
            let end = self.len;
            return Err(fault!(
                BadInput,
                "{offset} is outside the text, which ends at {end}",
                expected = "at most {end}",
                found = "{offset}",
            ));
        }
        Ok(self.bytes.as_ref().map_or(offset, |bytes| bytes[offset]))
    }
}
