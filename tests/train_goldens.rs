//! What training makes of its data, against the reference implementations: vocabularies of `tokenizers`,
//! learning rates of transformers, metrics of scikit-learn, SciPy, seqeval and SQuAD.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::train::{TokenizerTrainer, TrainOptions};
use webert::tokenizer::{EncodeOptions, Files, Tokenizer};

/// The files of the folder tests/goldens/train, of which each is part of the program: tests also run as wasm.
macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!("goldens/train/", $name))
    };
}

/// The corpora of the vocabularies by the names in `cases.json`.
fn corpus(name: &str) -> &'static str {
    match name {
        "corpora/everyday.txt" => golden!("wordpiece/corpora/everyday.txt"),
        "corpora/mixed.txt" => golden!("wordpiece/corpora/mixed.txt"),
        "corpora/tiny.txt" => golden!("wordpiece/corpora/tiny.txt"),
        _ => panic!("no corpus {name}"),
    }
}

/// The vocabularies, in the order of the ids.
const VOCABULARIES: &str = golden!("wordpiece/vocabularies.json");

/// The vocabulary trained for a case of `cases.json`.
fn train(case: &Value) -> webert::tokenizer::train::TrainedTokenizer {
    let mut options = case["tokenizer"].as_object().unwrap().clone();
    options.extend(case["trainer"].as_object().unwrap().clone());
    let options: TrainOptions = serde_json::from_value(Value::Object(options)).unwrap();
    let mut trainer = TokenizerTrainer::new(options).unwrap();
    for name in case["corpus"].as_array().unwrap() {
        corpus(name.as_str().unwrap()).split('\n').for_each(|line| trainer.add(line));
    }
    assert_eq!(trainer.distinct_words() as u64, case["word_count"]["distinct"]);
    trainer.finish().unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn vocabularies_are_those_of_the_tokenizers_library() {
    let cases: Value = serde_json::from_str(golden!("wordpiece/cases.json")).unwrap();
    let vocabularies: Value = serde_json::from_str(VOCABULARIES).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 21);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let trained = train(case);
        let expected: Vec<&str> = vocabularies[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|token| token.as_str().unwrap())
            .collect();
        let different = trained.tokens().iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(different, None, "{name}: the first token that differs");
        assert_eq!(trained.tokens().len(), expected.len(), "{name}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_trained_vocabulary_is_a_tokenizer() {
    let cases: Value = serde_json::from_str(golden!("wordpiece/cases.json")).unwrap();
    for case in cases["cases"].as_array().unwrap() {
        let trained = train(case);
        let json = trained.tokenizer_json().unwrap();
        let config = trained.tokenizer_config(128).unwrap();
        let tokenizer = Tokenizer::load(&Files {
            tokenizer_json: Some(json.as_bytes()),
            tokenizer_config: Some(config.as_bytes()),
            ..Files::default()
        })
        .unwrap();
        assert_eq!(tokenizer.model_max_length(), Some(128));
        assert_eq!(tokenizer.vocab_size(), trained.tokens().len());
        for (id, token) in trained.tokens().iter().enumerate() {
            assert_eq!(tokenizer.token(id as u32), Some(token.as_str()));
        }
        // a vocabulary has every character of its own text, unless the alphabet was limited
        let unknown = tokenizer.special().unk.id;
        let limited = case["trainer"].get("limit_alphabet").is_some();
        for line in corpus(case["corpus"][0].as_str().unwrap()).lines().take(200) {
            let ids =
                tokenizer.encode(line, None, &EncodeOptions::default()).unwrap().remove(0).ids;
            assert!(limited || !ids.contains(&unknown), "{}: {line}", case["name"]);
        }
        assert_eq!(trained.vocab_txt().lines().count(), trained.tokens().len());
    }
}
