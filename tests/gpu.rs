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

use common::{Golden, TOLERANCE, compare_all, suite};
use webert::gpu::{self, Gpu};

/// The GPU, real or software. A test without one is skipped, and fails in CI.
fn gpu(test: &str) -> Option<Gpu> {
    match pollster::block_on(Gpu::open()) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            println!("SKIPPED {test}: {error}");
            None
        }
    }
}

#[test]
fn every_shader_is_valid() {
    // half floats are unpacked by a function that WebGPU always has and naga counts as a capability
    let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let flags = naga::valid::ValidationFlags::all();
    let sources = gpu::sources();
    assert!(sources.len() >= 15);
    for (name, source) in sources {
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
        naga::valid::Validator::new(flags, capabilities)
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
    }
}

#[test]
fn every_output_equals_the_reference() {
    if gpu("every_output_equals_the_reference").is_some() {
        let load = |golden: &Golden| golden.load_on("webgpu", "auto", usize::MAX).unwrap();
        let greatest = compare_all(TOLERANCE, load);
        println!("greatest difference {greatest:.1e}");
    }
}

#[test]
fn activations() {
    let Some(mut gpu) = gpu("activations") else { return };
    for (name, error) in suite::activations(&mut gpu) {
        println!("{name}: {error:.1e}");
        assert!(error < 2e-6, "{name}: {error:e}");
    }
}

#[test]
fn linear() {
    let Some(mut gpu) = gpu("linear") else { return };
    for precision in suite::PRECISIONS {
        let error = suite::linear(&mut gpu, precision);
        println!("linear {precision:?}: {error:.1e}");
        assert!(error < 1e-6, "{precision:?}: {error:e}");
    }
}

#[test]
fn norm() {
    let Some(mut gpu) = gpu("norm") else { return };
    let error = suite::norm(&mut gpu);
    println!("norm: {error:.1e}");
    assert!(error < 1e-5, "{error:e}");
}

#[test]
fn embed() {
    let Some(mut gpu) = gpu("embed") else { return };
    for precision in suite::PRECISIONS {
        let error = suite::embed(&mut gpu, precision);
        println!("embed {precision:?}: {error:.1e}");
        assert!(error < 4e-6, "{precision:?}: {error:e}");
    }
}

#[test]
fn attention() {
    let Some(mut gpu) = gpu("attention") else { return };
    let [results, probabilities] = suite::attention(&mut gpu);
    println!("attention {results:.1e}, probabilities {probabilities:.1e}");
    assert!(results < 1e-5, "{results:e}");
    assert!(probabilities < 2e-6, "{probabilities:e}");
}

#[test]
fn gather() {
    let Some(mut gpu) = gpu("gather") else { return };
    suite::gather(&mut gpu);
}
