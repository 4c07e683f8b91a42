//! The error type of the crate: a kind for programs and a sentence for people.

use std::fmt;

/// Result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of this crate. Its text names the file, tensor, option or input at fault, what was
/// expected and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// `config.json` is invalid, or describes a model that no supported family has.
    BadConfig(String),
    /// The tokenizer's files are invalid, or describe a tokenizer that this crate does not support.
    BadTokenizer(String),
    /// A weight file is damaged, or its tensors do not match the config.
    BadWeights(String),
    /// The model, task or option is valid, but this crate or device does not support it.
    Unsupported(String),
    /// A text, an id or an option of a call is invalid.
    BadInput(String),
    /// An allocation failed.
    OutOfMemory(String),
    /// The GPU device was lost.
    DeviceLost(String),
    /// The caller cancelled the call.
    Aborted(String),
}

impl Error {
    /// Returns the name of the kind, e.g. `"bad_config"`. Programs compare it; it is part of the
    /// public JavaScript API.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadConfig(_) => "bad_config",
            Self::BadTokenizer(_) => "bad_tokenizer",
            Self::BadWeights(_) => "bad_weights",
            Self::Unsupported(_) => "unsupported",
            Self::BadInput(_) => "bad_input",
            Self::OutOfMemory(_) => "out_of_memory",
            Self::DeviceLost(_) => "device_lost",
            Self::Aborted(_) => "aborted",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::BadConfig(text)
        | Self::BadTokenizer(text)
        | Self::BadWeights(text)
        | Self::Unsupported(text)
        | Self::BadInput(text)
        | Self::OutOfMemory(text)
        | Self::DeviceLost(text)
        | Self::Aborted(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Error {}
