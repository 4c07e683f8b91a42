//! What wgpu has no call for in a browser, on the browser's own device.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wgpu::ComputePipeline;

/// A pipeline that is being compiled.
pub(super) type Promised = JsFuture;

/// Begins to compile what `compile` asks wgpu for; `None` where there is no such device. The browser
/// compiles it without holding up what else the GPU does, which is what wgpu's own call would do to
/// the whole page: so, for the length of that call, the device's createComputePipeline is another
/// function.
pub(super) fn begin(
    device: &wgpu::Device,
    compile: impl FnOnce() -> ComputePipeline,
) -> Option<Promised> {
    let raw = device.as_webgpu()?.clone();
    let promise = Rc::new(RefCell::new(None));
    let to = Rc::clone(&promise);
    let instead = move |descriptor: JsValue| -> JsValue {
        let promise: JsValue = raw.create_compute_pipeline_async(descriptor.unchecked_ref()).into();
        to.replace(Some(JsFuture::from(Promise::resolve(&promise))));
        promise // in place of a pipeline, which nobody looks at
    };
    with(device, instead, compile)?;
    promise.take()
}

/// Makes wgpu's of a pipeline that is ready. `compile` asks wgpu for any.
pub(super) fn adopt(
    device: &wgpu::Device,
    ready: JsValue,
    compile: impl FnOnce() -> ComputePipeline,
) -> Option<ComputePipeline> {
    with(device, move |_| ready.clone(), compile)
}

/// Runs `compile` while `instead` is the device's createComputePipeline.
fn with(
    device: &wgpu::Device,
    instead: impl FnMut(JsValue) -> JsValue + 'static,
    compile: impl FnOnce() -> ComputePipeline,
) -> Option<ComputePipeline> {
    let name = JsValue::from("createComputePipeline");
    let device = device.as_webgpu()?;
    let instead = Closure::<dyn FnMut(JsValue) -> JsValue>::new(instead);
    Reflect::set(device, &name, instead.as_ref()).ok()?;
    let pipeline = compile();
    Reflect::delete_property(device, &name).ok()?; // the prototype's is back
    Some(pipeline)
}

/// Calls `tell` with the message of each error that the device reports to nobody else. wgpu's own
/// listener panics at an internal error, the kind that drivers fail with.
pub(super) fn on_error(device: &wgpu::Device, mut tell: impl FnMut(String) + 'static) {
    let Some(device) = device.as_webgpu() else { return };
    let listener = move |event: JsValue| {
        tell(message(&Reflect::get(&event, &"error".into()).unwrap_or_default()));
    };
    // the browser's for as long as the device: errors may come when ours is gone
    let listener = Closure::<dyn FnMut(JsValue)>::new(listener).into_js_value();
    device.set_onuncapturederror(Some(listener.unchecked_ref()));
}

/// Whose GPU it is, where the browser tells.
pub(super) fn vendor(device: &wgpu::Device) -> Option<String> {
    let info = Reflect::get(device.as_webgpu()?, &"adapterInfo".into()).ok()?;
    Reflect::get(&info, &"vendor".into()).ok()?.as_string()
}

/// What an error of the browser's says.
pub(super) fn message(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok();
    message.and_then(|message| message.as_string()).unwrap_or_default()
}
