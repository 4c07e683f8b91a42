//! Properties of every result of the library.

use webert::tokenizer::{EncodeOptions, Encoding, Padding, Span, Tokenizer, Truncation};
use webert::{Error, Result};

/// Returns the value, or `None` for an error, whose code must be in `codes` and whose text must not
/// be empty.
#[track_caller]
pub fn allowed<T>(result: Result<T>, codes: &[&str]) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            check_error(&error, codes);
            None
        }
    }
}

#[track_caller]
fn check_error(error: &Error, codes: &[&str]) {
    assert!(codes.contains(&error.code()), "{}: {error}, expected {codes:?}", error.code());
    assert!(!error.to_string().trim().is_empty(), "{} without a text", error.code());
}

/// Checks an encoding: each field has one entry per token, ids exist, and spans are at character
/// boundaries of the texts.
pub fn check_encoding(tokenizer: &Tokenizer, encoding: &Encoding, texts: [&str; 2]) {
    let lengths = [
        encoding.type_ids.len(),
        encoding.spans.len(),
        encoding.word_ids.len(),
        encoding.sequence_ids.len(),
        encoding.attention_mask.len(),
    ];
    assert_eq!(lengths, [encoding.len(); 5]);
    for (n, &id) in encoding.ids.iter().enumerate() {
        assert!((id as usize) < tokenizer.vocab_size(), "id {id} of {}", tokenizer.vocab_size());
        let Span { start, end } = encoding.spans[n];
        match encoding.sequence_ids[n] {
            Some(sequence) => {
                let text = texts[usize::from(sequence)];
                assert!(
                    text.get(start as usize..end as usize).is_some(),
                    "{start}..{end} of {text:?}"
                );
            }
            None => assert_eq!((start, end, encoding.word_ids[n]), (0, 0, None)),
        }
    }
}

/// Encodes a text, alone and with another, in windows and whole, and decodes the results.
pub fn use_tokenizer(tokenizer: &Tokenizer, text: &str, pair: &str) {
    let codes = ["bad_input"];
    let windows = EncodeOptions {
        truncation: Truncation::LongestFirst,
        padding: Padding::Longest,
        max_length: Some(7),
        stride: 1,
        return_overflowing_tokens: true,
        ..EncodeOptions::default()
    };
    for options in [EncodeOptions::default(), windows] {
        for pair in [None, Some(pair)] {
            let encoded = allowed(tokenizer.encode(text, pair, &options), &codes);
            for encoding in encoded.iter().flatten() {
                check_encoding(tokenizer, encoding, [text, pair.unwrap_or_default()]);
                let _ = tokenizer.decode(&encoding.ids, true, true);
                let _ = tokenizer.decode(&encoding.ids, false, false);
            }
        }
    }
    let ids = tokenizer.special_ids();
    assert!(ids.iter().all(|&id| (id as usize) < tokenizer.vocab_size()));
    for (token, id) in tokenizer.vocab() {
        assert!(tokenizer.id(token).is_some(), "{token:?} with id {id} is not found");
    }
}
