//! Converts a PyTorch file to safetensors.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Consumer, Reader, WAY_OUT};
use crate::checkpoint::fault::{append, bad};
use crate::checkpoint::header::Tensor;
use crate::{Error, Result};

/// All tensors of a file.
struct All {
    /// The file's length in bytes.
    length: usize,
    tensors: Vec<(Tensor, usize)>,
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
            return Err(Error::BadWeights(format!(
                "tensor \"{}\": expected the tensors of {} bytes, got more than twice as many",
                tensor.name, self.length
            )));
        }
        self.tensors.push((tensor.clone(), self.bytes.len()));
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
    let entries: BTreeMap<_, _> = all
        .tensors
        .iter()
        .map(|(tensor, at)| {
            let entry = json!({
                "dtype": tensor.dtype,
                "shape": tensor.shape,
                "data_offsets": [at, at + tensor.bytes],
            });
            (&tensor.name, entry)
        })
        .collect();
    let header = serde_json::to_vec(&entries);
    let Ok(header) = header else {
        return bad("the names of its tensors cannot be written")
            .map_err(|fault| fault.named(file, WAY_OUT));
    };
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    for part in [&header, &all.bytes] {
        append(&mut out, part, "tensors").map_err(|fault| fault.named(file, WAY_OUT))?;
    }
    Ok(out)
}
