//! The adapter and the device: features, names and errors.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;

use wgpu::{Buffer, BufferDescriptor, BufferUsages, ErrorFilter, ErrorScopeGuard, MapMode};

use crate::{Error, Result};

/// Number of bytes written before a submission is forced: wgpu keeps a copy of each write until
/// then.
const MAX_UNSENT: usize = 16 << 20;

/// Largest number of storage buffers that a kernel has. Every device allows 8; nearly all allow 10.
const MOST_STORAGE_BUFFERS: u32 = 10;

/// What is said about a device whose driver hangs.
const HUNG: &str = "it did not answer in time";

/// Apple's PCI vendor id.
#[cfg(not(target_arch = "wasm32"))]
const APPLE: u32 = 0x106b;

/// A device with its queue.
pub(super) struct Device {
    pub(super) raw: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// The adapter's name.
    pub(super) name: String,
    /// True if the adapter is software on the CPU.
    pub(super) software: bool,
    /// True if shaders may compute in 16-bit floats.
    pub(super) half: bool,
    /// True if shaders may multiply four 8-bit integers at once.
    pub(super) dot: bool,
    /// True if such a multiplication takes longer than four products of floats. A device need not
    /// have an instruction for it; Apple's GPUs have none.
    pub(super) slow_dot: bool,
    /// Largest size of a buffer that a kernel can bind, in bytes.
    pub(super) max_buffer_bytes: u64,
    /// Largest workgroup memory of a kernel, in bytes.
    pub(super) max_workgroup_bytes: u32,
    /// Largest number of storage buffers of a kernel, at most [`MOST_STORAGE_BUFFERS`].
    pub(super) max_storage_buffers: u32,
    /// Number of buffers created so far.
    pub(super) buffers_made: u64,
    errors: Arc<Mutex<DeviceErrors>>,
    /// Error scope of the allocations whose outcome is not known yet, with the number of buffers
    /// created before them.
    allocations: Option<(ErrorScopeGuard, u64)>,
    /// Range of buffer numbers that includes every failed allocation.
    failed: Range<u64>,
    unsent: usize,
    /// Milliseconds that the device may take to answer. `None`: any time. A device whose driver
    /// hangs is then lost.
    pub(super) patience: Option<u32>,
    /// For tests: larger buffers fail to allocate.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) most_bytes: u64,
    /// For tests: number of submissions after which the device is lost.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) lost_at: u64,
}

/// Errors that the device reported through callbacks.
#[derive(Default)]
struct DeviceErrors {
    lost: Option<String>,
    refused: Option<String>,
    ever_refused: bool,
    /// For tests: true if a buffer exceeded `Device::most_bytes`.
    #[cfg(not(target_arch = "wasm32"))]
    exhausted: bool,
}

