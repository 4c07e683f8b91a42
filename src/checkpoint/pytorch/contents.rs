//! The tensors and storages that a pickle describes.

use std::collections::BTreeMap;

use super::pickle::{Machine, Place, StorageView, Value, View, shown};
use crate::checkpoint::fault::{Outcome, bad, unsupported};
use crate::checkpoint::header::Tensor;

/// The tensors of a file and their storages.
pub(super) struct Contents {
    pub(super) tensors: Vec<Placed>,
    pub(super) storages: Vec<Storage>,
}

/// A tensor and its place in a storage.
pub(super) struct Placed {
    pub(super) tensor: Tensor,
    /// Number of the storage.
    pub(super) storage: usize,
    /// Bytes of an element.
    pub(super) width: usize,
    /// The first byte of the tensor's elements in the storage, and the byte after the last.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Strides in bytes.
    pub(super) strides: Vec<u64>,
}

/// A storage: the bytes that tensors view.
pub(super) struct Storage {
    pub(super) key: String,
    /// Bytes of an element.
    pub(super) width: u64,
    pub(super) bytes: u64,
    pub(super) has_come: bool,
}

impl Placed {
    /// Returns whether the tensor's elements are contiguous and in order.
    pub(super) fn is_contiguous(&self) -> bool {
        let mut expected = self.width as u64;
        for (&size, &stride) in self.tensor.shape.iter().zip(&self.strides).rev() {
            if size != 1 && stride != expected {
                return false;
            }
            expected *= size as u64;
        }
        true
    }
}

impl Contents {
    /// Reads the value of a pickle: a dictionary of tensors by name. Values of other types are
    /// ignored.
    pub(super) fn read(machine: &Machine) -> Outcome<Self> {
        let Some(Value::Dict(entries)) = machine.result() else {
            return unsupported("expected a dictionary of tensors, got another object");
        };
        // As in Python, the last entry with a name is used.
        let entries: BTreeMap<&str, Place> =
            entries.iter().filter_map(|&(key, value)| Some((machine.text(key)?, value))).collect();
        let mut contents = Self { tensors: Vec::new(), storages: Vec::new() };
        let mut numbers = BTreeMap::new();
        for storage in machine.storages() {
            contents.add_storage(storage, &mut numbers)?;
        }
        for (&name, &value) in &entries {
            if let Value::Tensor(view) = machine.value(value) {
                contents.add(name, view, &numbers)?;
            }
        }
        let below = |place: Place| match machine.value(place) {
            // only the first entries, because the same dictionary may appear under many names
            Value::Dict(inner) => inner
                .iter()
                .take(100)
                .any(|&(_, value)| matches!(machine.value(value), Value::Tensor(_))),
            _ => false,
        };
        if contents.tensors.is_empty()
            && let Some((name, _)) = entries.iter().find(|&(_, &value)| below(value))
        {
            return unsupported(format!(
                "expected tensors by their names, got a training checkpoint, whose tensors are below \"{}\"",
                shown(name)
            ));
        }
        Ok(contents)
    }

    /// Returns the numbers of the storages by key.
    pub(super) fn numbers(&self) -> BTreeMap<String, usize> {
        self.storages.iter().enumerate().map(|(n, storage)| (storage.key.clone(), n)).collect()
    }

    /// Returns a message about a storage that is missing; `None` if all were read.
    pub(super) fn missing(&self) -> Option<String> {
        let n = self.storages.iter().position(|storage| !storage.has_come)?;
        let tensor = self.tensors.iter().find(|placed| placed.storage == n);
        let key = shown(&self.storages[n].key);
        Some(match tensor {
            Some(placed) => {
                let name = shown(&placed.tensor.name);
                format!("storage {key} is missing, which has tensor \"{name}\"")
            }
            None => format!("storage {key} is missing"),
        })
    }

    fn add_storage(
        &mut self,
        view: &StorageView,
        numbers: &mut BTreeMap<String, usize>,
    ) -> Outcome<()> {
        let width = view.dtype.map_or(1, |dtype| dtype.width);
        let Some(bytes) = view.length.checked_mul(width) else {
            return bad(format!("storage {} is too large", shown(&view.key)));
        };
        let Some(&known) = numbers.get(&view.key) else {
            numbers.insert(view.key.clone(), self.storages.len());
            let key = view.key.clone();
            self.storages.push(Storage { key, width, bytes, has_come: false });
            return Ok(());
        };
        let known = &self.storages[known];
        match (known.bytes, known.width) == (bytes, width) {
            true => Ok(()),
            false => bad(format!("storage {} is described in two ways", shown(&view.key))),
        }
    }

    fn add(&mut self, name: &str, view: &View, numbers: &BTreeMap<String, usize>) -> Outcome<()> {
        let whole = &view.storage;
        let width = whole.dtype.map_or(1, |dtype| dtype.width);
        let too_large = || bad(format!("tensor \"{}\" is too large", shown(name)));
        let Some(&storage) = numbers.get(&whole.key) else { return too_large() };
        let first = whole.offset * width; // less than the storage's bytes
        let view_bytes = whole.view_length * width;
        let element = view.dtype.width;
        let Some(extent) = Extent::of(view) else { return too_large() };
        if extent.end > view_bytes {
            return bad(format!(
                "tensor \"{}\", {} {:?}, needs {} bytes of storage {}, which has {view_bytes}",
                shown(name),
                view.dtype.name,
                view.shape,
                extent.end,
                shown(&whole.key)
            ));
        }
        let here = |number: u64| usize::try_from(number).ok();
        let shape: Option<Vec<usize>> = view.shape.iter().map(|&size| here(size)).collect();
        let (Some(shape), Some(length)) = (shape, here(extent.bytes)) else { return too_large() };
        self.tensors.push(Placed {
            tensor: Tensor { name: name.to_owned(), dtype: view.dtype.name, shape, bytes: length },
            storage,
            width: element as usize,
            start: first + extent.start,
            end: first + extent.end,
            strides: extent.strides,
        });
        Ok(())
    }
}

/// The part of a storage that a tensor views.
struct Extent {
    start: u64,
    end: u64,
    strides: Vec<u64>,
    /// Bytes of all elements.
    bytes: u64,
}

impl Extent {
    /// Returns the extent of a view; `None` if its numbers overflow.
    fn of(view: &View) -> Option<Self> {
        let width = view.dtype.width;
        let bytes = view.shape.iter().try_fold(width, |product, &size| product.checked_mul(size));
        // Without elements, the product of the other sizes may overflow.
        let bytes = if view.shape.contains(&0) { 0 } else { bytes? };
        let in_bytes = |stride: &u64| stride.checked_mul(width);
        let strides: Vec<u64> = view.strides.iter().map(in_bytes).collect::<Option<_>>()?;
        let start = view.offset.checked_mul(width)?;
        if bytes == 0 {
            return Some(Self { start: 0, end: 0, strides, bytes });
        }
        let mut end = start.checked_add(width)?;
        for (&size, &stride) in view.shape.iter().zip(&strides) {
            end = end.checked_add(stride.checked_mul(size - 1)?)?;
        }
        Some(Self { start, end, strides, bytes })
    }
}
