//! Packing sequences into batches, and rejecting entries outside the model's tables.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use wasm_bindgen_test::wasm_bindgen_test;
use webert::Result;
use webert::batch::{Batch, Padded};
use webert::config::Config;
use webert::tokenizer::Encoding;

/// A config with vocabulary 9 and 6 positions. RoBERTa's padding id is 1, so its positions start at
/// 2.
fn config(family: &str) -> Config {
    let json = format!(
        r#"{{"model_type": "{family}", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
            "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 6}}"#
    );
    Config::parse(json.as_bytes()).unwrap()
}

fn padded(length: usize, ids: &[u32]) -> Padded<'_> {
    Padded { length, ids, mask: None, types: None, positions: None }
}

#[track_caller]
fn refused<T>(result: Result<T>, words: &[&str]) {
    let Err(error) = result else { panic!("nothing is refused, expected {words:?}") };
    assert_eq!(error.code(), "bad_input", "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "\"{error}\" does not name {word}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn lists_of_other_lengths_are_refused_by_name() {
    let config = config("bert");
    let ids = [1, 2, 3, 4];
    let pack = |padded| Batch::pack_padded(&config, padded);
    assert!(pack(padded(2, &ids)).is_ok() && pack(padded(4, &ids)).is_ok());
    refused(pack(padded(3, &ids)), &["input_ids", "4 entries", "rows of 3"]);
    refused(pack(padded(0, &ids)), &["input_ids", "rows of 0"]);
    refused(pack(padded(2, &[])), &["input_ids", "0 entries"]);
    for other in [&[1; 3][..], &[1; 5], &[]] {
        let entries = format!("got {}", other.len());
        let with = padded(2, &ids);
        let [mask, types, positions] = [
            Padded { mask: Some(other), ..with },
            Padded { types: Some(other), ..with },
            Padded { positions: Some(other), ..with },
        ];
        refused(pack(mask), &["attention_mask", &entries, "expected 4"]);
        refused(pack(types), &["token_type_ids", &entries, "expected 4"]);
        refused(pack(positions), &["position_ids", &entries, "expected 4"]);
    }
    let ones = [1; 4];
    let all =
        Padded { mask: Some(&ones), types: Some(&ones), positions: Some(&ones), ..padded(2, &ids) };
    assert!(pack(all).is_ok());
}

#[wasm_bindgen_test(unsupported = test)]
fn the_last_of_each_table_is_taken_and_the_next_refused() {
    let config = config("bert");
    let pack = |padded| Batch::pack_padded(&config, padded);
    assert!(pack(padded(1, &[8])).is_ok());
    refused(pack(padded(1, &[9])), &["token id", "less than 9, got 9"]);
    let with_type = |kind: &'static [u32]| Padded { types: Some(kind), ..padded(1, &[8]) };
    assert!(pack(with_type(&[1])).is_ok());
    refused(pack(with_type(&[2])), &["token type", "less than 2, got 2"]);
    let at = |position: &'static [u32]| Padded { positions: Some(position), ..padded(1, &[8]) };
    assert!(pack(at(&[5])).is_ok());
    refused(pack(at(&[6])), &["position 6", "at most 6 tokens"]);
    assert!(pack(padded(6, &[1; 6])).is_ok());
    refused(pack(padded(7, &[1; 7])), &["position 6", "at most 6 tokens"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn masked_tokens_are_left_out_but_for_the_first() {
    let ids = [1, 2, 3, 4, 5, 6];
    let mask = [1, 0, 1, 0, 1, 1];
    let with = Padded { mask: Some(&mask), ..padded(3, &ids) };
    let (batch, places) = Batch::pack_padded(&config("bert"), with).unwrap();
    assert_eq!(batch.ids, [1, 3, 4, 5, 6]);
    assert_eq!(batch.positions, [0, 2, 0, 1, 2]);
    assert_eq!(places, [0, 2, 3, 4, 5]);
    assert_eq!(batch.first_rows(), [0, 2]);
    let [first, second] = &batch.sequences[..] else { panic!("{:?}", batch.sequences) };
    assert_eq!((first.rows.clone(), first.keys.clone()), (0..2, 0..2));
    assert_eq!((second.rows.clone(), second.keys.clone()), (2..5, 3..5));
    let nothing = Padded { mask: Some(&[1, 1, 1, 0, 0, 0]), ..padded(3, &ids) };
    let nothing = Batch::pack_padded(&config("bert"), nothing);
    refused(nothing, &["sequence 1", "fully masked"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn robertas_padding_has_no_position_of_its_own() {
    let (batch, _) = Batch::pack_padded(&config("roberta"), padded(4, &[5, 1, 6, 1])).unwrap();
    assert_eq!(batch.positions, [2, 1, 3, 1]);
    let (batch, _) = Batch::pack_padded(&config("bert"), padded(4, &[5, 0, 6, 0])).unwrap();
    assert_eq!(batch.positions, [0, 1, 2, 3]);
    let long = Batch::pack_padded(&config("roberta"), padded(5, &[5; 5]));
    refused(long, &["position 6", "at most 4 tokens"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_family_without_token_types_ignores_them() {
    let encoding = Encoding {
        ids: vec![3, 4, 0],
        type_ids: vec![0, 1, 0],
        attention_mask: vec![1, 1, 0],
        ..Encoding::default()
    };
    let types = |family| Batch::pack(&config(family), [&encoding]).unwrap().types;
    assert_eq!(types("bert"), [0, 1]);
    assert_eq!(types("distilbert"), [0, 0]);
    refused(Batch::pack(&config("bert"), [&Encoding::default()]), &["sequence 0", "empty"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn packed_whole_a_masked_token_has_a_row_and_is_no_key() {
    let ids = [1, 2, 3, 4, 5, 6, 7, 8];
    let pack =
        |mask| Batch::pack_whole(&config("bert"), Padded { mask: Some(mask), ..padded(4, &ids) });
    let batch = pack(&[1, 1, 1, 0, 0, 1, 1, 0]).unwrap();
    assert_eq!(batch.ids, ids);
    assert_eq!(batch.positions, [0, 1, 2, 3, 0, 1, 2, 3]);
    let [first, second] = &batch.sequences[..] else { panic!("{:?}", batch.sequences) };
    assert_eq!((first.rows.clone(), first.keys.clone()), (0..4, 0..3));
    assert_eq!((second.rows.clone(), second.keys.clone()), (4..8, 5..7));
    refused(pack(&[1, 1, 1, 1, 1, 0, 1, 0]), &["sequence 1", "without gaps", "got 2"]);
    refused(pack(&[0, 0, 0, 0, 1, 1, 1, 1]), &["sequence 0", "got 0"]);
    refused(pack(&[1; 7]), &["attention_mask", "got 7"]);
    let whole = Batch::pack_whole(&config("bert"), padded(4, &ids)).unwrap();
    assert_eq!(whole.sequences[1].keys, 4..8);
}

#[wasm_bindgen_test(unsupported = test)]
fn appended_rows_come_after_the_present_ones() {
    let pack = |length, ids| Batch::pack_padded(&config("bert"), padded(length, ids)).unwrap().0;
    let mut batch = pack(2, &[1, 2]);
    batch.append(&pack(3, &[3, 4, 5, 6, 7, 8]));
    assert_eq!(batch.ids, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(batch.positions, [0, 1, 0, 1, 2, 0, 1, 2]);
    assert_eq!(batch.types, [0; 8]);
    for (sequence, rows) in batch.sequences.iter().zip([0..2, 2..5, 5..8]) {
        assert_eq!((sequence.rows.clone(), sequence.keys.clone()), (rows.clone(), rows));
    }
    assert_eq!(batch.sequences.len(), 3);
}
