//! The head of a safetensors file: an 8-byte length, then JSON that places each tensor.

use safetensors::Dtype;
use safetensors::tensor::Metadata;

use crate::{Error, Result};

/// The longest header accepted; the safetensors crate has the same limit.
const MAX_HEADER: u64 = 100_000_000;

/// One tensor of a file.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    /// Its length in the file.
    pub(super) bytes: usize,
}

/// The header's length from the first 8 bytes of a file.
pub(super) fn length(file: &str, first: [u8; 8]) -> Result<usize> {
    let length = u64::from_le_bytes(first);
    if first[0] == b'<' {
        return Err(Error::BadWeights(format!(
            "{file} is a web page (HTML), not safetensors: does the address exist?"
        )));
    }
    if &first == b"version " {
        return Err(Error::BadWeights(format!(
            "{file} is a Git LFS pointer, not the weights themselves"
        )));
    }
    if !(2..=MAX_HEADER).contains(&length) {
        return Err(Error::BadWeights(format!(
            "{file}: the header claims {length} bytes, expected 2 to {MAX_HEADER}: not a safetensors file?"
        )));
    }
    Ok(length as usize)
}

/// The tensors in the order of their bytes, which follow one another without holes or overlaps and
/// are as many as shape and dtype ask for: reading [`Metadata`] checks that.
pub(super) fn tensors(file: &str, json: &[u8]) -> Result<Vec<Tensor>> {
    let metadata: Metadata = serde_json::from_slice(json)
        .map_err(|e| Error::BadWeights(format!("{file}: the header is invalid: {e}")))?;
    let mut tensors = Vec::new();
    for name in metadata.offset_keys() {
        let Some(info) = metadata.info(&name) else { continue };
        let (from, to) = info.data_offsets;
        let (dtype, shape) = (info.dtype, info.shape.clone());
        tensors.push(Tensor { name, dtype, shape, bytes: to - from });
    }
    Ok(tensors)
}
