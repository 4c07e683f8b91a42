//! See ../src/tokenizer_json.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    webert_fuzz::tokenizer_json::run(data);
});
