//! The GPU for tests.

use std::io::Write;

use webert::backend::gpu::Gpu;

/// Returns the GPU, real or software. Without one, a test is skipped, or fails in CI.
pub(crate) fn gpu(test: &str) -> Option<Gpu> {
    match pollster::block_on(Gpu::open()) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            // Writes to stderr directly, because the test runner hides the output of a passing
            // test.
            let line = format!("SKIPPED {test}: {error}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            None
        }
    }
}
