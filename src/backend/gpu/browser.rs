//! What wgpu has no call for in a browser, on the browser's own device.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DomException, ErrorEvent};
use wgpu::ComputePipeline;

/// A pipeline that is being compiled.
pub(super) type Promised = JsFuture;

/// Begins to compile the pipeline that `compile` asks wgpu for; `None` where the device is not the
/// browser's. wgpu has no call for createComputePipelineAsync, and createComputePipeline would block the
/// GPU process: so, for the length of wgpu's call, the device's createComputePipeline is replaced.
pub(super) fn begin(
    device: &wgpu::Device,
    compile: impl FnOnce() -> ComputePipeline,
) -> Option<Promised> {
    let raw = device.as_webgpu()?.clone();
    let promise = Rc::new(RefCell::new(None));
    let to = Rc::clone(&promise);
    let replacement = move |descriptor: JsValue| -> JsValue {
        let promise: JsValue = raw.create_compute_pipeline_async(descriptor.unchecked_ref()).into();
        to.replace(Some(JsFuture::from(Promise::resolve(&promise))));
        promise // in place of a pipeline, which is not used
    };
    with(device, replacement, compile)?;
    promise.take()
}

/// Wraps a compiled pipeline as wgpu's. `compile` asks wgpu for any pipeline.
pub(super) fn adopt(
    device: &wgpu::Device,
    ready: JsValue,
    compile: impl FnOnce() -> ComputePipeline,
) -> Option<ComputePipeline> {
    with(device, move |_| ready.clone(), compile)
}

/// Runs `compile` while `replacement` is the device's createComputePipeline.
fn with(
    device: &wgpu::Device,
    replacement: impl FnMut(JsValue) -> JsValue + 'static,
    compile: impl FnOnce() -> ComputePipeline,
) -> Option<ComputePipeline> {
    let name = JsValue::from("createComputePipeline");
    let device = device.as_webgpu()?;
    let replacement = Closure::<dyn FnMut(JsValue) -> JsValue>::new(replacement);
    Reflect::set(device, &name, replacement.as_ref()).ok()?;
    let pipeline = compile();
    Reflect::delete_property(device, &name).ok()?; // the prototype's is in use again
    Some(pipeline)
}

/// Calls `report` with the message of each uncaptured error of the device. wgpu's own
/// listener panics at an internal error, the kind that drivers fail with.
pub(super) fn on_error(device: &wgpu::Device, mut report: impl FnMut(String) + 'static) {
    let Some(device) = device.as_webgpu() else { return };
    let listener = move |event: JsValue| {
        // GPUUncapturedErrorEvent, which web-sys has behind an unstable flag, names its error as ErrorEvent does
        report(message(&event.unchecked_ref::<ErrorEvent>().error()));
    };
    // owned by the browser: errors may come after the Rust device is dropped
    let listener = Closure::<dyn FnMut(JsValue)>::new(listener).into_js_value();
    device.set_onuncapturederror(Some(listener.unchecked_ref()));
}

/// The vendor of the GPU, where the browser tells.
pub(super) fn vendor(device: &wgpu::Device) -> Option<String> {
    let info = Reflect::get(device.as_webgpu()?, &"adapterInfo".into()).ok()?;
    Reflect::get(&info, &"vendor".into()).ok()?.as_string()
}

/// The message of a GPUError, or of a GPUPipelineError, which is a DOMException.
pub(super) fn message(error: &JsValue) -> String {
    error.unchecked_ref::<DomException>().message()
}
