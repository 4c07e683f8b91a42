//! The threads that share a kernel's work, and the part that each takes. The only room that knows
//! of threads, and the only one with `unsafe`: threads write to parts of one output, and the
//! borrow checker cannot see that the parts are apart.

#![allow(unsafe_code, reason = "parts of one slice, and a closure that outlives no region")]

mod blocks;
#[cfg(any(not(target_arch = "wasm32"), target_feature = "atomics"))]
mod futex;
#[cfg(any(not(target_arch = "wasm32"), target_feature = "atomics"))]
mod pool;

pub(crate) use blocks::{Bands, Block, InTurn, even, for_blocks, for_rows};
pub use pool::*;

/// The most threads there can be, the caller's included.
pub const MOST_THREADS: usize = 32;

/// Builds without threads: everything is done by the caller.
#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
mod pool {
    /// Calls `body(0)`.
    pub fn run(_threads: usize, body: &dyn Fn(usize)) {
        body(0);
    }

    /// How many threads a caller gets: itself.
    pub fn team(_threads: usize) -> usize {
        1
    }
}
