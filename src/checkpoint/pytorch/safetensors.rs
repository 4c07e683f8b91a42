//! Converts a PyTorch file to safetensors.

use super::{Consumer, Reader, WAY_OUT};
use crate::checkpoint::fault::{Fault, append};
use crate::checkpoint::header::{self, Tensor};
use crate::{Details, ErrorKind, Result};

/// All tensors of a file.
struct All {
    /// The file's length in bytes.
    length: usize,
    /// The tensors in the order of `bytes`.
    tensors: Vec<Tensor>,
    bytes: Vec<u8>,
}

impl Consumer for All {
    fn found(&mut self, _: &mut dyn Iterator<Item = &Tensor>) -> Result<()> {
        Ok(())
    }

    fn wants(&self, _: &str) -> bool {
        true
    }

    fn begin(&mut self, tensor: &Tensor, _: usize) -> Result<bool> {
        let all = self.bytes.len() + tensor.bytes;
        if all > 2 * self.length {
            let item = format_args!("tensor \"{}\"", tensor.name);
            let what = format_args!(
                ": expected the tensors of {} bytes, got more than twice as many",
                self.length
            );
            return Err(Details::new(ErrorKind::BadWeights, "", item, what).error());
        }
        self.tensors.push(tensor.clone());
        Ok(true)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        append(&mut self.bytes, bytes, "tensors").map_err(|fault| fault.named("the file", WAY_OUT))
    }
}

/// Returns the tensors of a small PyTorch file, e.g. a module's `pytorch_model.bin`, as a
/// safetensors file.
///
/// # Errors
/// `BadWeights` for a damaged file, `Unsupported` for a pickle of other objects than tensors.
pub fn to_safetensors(file: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut all = All { length: bytes.len(), tensors: Vec::new(), bytes: Vec::new() };
    let mut reader = Reader::new();
    reader.push(file, &mut all, bytes)?;
    reader.finish(file)?;
    let tensors = all.tensors.iter();
    let header = header::write(
        tensors.map(|tensor| (&*tensor.name, tensor.dtype, &*tensor.shape, tensor.bytes)),
    );
    let mut out = header.map_err(|what| Fault::Bad(what).named(file, WAY_OUT))?;
    append(&mut out, &all.bytes, "tensors").map_err(|fault| fault.named(file, WAY_OUT))?;
    Ok(out)
}
