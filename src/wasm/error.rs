//! Errors and panics as JavaScript sees them, in every binary.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use crate::Error;

pub(super) type JsResult<T> = Result<T, JsValue>;

/// Makes a panic, which is a bug, readable in the console.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// A JavaScript `Error` whose `code` is that of [`Error::code`].
pub(super) fn js_error(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    // can only fail on a frozen object or a proxy
    let _ = Reflect::set(&js, &"code".into(), &error.code().into());
    js.into()
}

pub(super) fn bad_input(error: impl std::fmt::Display) -> JsValue {
    js_error(Error::BadInput(error.to_string()))
}
