//! The GPU of the tests.

use std::io::Write;

use webert::backend::gpu::Gpu;

/// The GPU, real or software. A test without one is skipped, and fails in CI.
pub(crate) fn gpu(test: &str) -> Option<Gpu> {
    match pollster::block_on(Gpu::open()) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            // past the test runner, which keeps what a passing test prints
            let line = format!("SKIPPED {test}: {error}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            None
        }
    }
}
