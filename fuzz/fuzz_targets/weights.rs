//! See ../src/weights.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    webert_fuzz::weights::run(data);
});
