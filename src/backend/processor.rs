//! Properties of a device beside its kernels. The engine asks for them and never for the kind of
//! device.

use super::{Backend, Precision};
use crate::Result;

/// A device for models.
#[allow(async_fn_in_trait, reason = "the futures stay on one thread, as JavaScript's do")]
pub trait Processor: Backend + Sized {
    /// Name for callers: "wasm" (the CPU) or "webgpu".
    const NAME: &'static str;
    /// Name of the SIMD instruction set, on devices that have several.
    const SIMD: &'static str;
    /// Precision of matrices if the caller does not choose one. `None`: as in the file.
    const PRECISION: Option<Precision>;
    /// True if kernels must be compiled before they run. Between [`Processor::begin_warm_up`] and
    /// [`Processor::end_warm_up`], calls then compile their kernels and compute nothing.
    const COMPILES: bool;
    /// True if the values inside a layer can be read: see [`Model::inside`](crate::engine::Model).
    const KEEPS_ACTIVATIONS: bool;

    /// Returns the device memory of a matrix, in bytes. `rows · cols · 4` must fit in a `usize`.
    fn matrix_bytes(rows: usize, cols: usize, precision: Precision) -> usize;
    /// Returns the device memory of a vector, in bytes.
    fn vector_bytes(len: usize) -> usize;

    /// Returns a matrix with the same numbers in the same memory. While both exist, neither may be
    /// written.
    fn share(matrix: &Self::Matrix) -> Self::Matrix;

    /// Returns the approximate number of rows per forward pass: enough to keep the device busy, and
    /// few enough that a call can soon be cancelled between two passes. `products` is the number of
    /// multiplications per row.
    fn pass_rows(&self, products: u64) -> usize;
    /// Sets the number of CPU threads to at most `threads`. Returns the number in use.
    fn set_threads(&mut self, threads: usize) -> usize;

    /// Starts a warm-up.
    fn begin_warm_up(&mut self) {}
    /// Ends the warm-up. Calls compute again.
    ///
    /// # Errors
    /// As [`Backend::matrix`].
    fn end_warm_up(&mut self) -> Result<()> {
        Ok(())
    }
    /// Waits until every allocation and compilation has succeeded or failed.
    ///
    /// # Errors
    /// `OutOfMemory`, `DeviceLost`, `Unsupported`.
    async fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Leaves the choice of kernels to [`Processor::improve`]. If `times_defaults`, [`Processor::settle`]
    /// still measures those in use, so that a caller may compare the device with another one.
    fn postpone(&mut self, _times_defaults: bool) {}
    /// Does a part of what was postponed, of some milliseconds. Returns false if nothing is left.
    /// After an error the kernels in use stay.
    ///
    /// # Errors
    /// `OutOfMemory`, `DeviceLost`, `Unsupported`.
    async fn improve(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Returns which feature of the device is not used because it is wrong or slow, and what
    /// replaces it.
    fn note(&self) -> Option<&str> {
        None
    }
    /// Returns which variants of the kernels are in use, as text for [`Processor::restore`]. `None`
    /// on a device without variants.
    fn kernels(&self) -> Option<String> {
        None
    }
    /// Uses the variants that [`Processor::kernels`] returned earlier on the same device.
    fn restore(&mut self, _kernels: &str) {}
    /// Returns true if the device is lost, and the weights with it.
    fn is_lost(&self) -> bool {
        false
    }
    /// Returns true if the device ever refused a command.
    fn has_refused(&self) -> bool {
        false
    }
}
