//! Loads a PyTorch file into a model.

use super::file::{Current, Sink};
use super::header::Tensor;
use super::loader::Loader;
use super::pytorch::{Consumer, Reader};
use crate::backend::Processor;
use crate::{Error, Result};

/// The reader of a file and its current tensor.
pub(super) struct Pytorch {
    reader: Reader,
    current: Option<Current>,
}

impl Pytorch {
    /// Returns whether a file with this name is a PyTorch file.
    pub(super) fn reads(name: &str) -> bool {
        Reader::reads(name)
    }

    pub(super) fn new() -> Self {
        Self { reader: Reader::new(), current: None }
    }

    /// Reads the next bytes of `file`.
    pub(super) fn push<B: Processor>(
        &mut self,
        loader: &mut Loader<B>,
        backend: &mut B,
        file: &str,
        bytes: &[u8],
    ) -> Result<()> {
        let Self { reader, current } = self;
        reader.push(file, &mut Into { loader, backend, file, current }, bytes)
    }

    /// Returns an error if bytes of the file are missing.
    pub(super) fn finish(&self, file: &str) -> Result<()> {
        self.reader.finish(file)
    }

    /// Returns how many of the next bytes are not needed; 0 if unknown.
    pub(super) fn skippable(&self) -> usize {
        self.reader.skippable()
    }

    /// Skips `bytes` of the file, at most [`Self::skippable`].
    pub(super) fn skip(&mut self, bytes: usize) {
        self.reader.skip(bytes);
    }
}

/// Passes the tensors of a file to a loader.
struct Into<'a, B: Processor> {
    loader: &'a mut Loader<B>,
    backend: &'a mut B,
    file: &'a str,
    current: &'a mut Option<Current>,
}

impl<B: Processor> Consumer for Into<'_, B> {
    fn found(&mut self, tensors: &mut dyn Iterator<Item = &Tensor>) -> Result<()> {
        let tensors: Vec<_> = tensors.collect();
        let names: Vec<_> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        self.loader.prepare(self.backend, &names)?;
        if self.loader.dry.is_some() {
            self.loader.check_tensors(self.backend, self.file, &mut tensors.into_iter())?;
        }
        Ok(())
    }

    fn wants(&self, name: &str) -> bool {
        self.loader.wants_tensor(name)
    }

    fn begin(&mut self, tensor: &Tensor, held: usize) -> Result<bool> {
        let sink = self.loader.sink(self.backend, self.file, tensor)?;
        // A factor is kept in memory as a whole, and its rank is known only from the file.
        if matches!(sink, Sink::Factor { .. } | Sink::Scales { .. }) && tensor.bytes > held {
            return Err(Error::BadWeights(format!(
                "{}: tensor \"{}\" repeats its elements, expected each of them",
                self.file, tensor.name
            )));
        }
        let needed = !matches!(sink, Sink::Skip);
        let name = tensor.name.clone();
        *self.current = Some(Current { name, left: tensor.bytes, sink }).filter(|new| new.left > 0);
        Ok(needed)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(current) = self.current else { return Ok(()) };
        self.loader.feed(self.backend, self.file, current, bytes)?;
        if current.left == 0 {
            self.loader.close(self.file, self.current.take())?;
        }
        Ok(())
    }
}
