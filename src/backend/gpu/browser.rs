//! Calls on the browser's own device that wgpu does not offer.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DomException, ErrorEvent};
use wgpu::ComputePipeline;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since some moment.
    #[wasm_bindgen(js_namespace = performance)]
    pub(super) fn now() -> f64;
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(work: &JsValue, milliseconds: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// Calls a function once, later.
pub(super) struct Timer {
    timer: JsValue,
    _work: Closure<dyn FnMut()>,
}

impl Timer {
    pub(super) fn new(milliseconds: f64, work: impl FnMut() + 'static) -> Self {
        let work = Closure::<dyn FnMut()>::new(work);
        Self { timer: set_timeout(work.as_ref(), milliseconds), _work: work }
    }
}

/// Stops the timer.
impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.timer);
    }
}

/// A pipeline that the browser is compiling.
pub(super) type Promised = JsFuture;

/// Starts to compile the pipeline that `compile` requests from wgpu. Returns `None` if the device
/// is not a browser's. wgpu does not expose createComputePipelineAsync, and createComputePipeline
/// would block the GPU process. Therefore the device's createComputePipeline is replaced during
/// wgpu's call.
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
        promise // stands in for the pipeline and is not used
    };
    with(device, replacement, compile)?;
    promise.take()
}

/// Wraps a compiled pipeline as one of wgpu. `compile` must request some pipeline from wgpu.
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
    Reflect::delete_property(device, &name).ok()?; // restores the prototype's method
    Some(pipeline)
}

/// Calls `report` with the message of each uncaptured error of the device. wgpu's own listener
/// panics at an internal error, which is the kind that drivers raise.
pub(super) fn on_error(device: &wgpu::Device, mut report: impl FnMut(String) + 'static) {
    let Some(device) = device.as_webgpu() else { return };
    let listener = move |event: JsValue| {
        // web-sys has GPUUncapturedErrorEvent only behind an unstable flag. Its `error` is read
        // like that of an ErrorEvent.
        report(message(&event.unchecked_ref::<ErrorEvent>().error()));
    };
    // The browser owns the listener, because errors may arrive after the Rust device is dropped.
    let listener = Closure::<dyn FnMut(JsValue)>::new(listener).into_js_value();
    device.set_onuncapturederror(Some(listener.unchecked_ref()));
}

/// Returns the vendor of the GPU, if the browser reveals it.
pub(super) fn vendor(device: &wgpu::Device) -> Option<String> {
    let info = Reflect::get(device.as_webgpu()?, &"adapterInfo".into()).ok()?;
    Reflect::get(&info, &"vendor".into()).ok()?.as_string()
}

/// Returns the message of a GPUError or a GPUPipelineError; the latter is a DOMException.
pub(super) fn message(error: &JsValue) -> String {
    error.unchecked_ref::<DomException>().message()
}
