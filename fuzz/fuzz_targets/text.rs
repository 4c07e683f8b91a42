//! See ../src/text.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    webert_fuzz::text::run(data);
});
