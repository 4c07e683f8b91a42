//! Errors and panics for JavaScript, in every binary.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use crate::Error;

pub(super) type JsResult<T> = Result<T, JsValue>;

static PANICKED: AtomicBool = AtomicBool::new(false);

/// Prints a panic, which is a bug, in the console.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        PANICKED.store(true, Relaxed);
        console_error_panic_hook::hook(panic);
    }));
}

/// Returns true after a panic. An instance that stops at an `unreachable` without a panic ran out
/// of memory.
#[wasm_bindgen]
#[allow(unreachable_pub, reason = "wasm_bindgen takes public functions alone")]
pub fn panicked() -> bool {
    PANICKED.load(Relaxed)
}

/// Returns a JavaScript `Error` with a `code` from [`Error::code`].
pub(super) fn js_error(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    // Fails only on a frozen object or a proxy.
    let _ = Reflect::set(&js, &"code".into(), &error.code().into());
    js.into()
}

pub(super) fn bad_input(error: impl std::fmt::Display) -> JsValue {
    js_error(Error::BadInput(error.to_string()))
}
