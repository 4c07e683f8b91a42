//! The options of an encoding.

use crate::{Error, Result};

/// Whether encodings are padded with `[PAD]`, and to which length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Padding {
    /// No padding.
    #[default]
    None,
    /// Pads to the longest encoding of the batch.
    Longest,
    /// Pads to `max_length`. If neither the options nor the checkpoint set it, nothing is padded.
    MaxLength,
}

/// The tokens that are removed if an encoding exceeds `max_length`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Truncation {
    /// No truncation.
    #[default]
    None,
    /// Removes tokens of the longer of text and pair, then of both.
    LongestFirst,
    /// Removes tokens of the text.
    OnlyFirst,
    /// Removes tokens of the pair.
    OnlySecond,
}

/// The end of a sequence that is padded or truncated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Side {
    /// Before the first token.
    Left,
    /// After the last token.
    #[default]
    Right,
}

impl Side {
    /// Returns the name in `tokenizer_config.json`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// The options of an encoding. The defaults only add special tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EncodeOptions {
    /// Whether to add special tokens, e.g. `[CLS]` and `[SEP]`, around the text and the pair.
    pub add_special_tokens: bool,
    /// The padding.
    pub padding: Padding,
    /// The truncation.
    pub truncation: Truncation,
    /// The maximum number of tokens, with special tokens. `None` means the checkpoint's limit.
    pub max_length: Option<usize>,
    /// The number of tokens shared by neighbouring windows.
    pub stride: usize,
    /// If set, the length of padding is rounded up to a multiple of this.
    pub pad_to_multiple_of: Option<usize>,
    /// Whether to also return windows over the truncated tokens.
    pub return_overflowing_tokens: bool,
    /// Whether special tokens in a text are treated as text. `None` means the checkpoint's
    /// `split_special_tokens`.
    pub split_special_tokens: Option<bool>,
    /// The side for padding. `None` means the checkpoint's `padding_side`.
    pub padding_side: Option<Side>,
    /// Whether `type_ids` distinguish a text from its pair; otherwise they are 0. `None` means true
    /// if the checkpoint's `model_input_names` has them.
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

/// The maximum length of padding in tokens. A larger length is rejected as a mistake, because
/// padding allocates at once.
const MAX_PADDING: usize = 1 << 20;

impl EncodeOptions {
    /// Rejects options that no text can be encoded with. `max_length` is the limit of the options,
    /// or else of the checkpoint. `added` is the number of special tokens of a single text.
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
