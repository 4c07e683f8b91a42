//! `pytorch_model.bin`: a pickle that describes tensors, and the tensors' bytes. Bytes are pushed
//! as they arrive, in pieces of any size, and are passed on to a [`Consumer`]. Only the pickle is
//! kept in memory, and the parts of storages with overlapping or strided tensors.
//!
//! PyTorch has two formats. Since version 1.6 it writes a zip file of stored entries: `data.pkl` first, then one entry
//! per storage. Older versions wrote five pickles one after another, then the storages.

mod contents;
mod globals;
mod legacy;
mod pickle;
mod safetensors;
mod storage;
mod zip;

pub use safetensors::to_safetensors;

use super::fault::{Outcome, bad};
use super::header::Tensor;
use super::rows::take;
use crate::Result;
use legacy::Legacy;
use zip::Zip;

/// Receives the tensors of a file.
pub(super) trait Consumer {
    /// Is called once with all tensors of the file, before any other method.
    fn found(&mut self, tensors: &mut dyn Iterator<Item = &Tensor>) -> Result<()>;
    /// Returns whether the tensor's bytes are needed.
    fn wants(&self, name: &str) -> bool;
    /// Begins a tensor. The file has `held` bytes for it, fewer than the tensor if elements are
    /// repeated. Returns whether the tensor's bytes are needed.
    fn begin(&mut self, tensor: &Tensor, held: usize) -> Result<bool>;
    /// Receives the next bytes of the current tensor.
    fn push(&mut self, bytes: &[u8]) -> Result<()>;
}

/// Reads one file.
pub(super) enum Reader {
    /// The first bytes, which identify the format.
    Start(Vec<u8>),
    Zip(Box<Zip>),
    Legacy(Box<Legacy>),
}

/// What helps if a file is not supported.
const WAY_OUT: &str = "Way out, if you trust the file: load the model in Python and call save_pretrained(), which writes model.safetensors";

/// Bytes that are read before the format is known. A web page or a Git LFS pointer can be
/// recognised from them.
const START: usize = 24;

impl Reader {
    /// Returns whether a file with this name is read as a PyTorch file.
    pub(super) fn reads(name: &str) -> bool {
        name.ends_with(".bin")
    }

    pub(super) fn new() -> Self {
        Self::Start(Vec::new())
    }

    /// Reads the next bytes of `file`.
    ///
    /// # Errors
    /// `BadWeights` for a damaged file, `Unsupported` for a pickle of other objects than tensors,
    /// and the errors of `consumer`.
    pub(super) fn push(
        &mut self,
        file: &str,
        consumer: &mut impl Consumer,
        bytes: &[u8],
    ) -> Result<()> {
        self.push_bytes(consumer, bytes).map_err(|fault| fault.named(file, WAY_OUT))
    }

    fn push_bytes(&mut self, consumer: &mut impl Consumer, mut bytes: &[u8]) -> Outcome<()> {
        if let Self::Start(start) = self {
            take(&mut bytes, start, START);
            if start.len() < START {
                return Ok(());
            }
            let start = std::mem::take(start);
            *self = Self::of(&start)?;
            self.push_bytes(consumer, &start)?;
        }
        match self {
            Self::Start(_) => Ok(()),
            Self::Zip(zip) => zip.push(consumer, bytes),
            Self::Legacy(legacy) => legacy.push(consumer, bytes),
        }
    }

    /// Returns the reader for a file that starts with these bytes.
    fn of(start: &[u8]) -> Outcome<Self> {
        if let Some(found) = crate::json::other_format(start) {
            return bad(format!("the file is {found}"));
        }
        match start {
            [b'P', b'K', 3, 4, ..] => Ok(Self::Zip(Box::default())),
            [0x80, ..] => Ok(Self::Legacy(Box::default())),
            [_, _, _, _, _, _, _, _, b'{', ..] => bad(
                "expected a file of torch.save, got safetensors. Rename the file to end in .safetensors",
            ),
            _ => bad("expected a file of torch.save, which begins with PK or 0x80"),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// `BadWeights` if bytes are missing.
    pub(super) fn finish(&self, file: &str) -> Result<()> {
        match self {
            Self::Start(start) => match Self::of(start) {
                Ok(_) => bad("the file ends within its first bytes: it is cut short"),
                Err(fault) => Err(fault),
            },
            Self::Zip(zip) => zip.finish(),
            Self::Legacy(legacy) => legacy.finish(),
        }
        .map_err(|fault| fault.named(file, WAY_OUT))
    }

    /// Returns how many of the next bytes are not needed; 0 if unknown.
    pub(super) fn skippable(&self) -> usize {
        let bytes = match self {
            Self::Start(_) => 0,
            Self::Zip(zip) => zip.skippable(),
            Self::Legacy(legacy) => legacy.skippable(),
        };
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// Skips `bytes` of the file, at most [`Self::skippable`].
    pub(super) fn skip(&mut self, bytes: usize) {
        match self {
            Self::Start(_) => {}
            Self::Zip(zip) => zip.skip(bytes as u64),
            Self::Legacy(legacy) => legacy.skip(bytes as u64),
        }
    }
}

/// Returns the error for a file that ends too early.
fn cut_short(within: &str) -> Outcome<()> {
    bad(format!("the file ends within {within}: it is cut short"))
}
