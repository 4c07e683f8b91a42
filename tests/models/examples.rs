//! The functions of the programs in examples/.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../examples/fill_mask.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod fill_mask;

use std::path::{Path, PathBuf};

use fill_mask::{fill, load};
use webert::Error;

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn fill_mask_fills_each_mask() {
    let model = load(&folder("models/minilm-mlm")).unwrap();
    let masks = fill(&model, "Paris is the [MASK] of France.".into()).unwrap();
    assert_eq!(masks.len(), 1);
    assert_eq!(masks[0].len(), 5);
    assert_eq!(masks[0][0].token_str, "capital");
    assert_eq!(masks[0][0].sequence, "paris is the capital of france.");
    assert!(masks[0][0].score > 0.9, "{}", masks[0][0].score);
    assert_eq!(fill(&model, "[MASK] is the [MASK] of France.".into()).unwrap().len(), 2);
    let refused = fill(&model, "Paris is in France.".into());
    assert!(matches!(refused, Err(Error::BadInput(_))), "{refused:?}");
}

#[test]
fn fill_mask_reads_shards() {
    let text = "paris is the [MASK] of bob";
    let [sharded, whole] = ["bert-mlm-sharded", "bert-mlm"].map(|name| {
        let model = load(&folder("tests/goldens/models").join(name)).unwrap();
        fill(&model, text.into()).unwrap()
    });
    assert_eq!(sharded, whole);
}

#[test]
fn fill_mask_names_a_missing_folder() {
    let absent = folder("models/absent");
    let error = load(&absent).err().unwrap().to_string();
    assert!(error.starts_with(&absent.display().to_string()), "{error}");
}
