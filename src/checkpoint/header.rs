//! The header of a safetensors file: an 8-byte length, then JSON with the position of each tensor.
//!
//! The safetensors crate (0.8) is not used because it counts a tensor's bits in a `usize`. On
//! wasm32, it rejects tensors of half a gigabyte, and the word table of XLM-RoBERTa is larger.

#[cfg(any(feature = "families", feature = "train"))]
use std::collections::BTreeMap;
use std::collections::BinaryHeap;
use std::fmt::Arguments;

#[cfg(any(feature = "families", feature = "train"))]
use serde_json::json;
use serde_json::value::RawValue;

use crate::json::{self, Object, read_as, text};
use crate::{Details, Error, ErrorKind, Result};

/// The maximum length of a header. The header of BERT-large has 50 kB.
const MAX_HEADER: u64 = 16 << 20;

/// A tensor of a file.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub(super) name: String,
    /// The dtype's name in the file.
    pub(super) dtype: &'static str,
    pub(super) shape: Vec<usize>,
    /// Length in the file, in bytes.
    pub(super) bytes: usize,
}

/// Returns the error for a damaged file.
#[cold]
pub(super) fn bad_file(file: &str, what: Arguments<'_>) -> Error {
    Details::new(ErrorKind::BadWeights, file, format_args!(""), what).error()
}

/// Returns the error for a tensor of a file.
#[cold]
pub(super) fn bad_tensor(file: &str, tensor: &str, what: Arguments<'_>) -> Box<Details> {
    Details::new(ErrorKind::BadWeights, file, format_args!("tensor \"{tensor}\""), what)
}

/// Returns the header's length from the first 8 bytes of a file.
pub(super) fn length(file: &str, first: [u8; 8]) -> Result<usize> {
    let length = u64::from_le_bytes(first);
    if (2..=MAX_HEADER).contains(&length) {
        return Ok(length as usize);
    }
    // any text, read as a length, is far above the limit
    let what = match &first {
        [b'<', ..] => {
            "the file is a web page (HTML), not safetensors: does the address exist?".into()
        }
        b"version " => "the file is a Git LFS pointer, not the weights themselves".into(),
        _ => format!(
            "the header claims {length} bytes, expected 2 to {MAX_HEADER}: not a safetensors file?"
        ),
    };
    Err(bad_file(file, format_args!("{what}")))
}

/// The dtypes of the format, with their bits per element.
const DTYPES: [(&str, u64); 20] = [
    ("BOOL", 8),
    ("F4", 4),
    ("F6_E2M3", 6),
    ("F6_E3M2", 6),
    ("U8", 8),
    ("I8", 8),
    ("F8_E5M2", 8),
    ("F8_E4M3", 8),
    ("F8_E8M0", 8),
    ("I16", 16),
    ("U16", 16),
    ("F16", 16),
    ("BF16", 16),
    ("I32", 32),
    ("U32", 32),
    ("F32", 32),
    ("C64", 64),
    ("F64", 64),
    ("I64", 64),
    ("U64", 64),
];

/// Returns the tensors in the order of their bytes. The bytes must be contiguous without gaps or
/// overlaps, and their number must match shape and dtype.
pub(super) fn tensors(file: &str, json: &[u8]) -> Result<Vec<Tensor>> {
    let invalid = |what: String| bad_file(file, format_args!("the header is invalid: {what}"));
    let header: Object<'_> = json::parse(json).map_err(invalid)?;
    let mut places = BinaryHeap::new();
    for (n, (name, entry)) in header.0.iter().enumerate() {
        if name == "__metadata__" {
            continue;
        }
        let offsets = entry_of(entry).get_as::<Vec<u64>>("data_offsets");
        let Some(&[from, to]) = offsets.as_deref() else {
            return Err(invalid(format!("tensor \"{name}\" has no data_offsets [from, to]")));
        };
        places.push((from, to, n));
    }
    let mut tensors = Vec::with_capacity(places.len());
    let mut start = 0;
    for (from, to, n) in places.into_sorted_vec() {
        let (name, entry) = &header.0[n];
        let tensor = tensor(name, &entry_of(entry), to.saturating_sub(from)).map_err(invalid)?;
        if from != start || to < from {
            return Err(invalid(format!(
                "tensor \"{name}\" has the bytes {from} to {to}, expected to begin at {start}"
            )));
        }
        start = to;
        tensors.push(tensor);
    }
    Ok(tensors)
}

/// Alignment of the tensors' bytes in a file that is written, in bytes.
#[cfg(any(feature = "families", feature = "train"))]
const ALIGNMENT: usize = 8;

/// Returns the first bytes of a file with these tensors: the header's length and the header. The
/// tensors' bytes must follow in the given order; the header itself is sorted by name.
///
/// # Errors
/// A description of the fault if a name occurs twice or is reserved.
#[cfg(any(feature = "families", feature = "train"))]
pub(crate) fn write<'a>(
    tensors: impl IntoIterator<Item = (&'a str, &'a str, &'a [usize], usize)>,
) -> std::result::Result<Vec<u8>, String> {
    let mut header = BTreeMap::from([("__metadata__", json!({ "format": "pt" }))]);
    let mut offset = 0;
    for (name, dtype, shape, bytes) in tensors {
        let end = offset + bytes;
        let entry = json!({ "dtype": dtype, "shape": shape, "data_offsets": [offset, end] });
        if header.insert(name, entry).is_some() {
            return Err(format!("expected different names, got {name} twice"));
        }
        offset = end;
    }
    let mut json = serde_json::to_vec(&header)
        .map_err(|error| format!("the header cannot be written: {error}"))?;
    // Trailing spaces do not change the JSON.
    json.resize(json.len().next_multiple_of(ALIGNMENT), b' ');
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.append(&mut json);
    Ok(bytes)
}

/// Returns the header's entry for a tensor.
fn entry_of(entry: &RawValue) -> Object<'_> {
    read_as(entry).unwrap_or_default()
}

/// Returns a tensor. The number of its bytes must match its shape and dtype.
fn tensor(name: &str, entry: &Object<'_>, bytes: u64) -> std::result::Result<Tensor, String> {
    let dtype = entry.get("dtype").and_then(text).unwrap_or("missing".into());
    let Some(&(dtype, bits)) = DTYPES.iter().find(|(known, _)| *known == dtype) else {
        return Err(format!("tensor \"{name}\" has the dtype {dtype}, which is unknown"));
    };
    let Some(shape) = entry.get_as::<Vec<u64>>("shape") else {
        return Err(format!("tensor \"{name}\" has no shape"));
    };
    let all_bits = shape.iter().try_fold(bits, |product, &dim| product.checked_mul(dim));
    if all_bits != bytes.checked_mul(8) {
        return Err(format!(
            "tensor \"{name}\", {dtype} {shape:?}, has {bytes} bytes, which do not fit that"
        ));
    }
    let here = |number: u64| {
        usize::try_from(number).map_err(|_| format!("tensor \"{name}\" is too large for here"))
    };
    let shape = shape.into_iter().map(here).collect::<std::result::Result<_, _>>()?;
    Ok(Tensor { name: name.to_owned(), dtype, shape, bytes: here(bytes)? })
}
