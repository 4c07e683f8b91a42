//! `vocab.txt` with counts, `bpe.codes`, and a tweet. Each ends with the byte 0.

use webert::tokenizer::{Files, Tokenizer};

use super::check::{allowed, use_tokenizer};
use super::source;

const SETTINGS: &[u8] = br#"{"tokenizer_class": "BertweetTokenizer", "normalization": true}"#;

pub fn run(data: &[u8]) -> bool {
    let [vocab_txt, bpe_codes, text] = source::files(data);
    let files =
        Files { vocab_txt, bpe_codes, tokenizer_config: Some(SETTINGS), ..Files::default() };
    let tokenizer = allowed(Tokenizer::load(&files), &["bad_tokenizer", "unsupported"]);
    let text = source::text(text.unwrap_or_default());
    tokenizer.is_some_and(|tokenizer| {
        use_tokenizer(&tokenizer, &text, "@a b");
        true
    })
}
