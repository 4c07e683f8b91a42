//! Padding to a common length.

use super::{
    Count, Encoding, Span,
    options::{EncodeOptions, Padding, Side},
};
use crate::Result;

/// The padding token and the side that is padded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PadRule {
    pub(super) id: u32,
    pub(super) side: Side,
}

/// Pads all windows of all inputs. `max_length` is the length in tokens for [`Padding::MaxLength`];
/// without it, nothing is padded. `ids_only` must be the value that the encodings were made with.
///
/// # Errors
/// `BadInput` if the padding would exceed the limits of a call; `OutOfMemory`.
pub(super) fn pad(
    rule: PadRule,
    batch: &mut [Vec<Encoding>],
    options: &EncodeOptions,
    max_length: Option<usize>,
    ids_only: bool,
) -> Result<()> {
    let target = match options.padding {
        Padding::None => None,
        // As in the reference, overflowing windows are ignored.
        Padding::Longest => {
            batch.iter().filter_map(|windows| windows.first()).map(Encoding::len).max()
        }
        Padding::MaxLength => max_length,
    };
    let Some(mut target) = target else { return Ok(()) };
    if let Some(multiple) = options.pad_to_multiple_of {
        target = target.next_multiple_of(multiple);
    }
    let mut count = Count::default();
    for encoding in batch.iter().flatten() {
        count.add(1, encoding.len().max(target) as u64)?;
    }
    batch.iter_mut().flatten().try_for_each(|encoding| encoding.pad(rule, target, ids_only))
}

impl Encoding {
    /// Pads to `len` tokens. A longer encoding is unchanged.
    fn pad(&mut self, rule: PadRule, len: usize, ids_only: bool) -> Result<()> {
        let missing = len.saturating_sub(self.len());
        self.reserve(missing, ids_only)?;
        let at = match rule.side {
            Side::Left => 0,
            Side::Right => self.len(),
        };
        insert(&mut self.ids, at, rule.id, missing);
        insert(&mut self.type_ids, at, 0, missing);
        insert(&mut self.attention_mask, at, 0, missing);
        if !ids_only {
            insert(&mut self.spans, at, Span::default(), missing);
            insert(&mut self.word_ids, at, None, missing);
            insert(&mut self.sequence_ids, at, None, missing);
        }
        Ok(())
    }
}

fn insert<T: Copy>(values: &mut Vec<T>, at: usize, value: T, count: usize) {
    values.splice(at..at, std::iter::repeat_n(value, count));
}
