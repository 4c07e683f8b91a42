//! Loads the weights of an ONNX file into a model.

use super::file::Current;
use super::header::Tensor;
use super::loader::Loader;
use super::onnx::{Consumer, Reader};
use crate::backend::Processor;
use crate::config::Config;
use crate::{Error, Result};

/// The reader of a file and its current parameter.
pub(super) struct Onnx {
    reader: Reader,
    current: Option<Current>,
}

impl Onnx {
    /// Returns whether a file with this name is an ONNX file.
    pub(super) fn reads(name: &str) -> bool {
        Reader::reads(name)
    }

    pub(super) fn new() -> Self {
        Self { reader: Reader::new(), current: None }
    }

    /// Reads the next bytes of `file`, which has `size` bytes if known.
    pub(super) fn push<B: Processor>(
        &mut self,
        loader: &mut Loader<B>,
        backend: &mut B,
        file: (&str, Option<u64>),
        bytes: &[u8],
    ) -> Result<()> {
        let Self { reader, current } = self;
        let (file, size) = file;
        reader.push(file, size, &mut Into { loader, backend, file, current }, bytes)
    }

    /// Returns an error if bytes or tensors of the file are missing.
    pub(super) fn finish(&self, file: &str) -> Result<()> {
        self.reader.finish(file)
    }

    /// Returns the names of other files that have data of this file's tensors.
    pub(super) fn external_files(&self) -> Vec<String> {
        self.reader.external_files()
    }

    /// Begins one of [`Self::external_files`].
    pub(super) fn begin_external(&mut self, file: &str) {
        self.reader.begin_external(file);
    }

    /// Returns how many of the next bytes are not needed; 0 if unknown.
    pub(super) fn skippable(&self) -> usize {
        self.reader.skippable()
    }

    /// Skips `bytes` of the file, at most [`Self::skippable`].
    pub(super) fn skip(&mut self, bytes: usize) {
        self.reader.skip_bytes(bytes);
    }
}

/// Passes the parameters of a file to a loader.
struct Into<'a, B: Processor> {
    loader: &'a mut Loader<B>,
    backend: &'a mut B,
    file: &'a str,
    current: &'a mut Option<Current>,
}

impl<B: Processor> Consumer for Into<'_, B> {
    fn config(&self) -> &Config {
        &self.loader.config
    }

    fn found(&mut self, names: &[&str], has_own_decoder: bool) -> Result<()> {
        if has_own_decoder {
            self.loader.config.tied = false;
        }
        self.loader.prepare(self.backend, names)?;
        self.loader.check_names(names);
        Ok(())
    }

    fn wants(&self, name: &str) -> bool {
        self.loader.wants_tensor(name)
    }

    fn begin(&mut self, tensor: &Tensor) -> Result<()> {
        let sink = self.loader.sink(self.backend, self.file, tensor)?;
        let name = tensor.name.clone();
        *self.current = Some(Current { name, left: tensor.bytes, sink }).filter(|new| new.left > 0);
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(current) = self.current else { return Ok(()) };
        if bytes.len() > current.left {
            return Err(Error::BadWeights(format!(
                "{}: tensor \"{}\" has more bytes than its shape",
                self.file, current.name
            )));
        }
        self.loader.feed(self.backend, self.file, current, bytes)?;
        if current.left == 0 {
            self.loader.close(self.file, self.current.take())?;
        }
        Ok(())
    }
}
