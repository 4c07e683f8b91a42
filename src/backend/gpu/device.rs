//! The adapter and device: their features, names and errors.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use wgpu::{Buffer, BufferDescriptor, BufferUsages, ErrorFilter, ErrorScopeGuard, MapMode};

use crate::{Error, Result};

/// Bytes that may wait for the device before they are sent: wgpu holds a copy of each write.
const MAX_UNSENT: usize = 16 << 20;

/// Apple's number among vendors of PCI devices.
#[cfg(not(target_arch = "wasm32"))]
const APPLE: u32 = 0x106b;

/// A device with its queue.
pub(super) struct Device {
    pub(super) raw: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// The adapter's name.
    pub(super) name: String,
    /// Whether the adapter is software on the CPU.
    pub(super) software: bool,
    /// Whether shaders may compute in 16-bit floats.
    pub(super) half: bool,
    /// Whether they may multiply four 8-bit integers at once.
    pub(super) dot: bool,
    /// Whether that takes longer than four products of floats: there need be no instruction for it, and
    /// Apple's GPUs have none.
    pub(super) slow_dot: bool,
    /// The most bytes of one buffer that a kernel can be bound to.
    pub(super) max_buffer_bytes: u64,
    /// Number of buffers created so far.
    pub(super) buffers_made: u64,
    errors: Arc<Mutex<DeviceErrors>>,
    /// Open while there may be allocations whose outcome is not known, with the number of buffers before these.
    allocations: Option<(ErrorScopeGuard, u64)>,
    /// Numbers of the buffers among which there are all that got no memory.
    failed: Range<u64>,
    unsent: usize,
    /// Tests: larger buffers get no memory.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) most_bytes: u64,
}

/// What the device reported, by callbacks.
#[derive(Default)]
struct DeviceErrors {
    lost: Option<String>,
    refused: Option<String>,
    ever_refused: bool,
    /// Tests: whether a buffer was larger than `Device::most_bytes`.
    #[cfg(not(target_arch = "wasm32"))]
    exhausted: bool,
}

impl Device {
    /// The system's first adapter. Errors: `Unsupported` with the reason.
    pub(super) async fn open() -> Result<Self> {
        let none = |why: &str| Error::Unsupported(format!("no WebGPU here: {why}"));
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await;
        let adapter = adapter.map_err(|_| none("there is no adapter"))?;
        let there = adapter.limits();
        let required_limits = wgpu::Limits {
            max_buffer_size: there.max_buffer_size,
            max_storage_buffer_binding_size: there.max_storage_buffer_binding_size,
            ..wgpu::Limits::default()
        };
        let required_features = adapter.features() & wanted_features();
        let descriptor =
            wgpu::DeviceDescriptor { required_features, required_limits, ..Default::default() };
        let device = adapter.request_device(&descriptor).await;
        let (raw, queue) = device.map_err(|error| none(said(&error.to_string())))?;
        let info = adapter.get_info();
        let errors = Arc::new(Mutex::new(DeviceErrors::default()));
        listen(&raw, &errors);
        let language = instance.wgsl_language_features();
        Ok(Self {
            half: required_features.contains(wgpu::Features::SHADER_F16),
            dot: language.contains(wgpu::WgslLanguageFeatures::Packed4x8IntegerDotProduct),
            max_buffer_bytes: there.max_storage_buffer_binding_size.min(there.max_buffer_size),
            #[cfg(target_arch = "wasm32")]
            slow_dot: super::browser::vendor(&raw).as_deref() == Some("apple"),
            #[cfg(not(target_arch = "wasm32"))]
            slow_dot: info.vendor == APPLE,
            raw,
            queue,
            name: info.name,
            software: info.device_type == wgpu::DeviceType::Cpu,
            buffers_made: 0,
            errors,
            allocations: None,
            failed: 0..0,
            unsent: 0,
            #[cfg(not(target_arch = "wasm32"))]
            most_bytes: u64::MAX,
        })
    }

    /// A buffer. Whether there was memory for it is known after [`Device::settle`].
    pub(super) fn buffer(&mut self, bytes: u64, usage: BufferUsages) -> Buffer {
        if self.allocations.is_none() {
            let scope = self.raw.push_error_scope(ErrorFilter::OutOfMemory);
            self.allocations = Some((scope, self.buffers_made));
        }
        self.buffers_made += 1;
        #[cfg(not(target_arch = "wasm32"))]
        let bytes = if bytes > self.most_bytes { self.fail() } else { bytes };
        let descriptor =
            BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
        self.raw.create_buffer(&descriptor)
    }

    /// Tests: a size that no buffer can have.
    #[cfg(not(target_arch = "wasm32"))]
    fn fail(&self) -> u64 {
        lock(&self.errors).exhausted = true;
        self.raw.limits().max_buffer_size.saturating_add(4) & !3
    }

    /// Whether the buffer of this number has memory, as far as that is known.
    pub(super) fn is_valid(&self, number: u64) -> bool {
        !self.failed.contains(&number)
    }

    /// Copies bytes to the device; offset and length are multiples of 4.
    pub(super) fn write(&mut self, buffer: &Buffer, offset: u64, bytes: &[u8]) {
        self.queue.write_buffer(buffer, offset, bytes);
        self.unsent += bytes.len();
        if self.unsent >= MAX_UNSENT {
            self.unsent = 0;
            self.queue.submit([]);
            // the errors of a poll are those that the callbacks report
            let _ = self.raw.poll(wgpu::PollType::wait_indefinitely());
        }
    }

