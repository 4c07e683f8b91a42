//! `vocab.txt` with its settings files, and a text. Each ends with the byte 0.

use webert::tokenizer::{Files, Tokenizer};

use super::check::{allowed, use_tokenizer};
use super::source;

pub fn run(data: &[u8]) -> bool {
    let [vocab_txt, tokenizer_config, special_tokens_map, added_tokens, text] = source::files(data);
    let files =
        Files { vocab_txt, tokenizer_config, special_tokens_map, added_tokens, ..Files::default() };
    let tokenizer = allowed(Tokenizer::load(&files), &["bad_tokenizer", "unsupported"]);
    let text = source::text(text.unwrap_or_default());
    tokenizer.is_some_and(|tokenizer| {
        use_tokenizer(&tokenizer, &text, "a b");
        true
    })
}
