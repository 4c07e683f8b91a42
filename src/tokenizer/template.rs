//! The positions of special tokens, e.g. `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`.

use std::ops::Range;

use super::{Encoding, Span};
use crate::tokenizer::bert::words::Tokens;
use crate::{Error, Result};

/// A part of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TemplateItem {
    /// A special token.
    Special { id: u32, type_id: u32 },
    /// All tokens of the text or of the pair. `type_of_rest` is the type in windows over truncated
    /// tokens.
    Text { pair: bool, type_id: u32, type_of_rest: u32 },
}

impl TemplateItem {
    /// Sets the type, except in windows over truncated tokens, as in the reference's
    /// TemplateProcessing.
    #[cfg(feature = "tokenizers")]
    pub(super) fn set_type(&mut self, new: u32) {
        match self {
            Self::Special { type_id, .. } | Self::Text { type_id, .. } => *type_id = new,
        }
    }
}

/// The maximum number of tokens and texts of a template. Without it, many parts could each name the
/// same long list of ids.
pub(super) const MAX_SLOTS: usize = 64;

/// The parts of an encoding, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    /// The parts for a single text.
    pub(super) single: Vec<TemplateItem>,
    /// The parts for a text and its pair.
    pub(super) pair: Vec<TemplateItem>,
    /// The number of special tokens that truncation leaves room for, without and with a pair.
    pub(super) added: [usize; 2],
}

/// The tokens of a text or a pair in one encoding.
pub(super) struct Window<'a> {
    pub(super) tokens: &'a Tokens,
    pub(super) range: Range<usize>,
    /// False for a window over truncated tokens.
    pub(super) is_kept: bool,
}

impl Template {
    /// Returns a template of these parts.
    pub(super) fn new(single: Vec<TemplateItem>, pair: Vec<TemplateItem>) -> Self {
        let count = |slots: &[TemplateItem]| {
            slots.iter().filter(|slot| matches!(slot, TemplateItem::Special { .. })).count()
        };
        let added = [count(&single), count(&pair)];
        Self { single, pair, added }
    }

    /// Returns a template without special tokens.
    pub(super) fn bare() -> Self {
        let text = |pair| {
            let type_id = u32::from(pair);
            TemplateItem::Text { pair, type_id, type_of_rest: type_id }
        };
        Self::new(vec![text(false)], vec![text(false), text(true)])
    }

    /// Returns BERT's template.
    pub(super) fn bert(cls: u32, sep: u32) -> Self {
        let Self { single, pair, .. } = Self::bare();
        let special = |id, type_id| TemplateItem::Special { id, type_id };
        let single = vec![special(cls, 0), single[0], special(sep, 0)];
        let pair = vec![special(cls, 0), pair[0], special(sep, 0), pair[1], special(sep, 1)];
        Self::new(single, pair)
    }

    /// Returns RoBERTa's template: two separators between text and pair, and a single segment.
    pub(super) fn roberta(cls: u32, sep: u32) -> Self {
        let special = |id| TemplateItem::Special { id, type_id: 0 };
        let text = |pair| TemplateItem::Text { pair, type_id: 0, type_of_rest: 0 };
        let single = vec![special(cls), text(false), special(sep)];
        let pair = [single.clone(), vec![special(sep), text(true), special(sep)]].concat();
        Self::new(single, pair)
    }

    /// Sets the type of the pair to 1 in windows over truncated tokens, as TemplateProcessing does.
    #[cfg(feature = "tokenizers")]
    pub(super) fn with_types_of_rest(mut self) -> Self {
        for slot in self.single.iter_mut().chain(&mut self.pair) {
            if let TemplateItem::Text { pair, type_of_rest, .. } = slot {
                *type_of_rest = u32::from(*pair);
            }
        }
        self
    }

    /// Returns whether each text appears exactly once.
    pub(super) fn is_complete(single: &[TemplateItem], pair: &[TemplateItem]) -> bool {
        let texts = |slots: &[TemplateItem]| {
            let count = |wanted| {
                let is = |slot: &&TemplateItem| matches!(slot, TemplateItem::Text { pair, .. } if *pair == wanted);
                slots.iter().filter(is).count()
            };
            (count(false), count(true))
        };
        texts(single) == (1, 0) && texts(pair) == (1, 1)
    }

    fn slots(&self, pair: bool) -> &[TemplateItem] {
        if pair { &self.pair } else { &self.single }
    }

    /// Returns the number of special tokens that truncation reserves for a text, or for a text and
    /// its pair.
    pub(super) fn added(&self, pair: bool) -> usize {
        self.added[usize::from(pair)]
    }

    /// Builds an encoding from the tokens of `text` and, if present, of `pair`.
    pub(super) fn fill(
        &self,
        text: Window<'_>,
        pair: Option<Window<'_>>,
        add_special_tokens: bool,
    ) -> Result<Encoding> {
        let len = text.range.len() + pair.as_ref().map_or(0, |pair| pair.range.len());
        let mut encoding = Encoding::default();
        let ids_only = text.tokens.ids_only;
        encoding.reserve(len + self.slots(pair.is_some()).len(), ids_only)?;
        for &slot in self.slots(pair.is_some()) {
            match slot {
                TemplateItem::Special { id, type_id } if add_special_tokens => {
                    encoding.push_added(id, type_id, ids_only);
                }
                TemplateItem::Special { .. } => {}
                TemplateItem::Text { pair: is_pair, type_id, type_of_rest } => {
                    let window = if is_pair { pair.as_ref() } else { Some(&text) };
                    if let Some(window) = window {
                        let type_id = if window.is_kept { type_id } else { type_of_rest };
                        encoding.extend(window, u8::from(is_pair), type_id);
                    }
                }
            }
        }
        Ok(encoding)
    }
}

impl Encoding {
    /// Reserves memory for `more` tokens. With `ids_only`, spans, words and sequences get none.
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
        // the first token of a window can have a different span
        if let (Some(span), Some(own)) =
            (self.spans.get_mut(first), tokens.first_spans.get(range.start))
        {
            *span = *own;
        }
        self.word_ids.extend(tokens.words[range].iter().map(|&word| Some(word)));
        self.sequence_ids.resize(len, Some(sequence));
    }

    /// Appends a token without a part of the text.
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
