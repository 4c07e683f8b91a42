//! The error type of the crate: a kind for programs, a sentence for people, and the parts of the
//! sentence as fields.

use std::fmt::{self, Arguments, Write};

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
    /// An error of one of these kinds that has the parts of its text as fields.
    Detailed(Box<Details>),
}

/// The kinds of [`Error`]; its variants describe them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants of Error have the same names")]
pub enum ErrorKind {
    BadConfig,
    BadTokenizer,
    BadWeights,
    Unsupported,
    BadInput,
    OutOfMemory,
    DeviceLost,
    Aborted,
}

impl ErrorKind {
    /// Returns the name of the kind, e.g. `"bad_config"`. Programs compare it; it is part of the
    /// public JavaScript API.
    pub fn code(self) -> &'static str {
        CODES[self as usize]
    }
}

/// The codes, in the order of [`ErrorKind`].
const CODES: [&str; 8] = [
    "bad_config",
    "bad_tokenizer",
    "bad_weights",
    "unsupported",
    "bad_input",
    "out_of_memory",
    "device_lost",
    "aborted",
];

/// Returns an error of this kind with the text `{item}: expected {expected}, got {found}` and with
/// these three fields. The texts may name variables, as in `format!`.
#[cfg(feature = "train")]
macro_rules! unexpected {
    ($kind:ident, $item:literal, $expected:literal, $found:literal $(,)?) => {
        $crate::Error::unexpected(
            $crate::ErrorKind::$kind,
            format_args!($item),
            format_args!($expected),
            format_args!($found),
        )
    };
}
#[cfg(feature = "train")]
pub(crate) use unexpected;

/// Returns an error of this kind with this text and with fields, e.g. `fault!(BadTokenizer,
/// "vocab.txt: line {line} is damaged", file = "vocab.txt", item = "line {line}")`. The texts may
/// name variables, as in `format!`.
#[cfg(any(feature = "train", feature = "tokenizers", feature = "families"))]
macro_rules! fault {
    ($kind:ident, $text:literal $(, $part:ident = $value:literal)* $(,)?) => {
        $crate::Details::new($crate::ErrorKind::$kind, "", format_args!(""), format_args!($text))
            $(.with($crate::error::part::$part, format_args!($value)))*
            .error()
    };
}
#[cfg(any(feature = "train", feature = "tokenizers", feature = "families"))]
pub(crate) use fault;

/// The places of the parts in [`Details::NAMES`], by the names that [`fault`] takes.
#[cfg(any(feature = "train", feature = "tokenizers", feature = "families"))]
#[allow(non_upper_case_globals, reason = "the macro takes the names of the fields")]
pub(crate) mod part {
    pub(crate) const file: usize = 0;
    pub(crate) const item: usize = 1;
    pub(crate) const expected: usize = 2;
    pub(crate) const found: usize = 3;
}

impl Error {
    /// Returns an error with the text `{item}: expected {expected}, got {found}`.
    #[cfg(any(feature = "train", feature = "search", feature = "families"))]
    #[cold]
    #[inline(never)]
    pub(crate) fn unexpected(
        kind: ErrorKind,
        item: Arguments<'_>,
        expected: Arguments<'_>,
        found: Arguments<'_>,
    ) -> Self {
        let what = format_args!(": expected {expected}, got {found}");
        Details::new(kind, "", item, what).values(expected, found).error()
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::BadConfig(_) => ErrorKind::BadConfig,
            Self::BadTokenizer(_) => ErrorKind::BadTokenizer,
            Self::BadWeights(_) => ErrorKind::BadWeights,
            Self::Unsupported(_) => ErrorKind::Unsupported,
            Self::BadInput(_) => ErrorKind::BadInput,
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            Self::DeviceLost(_) => ErrorKind::DeviceLost,
            Self::Aborted(_) => ErrorKind::Aborted,
            Self::Detailed(details) => details.kind,
        }
    }

    /// Returns the name of the kind, as [`ErrorKind::code`].
    pub fn code(&self) -> &'static str {
        self.kind().code()
    }

    /// Returns the fields, if the error has any.
    pub fn details(&self) -> Option<&Details> {
        if let Self::Detailed(details) = self { Some(details) } else { None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadConfig(text)
            | Self::BadTokenizer(text)
            | Self::BadWeights(text)
            | Self::Unsupported(text)
            | Self::BadInput(text)
            | Self::OutOfMemory(text)
            | Self::DeviceLost(text)
            | Self::Aborted(text) => f.write_str(text),
            Self::Detailed(details) => f.write_str(&details.text),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.details()?.source.as_ref().map(|source| source as _)
    }
}

