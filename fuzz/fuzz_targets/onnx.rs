//! See ../src/onnx.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    webert_fuzz::onnx::run(data);
});
