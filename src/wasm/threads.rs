//! Functions with which JavaScript starts threads, because WebAssembly cannot start them. Only in
//! builds with shared memory.
#![expect(unreachable_pub, reason = "bindgen exports what is public")]

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;
use webert_kernels::{
    Activation, Matrix, OutOfMemory, Precision, Rows, Workspace, linear, threads,
};

use super::model::Model;
use super::{JsResult, js_error};
use crate::Error;

/// Returns `[module, memory]`, from which another thread creates its instance.
#[wasm_bindgen]
pub fn shared() -> Array {
    Array::of2(&wasm_bindgen::module(), &wasm_bindgen::memory())
}

/// Runs a worker on this thread as number `thread`, counted from 1. Calls `ready` when it can join.
/// Blocks until [`stop_workers`].
#[wasm_bindgen]
pub fn run_worker(thread: usize, ready: &Function) {
    threads::run_worker(thread, || {
        let _ = ready.call0(&JsValue::UNDEFINED);
    });
}

/// Reports that [`run_worker`] has trapped on this thread.
#[wasm_bindgen]
pub fn leave_after_trap() {
    threads::leave_after_trap();
}

/// Stops all workers.
#[wasm_bindgen]
pub fn stop_workers() {
    threads::stop_workers();
}

/// Allows new workers, after all have stopped.
#[wasm_bindgen]
pub fn allow_workers() {
    threads::allow_workers();
}

/// Declares that this thread, which calls models, must not block.
#[wasm_bindgen]
pub fn spin_in_caller() {
    threads::spin_in_caller();
}

#[wasm_bindgen]
impl Model {
    /// Sets the number of threads to at most `threads`. Must be called before the first call of the
    /// model.
    pub fn set_threads(&mut self, threads: usize) -> JsResult<()> {
        self.0.engine().set_threads(threads).map_err(js_error)
    }
}

/// A small linear layer over a short text, to measure if threads speed it up.
#[wasm_bindgen]
pub struct Trial {
    x: Rows,
    weight: Matrix,
    bias: Vec<f32>,
    y: Rows,
    workspace: Workspace,
}

#[wasm_bindgen]
impl Trial {
    /// Creates the layer with at most `threads` threads, and with weights in 8 bits or f32.
    #[wasm_bindgen(constructor)]
    pub fn new(threads: usize, int8: bool) -> JsResult<Self> {
        const ROWS: usize = 16;
        const INPUTS: usize = 384;
        const OUTPUTS: usize = 768;
        let out_of_memory = |error: OutOfMemory| js_error(Error::OutOfMemory(error.to_string()));
        let precision = if int8 { Precision::I8 } else { Precision::F32 };
        let weight = Matrix::zeros(OUTPUTS, INPUTS, precision).map_err(out_of_memory)?;
        let mut x = Rows::default();
        x.shape(ROWS, INPUTS).map_err(out_of_memory)?;
        let workspace = Workspace::new(threads);
        Ok(Self { x, weight, bias: vec![0.0; OUTPUTS], y: Rows::default(), workspace })
    }

    /// Runs the layer `times` times.
    pub fn run(&mut self, times: usize) {
        let Self { x, weight, bias, y, workspace } = self;
        for _ in 0..times {
            let _ = linear(x, weight, bias, Activation::Identity, y, workspace);
        }
    }
}
