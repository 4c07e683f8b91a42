//! `spiece.model` and `sentencepiece.bpe.model`: any bytes yield a tokenizer that encodes and
//! decodes any text, or an error.

use webert::tokenizer::{Files, Tokenizer};

use super::check::{allowed, use_tokenizer};

/// Scripts, marks, spaces, a number before a comma, and text that looks like special tokens.
const TEXT: &str = "Hello, \u{2581}world! [MASK]<mask></s> caf\u{e9} cafe\u{301} \u{4e2d}\u{6587}\u{1f600} \u{fb01} \t\u{a0}12,  3";

pub fn run(data: &[u8]) -> bool {
    let models = [
        Files { spiece_model: Some(data), ..Files::default() },
        Files { sentencepiece_bpe_model: Some(data), ..Files::default() },
    ];
    let loaded = models.map(|files| load(&files));
    for tokenizer in loaded.iter().flatten() {
        use_tokenizer(tokenizer, TEXT, "the pair");
        use_tokenizer(tokenizer, "", " ");
    }
    loaded.iter().any(Option::is_some)
}

fn load(files: &Files<'_>) -> Option<Tokenizer> {
    allowed(Tokenizer::load(files), &["bad_tokenizer", "unsupported"])
}