impl Device {
    /// Opens the system's first adapter. With `all`, uses its optional features and its limits;
    /// otherwise those that every adapter has. Errors: `Unsupported` with the reason.
    pub(super) async fn open(all: bool) -> Result<Self> {
        let none = |why: &str| Error::Unsupported(format!("no WebGPU here: {why}"));
        let instance = instance();
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await;
        let adapter = adapter.map_err(|_| none("there is no adapter"))?;
        let there = if all { adapter.limits() } else { wgpu::Limits::default() };
        let required_limits = wgpu::Limits {
            max_buffer_size: there.max_buffer_size,
            max_storage_buffer_binding_size: there.max_storage_buffer_binding_size,
            max_compute_workgroup_storage_size: there.max_compute_workgroup_storage_size,
            max_storage_buffers_per_shader_stage: there
                .max_storage_buffers_per_shader_stage
                .min(MOST_STORAGE_BUFFERS),
            ..wgpu::Limits::default()
        };
        let wanted = if all { wanted_features() } else { wgpu::Features::empty() };
        let required_features = adapter.features() & wanted;
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
            max_workgroup_bytes: raw.limits().max_compute_workgroup_storage_size,
            max_storage_buffers: raw.limits().max_storage_buffers_per_shader_stage,
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
            patience: None,
            #[cfg(not(target_arch = "wasm32"))]
            most_bytes: u64::MAX,
            #[cfg(not(target_arch = "wasm32"))]
            lost_at: u64::MAX,
        })
    }

    /// Creates a buffer. [`Device::settle`] reports if its allocation failed.
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

    /// For tests: returns a size that no buffer can have.
    #[cfg(not(target_arch = "wasm32"))]
    fn fail(&self) -> u64 {
        lock(&self.errors).exhausted = true;
        self.raw.limits().max_buffer_size.saturating_add(4) & !3
    }

    /// Returns false if the allocation of the buffer with this number is known to have failed.
    pub(super) fn is_valid(&self, number: u64) -> bool {
        !self.failed.contains(&number)
    }

    /// Copies bytes to the device. The offset and the length must be multiples of 4.
    pub(super) fn write(&mut self, buffer: &Buffer, offset: u64, bytes: &[u8]) {
        self.queue.write_buffer(buffer, offset, bytes);
        self.unsent += bytes.len();
        if self.unsent >= MAX_UNSENT {
            self.unsent = 0;
            self.queue.submit([]);
            // Errors of the poll are also reported by the callbacks.
            let _ = self.raw.poll(wgpu::PollType::wait_indefinitely());
        }
    }

    /// Returns the error since the last check: `DeviceLost`, or `Unsupported` for a command the
    /// device refused.
    pub(super) fn check(&self) -> Result<()> {
        self.check_lost()?;
        match lock(&self.errors).refused.take() {
            Some(message) => Err(Error::Unsupported(format!("the GPU refused: {message}"))),
            None => Ok(()),
        }
    }

    /// Returns an error if the device is lost.
    fn check_lost(&self) -> Result<()> {
        match &lock(&self.errors).lost {
            Some(message) => Err(Error::DeviceLost(format!("the GPU device was lost: {message}"))),
            None => Ok(()),
        }
    }

    /// Marks the device as lost because its driver hangs.
    #[cfg(not(target_arch = "wasm32"))]
    fn give_up(&self) {
        lock(&self.errors).lost.get_or_insert_with(|| HUNG.to_owned());
    }

    /// Returns true if the device is lost.
    pub(super) fn is_lost(&self) -> bool {
        lock(&self.errors).lost.is_some()
    }

    /// Returns true if the device ever refused a command.
    pub(super) fn has_refused(&self) -> bool {
        lock(&self.errors).ever_refused
    }

    /// Waits until the outcome of all allocations is known. Errors: as [`Device::check`], and
    /// `OutOfMemory`.
    pub(super) async fn settle(&mut self) -> Result<()> {
        let Some((scope, before)) = self.allocations.take() else { return self.check() };
        let error = scope.pop().await.map(|error| error.to_string());
        #[cfg(not(target_arch = "wasm32"))]
        let error = error.or_else(|| lock(&self.errors).exhausted.then(|| "by a test".to_owned()));
        let Some(error) = error else { return self.check() };
        // The scope covers several buffers and does not name the one that failed, so all of them
        // count as failed.
        let first = if self.failed.is_empty() { before + 1 } else { self.failed.start };
        self.failed = first..self.buffers_made + 1;
        let mut errors = lock(&self.errors);
        #[cfg(not(target_arch = "wasm32"))]
        {
            errors.exhausted = false;
        }
        // Commands that used a failed buffer were refused as well; that is not a second error.
        errors.refused = None;
        drop(errors);
        self.check()?;
        Err(Error::OutOfMemory(format!("the GPU's memory is used up: {error}")))
    }

    /// Waits until the device has finished all submitted work, and maps a buffer for reading.
    pub(super) async fn map(&mut self, buffer: &Buffer, bytes: u64) -> Result<()> {
        let mapped = Signal::default();
        let done = mapped.clone();
        buffer.slice(..bytes).map_async(MapMode::Read, move |outcome| done.set(outcome.is_ok()));
        #[cfg(not(target_arch = "wasm32"))]
        self.wait();
        let mapped = self.unless_hung(mapped).await?;
        // A lack of memory also makes the mapping fail, and is the better error.
        self.settle().await?;
        if !mapped {
            let mut errors = lock(&self.errors);
            errors.lost.get_or_insert_with(|| "its results could not be read".to_owned());
        }
        self.check()
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Device {
    /// Waits until the device has finished all submitted work, and runs callbacks. A browser does
    /// so by itself.
    fn wait(&self) {
        let timeout = self.patience.map(|limit| Duration::from_millis(limit.into()));
        let waited = self.raw.poll(wgpu::PollType::Wait { submission_index: None, timeout });
        if matches!(waited, Err(wgpu::PollError::Timeout)) {
            self.give_up();
        }
    }

    /// Returns the outcome of a mapping. Errors: `DeviceLost` if the device took too long.
    async fn unless_hung(&self, mapped: Signal) -> Result<bool> {
        self.check_lost()?;
        Ok(mapped.await)
    }
}

#[cfg(target_arch = "wasm32")]
impl Device {
    /// Returns the outcome of a mapping. Errors: `DeviceLost` if the device takes too long.
    async fn unless_hung(&self, mapped: Signal) -> Result<bool> {
        let Some(limit) = self.patience else { return Ok(mapped.await) };
        let (late, errors) = (mapped.clone(), Arc::clone(&self.errors));
        let timer = super::browser::Timer::new(limit.into(), move || {
            lock(&errors).lost.get_or_insert_with(|| HUNG.to_owned());
            late.set(false);
        });
        let mapped = mapped.await;
        drop(timer);
        self.check_lost()?;
        Ok(mapped)
    }
}

/// Destroys the device at once. Otherwise a browser keeps its memory until the next garbage
/// collection.
impl Drop for Device {
    fn drop(&mut self) {
        self.raw.destroy();
    }
}

/// Returns the process's connection to its drivers. NVIDIA's driver for Vulkan finds no adapter
/// after some hundred connections of a process.
#[cfg(not(target_arch = "wasm32"))]
fn instance() -> wgpu::Instance {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    INSTANCE.get_or_init(new_instance).clone()
}

#[cfg(target_arch = "wasm32")]
fn instance() -> wgpu::Instance {
    new_instance()
}

fn new_instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle())
}

/// Returns the features that are used if the adapter has them.
fn wanted_features() -> wgpu::Features {
    wgpu::Features::SHADER_F16 | wgpu::Features::TIMESTAMP_QUERY
}

/// Stores the errors that the device reports.
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

/// Extracts a browser's error message from wgpu's text. wgpu prints the JavaScript value in Rust's
/// notation: `JsValue(name: message`, followed by lines of the stack.
fn said(text: &str) -> &str {
    let Some(value) = text.strip_prefix("JsValue(") else { return text };
    let line = value.lines().next().unwrap_or_default();
    let line = line.strip_suffix(')').filter(|_| !value.contains('\n')).unwrap_or(line);
    line.split_once(": ").map_or(line, |(_, message)| message)
}

fn lock(errors: &Mutex<DeviceErrors>) -> MutexGuard<'_, DeviceErrors> {
    errors.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of a callback, to be awaited.
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
