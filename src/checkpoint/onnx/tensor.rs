//! A tensor of the file (`TensorProto`): its head while its fields arrive, and its whole value.

use super::wire::{self, Value, packed, text};
use crate::checkpoint::fault::{Outcome, append, bad, unsupported};

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dtype {
    F32,
    U8,
    I8,
    I32,
    I64,
    F16,
    F64,
    Bf16,
    U4,
    I4,
    /// Another type, by its number in `TensorProto.DataType`.
    Other(u64),
}

impl Dtype {
    /// Returns a type by its number in `TensorProto.DataType`.
    pub(super) fn of(number: u64) -> Self {
        match number {
            1 => Self::F32,
            2 => Self::U8,
            3 => Self::I8,
            6 => Self::I32,
            7 => Self::I64,
            10 => Self::F16,
            11 => Self::F64,
            16 => Self::Bf16,
            21 => Self::U4,
            22 => Self::I4,
            other => Self::Other(other),
        }
    }

    /// Returns the bits of an element; `None` for types that weights do not use.
    pub(super) fn bits(self) -> Option<u64> {
        match self {
            Self::U4 | Self::I4 => Some(4),
            Self::U8 | Self::I8 => Some(8),
            Self::F16 | Self::Bf16 => Some(16),
            Self::F32 | Self::I32 => Some(32),
            Self::F64 | Self::I64 => Some(64),
            Self::Other(_) => None,
        }
    }

    /// Returns the name of a float type in safetensors.
    pub(super) fn float(self) -> Option<&'static str> {
        match self {
            Self::F32 => Some("F32"),
            Self::F16 => Some("F16"),
            Self::Bf16 => Some("BF16"),
            Self::F64 => Some("F64"),
            _ => None,
        }
    }
}

/// A whole tensor. `bytes` are little-endian elements; two 4-bit elements share a byte, the first
/// one in its low half.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) dtype: Dtype,
    pub(super) dims: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

/// The fields of a tensor that have arrived.
#[derive(Debug, Default)]
pub(super) struct TensorHead {
    pub(super) name: Option<String>,
    dims: Vec<u64>,
    dtype: Option<u64>,
    /// `raw_data`, unless it was passed on.
    raw: Vec<u8>,
    /// Numbers of the typed fields, e.g. `int32_data`. Floats are their bits.
    typed: Vec<u64>,
    /// Whether all data was passed on or skipped.
    pub(super) is_over: bool,
    /// Whether the data is in another file.
    is_external: bool,
    external: Vec<(String, String)>,
}

/// The place of a tensor's data in another file.
#[derive(Debug)]
pub(super) struct External {
    pub(super) file: String,
    pub(super) offset: u64,
}

/// Field numbers of `TensorProto`.
pub(super) const RAW_DATA: u64 = 9;

impl TensorHead {
    /// Returns the whole tensor from the bytes of its message.
    pub(super) fn read(message: &[u8]) -> Outcome<Self> {
        let mut head = Self::default();
        for field in wire::fields(message) {
            let (number, value) = field?;
            head.take(number, value)?;
        }
        Ok(head)
    }

    /// Takes a field.
    pub(super) fn take(&mut self, number: u64, value: Value<'_>) -> Outcome<()> {
        match (number, value) {
            (1, Value::Varint(dim)) => self.dims.push(dim),
            (1, Value::Bytes(dims)) => packed(dims, &mut self.dims)?,
            (2, Value::Varint(dtype)) => self.dtype = Some(dtype),
            (4, Value::Fixed32(float)) => self.typed.push(u32::from_le_bytes(float).into()),
            (4, Value::Bytes(floats)) => self.typed.extend(
                floats.as_chunks::<4>().0.iter().map(|f| u64::from(u32::from_le_bytes(*f))),
            ),
            (10, Value::Fixed64(float)) => self.typed.push(u64::from_le_bytes(float)),
            (10, Value::Bytes(floats)) => {
                self.typed.extend(floats.as_chunks::<8>().0.iter().map(|f| u64::from_le_bytes(*f)));
            }
            (5 | 7 | 11, Value::Varint(number)) => self.typed.push(number),
            (5 | 7 | 11, Value::Bytes(numbers)) => packed(numbers, &mut self.typed)?,
            (8, Value::Bytes(name)) => self.name = Some(text(name)?.to_owned()),
            (RAW_DATA, Value::Bytes(raw)) => append(&mut self.raw, raw, "a tensor")?,
            (13, Value::Bytes(entry)) => self.external.push(entry_of(entry)?),
            (14, Value::Varint(location)) => self.is_external = location == 1,
            _ => {}
        }
        Ok(())
    }

    /// Takes all bytes of `raw_data`.
    pub(super) fn take_raw(&mut self, bytes: Vec<u8>) -> Outcome<()> {
        if self.raw.is_empty() {
            self.raw = bytes;
            return Ok(());
        }
        append(&mut self.raw, &bytes, "a tensor")
    }

