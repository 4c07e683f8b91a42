//! What differs between the devices beside the kernels: facts that an engine goes by, not by which device it has.

use super::{Backend, Precision};
use crate::Result;

/// A device that models can be loaded to.
#[allow(async_fn_in_trait, reason = "the futures stay on one thread, as JavaScript's do")]
pub trait Processor: Backend + Sized {
    /// How callers name it: "wasm" (the CPU) or "webgpu".
    const NAME: &'static str;
    /// The instructions it computes with, where there are several sets of them.
    const SIMD: &'static str;
    /// How matrices are kept where the caller leaves that to the device; `None`: as they are in the file.
    const PRECISION: Option<Precision>;
    /// Whether kernels have to be compiled before they run: between [`Processor::begin_warm_up`] and
    /// [`Processor::end_warm_up`] calls compute nothing, but have that begun.
    const COMPILES: bool;

    /// Bytes of the device's memory that a matrix takes. `rows · cols · 4` fits in a `usize`.
    fn matrix_bytes(rows: usize, cols: usize, precision: Precision) -> usize;
    /// Bytes of the device's memory that a vector takes.
    fn vector_bytes(len: usize) -> usize;

    /// The rows of one forward pass, about: as many as keep the device busy and let a call be ended between two
    /// passes soon. `products` are the multiplications that each row asks for.
    fn pass_rows(&self, products: u64) -> usize;
    /// Computes with up to `threads` threads of the CPU from now on; gives how many there are.
    fn set_threads(&mut self, threads: usize) -> usize;

    /// Begins a warm-up.
    fn begin_warm_up(&mut self) {}
    /// Ends the warm-up: calls compute again.
    ///
    /// # Errors
    /// As [`Backend::matrix`].
    fn end_warm_up(&mut self) -> Result<()> {
        Ok(())
    }
    /// Waits until all that was allocated and compiled is there, or is known to be missing.
    ///
    /// # Errors
    /// `OutOfMemory`, `DeviceLost`, `Unsupported`.
    async fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// What of the device is not used because it computes wrongly or slowly, and what is instead.
    fn note(&self) -> Option<&str> {
        None
    }
    /// Whether the device has gone, and with it the weights.
    fn is_lost(&self) -> bool {
        false
    }
    /// Whether the device ever refused a command.
    fn has_refused(&self) -> bool {
        false
    }
}
