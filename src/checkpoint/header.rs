//! The head of a safetensors file: an 8-byte length, then JSON that places each tensor.

use std::collections::BinaryHeap;

use crate::json::Value;
use crate::{Error, Result};

/// The longest header accepted: that of BERT-large has 50 kB, and values take up to 16 times the
/// memory of their text.
const MAX_HEADER: u64 = 16 << 20;

/// One tensor of a file.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub(super) name: String,
    /// As the file spells it.
    pub(super) dtype: &'static str,
    pub(super) shape: Vec<usize>,
    /// Its length in the file.
    pub(super) bytes: usize,
}

/// The header's length from the first 8 bytes of a file.
pub(super) fn length(file: &str, first: [u8; 8]) -> Result<usize> {
    let length = u64::from_le_bytes(first);
    if (2..=MAX_HEADER).contains(&length) {
        return Ok(length as usize);
    }
    // any text is a length far above the limit
    Err(Error::BadWeights(match &first {
        [b'<', ..] => {
            format!("{file} is a web page (HTML), not safetensors: does the address exist?")
        }
        b"version " => format!("{file} is a Git LFS pointer, not the weights themselves"),
        _ => format!(
            "{file}: the header claims {length} bytes, expected 2 to {MAX_HEADER}: not a safetensors file?"
        ),
    }))
}

/// The format's types with their bits.
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

/// The tensors in the order of their bytes, which have to follow one another without holes or
/// overlaps and to be as many as shape and dtype ask for.
pub(super) fn tensors(file: &str, json: &[u8]) -> Result<Vec<Tensor>> {
    let invalid =
        |what: String| Error::BadWeights(format!("{file}: the header is invalid: {what}"));
    let header = Value::parse(json).map_err(invalid)?;
    if !matches!(header, Value::Object(_)) {
        return Err(invalid(format!("it is {}, not an object", header.describe())));
    }
    let mut places = BinaryHeap::new();
    for (n, (name, info)) in header.entries().iter().enumerate() {
        if name == "__metadata__" {
            continue;
        }
        let offsets = info.get("data_offsets").and_then(Value::as_array).unwrap_or_default();
        let [Some(from), Some(to)] = [0, 1].map(|n| offsets.get(n).and_then(Value::as_whole))
        else {
            return Err(invalid(format!("tensor \"{name}\" has no data_offsets [from, to]")));
        };
        places.push((from, to, n));
    }
    let mut tensors = Vec::with_capacity(places.len());
    let mut start = 0;
    for (from, to, n) in places.into_sorted_vec() {
        let (name, info) = &header.entries()[n];
        let tensor = tensor(name, info, to.saturating_sub(from)).map_err(invalid)?;
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

/// One tensor, whose bytes have to be as many as it says.
fn tensor(name: &str, info: &Value<'_>, bytes: u64) -> std::result::Result<Tensor, String> {
    let dtype = info.get("dtype").and_then(Value::as_text).unwrap_or("missing");
    let Some(&(dtype, bits)) = DTYPES.iter().find(|(known, _)| *known == dtype) else {
        return Err(format!("tensor \"{name}\" has the dtype {dtype}, which is unknown"));
    };
    let dims = info.get("shape").and_then(Value::as_array);
    let dims = dims.and_then(|dims| dims.iter().map(Value::as_whole).collect::<Option<Vec<_>>>());
    let Some(dims) = dims else {
        return Err(format!("tensor \"{name}\" has no shape"));
    };
    let all_bits = dims.iter().try_fold(bits, |product, &dim| product.checked_mul(dim));
    if all_bits != bytes.checked_mul(8) {
        return Err(format!(
            "tensor \"{name}\", {dtype} {dims:?}, has {bytes} bytes, which do not fit that"
        ));
    }
    let here = |number: u64| {
        usize::try_from(number).map_err(|_| format!("tensor \"{name}\" is too large for here"))
    };
    let shape = dims.into_iter().map(here).collect::<std::result::Result<_, _>>()?;
    Ok(Tensor { name: name.to_owned(), dtype, shape, bytes: here(bytes)? })
}
