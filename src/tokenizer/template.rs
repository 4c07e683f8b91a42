//! Where the special tokens go: `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`.

use std::ops::Range;

use super::{Encoding, Span, words::Tokens};
use crate::{Error, Result};

/// One part of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// A special token.
    Special { id: u32, type_id: u32 },
    /// All tokens of the text, or of the pair.
    Text { pair: bool, type_id: u32 },
}

/// What an encoding consists of, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    /// For a text alone.
    pub(super) single: Vec<Slot>,
    /// For a text and its pair.
    pub(super) pair: Vec<Slot>,
    /// Segments are those of the slots in the window that is kept; others have 0 for the text and
    /// 1 for the pair, as the reference's TemplateProcessing does it.
    pub(super) types_of_kept: bool,
}

/// The tokens of a text or of a pair that one encoding has.
pub(super) struct Window<'a> {
    pub(super) tokens: &'a Tokens,
    pub(super) range: Range<usize>,
    /// It is no window over what was truncated.
    pub(super) is_kept: bool,
}

impl Template {
    /// The texts alone, with no special tokens.
    pub(super) fn bare() -> Self {
        let text = |pair| Slot::Text { pair, type_id: u32::from(pair) };
        Self {
            single: vec![text(false)],
            pair: vec![text(false), text(true)],
            types_of_kept: false,
        }
    }

    /// BERT's own.
    pub(super) fn bert(cls: u32, sep: u32) -> Self {
        let Self { single, pair, .. } = Self::bare();
        let special = |id, type_id| Slot::Special { id, type_id };
        let single = vec![special(cls, 0), single[0], special(sep, 0)];
        let pair = vec![special(cls, 0), pair[0], special(sep, 0), pair[1], special(sep, 1)];
        Self { single, pair, types_of_kept: false }
    }

    /// RoBERTa's: two separators between text and pair, and one segment.
    pub(super) fn roberta(cls: u32, sep: u32) -> Self {
        let special = |id| Slot::Special { id, type_id: 0 };
        let text = |pair| Slot::Text { pair, type_id: 0 };
        let single = vec![special(cls), text(false), special(sep)];
        let pair = [single.clone(), vec![special(sep), text(true), special(sep)]].concat();
        Self { single, pair, types_of_kept: false }
    }

    /// Every text appears once where it should.
    pub(super) fn is_complete(&self) -> bool {
        let texts = |slots: &[Slot]| {
            let count = |wanted| {
                let is = |slot: &&Slot| matches!(slot, Slot::Text { pair, .. } if *pair == wanted);
                slots.iter().filter(is).count()
            };
            (count(false), count(true))
        };
        texts(&self.single) == (1, 0) && texts(&self.pair) == (1, 1)
    }

    fn slots(&self, pair: bool) -> &[Slot] {
        if pair { &self.pair } else { &self.single }
    }

    /// How many special tokens are added to a text, or to a text and its pair.
    pub(super) fn added(&self, pair: bool) -> usize {
        self.slots(pair).iter().filter(|slot| matches!(slot, Slot::Special { .. })).count()
    }

    /// The segment of a window whose slot has `type_id`.
    fn type_id(&self, window: &Window<'_>, sequence: u8, type_id: u32) -> u32 {
        if self.types_of_kept && !window.is_kept { sequence.into() } else { type_id }
    }

    /// Puts together the `text` tokens and, where there is a pair, its tokens.
    pub(super) fn fill(
        &self,
        text: Window<'_>,
        pair: Option<Window<'_>>,
        add_special_tokens: bool,
    ) -> Result<Encoding> {
        let len = text.range.len() + pair.as_ref().map_or(0, |pair| pair.range.len());
        let mut encoding = Encoding::default();
        let ids_only = text.tokens.ids_only;
        encoding.reserve(len + self.added(pair.is_some()), ids_only)?;
        for &slot in self.slots(pair.is_some()) {
            match slot {
                Slot::Special { id, type_id } if add_special_tokens => {
                    encoding.push_added(id, type_id, ids_only);
                }
                Slot::Special { .. } => {}
                Slot::Text { pair: false, type_id } => {
                    encoding.extend(&text, 0, self.type_id(&text, 0, type_id));
                }
                Slot::Text { pair: true, type_id } => {
                    if let Some(pair) = &pair {
                        encoding.extend(pair, 1, self.type_id(pair, 1, type_id));
                    }
                }
            }
        }
        Ok(encoding)
    }
}

impl Encoding {
    /// Makes room for `more` tokens; with `ids_only` not for where they come from.
    pub(super) fn reserve(&mut self, more: usize, ids_only: bool) -> Result<()> {
        let mut reserved = (self.ids.try_reserve_exact(more))
            .and_then(|()| self.type_ids.try_reserve_exact(more))
            .and_then(|()| self.attention_mask.try_reserve_exact(more));
        if !ids_only {
            reserved = reserved
                .and_then(|()| self.spans.try_reserve_exact(more))
                .and_then(|()| self.word_ids.try_reserve_exact(more))
                .and_then(|()| self.sequence_ids.try_reserve_exact(more));
        }
        let tokens = self.len() + more;
        reserved.map_err(|_| Error::OutOfMemory(format!("no memory for {tokens} tokens of a text")))
    }

    /// Appends the tokens of a window.
    fn extend(&mut self, window: &Window<'_>, sequence: u8, type_id: u32) {
        let (tokens, range) = (window.tokens, window.range.clone());
        self.ids.extend_from_slice(&tokens.ids[range.clone()]);
        let len = self.ids.len();
        self.type_ids.resize(len, type_id);
        self.attention_mask.resize(len, 1);
        if tokens.ids_only {
            return;
        }
        let first = self.spans.len();
        self.spans.extend_from_slice(&tokens.spans[range.clone()]);
        if let (Some(span), Some(own)) =
            (self.spans.get_mut(first), tokens.first_spans.get(range.start))
        {
            *span = *own;
        }
        self.word_ids.extend(tokens.words[range].iter().map(|&word| Some(word)));
        self.sequence_ids.resize(len, Some(sequence));
    }

    /// Appends a token that stands for no part of the text.
    fn push_added(&mut self, id: u32, type_id: u32, ids_only: bool) {
        self.ids.push(id);
        self.type_ids.push(type_id);
        self.attention_mask.push(1);
        if !ids_only {
            self.spans.push(Span::default());
            self.word_ids.push(None);
            self.sequence_ids.push(None);
        }
    }
}
