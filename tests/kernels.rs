//! The CPU kernels against a naive f64 oracle. tests/gpu runs the same suite.

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
use webert::backend::{Backend, Distances, Precision};

const FLOATS: [Precision; 3] = [Precision::F32, Precision::F16, Precision::Bf16];

#[wasm_bindgen_test(unsupported = test)]
fn activation() {
    for (name, error) in suite::activation(&mut Cpu::default()) {
        assert!(error < 2e-6, "{name}: {error:e}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn linear() {
    for precision in FLOATS {
        let error = suite::linear(&mut Cpu::default(), precision);
        assert!(error < 1e-6, "{precision:?}: {error:e}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn linear_int8() {
    let error = suite::linear_int8(&mut Cpu::default());
    // Two operands with an error of 0.7 % each, and the worst of 100,000 results.
    assert!(error < 0.05, "{error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn int8_rows_whose_sums_may_overflow_are_refused() {
    let made = |cols, precision| Cpu::default().matrix(1, cols, precision).map(|_| ());
    assert_eq!(made(131_072, Precision::I8), Ok(()));
    assert_eq!(made(131_073, Precision::F32), Ok(()));
    let error = made(131_073, Precision::I8).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    let message = error.to_string();
    assert!(message.contains("int8") && message.contains("131073"), "{message}");
}

#[wasm_bindgen_test(unsupported = test)]
fn norm() {
    let error = suite::norm(&mut Cpu::default());
    assert!(error < 1e-6, "{error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn embed() {
    for precision in FLOATS {
        let error = suite::embed(&mut Cpu::default(), precision, false);
        assert!(error < 4e-6, "{precision:?}: {error:e}");
    }
    let error = suite::embed(&mut Cpu::default(), Precision::I8, true);
    assert!(error < 4e-2, "int8: {error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn attention() {
    let [results, probabilities] = suite::attention(&mut Cpu::default());
    assert!(results < 1.5e-5, "{results:e}");
    assert!(probabilities < 2e-6, "{probabilities:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn attention_relative() {
    let [results, probabilities] = suite::attention_relative(&mut Cpu::default());
    assert!(results < 1.5e-5, "{results:e}");
    assert!(probabilities < 2e-6, "{probabilities:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn attention_disentangled() {
    for threads in [1, 3] {
        let mut cpu = Cpu::default();
        cpu.set_threads(threads);
        let [results, probabilities] = suite::attention_disentangled(&mut cpu);
        assert!(results < 1.5e-5, "{results:e}");
        assert!(probabilities < 4e-6, "{probabilities:e}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn unfold() {
    assert_eq!(suite::unfold(&mut Cpu::default()), 0.0);
    assert_eq!(suite::some_rows(&mut Cpu::default()), [0.0, 0.0]);
}

#[wasm_bindgen_test(unsupported = test)]
fn convolutions_and_columns() {
    let [depthwise, span] = suite::depthwise(&mut Cpu::default());
    assert!(depthwise < 4e-6 && span < 4e-6, "{depthwise:e} {span:e}");
    let [columns, sum] = suite::columns(&mut Cpu::default());
    assert!(columns == 0.0 && sum < 1e-6, "{columns:e} {sum:e}");
}

/// The rows for `make_log_bucket_position` of transformers 4.57.6, bucket_size 256 and max_position
/// 512, plus 256.
#[wasm_bindgen_test(unsupported = test)]
fn rows_of_distances_equal_the_reference() {
    let of = Distances { span: 256, buckets: 256, furthest: 512 };
    for (ahead, row) in [
        (0, 256),
        (-1, 255),
        (127, 383),
        (128, 384),
        (129, 385),
        (130, 386),
        (150, 399),
        (200, 425),
        (-200, 87),
        (300, 463),
        (-400, 23),
        (500, 510),
        (510, 511),
        (511, 511),
        (-511, 1),
    ] {
        assert_eq!(of.row(ahead), row, "{ahead}");
    }
    let each = Distances { span: 12, buckets: 0, furthest: 12 };
    assert_eq!([-40, -12, -11, 11, 12].map(|ahead| each.row(ahead)), [0, 0, 1, 23, 23]);
}

#[wasm_bindgen_test(unsupported = test)]
fn rotary() {
    let error = suite::rotary(&mut Cpu::default());
    // The angle is f32: for 400 turns of up to 1 rad, its last digit is 3e-5.
    assert!(error < 1e-4, "{error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn gate() {
    let error = suite::gate(&mut Cpu::default());
    assert!(error < 2e-6, "{error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn residual_norm() {
    let error = suite::residual_norm(&mut Cpu::default());
    assert!(error < 4e-6, "{error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn scale_rows() {
    let error = suite::scale_rows(&mut Cpu::default());
    assert!(error < 1e-6, "{error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn mean() {
    let error = suite::mean(&mut Cpu::default());
    assert!(error < 1e-6, "{error:e}");
}

#[wasm_bindgen_test(unsupported = test)]
fn gather() {
    suite::gather(&mut Cpu::default());
}

#[wasm_bindgen_test(unsupported = test)]
fn top_k() {
    let error = suite::top_k(&mut Cpu::default());
    assert!(error < 1e-6, "{error:e}");
}
