//! Faults of an ONNX or a PyTorch file. Its reader adds the file's name and the way out.

use crate::{Details, Error, ErrorKind};

/// A result of reading a part of a file.
pub(super) type Outcome<T> = Result<T, Fault>;

/// The reason why a file cannot be read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file is damaged.
    Bad(String),
    /// The file has unsupported contents.
    Unsupported(String),
    /// Memory for a part of the file is not available.
    Memory(String),
    /// The consumer rejected a tensor. The error names the file.
    Refused(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl Fault {
    /// Returns the error with the name of the file at fault. `way_out` follows unsupported contents.
    pub(super) fn named(self, file: &str, way_out: &str) -> Error {
        let (kind, what) = match self {
            Self::Bad(what) => (ErrorKind::BadWeights, what),
            Self::Unsupported(what) => (ErrorKind::Unsupported, format!("{what}. {way_out}")),
            Self::Memory(what) => (ErrorKind::OutOfMemory, what),
            Self::Refused(error) => return error,
        };
        Details::new(kind, file, format_args!(""), format_args!("{what}")).error()
    }
}

/// Returns a [`Fault::Bad`].
pub(super) fn bad<T>(what: impl Into<String>) -> Outcome<T> {
    Err(Fault::Bad(what.into()))
}

/// Returns a [`Fault::Unsupported`].
pub(super) fn unsupported<T>(what: impl Into<String>) -> Outcome<T> {
    Err(Fault::Unsupported(what.into()))
}

/// Appends `more` to `bytes`, which belong to `what`.
pub(super) fn append(bytes: &mut Vec<u8>, more: &[u8], what: &str) -> Outcome<()> {
    if bytes.try_reserve(more.len()).is_err() {
        let needed = bytes.len() + more.len();
        return Err(Fault::Memory(format!("no memory for {needed} bytes of {what}")));
    }
    bytes.extend_from_slice(more);
    Ok(())
}

/// Reserves memory for another value of a pickle.
pub(super) fn reserve<T>(values: &mut Vec<T>) -> Outcome<()> {
    match values.try_reserve(1) {
        Ok(()) => Ok(()),
        Err(_) => {
            Err(Fault::Memory(format!("no memory for {} values of a pickle", values.len() + 1)))
        }
    }
}