/// The text of an error and its parts.
///
/// ```
/// use webert::{Details, Error, ErrorKind};
///
/// let (file, item) = ("model.safetensors", format_args!("tensor \"pooler\""));
/// let what = format_args!(" has shape [8, 9], expected [8, 8]");
/// let details = Details::new(ErrorKind::BadWeights, file, item, what);
/// let error = details.values(format_args!("[8, 8]"), format_args!("[8, 9]")).error();
/// assert_eq!(
///     error.to_string(),
///     "model.safetensors: tensor \"pooler\" has shape [8, 9], expected [8, 8]"
/// );
/// assert_eq!(error.details().and_then(|details| details.found()), Some("[8, 9]"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    kind: ErrorKind,
    text: String,
    /// The parts in the order of [`Details::NAMES`]; a part that does not apply is empty.
    parts: [String; 4],
    source: Option<Error>,
}

// The functions take a pointer and no strings of the caller's, because the calls are part of the
// first download.
impl Details {
    /// The names of the parts in JavaScript.
    pub const NAMES: [&str; 4] = ["file", "item", "expected", "found"];

    /// Returns an error with the text `{file}: {item}{what}`. The file and the item may be empty.
    #[cold]
    #[inline(never)]
    pub fn new(kind: ErrorKind, file: &str, item: Arguments<'_>, what: Arguments<'_>) -> Box<Self> {
        let (text, parts) = (String::new(), [const { String::new() }; 4]);
        let mut details = Box::new(Self { kind, text, parts, source: None });
        details.set(1, item);
        if !file.is_empty() {
            details.set(0, format_args!("{file}"));
            details.text.push_str(file);
            details.text.push_str(": ");
        }
        // Writing into a String does not fail.
        let _ = write!(details.text, "{item}{what}");
        details
    }

    /// Sets what was expected, and what was found.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn values(mut self: Box<Self>, expected: Arguments<'_>, found: Arguments<'_>) -> Box<Self> {
        self.set(2, expected);
        self.set(3, found);
        self
    }

    /// Sets the part at this place of [`Details::NAMES`], without changing the text.
    #[cfg(any(feature = "train", feature = "tokenizers", feature = "families"))]
    #[cold]
    #[inline(never)]
    pub(crate) fn with(mut self: Box<Self>, part: usize, value: Arguments<'_>) -> Box<Self> {
        self.set(part, value);
        self
    }

    /// Sets the underlying error.
    #[must_use]
    pub fn source(mut self: Box<Self>, source: Error) -> Box<Self> {
        self.source = Some(source);
        self
    }

    /// Names another file as the one at fault.
    #[must_use]
    pub fn in_file(mut self: Box<Self>, file: &str) -> Box<Self> {
        if let Some(rest) = self.text.strip_prefix(&self.parts[0]) {
            self.text = format!("{file}{rest}");
        }
        self.parts[0] = file.to_owned();
        self
    }

    /// Returns the error.
    pub fn error(self: Box<Self>) -> Error {
        Error::Detailed(self)
    }

    /// Returns the parts, in the order of [`Details::NAMES`]. A part that does not apply is empty.
    pub fn parts(&self) -> &[String; 4] {
        &self.parts
    }

    #[inline(never)]
    fn set(&mut self, part: usize, value: Arguments<'_>) {
        let _ = self.parts[part].write_fmt(value);
    }

    fn part(&self, part: usize) -> Option<&str> {
        Some(self.parts[part].as_str()).filter(|part| !part.is_empty())
    }

    /// Returns the name of the file at fault.
    pub fn file(&self) -> Option<&str> {
        self.part(0)
    }

    /// Returns the thing at fault, in the file or in the call: a tensor, a field, an option.
    pub fn item(&self) -> Option<&str> {
        self.part(1)
    }

    /// Returns what was expected.
    pub fn expected(&self) -> Option<&str> {
        self.part(2)
    }

    /// Returns what was found instead.
    pub fn found(&self) -> Option<&str> {
        self.part(3)
    }
}
