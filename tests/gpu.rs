//! The GPU: its shaders, its forward pass against the reference, its memory and its loss. Natively
//! only, on any Vulkan adapter; tests/webgpu.test.mjs does the same in a browser.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Golden, TOLERANCE, code, compare_all, inputs, outputs};
use webert::gpu::{self, Gpu};

/// Whether there is a GPU, real or software. A test without one is skipped, and fails in CI.
fn there_is_a_gpu(test: &str) -> bool {
    let Err(error) = pollster::block_on(Gpu::open()) else { return true };
    assert!(std::env::var_os("CI").is_none(), "{error}");
    println!("SKIPPED {test}: {error}");
    false
}

#[test]
fn every_shader_is_valid() {
    let flags = naga::valid::ValidationFlags::all();
    let sources = gpu::sources();
    assert!(sources.len() >= 15);
    for (name, source) in sources {
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
        naga::valid::Validator::new(flags, naga::valid::Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
    }
}

#[test]
fn every_output_equals_the_reference() {
    if there_is_a_gpu("every_output_equals_the_reference") {
        let load = |golden: &Golden| golden.load_on("webgpu", "auto", usize::MAX).unwrap();
        let greatest = compare_all(TOLERANCE, load);
        println!("greatest difference {greatest:.1e}");
    }
}
