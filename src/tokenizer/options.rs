//! What can be asked of an encoding.

use crate::{Error, Result};

/// Whether and how far encodings are filled up with `[PAD]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Padding {
    /// Not at all.
    #[default]
    None,
    /// To the longest of the batch.
    Longest,
    /// To `max_length`; where neither the options nor the checkpoint have one, not at all.
    MaxLength,
}

/// Which tokens go when there are more than `max_length`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Truncation {
    /// None.
    #[default]
    None,
    /// Those of the longer of text and pair, then of both.
    LongestFirst,
    /// Those of the text.
    OnlyFirst,
    /// Those of the pair.
    OnlySecond,
}

/// The end of a sequence at which it is padded or cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Side {
    /// Before the first token.
    Left,
    /// Behind the last token.
    #[default]
    Right,
}

impl Side {
    /// As `tokenizer_config.json` has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// What is asked of an encoding. The defaults add special tokens and do nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EncodeOptions {
    /// `[CLS]` and `[SEP]` around the text and the pair.
    pub add_special_tokens: bool,
    /// Whether and how far to fill up.
    pub padding: Padding,
    /// Which tokens to drop.
    pub truncation: Truncation,
    /// The limit in tokens, special ones included; `None` is the checkpoint's own.
    pub max_length: Option<usize>,
    /// How many tokens neighbouring windows share.
    pub stride: usize,
    /// The length that padding goes to is rounded up to a multiple of this.
    pub pad_to_multiple_of: Option<usize>,
    /// Also give windows over the tokens that were dropped.
    pub return_overflowing_tokens: bool,
    /// Whether special tokens that a text spells out stay text; `None` is the checkpoint's `split_special_tokens`.
    pub split_special_tokens: Option<bool>,
    /// The side to pad at; `None` is the checkpoint's `padding_side`.
    pub padding_side: Option<Side>,
    /// Whether `type_ids` tell a text from its pair; `None`: if the checkpoint's `model_input_names` has them. They are 0
    /// otherwise.
    pub token_types: Option<bool>,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self {
            add_special_tokens: true,
            padding: Padding::None,
            truncation: Truncation::None,
            max_length: None,
            stride: 0,
            pad_to_multiple_of: None,
            return_overflowing_tokens: false,
            split_special_tokens: None,
            padding_side: None,
            token_types: None,
        }
    }
}

/// Tokens beyond which a length to pad to is taken for a mistake; it is memory at once.
const MAX_PADDING: usize = 1 << 20;

impl EncodeOptions {
    /// Refuses what no text could be encoded with. `max_length`: the options' own, or else the
    /// checkpoint's; `added`: special tokens of a single text.
    pub(super) fn check(&self, max_length: Option<usize>, added: usize) -> Result<()> {
        if self.padding != Padding::None {
            self.check_padding(max_length)?;
        }
        let (Some(max_length), true) = (max_length, self.truncation != Truncation::None) else {
            return Ok(());
        };
        let room = max_length.checked_sub(added);
        if room.is_some_and(|room| room < self.stride) {
            return Err(Error::BadInput(format!(
                "stride {} must be less than max_length {max_length} without its {added} special \
                 tokens",
                self.stride
            )));
        }
        let multiple = self.pad_to_multiple_of.unwrap_or(1);
        if self.padding != Padding::None && !max_length.is_multiple_of(multiple) {
            return Err(Error::BadInput(format!(
                "max_length {max_length} is not a multiple of pad_to_multiple_of {multiple}, to \
                 which truncated texts would be padded"
            )));
        }
        Ok(())
    }

    fn check_padding(&self, max_length: Option<usize>) -> Result<()> {
        let name = if self.max_length.is_some() { "max_length" } else { "model_max_length" };
        let max_length = max_length.filter(|_| self.padding == Padding::MaxLength);
        let numbers = [("pad_to_multiple_of", 1, self.pad_to_multiple_of), (name, 0, max_length)];
        for (name, least, value) in numbers {
            if let Some(value) = value.filter(|value| !(least..=MAX_PADDING).contains(value)) {
                return Err(Error::BadInput(format!(
                    "{name} is {value}; padding takes {least} to {MAX_PADDING}"
                )));
            }
        }
        Ok(())
    }
}
