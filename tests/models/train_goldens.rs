//! Training data against the reference implementations: vocabularies of `tokenizers`, learning
//! rates of transformers, metrics of scikit-learn, SciPy, seqeval and SQuAD.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::train::{TokenizerTrainer, TrainOptions};
use webert::tokenizer::{EncodeOptions, Files, Tokenizer};
use webert::train::arguments::TrainingArguments;
use webert::train::metrics;
use webert::train::step::schedule::Schedule;

/// Embeds a file of tests/goldens/train, because tests also run in WebAssembly.
macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!("../goldens/train/", $name))
    };
}

/// Returns a corpus of the vocabularies by its name in `cases.json`.
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

/// Trains the vocabulary of a case of `cases.json`.
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
fn vocabularies_match_the_tokenizers_library() {
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
        // A vocabulary has every character of its own text, unless the alphabet was limited.
        let unknown = tokenizer.special().unk.as_ref().unwrap().id;
        let limited = case["trainer"].get("limit_alphabet").is_some();
        for line in corpus(case["corpus"][0].as_str().unwrap()).lines().take(200) {
            let ids =
                tokenizer.encode(line, None, &EncodeOptions::default()).unwrap().remove(0).ids;
            assert!(limited || !ids.contains(&unknown), "{}: {line}", case["name"]);
        }
        assert_eq!(trained.vocab_txt().lines().count(), trained.tokens().len());
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn rates_match_transformers() {
    let cases: Value = serde_json::from_str(golden!("schedules.json")).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 19);
    for case in cases {
        let mut json = case["options"].clone();
        json["lr_scheduler_type"] = case["lr_scheduler_type"].clone();
        json["learning_rate"] = case["learning_rate"].clone();
        json["max_steps"] = case["max_steps"].clone();
        let arguments: TrainingArguments = serde_json::from_value(json).unwrap();
        let schedule = Schedule::new(&arguments, arguments.max_steps as usize);
        let mut expected = numbers(&case["rates"]);
        expected.push(case["after"].as_f64().unwrap());
        for (step, expected) in expected.into_iter().enumerate() {
            let (found, bound) = (schedule.rate(step), 1e-6 * arguments.learning_rate);
            assert!((found - expected).abs() <= bound, "{case}: step {step} at {found}");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn classes_are_scored_as_by_scikit_learn() {
    let goldens: Value = serde_json::from_str(golden!("scores.json")).unwrap();
    let cases = goldens["classification"].as_array().unwrap();
    assert_eq!(cases.len(), 4);
    for case in cases {
        let found =
            metrics::classification(&indices(&case["predictions"]), &indices(&case["references"]));
        near(found.accuracy, &case["accuracy"]);
        near(found.f1_macro, &case["f1_macro"]);
    }
    let cases = goldens["multi_label"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        let flags = |rows: &Value| -> Vec<bool> {
            rows.as_array().unwrap().iter().flat_map(indices).map(|flag| flag == 1).collect()
        };
        let labels = case["references"][0].as_array().unwrap().len();
        let found =
            metrics::multi_label(&flags(&case["predictions"]), &flags(&case["references"]), labels);
        near(found.accuracy, &case["exact"]);
        near(found.f1_micro, &case["f1_micro"]);
        near(found.f1_macro, &case["f1_macro"]);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn correlations_match_scipy() {
    let goldens: Value = serde_json::from_str(golden!("scores.json")).unwrap();
    let cases = goldens["correlation"].as_array().unwrap();
    assert_eq!(cases.len(), 8);
    for case in cases {
        let found =
            metrics::correlation(&numbers(&case["predictions"]), &numbers(&case["references"]));
        for (found, name) in [(found.pearson, "pearson"), (found.spearmanr, "spearmanr")] {
            match found {
                Some(found) => near(found, &case[name]),
                None => assert!(case[name].is_null(), "{name} of {case}"),
            }
        }
        near(found.mse, &case["mse"]);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn numbers_that_are_not_finite_correlate_as_in_scipy() {
    let numbers = [1.0, 2.0, 4.0];
    // Values of `spearmanr`. `pearsonr` is NaN for both.
    for (other, spearman) in [(f64::NAN, None), (f64::INFINITY, Some(0.5))] {
        let others = [1.0, other, 3.0];
        for (x, y) in [(&others, &numbers), (&numbers, &others)] {
            assert_eq!(metrics::pearson(x, y), None, "{other}");
            let found = metrics::spearman(x, y);
            assert_eq!(found.is_some(), spearman.is_some(), "{other}: {found:?}");
            assert!((found.unwrap_or(0.0) - spearman.unwrap_or(0.0)).abs() < 1e-12, "{found:?}");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn entities_are_scored_as_by_seqeval() {
    let golden: Value = serde_json::from_str(golden!("entities.json")).unwrap();
    let sequences = golden["sequences"].as_array().unwrap();
    let labels = |name: &str| -> Vec<Vec<&str>> {
        sequences.iter().map(|case| texts(&case[name])).collect()
    };
    let (predictions, references) = (labels("prediction"), labels("reference"));
    for (case, (prediction, reference)) in sequences.iter().zip(predictions.iter().zip(&references))
    {
        for (name, labels) in [("prediction", prediction), ("reference", reference)] {
            let found = metrics::chunks(labels);
            let expected = case[format!("{name}_entities")].as_array().unwrap();
            assert_eq!(found.len(), expected.len(), "{labels:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert_eq!(found.kind, expected["type"], "{labels:?}");
                assert_eq!([found.start, found.end], indices_of(expected), "{labels:?}");
            }
        }
    }
    let found = metrics::entities(&predictions, &references);
    let overall = &golden["overall"];
    for (name, found) in
        [("precision", found.precision), ("recall", found.recall), ("f1", found.f1)]
    {
        near(found, &overall["micro avg"][name]);
    }
    near(found.accuracy, &golden["accuracy"]);
    assert_eq!(found.types.len(), 4);
    for (kind, scores) in &found.types {
        let expected = &overall[kind];
        near(scores.precision, &expected["precision"]);
        near(scores.recall, &expected["recall"]);
        near(scores.f1, &expected["f1"]);
        assert_eq!(scores.support as u64, expected["support"]);
    }
}

fn indices_of(chunk: &Value) -> [usize; 2] {
    ["start", "end"].map(|name| chunk[name].as_u64().unwrap() as usize)
}

#[wasm_bindgen_test(unsupported = test)]
fn answers_are_scored_as_by_squad() {
    let golden: Value = serde_json::from_str(golden!("squad.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 20);
    let prediction = |case: &'_ Value| case["prediction"].as_str().unwrap().to_owned();
    let answers = |case: &Value| -> Vec<String> {
        texts(&case["answers"]).into_iter().map(str::to_owned).collect()
    };
    for case in cases {
        assert_eq!(metrics::normalize_answer(&prediction(case)), case["normalized"]);
        let found = metrics::answer_scores(&[prediction(case)], &[answers(case)]);
        near(found.exact_match / 100.0, &case["exact_match"]);
        near(found.f1 / 100.0, &case["f1"]);
    }
    let predictions: Vec<String> = cases.iter().map(prediction).collect();
    let references: Vec<Vec<String>> = cases.iter().map(answers).collect();
    let found = metrics::answer_scores(&predictions, &references);
    near(found.exact_match, &golden["exact_match"]);
    near(found.f1, &golden["f1"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn masked_tokens_are_scored_by_perplexity_and_accuracy() {
    // four tokens whose right ones have probabilities 1/2, 1/8, 1/2 and 1/8
    let loss = (2.0 * 2_f64.ln() + 2.0 * 8_f64.ln()) / 4.0;
    assert!((metrics::perplexity(loss) - 4.0).abs() < 1e-12);
    assert_eq!(metrics::token_accuracy(&[5, 6, 7, 8], &[5, -100, 9, -100]), 0.5);
    assert_eq!(metrics::token_accuracy(&[5], &[-100]), 0.0);
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn indices(values: &Value) -> Vec<usize> {
    values.as_array().unwrap().iter().map(|value| value.as_u64().unwrap() as usize).collect()
}

fn texts(values: &Value) -> Vec<&str> {
    values.as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect()
}

fn near(found: f64, expected: &Value) {
    assert!((found - expected.as_f64().unwrap()).abs() <= 1e-9, "{found}, expected {expected}");
}