    /// Notes that the data is read from the other file now.
    pub(super) fn settle_external(&mut self) {
        self.is_external = false;
    }

    /// Returns whether the name, the shape and the type are known. They precede `raw_data` in the
    /// files that all libraries write.
    pub(super) fn is_known(&self) -> bool {
        self.name.is_some() && self.dtype.is_some()
    }

    /// Returns the type.
    pub(super) fn dtype(&self) -> Dtype {
        Dtype::of(self.dtype.unwrap_or_default())
    }

    /// Returns the shape.
    pub(super) fn dims(&self) -> Outcome<Vec<usize>> {
        let dims = self
            .dims
            .iter()
            .map(|&dim| usize::try_from(dim).ok().filter(|&dim| dim <= isize::MAX as usize));
        dims.collect::<Option<_>>().map_or_else(
            || {
                let dims: Vec<_> = self.dims.iter().map(|&dim| dim as i64).collect();
                bad(format!(
                    "{} has shape {dims:?}, expected sizes that memory can have",
                    self.title()
                ))
            },
            Ok,
        )
    }

    /// Returns the number of bytes that the shape and the type imply.
    ///
    /// # Errors
    /// `Unsupported` for a type that weights do not use.
    pub(super) fn implied_bytes(&self) -> Outcome<usize> {
        let dims = self.dims()?;
        let Some(bits) = self.dtype().bits() else {
            return unsupported(format!(
                "{} has data type {}, expected floats or integers of 4, 8 or 32 bits",
                self.title(),
                self.dtype.unwrap_or_default()
            ));
        };
        let all = dims.iter().try_fold(bits, |all, &dim| all.checked_mul(dim as u64));
        match all.and_then(|bits| usize::try_from(bits.div_ceil(8)).ok()) {
            Some(bytes) if bytes <= isize::MAX as usize => Ok(bytes),
            _ => bad(format!(
                "{} has shape {dims:?}, expected one that memory can have",
                self.title()
            )),
        }
    }

    /// Checks the length of the data against the shape and the type.
    pub(super) fn check_length(&self, bytes: u64) -> Outcome<()> {
        let implied = self.implied_bytes()?;
        if implied as u64 == bytes {
            return Ok(());
        }
        bad(format!(
            "{} of shape {:?} has {bytes} bytes, expected {implied}",
            self.title(),
            self.dims()?
        ))
    }

    /// Returns the tensor. Its data must have arrived.
    pub(super) fn whole(mut self) -> Outcome<Held> {
        let (dims, dtype) = (self.dims()?, self.dtype());
        let implied = self.implied_bytes()?;
        let bytes = if self.typed.is_empty() {
            std::mem::take(&mut self.raw)
        } else {
            let width = (dtype.bits().unwrap_or(8) as usize).div_ceil(8);
            if self.typed.len().checked_mul(width) != Some(implied) {
                return self.check_length((self.typed.len() * width) as u64).map(|()| Held {
                    dtype,
                    dims,
                    bytes: Vec::new(),
                });
            }
            self.typed
                .iter()
                .flat_map(|value| value.to_le_bytes().into_iter().take(width))
                .collect()
        };
        self.check_length(bytes.len() as u64)?;
        Ok(Held { dtype, dims, bytes })
    }

    /// Returns the place of the data if it is in another file.
    pub(super) fn external(&self) -> Outcome<Option<External>> {
        if !self.is_external {
            return Ok(None);
        }
        let entry =
            |name| self.external.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let number = |name| match entry(name).map(|value| value.parse::<u64>()) {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(_)) => bad(format!(
                "{}: external data: expected a number as {name}, got {:?}",
                self.title(),
                entry(name)
            )),
        };
        let Some(file) = entry("location") else {
            return bad(format!("{}: external data has no location", self.title()));
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if file.is_empty() || file.starts_with('.') || !file.bytes().all(is_name) {
            return unsupported(format!(
                "{}: external data is in \"{file}\", expected the name of a file beside this one",
                self.title()
            ));
        }
        let (offset, length) = (number("offset")?.unwrap_or_default(), number("length")?);
        if let Some(length) = length {
            self.check_length(length)?;
        }
        Ok(Some(External { file: file.clone(), offset }))
    }

    /// Returns the tensor's name, for messages.
    pub(super) fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("tensor \"{name}\""),
            None => "a tensor without a name".to_owned(),
        }
    }
}

/// Returns a key and its value (`StringStringEntryProto`).
fn entry_of(message: &[u8]) -> Outcome<(String, String)> {
    let mut entry = (String::new(), String::new());
    for field in wire::fields(message) {
        match field? {
            (1, Value::Bytes(key)) => text(key)?.clone_into(&mut entry.0),
            (2, Value::Bytes(value)) => text(value)?.clone_into(&mut entry.1),
            _ => {}
        }
    }
    Ok(entry)
}
