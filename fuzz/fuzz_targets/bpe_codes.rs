//! See ../src/bpe_codes.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    webert_fuzz::bpe_codes::run(data);
});
