//! The thread pool, and the division of an output among threads. This is the only module with
//! threads and the only one with `unsafe`: threads write to disjoint parts of one output, which the
//! borrow checker cannot verify.

#![allow(
    unsafe_code,
    reason = "disjoint parts of one slice, and a closure that outlives no region"
)]

mod blocks;
mod items;
#[cfg(any(not(target_arch = "wasm32"), target_feature = "atomics"))]
mod pool;
#[cfg(feature = "simulation")]
pub mod simulation;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub(crate) use blocks::{Bands, Block, SpinLock, even_part, parallel_blocks, parallel_rows};
pub(crate) use items::parallel_items;
pub use pool::*;

/// Maximum number of threads, including the caller.
pub const MAX_THREADS: usize = 32;

/// For builds without threads: the caller does all the work.
#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
mod pool {
    /// Calls `body(0)`.
    pub fn run(_threads: usize, body: &dyn Fn(usize)) {
        body(0);
    }

    /// Returns 1: the caller is the only thread. A simulation divides the work for more.
    pub fn ensure_workers(threads: usize) -> usize {
        if cfg!(feature = "simulation") { threads } else { 1 }
    }
}

#[cfg(feature = "simulation")]
use simulation::{item, region};

/// Runs a parallel region. A simulation records it.
#[cfg(not(feature = "simulation"))]
#[inline(always)]
fn region(_threads: usize, _has_parts: bool, run: impl FnOnce()) {
    run();
}

/// Runs an item of a parallel region. A simulation records it.
#[cfg(not(feature = "simulation"))]
#[inline(always)]
fn item<R>(run: impl FnOnce() -> R) -> R {
    run()
}
