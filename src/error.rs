//! The one error of the crate: a kind a program can switch on and a sentence for a person.

use std::fmt;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. The text names the file, tensor, option or input at fault, with what was
/// expected and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// `config.json` is not valid, or asks for what no BERT has.
    BadConfig(String),
    /// The tokenizer's files are not valid, or do not describe a tokenizer that this crate supports.
    BadTokenizer(String),
    /// A file of weights is damaged, or does not hold the tensors the config describes.
    BadWeights(String),
    /// The model, the task or the option is valid, but not something this crate can do.
    Unsupported(String),
    /// The text, the ids or an option of a call cannot be used.
    BadInput(String),
    /// Memory that was asked for could not be had.
    OutOfMemory(String),
    /// The GPU went away.
    DeviceLost(String),
    /// The caller ended the call.
    Aborted(String),
}

impl Error {
    /// The word by which programs tell the kinds apart; part of the public JavaScript API.
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
