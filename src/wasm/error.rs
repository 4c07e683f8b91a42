//! Errors and panics for JavaScript, in every binary.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use crate::{Details, Error};

pub(super) type JsResult<T> = Result<T, JsValue>;

/// Prints a panic, which is a bug, in the console. Binaries that stop at a panic without a message
/// never call the hook.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// Returns a JavaScript `Error` with a `code` from [`Error::code`].
pub(super) fn js_error(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    // Fails only on a frozen object or a proxy.
    let set = |name: &str, value: &JsValue| {
        let _ = Reflect::set(&js, &name.into(), value);
    };
    set("code", &error.code().into());
    if let Some(details) = error.details() {
        for (name, part) in Details::NAMES.into_iter().zip(details.parts()) {
            if !part.is_empty() {
                set(name, &part.into());
            }
        }
    }
    js.into()
}

pub(super) fn bad_input(error: impl std::fmt::Display) -> JsValue {
    js_error(Error::BadInput(error.to_string()))
}
