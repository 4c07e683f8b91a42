//! Compute pipelines. They are compiled ahead, while weights arrive, or when first needed.

#[cfg(target_arch = "wasm32")]
use std::pin::Pin;
#[cfg(not(target_arch = "wasm32"))]
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::JsValue;
use wgpu::{
    ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions, ShaderModuleDescriptor,
    ShaderSource,
};

#[cfg(target_arch = "wasm32")]
use super::browser::{self, Promised};
use super::kernels::{Constants, Kernel};
use crate::Error;

/// The pipelines of a device.
#[derive(Default)]
pub(super) struct Pipelines {
    compiled: Vec<(Key, ComputePipeline)>,
    /// Pipelines that the browser is compiling.
    #[cfg(target_arch = "wasm32")]
    promised: Vec<(Key, Promised)>,
    /// Pipelines that do not compile.
    failed: Vec<(Key, Error)>,
    /// Replacements in the text of shaders. Tests use them to break kernels.
    pub(super) replaced: Vec<(String, String)>,
}

/// A kernel with its constants.
#[derive(PartialEq)]
pub(super) struct Key(Kernel, Vec<(&'static str, f64)>);

impl Key {
    fn is(&self, kernel: Kernel, constants: Constants<'_>) -> bool {
        self.0 == kernel && self.1 == constants
    }

    /// Returns true if a condition holds for the kernel.
    pub(super) fn is_of(&self, condition: impl Fn(Kernel) -> bool) -> bool {
        condition(self.0)
    }

    /// Returns true if the kernel is this one, with at least these constants.
    pub(super) fn has(&self, kernel: Kernel, constants: Constants<'_>) -> bool {
        self.0 == kernel && constants.iter().all(|constant| self.1.contains(constant))
    }
}

impl Pipelines {
    /// Returns the number of compiled pipelines.
    pub(super) fn count(&self) -> usize {
        self.compiled.len()
    }

    /// Returns the pipeline of a kernel with these constants. Compiles it if necessary.
    pub(super) fn get(
        &mut self,
        device: &wgpu::Device,
        kernel: Kernel,
        constants: Constants<'_>,
    ) -> &ComputePipeline {
        let found = self.compiled.iter().position(|(key, _)| key.is(kernel, constants));
        let place = found.unwrap_or_else(|| {
            let pipeline = compile(device, self.source(kernel), constants);
            self.compiled.push((Key(kernel, constants.to_vec()), pipeline));
            self.compiled.len() - 1
        });
        &self.compiled[place].1
    }

    /// Compiles the pipeline.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn begin(
        &mut self,
        device: &wgpu::Device,
        kernel: Kernel,
        constants: Constants<'_>,
    ) {
        let scopes = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal]
            .map(|filter| device.push_error_scope(filter));
        self.get(device, kernel, constants);
        for scope in scopes.into_iter().rev() {
            if let Some(error) = now(scope.pop()).flatten() {
                self.failed.push(failure(Key(kernel, constants.to_vec()), &error.to_string()));
            }
        }
    }

    /// Starts to compile the pipeline and does not wait for it.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn begin(
        &mut self,
        device: &wgpu::Device,
        kernel: Kernel,
        constants: Constants<'_>,
    ) {
        let there = self.compiled.iter().any(|(key, _)| key.is(kernel, constants));
        if there || self.promised.iter().any(|(key, _)| key.is(kernel, constants)) {
            return;
        }
        let source = self.source(kernel);
        // An error of the shader module also fails the pipeline, which reports it. Without a scope
        // it would also be an error of the device, in any order.
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let promised = browser::begin(device, || compile(device, source, constants));
        drop(scope);
        let key = Key(kernel, constants.to_vec());
        self.promised.extend(promised.map(|promised| (key, promised)));
    }

    /// Waits for all pipelines that are being compiled.
    pub(super) async fn settle(&mut self, device: &wgpu::Device) {
        #[cfg(not(target_arch = "wasm32"))]
        let _ = device; // every pipeline is compiled at once
        #[cfg(target_arch = "wasm32")]
        for (key, promised) in std::mem::take(&mut self.promised) {
            let compiled = promised.await;
            self.adopt(device, key, compiled);
        }
    }

    /// Returns true if no pipeline is being compiled.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn is_settled(&mut self, _: &wgpu::Device) -> bool {
        true
    }

    /// Returns true if no pipeline is being compiled.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn is_settled(&mut self, device: &wgpu::Device) -> bool {
        for (key, mut promised) in std::mem::take(&mut self.promised) {
            match Pin::new(&mut promised).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(compiled) => self.adopt(device, key, compiled),
                Poll::Pending => self.promised.push((key, promised)),
            }
        }
        self.promised.is_empty()
    }

    #[cfg(target_arch = "wasm32")]
    fn adopt(&mut self, device: &wgpu::Device, key: Key, compiled: Result<JsValue, JsValue>) {
        match compiled {
            Ok(ready) => {
                // The source does not matter: the replaced createComputePipeline returns the
                // finished pipeline.
                let any = || compile(device, String::new(), &[]);
                self.compiled.extend(browser::adopt(device, ready, any).map(|ready| (key, ready)));
            }
            Err(error) => self.failed.push(failure(key, &browser::message(&error))),
        }
    }

    /// Returns the pipelines that do not compile, with the errors.
    pub(super) fn take_failed(&mut self) -> Vec<(Key, Error)> {
        std::mem::take(&mut self.failed)
    }

    fn source(&self, kernel: Kernel) -> String {
        let source = kernel.source();
        self.replaced.iter().fold(source, |source, (from, to)| source.replace(from, to))
    }
}

fn failure(key: Key, why: &str) -> (Key, Error) {
    let why = format!("the GPU cannot compile the kernel {:?}: {why}", key.0);
    (key, Error::Unsupported(why))
}

/// Returns the result of a future that is ready.
#[cfg(not(target_arch = "wasm32"))]
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

fn compile(device: &wgpu::Device, source: String, constants: Constants<'_>) -> ComputePipeline {
    let source = ShaderSource::Wgsl(source.into());
    let module = device.create_shader_module(ShaderModuleDescriptor { label: None, source });
    device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: PipelineCompilationOptions {
            constants,
            // Each kernel writes workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    })
}
