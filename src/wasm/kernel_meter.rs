//! The kernels of a GPU one by one, for JavaScript, which has the clock.
#![expect(unreachable_pub, reason = "bindgen exports what is public")]

use std::cell::RefCell;
use std::rc::Rc;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::job::Job;
use super::values::write;
use super::{JsResult, bad_input, js_error, open_device};
use crate::backend::Precision;
use crate::backend::gpu::{KernelBench, KernelCase, sources};

/// The kernels of a device. It runs one call at a time; a concurrent call fails.
#[wasm_bindgen]
pub struct KernelMeter(Rc<RefCell<Option<KernelBench>>>);

/// Opens the device and returns its kernels. `small`: sizes for a software adapter.
#[wasm_bindgen]
pub fn kernel_meter(small: bool) -> Job {
    Job::new(async move {
        let device = open_device().await.map_err(js_error)?;
        let bench = KernelBench::new(device, small).map_err(js_error)?;
        Ok(KernelMeter(Rc::new(RefCell::new(Some(bench)))).into())
    })
}

/// Returns the names and the WGSL of all kernels with all variants, for a test of the browser's
/// compiler.
#[wasm_bindgen]
pub fn kernel_sources() -> JsResult<JsValue> {
    write(&sources())
}

#[wasm_bindgen]
impl KernelMeter {
    /// Returns the cases: KernelCase in src/js.
    pub fn cases(&self) -> JsResult<JsValue> {
        let held = self.0.borrow();
        let bench = held.as_ref().ok_or_else(busy)?;
        write(&bench.cases().iter().map(CaseOut::from).collect::<Vec<_>>())
    }

    /// Returns the largest difference of a case from the CPU, relative to the CPU's largest number.
    pub fn compare(&self, case: usize) -> Job {
        let held = Rc::clone(&self.0);
        Job::new(async move {
            let mut bench = held.take().ok_or_else(busy)?;
            let compared = bench.compare(case).await;
            held.replace(Some(bench));
            Ok(f64::from(compared.map_err(js_error)?).into())
        })
    }

    /// Returns the kernels of training with their differences: pairs of name and number.
    pub fn compare_training(&self) -> Job {
        let held = Rc::clone(&self.0);
        Job::new(async move {
            let mut bench = held.take().ok_or_else(busy)?;
            let compared = bench.compare_training().await;
            held.replace(Some(bench));
            write(&compared.map_err(js_error)?)
        })
    }

    /// Runs a case `repeats` times and waits for the end.
    pub fn run(&self, case: usize, repeats: usize) -> Job {
        let held = Rc::clone(&self.0);
        Job::new(async move {
            let mut bench = held.take().ok_or_else(busy)?;
            let ran = bench.run(case, repeats).await;
            held.replace(Some(bench));
            ran.map_err(js_error)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Destroys the device, like a crash of its driver.
    pub fn lose(&self) {
        if let Some(bench) = &*self.0.borrow() {
            bench.gpu().destroy();
        }
    }
}

fn busy() -> JsValue {
    bad_input("the kernels: expected one call at a time, got a second one")
}

/// A case for JavaScript.
#[derive(Serialize)]
struct CaseOut {
    kernel: &'static str,
    precision: Option<&'static str>,
    variant: Option<String>,
    sequences: usize,
    length: usize,
    inputs: usize,
    outputs: usize,
    tolerance: f32,
    operations: u64,
    bytes: u64,
}

impl From<&KernelCase> for CaseOut {
    fn from(case: &KernelCase) -> Self {
        Self {
            kernel: case.kernel,
            precision: case.precision.map(|precision| match precision {
                Precision::F32 => "fp32",
                Precision::F16 => "fp16",
                Precision::Bf16 => "bf16",
                Precision::I8 => "q8",
            }),
            variant: case.variant.name(),
            sequences: case.sequences,
            length: case.length,
            inputs: case.inputs,
            outputs: case.outputs,
            tolerance: case.tolerance,
            operations: case.operations(),
            bytes: case.bytes(),
        }
    }
}
