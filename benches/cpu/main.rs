//! Rates of the CPU kernels in WebAssembly, and the share of the peak that they reach.
//! `npm run bench -- cpu` compiles this for each build and calls its exports.

#[cfg(target_arch = "wasm32")]
#[allow(clippy::unwrap_used, reason = "a benchmark ends by panicking")]
#[allow(unreachable_pub, reason = "JavaScript reaches it")]
mod kernels;
#[cfg(target_arch = "wasm32")]
mod peaks;
#[cfg(target_arch = "wasm32")]
#[allow(clippy::unwrap_used, reason = "a benchmark ends by panicking")]
#[allow(unreachable_pub, reason = "JavaScript reaches it")]
mod train;

fn main() {}