    /// The error since the last check. Errors: `DeviceLost`, or `Unsupported` for a command
    /// the device refused.
    pub(super) fn check(&self) -> Result<()> {
        let mut errors = lock(&self.errors);
        if let Some(message) = &errors.lost {
            return Err(Error::DeviceLost(format!("the GPU device was lost: {message}")));
        }
        match errors.refused.take() {
            Some(message) => Err(Error::Unsupported(format!("the GPU refused: {message}"))),
            None => Ok(()),
        }
    }

    /// Whether the device is lost.
    pub(super) fn is_lost(&self) -> bool {
        lock(&self.errors).lost.is_some()
    }

    /// Whether it ever refused a command.
    pub(super) fn has_refused(&self) -> bool {
        lock(&self.errors).ever_refused
    }

    /// Waits until the outcome of all allocations is known. Errors as [`Device::check`], and
    /// `OutOfMemory`.
    pub(super) async fn settle(&mut self) -> Result<()> {
        let Some((scope, before)) = self.allocations.take() else { return self.check() };
        let error = scope.pop().await.map(|error| error.to_string());
        #[cfg(not(target_arch = "wasm32"))]
        let error = error.or_else(|| lock(&self.errors).exhausted.then(|| "by a test".to_owned()));
        let Some(error) = error else { return self.check() };
        let first = if self.failed.is_empty() { before + 1 } else { self.failed.start };
        self.failed = first..self.buffers_made + 1;
        let mut errors = lock(&self.errors);
        #[cfg(not(target_arch = "wasm32"))]
        {
            errors.exhausted = false;
        }
        // what used buffers without memory was refused
        errors.refused = None;
        drop(errors);
        self.check()?;
        Err(Error::OutOfMemory(format!("the GPU's memory is used up: {error}")))
    }

    /// Waits until the device has done all that was submitted, and maps a buffer for reading.
    pub(super) async fn map(&mut self, buffer: &Buffer, bytes: u64) -> Result<()> {
        let mapped = Signal::default();
        let done = mapped.clone();
        buffer.slice(..bytes).map_async(MapMode::Read, move |outcome| done.set(outcome.is_ok()));
        // natively this waits and calls back; a browser calls back by itself
        let _ = self.raw.poll(wgpu::PollType::wait_indefinitely());
        let mapped = mapped.await;
        self.settle().await?;
        if !mapped {
            let mut errors = lock(&self.errors);
            errors.lost.get_or_insert_with(|| "its results could not be read".to_owned());
        }
        self.check()
    }
}

/// In a browser all that a device holds stays until the garbage collector comes by.
impl Drop for Device {
    fn drop(&mut self) {
        self.raw.destroy();
    }
}

/// Features that are used where they are there.
fn wanted_features() -> wgpu::Features {
    // timestamps are for benchmarks
    let timestamps = wgpu::Features::TIMESTAMP_QUERY;
    wgpu::Features::SHADER_F16
        | if cfg!(target_arch = "wasm32") { wgpu::Features::empty() } else { timestamps }
}

/// Keeps what the device reports.
fn listen(device: &wgpu::Device, errors: &Arc<Mutex<DeviceErrors>>) {
    let lost = Arc::clone(errors);
    device.set_device_lost_callback(move |reason, message| {
        lock(&lost).lost.get_or_insert(format!("{reason:?} {message}"));
    });
    let refused = Arc::clone(errors);
    let refuse = move |message| {
        let mut errors = lock(&refused);
        errors.ever_refused = true;
        errors.refused.get_or_insert(message);
    };
    #[cfg(not(target_arch = "wasm32"))]
    device.on_uncaptured_error(Arc::new(move |error| refuse(format!("{error}"))));
    #[cfg(target_arch = "wasm32")]
    super::browser::on_error(device, refuse);
}

/// What an error of a browser's says, of the text that wgpu makes of its JavaScript value: the value
/// in Rust's notation, `JsValue(name: message` and lines of its stack.
fn said(text: &str) -> &str {
    let Some(value) = text.strip_prefix("JsValue(") else { return text };
    let line = value.lines().next().unwrap_or_default();
    let line = line.strip_suffix(')').filter(|_| !value.contains('\n')).unwrap_or(line);
    line.split_once(": ").map_or(line, |(_, message)| message)
}

fn lock(errors: &Mutex<DeviceErrors>) -> MutexGuard<'_, DeviceErrors> {
    errors.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A callback's answer, to be awaited.
#[derive(Clone, Default)]
struct Signal(Arc<Mutex<(Option<bool>, Option<Waker>)>>);

impl Signal {
    fn set(&self, answer: bool) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = Some(answer);
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }
}

impl Future for Signal {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 = Some(context.waker().clone());
        state.0.map_or(Poll::Pending, Poll::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn an_error_of_a_browser_is_what_it_says() {
        let stack =
            "JsValue(OperationError: no: device (yet)\nOperationError: no: device (yet)\n  at a)";
        assert_eq!(said(stack), "no: device (yet)");
        assert_eq!(said("JsValue(OperationError: none)"), "none");
        assert_eq!(said("JsValue(none)"), "none");
        assert_eq!(said("the limit is 4"), "the limit is 4");
    }
}
