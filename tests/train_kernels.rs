//! The training kernels on the CPU against f64 oracles and finite differences. tests/train_gpu.rs
//! runs the same suite.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::suite;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;

/// Fails unless each error is below its limit.
fn assert_below<const N: usize>(name: &str, errors: [f64; N], limits: [f64; N]) {
    let below = errors.iter().zip(&limits).all(|(error, limit)| error < limit);
    assert!(below, "{name}: {errors:?}, limits {limits:?}");
}

#[wasm_bindgen_test(unsupported = test)]
fn rows() {
    suite::train_rows(&mut Cpu::default());
}

#[wasm_bindgen_test(unsupported = test)]
fn activation_backward() {
    for (name, errors) in suite::activation_backward(&mut Cpu::default()) {
        assert_below(&name, errors, [2e-6, 2e-6]);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn linear_backward() {
    // in units of Σ |product|
    let errors = suite::linear_backward(&mut Cpu::default());
    assert_below("input, weight, bias", errors, [1e-6; 3]);
}

#[wasm_bindgen_test(unsupported = test)]
fn linear_differences() {
    let error = suite::linear_differences(&mut Cpu::default());
    assert_below("by differences", [error], [1e-6]);
}

#[wasm_bindgen_test(unsupported = test)]
fn weights_in_another_precision_are_refused() {
    let error = suite::half_weights(&mut Cpu::default()).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("2 × 4: expected F32, got F16"), "{error}");
}

#[wasm_bindgen_test(unsupported = test)]
fn norm_backward() {
    let errors = suite::norm_backward(&mut Cpu::default());
    assert_below("forward, backward", errors, [1e-6, 1e-5]);
}

#[wasm_bindgen_test(unsupported = test)]
fn attention_backward() {
    let errors = suite::attention_backward(&mut Cpu::default());
    assert_below("y, log_sums, dqkv", errors, [1e-5, 1e-6, 1e-5]);
}

#[wasm_bindgen_test(unsupported = test)]
fn attention_disentangled_backward() {
    let errors = suite::attention_disentangled_backward(&mut Cpu::default());
    assert_below("y, dqkv, dpositions", errors, [1e-5; 3]);
}

#[wasm_bindgen_test(unsupported = test)]
fn dropout() {
    let error = suite::dropout(&mut Cpu::default());
    assert_below("elements", [error], [2e-7]);
}

#[wasm_bindgen_test(unsupported = test)]
fn dropout_statistics() {
    let deviations = suite::dropout_statistics(&mut Cpu::default());
    assert_below("standard deviations", [deviations], [4.0]);
}

#[wasm_bindgen_test(unsupported = test)]
fn embed_backward() {
    let errors = suite::embed_backward(&mut Cpu::default());
    assert_below("sums, gradients", errors, [4e-7, 1e-6]);
}

#[wasm_bindgen_test(unsupported = test)]
fn gather_backward() {
    let error = suite::gather_backward(&mut Cpu::default());
    assert_below("gradient", [error], [1e-6]);
}

#[wasm_bindgen_test(unsupported = test)]
fn mean_pool() {
    let errors = suite::mean_pool(&mut Cpu::default());
    assert_below("means, gradient", errors, [4e-7, 1e-6]);
}

#[wasm_bindgen_test(unsupported = test)]
fn cross_entropy() {
    let errors = suite::cross_entropy(&mut Cpu::default());
    assert_below("loss, gradient", errors, [1e-6; 2]);
}

#[wasm_bindgen_test(unsupported = test)]
fn cross_entropy_of_groups() {
    let errors = suite::cross_entropy_of_groups(&mut Cpu::default());
    assert_below("loss, gradient", errors, [1e-6; 2]);
}

#[wasm_bindgen_test(unsupported = test)]
fn binary_cross_entropy() {
    let errors = suite::binary_cross_entropy(&mut Cpu::default());
    assert_below("loss, gradient", errors, [1e-6; 2]);
}

#[wasm_bindgen_test(unsupported = test)]
fn mean_square() {
    let errors = suite::mean_square(&mut Cpu::default());
    assert_below("loss, gradient", errors, [1e-6; 2]);
}

#[wasm_bindgen_test(unsupported = test)]
fn losses_where_nothing_counts() {
    suite::nothing_counts(&mut Cpu::default());
}

#[wasm_bindgen_test(unsupported = test)]
fn sum_of_squares() {
    assert_below("sums", [suite::sum_of_squares(&mut Cpu::default())], [1e-6]);
}

#[wasm_bindgen_test(unsupported = test)]
fn adamw() {
    assert_below("parameters, moments", suite::adamw(&mut Cpu::default()), [1e-6; 2]);
}

#[wasm_bindgen_test(unsupported = test)]
fn sgd() {
    assert_below("parameters", [suite::sgd(&mut Cpu::default())], [1e-6]);
}

#[wasm_bindgen_test(unsupported = test)]
fn clipping() {
    suite::clipping(&mut Cpu::default());
}

/// Returns the results of every kernel that uses several threads, at sizes large enough to share.
#[cfg(not(target_arch = "wasm32"))]
fn shared_work(threads: usize) -> Vec<Vec<f32>> {
    let mut cpu = Cpu::default();
    assert_eq!(cpu.set_threads(threads), threads);
    suite::train_numbers(&mut cpu)
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn numbers_are_the_same_with_any_number_of_threads() {
    let one = shared_work(1);
    assert!(one.iter().flatten().all(|x| x.is_finite()));
    for threads in [2, 3] {
        for (n, (one, more)) in one.iter().zip(shared_work(threads)).enumerate() {
            let same = one.iter().zip(&more).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && one.len() == more.len(), "result {n} with {threads} threads");
        }
    }
}
