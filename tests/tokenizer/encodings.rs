//! Encodings of unusual texts and batches.

use super::named;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::{EncodeOptions, Truncation};

#[wasm_bindgen_test(unsupported = test)]
fn what_is_fitted_is_the_first_of_all_windows() {
    let tokenizer = named("uncased", &Value::Null);
    let text = "one two three four";
    let kinds =
        [Truncation::None, Truncation::LongestFirst, Truncation::OnlyFirst, Truncation::OnlySecond];
    for (truncation, pair) in kinds.iter().flat_map(|&kind| [(kind, None), (kind, Some("five"))]) {
        for max_length in 0..12 {
            let options = EncodeOptions {
                truncation,
                max_length: Some(max_length),
                return_overflowing_tokens: true,
                ..EncodeOptions::default()
            };
            let windows = tokenizer.encode(text, pair, &options);
            let first = windows.map(|all| (all[0].clone(), all.len() > 1));
            let fitted = tokenizer.fit(text, pair, truncation, max_length);
            assert_eq!(fitted, first, "{options:?}");
        }
    }
}

/// An empty pair of a single input is ignored. In a batch it is an empty segment.
#[wasm_bindgen_test(unsupported = test)]
fn an_empty_pair_counts_in_a_batch_only() {
    let tokenizer = named("uncased", &Value::Null);
    let options = EncodeOptions::default();
    assert_eq!(tokenizer.encode("a", Some(""), &options).unwrap()[0].ids.len(), 3);
    let batch = tokenizer.encode_batch(&[("a", Some(""))], &options).unwrap();
    assert_eq!(batch[0][0].type_ids, [0, 0, 0, 1]);
}

#[wasm_bindgen_test(unsupported = test)]
fn an_encoding_without_any_token_is_empty() {
    let tokenizer = named("uncased", &Value::Null);
    let whole = EncodeOptions::default();
    let bare = EncodeOptions { add_special_tokens: false, ..whole };
    for (text, options, len) in [("", bare, 0), ("a", bare, 1), ("", whole, 2)] {
        let found = &tokenizer.encode(text, None, &options).unwrap()[0];
        assert_eq!((found.len(), found.is_empty()), (len, len == 0), "{text:?} {options:?}");
    }
}
