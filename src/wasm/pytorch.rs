//! Files of PyTorch that are read whole.
#![expect(unreachable_pub, reason = "bindgen exports what is public")]

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use super::{JsResult, js_error};
use crate::checkpoint;

/// Returns the tensors of a small `pytorch_model.bin` as a safetensors file; `name` is for messages.
#[wasm_bindgen]
pub fn to_safetensors(name: &str, bytes: &[u8]) -> JsResult<Uint8Array> {
    let tensors = checkpoint::to_safetensors(name, bytes).map_err(js_error)?;
    Ok(Uint8Array::from(&tensors[..]))
}
