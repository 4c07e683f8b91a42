//! Conversion of values from and to JavaScript, by serde.

use js_sys::{Array, Float32Array, JSON, Object, Reflect};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_wasm_bindgen::from_value;
use wasm_bindgen::prelude::*;

use super::{JsResult, bad_input};
use crate::engine::Tensor;

/// Reads a value. Errors name it `name`.
pub(super) fn read<T: DeserializeOwned>(name: &str, value: JsValue) -> JsResult<T> {
    from_value(value.clone()).map_err(|error| unfit(name, &expected(error), &value))
}

/// Reads an object of options, all with defaults. The error names the invalid option.
pub(super) fn read_options<O: DeserializeOwned>(options: JsValue) -> JsResult<O> {
    from_value(options.clone())
        .map_err(|_| at_fault(&options, &|alone| from_value::<O>(alone).err().map(expected)))
}

/// Returns the error for the invalid option. serde does not name the option, so each option is
/// tried alone. `refusal` returns what serde expects of options that it rejects.
#[cold]
fn at_fault(options: &JsValue, refusal: &dyn Fn(JsValue) -> Option<String>) -> JsValue {
    let alone = |name: &JsValue, value: &JsValue| {
        let alone = Object::new();
        Reflect::set(&alone, name, value).ok()?;
        refusal(alone.into())
    };
    let fault = |entry: JsValue| {
        let entry: Array = entry.unchecked_into();
        let (name, value) = (entry.get(0), entry.get(1));
        let mut expected = alone(&name, &value)?;
        if expected.starts_with("enum ") {
            // For a text that matches no name, serde lists the possible names.
            expected = alone(&name, &"".into())?;
        }
        Some(unfit(&name.as_string()?, &expected, &value))
    };
    let fault = Object::entries(options.unchecked_ref()).iter().find_map(fault);
    fault.unwrap_or_else(|| unfit("options", "an object", options))
}

/// Translates what serde expected into JavaScript's terms.
fn expected(error: serde_wasm_bindgen::Error) -> String {
    let message = error.to_string();
    let message = message.strip_prefix("Error: ").unwrap_or(&message);
    let expected = message.split_once("expected ").map_or(message, |(_, expected)| expected);
    match expected {
        "a boolean" => "true or false".into(),
        "a sequence" => "an array".into(),
        "i64" => "a whole number".into(),
        _ => expected.replace('`', ""),
    }
}

#[cold]
fn unfit(name: &str, expected: &str, found: &JsValue) -> JsValue {
    let shown = JSON::stringify(found).ok().and_then(|found| found.as_string());
    let of = if Array::is_array(found) && expected != "an array" { "each entry of " } else { "" };
    bad_input(format!("{of}{name} is {expected}, not {}", shown.unwrap_or_default()))
}

/// Writes a value. `None` becomes null.
pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> JsResult<JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    Ok(value.serialize(&serializer)?)
}

/// A tensor. Its numbers become a typed array in JavaScript.
#[derive(Serialize)]
pub(super) struct TensorOut<'a> {
    r#type: &'static str,
    dims: &'a [usize],
    #[serde(serialize_with = "float32_array")]
    data: &'a [f32],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl<'a> TensorOut<'a> {
    pub(super) fn new(tensor: &'a Tensor, truncated: bool) -> Self {
        Self { r#type: "float32", dims: &tensor.dims, data: &tensor.data, truncated }
    }
}

fn float32_array<S: Serializer>(data: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    serde_wasm_bindgen::preserve::serialize(&Float32Array::from(data), serializer)
}
