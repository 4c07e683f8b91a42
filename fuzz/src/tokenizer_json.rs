//! `tokenizer.json`: any bytes yield a tokenizer that encodes and decodes any text, or an error.

use webert::tokenizer::{Files, Tokenizer};

use super::check::{allowed, use_tokenizer};

/// Scripts, marks, spaces, and text that looks like special tokens.
const TEXT: &str = "Hello, world! [MASK]</s><s> caf\u{e9} cafe\u{301} \u{4e2d}\u{6587}\u{1f600} \u{ac01}\u{fb01} \t\u{a0}don't\u{200d}\r\n 12";

/// Names of the special tokens to try: the names in BERT, RoBERTa and ALBERT.
const ROLES: [Option<&[u8]>; 3] = [
    None,
    Some(
        br#"{"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}"#,
    ),
    Some(br#"{"pad_token": "<pad>", "unk_token": "<unk>"}"#),
];

pub fn run(data: &[u8]) -> bool {
    let Some(tokenizer) = load(data) else { return false };
    use_tokenizer(&tokenizer, TEXT, "the pair");
    use_tokenizer(&tokenizer, "", " ");
    true
}

/// Loads the tokenizer, with the first set of names that its vocabulary has.
pub fn load(json: &[u8]) -> Option<Tokenizer> {
    let load = |special_tokens_map| {
        let files = Files { tokenizer_json: Some(json), special_tokens_map, ..Files::default() };
        allowed(Tokenizer::load(&files), &["bad_tokenizer", "unsupported"])
    };
    let mut first = None;
    for tokenizer in ROLES.into_iter().filter_map(load) {
        // A tokenizer may lack every role. With names from its vocabulary, more code is reached.
        if tokenizer.special().pad.is_some() {
            return Some(tokenizer);
        }
        first.get_or_insert(tokenizer);
    }
    first
}
