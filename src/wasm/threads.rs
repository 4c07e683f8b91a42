//! What JavaScript needs to start threads: WebAssembly cannot by itself. Only in builds with
//! shared memory.
#![expect(unreachable_pub, reason = "bindgen exports what is public")]

use std::rc::Rc;

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;
use webert_kernels::{Activation, Matrix, OutOfMemory, Precision, Rows, Scratch, linear, threads};

use super::model::Model;
use super::{JsResult, bad_input, js_error};
use crate::Error;

/// `[module, memory]`, of which another thread makes its instance.
#[wasm_bindgen]
pub fn shared() -> Array {
    Array::of2(&wasm_bindgen::module(), &wasm_bindgen::memory())
}

/// A thread's life, as number `thread`, from 1 on; calls `ready` when it has begun. Blocks until
/// [`dismiss`].
#[wasm_bindgen]
pub fn work(thread: usize, ready: &Function) {
    threads::work(thread, || {
        let _ = ready.call0(&JsValue::UNDEFINED);
    });
}

/// Says that this thread's [`work`] has trapped.
#[wasm_bindgen]
pub fn fail() {
    threads::fail();
}

/// Sends all threads home.
#[wasm_bindgen]
pub fn dismiss() {
    threads::dismiss();
}

/// Lets threads come again, once all have gone.
#[wasm_bindgen]
pub fn admit() {
    threads::admit();
}

/// Says that this thread, the one that calls models, may not sleep.
#[wasm_bindgen]
pub fn stay_awake() {
    threads::stay_awake();
}

#[wasm_bindgen]
impl Model {
    /// Computes with up to `threads` threads from now on. Before the first call.
    pub fn set_threads(&mut self, threads: usize) -> JsResult<()> {
        let model = Rc::get_mut(&mut self.0).ok_or_else(|| bad_input("the model is in use"))?;
        model.set_threads(threads);
        Ok(())
    }
}

/// A small layer for a short text, to see what threads are worth: a region of a forward pass.
#[wasm_bindgen]
pub struct Trial {
    x: Rows,
    weight: Matrix,
    bias: Vec<f32>,
    y: Rows,
    scratch: Scratch,
}

#[wasm_bindgen]
impl Trial {
    /// With up to `threads` threads, and weights in 8 bits or in f32.
    #[wasm_bindgen(constructor)]
    pub fn new(threads: usize, int8: bool) -> JsResult<Self> {
        const ROWS: usize = 16;
        const INPUTS: usize = 384;
        const OUTPUTS: usize = 768;
        let lack = |error: OutOfMemory| js_error(Error::OutOfMemory(error.to_string()));
        let precision = if int8 { Precision::I8 } else { Precision::F32 };
        let weight = Matrix::zeros(OUTPUTS, INPUTS, precision).map_err(lack)?;
        let mut x = Rows::default();
        x.shape(ROWS, INPUTS).map_err(lack)?;
        let scratch = Scratch::new(threads);
        Ok(Self { x, weight, bias: vec![0.0; OUTPUTS], y: Rows::default(), scratch })
    }

    /// Runs the layer so many times.
    pub fn run(&mut self, times: usize) {
        let Self { x, weight, bias, y, scratch } = self;
        for _ in 0..times {
            let _ = linear(x, weight, bias, Activation::Identity, y, scratch);
        }
    }
}
