//! Text ranking against sentence-transformers' `CrossEncoder`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::common::{Golden, Model, go_on};
use pollster::block_on;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tasks::text_ranking::{self, Ranked, text_ranking};
use webert::{Error, Result};

macro_rules! goldens {
    ($($name:literal: $($file:literal)+;)+) => {
        &[$(Golden {
            name: $name,
            files: &[$((
                $file,
                include_bytes!(concat!("../goldens/sentence-transformers/", $name, "/", $file)),
            )),+],
        }),+]
    };
}

/// Folders as saved by sentence-transformers, see tests/goldens/README.md.
const FOLDERS: &[Golden] = goldens! {
    "cross-encoder-one-label": "cases.json" "config.json" "model.safetensors" "tokenizer_config.json" "vocab.txt";
    "cross-encoder-one-label-identity-v5": "cases.json" "config.json" "config_sentence_transformers.json" "model.safetensors" "tokenizer_config.json" "vocab.txt";
};

fn golden(name: &str) -> &'static Golden {
    FOLDERS.iter().find(|golden| golden.name == name).unwrap()
}

fn cases(golden: &Golden) -> Value {
    serde_json::from_slice(golden.file("cases.json").unwrap()).unwrap()
}

/// Loads the model of a folder with fields of its config.json replaced.
fn load_with(golden: &Golden, fields: Value) -> Model {
    let mut files = golden.small_files();
    let (_, config) = files.iter_mut().find(|(name, _)| name == "config.json").unwrap();
    let mut json: Value = serde_json::from_slice(config).unwrap();
    json.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    *config = json.to_string().into_bytes();
    golden.load_from(&files, "fp32", None, usize::MAX).unwrap()
}

fn rank(model: &Model, query: &str, documents: &[&str], options: Value) -> Result<Vec<Ranked>> {
    let options: text_ranking::TextRankingOptions = serde_json::from_value(options).unwrap();
    let documents = documents.iter().map(|&document| document.to_owned()).collect();
    let inputs = [(query.to_owned(), documents)];
    Ok(block_on(text_ranking(model, &inputs, &options, &go_on))?.remove(0))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn assert_score(got: f32, want: &Value, what: &str) {
    assert!((f64::from(got) - want.as_f64().unwrap()).abs() <= 1e-4, "{what}: {got}, not {want}");
}

#[wasm_bindgen_test(unsupported = test)]
fn rankings_match_cross_encoders() {
    for name in ["cross-encoder-one-label", "cross-encoder-one-label-identity-v5"] {
        let golden = golden(name);
        let model = load_with(golden, json!({}));
        let rankings = cases(golden)["rank"].as_array().unwrap().clone();
        assert_eq!(rankings.len(), 9);
        for row in rankings {
            let documents: Vec<&str> =
                row["documents"].as_array().unwrap().iter().map(text).collect();
            let got =
                rank(&model, text(&row["query"]), &documents, row["options"].clone()).unwrap();
            let want = row["output"].as_array().unwrap();
            assert_eq!(got.len(), want.len(), "{name} {}", row["options"]);
            for (got, want) in got.iter().zip(want) {
                assert_eq!(json!(got.corpus_id), want["corpus_id"], "{name} {}", row["options"]);
                assert_score(got.score, &want["score"], name);
                assert_eq!(got.text.as_deref(), want["text"].as_str());
            }
        }
    }
}

/// Includes an empty query, and an empty document, which is an empty second segment.
#[wasm_bindgen_test(unsupported = test)]
fn scores_match_the_predictions_of_cross_encoders() {
    for name in ["cross-encoder-one-label", "cross-encoder-one-label-identity-v5"] {
        let golden = golden(name);
        let model = load_with(golden, json!({}));
        let cases = cases(golden);
        for predicted in cases["predict"].as_array().unwrap() {
            let options = match predicted["options"]["activation_fn"].as_str() {
                Some("identity") => json!({"function_to_apply": "none"}),
                Some(name) => json!({"function_to_apply": name}),
                None => json!({}),
            };
            for (n, pair) in cases["pairs"].as_array().unwrap().iter().enumerate() {
                let got = rank(&model, text(&pair[0]), &[text(&pair[1])], options.clone()).unwrap();
                assert_score(got[0].score, &predicted["scores"][n], &format!("{name}, {pair}"));
            }
        }
    }
}

/// sentence-transformers 3 and 4 store it in config.json.
#[wasm_bindgen_test(unsupported = test)]
fn the_function_is_the_one_that_the_folder_names() {
    let class = |class: &str| format!("torch.nn.modules.{class}");
    let (identity, sigmoid) = (class("linear.Identity"), class("activation.Sigmoid"));
    let ask = |golden: &Golden, fields: Value| {
        rank(&load_with(golden, fields), "a", &["b"], json!({})).map(|ranked| ranked[0].score)
    };
    let plain = golden("cross-encoder-one-label");
    let score = ask(plain, json!({})).unwrap();
    let logit = (score / (1.0 - score)).ln();
    let old = json!({"sbert_ce_default_activation_function": identity});
    assert!((ask(plain, old).unwrap() - logit).abs() < 1e-4);
    let both = json!({
        "sbert_ce_default_activation_function": sigmoid,
        "sentence_transformers": {"activation_fn": identity, "version": "4.1.0"},
    });
    assert!((ask(plain, both).unwrap() - logit).abs() < 1e-4);
    let other = json!({"sbert_ce_default_activation_function": "program.Identity"});
    assert_eq!(ask(plain, other), Ok(score), "no class of PyTorch's");
    let tanh = json!({"sbert_ce_default_activation_function": class("activation.Tanh")});
    assert!((ask(plain, tanh).unwrap() - logit.tanh()).abs() < 1e-4);
    let softmax = json!({"sbert_ce_default_activation_function": class("activation.Softmax")});
    match ask(plain, softmax) {
        Err(Error::Unsupported(what)) => {
            assert!(what.contains("torch.nn.modules.activation.Softmax"));
        }
        other => panic!("{other:?}"),
    }
    // config_sentence_transformers.json takes precedence.
    let newest = golden("cross-encoder-one-label-identity-v5");
    let over = json!({"sentence_transformers": {"activation_fn": sigmoid}});
    assert_eq!(ask(newest, over), ask(newest, json!({})));
}

#[wasm_bindgen_test(unsupported = test)]
fn a_ranking_needs_one_score_a_pair() {
    let model = Golden::named("bert-seqcls-3").load("fp32").unwrap();
    match rank(&model, "a", &["b"], json!({})) {
        Err(Error::Unsupported(what)) => assert!(what.contains("1 label, not 3"), "{what}"),
        other => panic!("{other:?}"),
    }
    let model = load_with(golden("cross-encoder-one-label"), json!({}));
    assert_eq!(rank(&model, "a", &[], json!({})), Ok(Vec::new()), "no documents, no answers");
    let long = "the old house ".repeat(40);
    let cut = rank(&model, "the house", &["a", &long], json!({})).unwrap();
    assert!(cut.iter().all(|ranked| ranked.truncated == (ranked.corpus_id == 1)));
    // Equal scores keep their order.
    let same = rank(&model, "the house", &["a", "b", "a", "a"], json!({})).unwrap();
    let of_a: Vec<u32> = same.iter().map(|r| r.corpus_id).filter(|&n| n != 1).collect();
    assert_eq!(of_a, [0, 2, 3]);
}
