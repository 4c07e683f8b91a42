//! Loads the weights of an ONNX or a PyTorch file into a model.

use super::file::{Current, Sink};
use super::header::{Tensor, bad_tensor};
use super::loader::Loader;
use super::{onnx, pytorch};
use crate::backend::Processor;
use crate::config::Config;
use crate::{Error, Result};

/// The reader of a file and its current tensor.
pub(super) struct OtherFormat<R> {
    pub(super) reader: R,
    current: Option<Current>,
}

impl<R> OtherFormat<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, current: None }
    }
}

impl OtherFormat<pytorch::Reader> {
    /// Reads the next bytes of `file`.
    pub(super) fn push<B: Processor>(
        &mut self,
        loader: &mut Loader<B>,
        backend: &mut B,
        file: &str,
        bytes: &[u8],
    ) -> Result<()> {
        let Self { reader, current } = self;
        reader.push(file, &mut Target { loader, backend, file, current }, bytes)
    }
}

impl OtherFormat<onnx::Reader> {
    /// Reads the next bytes of `file`, which has `size` bytes if known.
    pub(super) fn push<B: Processor>(
        &mut self,
        loader: &mut Loader<B>,
        backend: &mut B,
        (file, size): (&str, Option<u64>),
        bytes: &[u8],
    ) -> Result<()> {
        let Self { reader, current } = self;
        reader.push(file, size, &mut Target { loader, backend, file, current }, bytes)
    }
}

/// The loader that receives the tensors of a file.
struct Target<'a, B: Processor> {
    loader: &'a mut Loader<B>,
    backend: &'a mut B,
    file: &'a str,
    current: &'a mut Option<Current>,
}

impl<B: Processor> Target<'_, B> {
    fn bad(&self, tensor: &str, what: &str) -> Error {
        bad_tensor(self.file, tensor, format_args!(" {what}")).error()
    }

    /// Sends the bytes of a tensor to `sink`.
    fn begin(&mut self, tensor: &Tensor, sink: Sink) {
        let name = tensor.name.clone();
        *self.current = Some(Current { name, left: tensor.bytes, sink }).filter(|new| new.left > 0);
    }

    /// Takes the next bytes of the current tensor.
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let left = self.current.as_ref().map_or(usize::MAX, |current| current.left);
        if let Some(current) = self.current.as_ref().filter(|_| bytes.len() > left) {
            return Err(self.bad(&current.name, "has more bytes than its shape"));
        }
        let Some(current) = self.current else { return Ok(()) };
        self.loader.feed(self.backend, self.file, current, bytes)?;
        if current.left == 0 {
            self.loader.close(self.file, self.current.take())?;
        }
        Ok(())
    }
}

impl<B: Processor> pytorch::Consumer for Target<'_, B> {
    fn found(&mut self, tensors: &mut dyn Iterator<Item = &Tensor>) -> Result<()> {
        let tensors: Vec<_> = tensors.collect();
        let names: Vec<_> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        self.loader.prepare(self.backend, self.file, &names)?;
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
            return Err(self.bad(&tensor.name, "repeats its elements, expected each of them"));
        }
        let is_needed = !matches!(sink, Sink::Skip);
        self.begin(tensor, sink);
        Ok(is_needed)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.push(bytes)
    }
}

impl<B: Processor> onnx::Consumer for Target<'_, B> {
    fn config(&self) -> &Config {
        &self.loader.config
    }

    fn found(&mut self, names: &[&str], has_own_decoder: bool) -> Result<()> {
        if has_own_decoder {
            self.loader.config.tied = false;
        }
        self.loader.prepare(self.backend, self.file, names)?;
        self.loader.check_names(names);
        Ok(())
    }

    fn wants(&self, name: &str) -> bool {
        self.loader.wants_tensor(name)
    }

    fn begin(&mut self, tensor: &Tensor) -> Result<()> {
        let sink = self.loader.sink(self.backend, self.file, tensor)?;
        self.begin(tensor, sink);
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.push(bytes)
    }
}
