//! The interface for JavaScript, wrapped by src/js. It converts byte offsets to UTF-16 and errors
//! to JavaScript errors, and contains no other logic.

mod error;
#[cfg(feature = "train")]
mod explain;
mod job;
#[cfg(all(feature = "gpu", feature = "families", feature = "train"))]
mod kernel_meter;
mod model;
#[cfg(feature = "families")]
mod pytorch;
mod tasks;
#[cfg(target_feature = "atomics")]
mod threads;
mod tokenizer;
#[cfg(feature = "train")]
mod trainer;
#[cfg(feature = "train")]
mod training;
mod values;

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

#[cfg(not(feature = "gpu"))]
use crate::backend::cpu::Cpu;
#[cfg(feature = "gpu")]
use crate::backend::gpu::Gpu;
use crate::engine::{self, Files};
use error::{JsResult, bad_input, js_error};

/// The device of this binary.
#[cfg(feature = "gpu")]
type Device = Gpu;
/// The device of this binary.
#[cfg(not(feature = "gpu"))]
type Device = Cpu;

/// Opens the device.
#[cfg(feature = "gpu")]
async fn open_device() -> crate::Result<Device> {
    Gpu::open().await
}

/// Opens the device.
#[cfg(not(feature = "gpu"))]
async fn open_device() -> crate::Result<Device> {
    Ok(Cpu::default())
}

/// A model on the device of this binary.
type Model = engine::Model<Device>;

/// Converts an object of name → Uint8Array.
fn files(object: &Object) -> Files {
    let mut files = Files::new();
    for entry in Object::entries(object).iter() {
        let entry = Array::from(&entry);
        if let (Some(name), Ok(bytes)) =
            (entry.get(0).as_string(), entry.get(1).dyn_into::<js_sys::Uint8Array>())
        {
            files.push((name, bytes.to_vec()));
        }
    }
    files
}

/// Converts byte offsets of a text to UTF-16 offsets.
struct Utf16 {
    /// UTF-16 offset of each byte. `None` if the text is ASCII, so both are equal.
    units: Option<Vec<u32>>,
}

impl Utf16 {
    fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self { units: None };
        }
        let mut units = Vec::with_capacity(text.len() + 1);
        let mut count = 0;
        for char in text.chars() {
            units.extend(std::iter::repeat_n(count, char.len_utf8()));
            count += char.len_utf16() as u32;
        }
        units.push(count);
        Self { units: Some(units) }
    }

    fn at(&self, byte: u32) -> u32 {
        self.units.as_ref().map_or(byte, |units| units[byte as usize])
    }
}
