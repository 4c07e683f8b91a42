//! Invalid inputs, options and heads.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Result;

use super::{load, long_text, refused, run};
use crate::common::{Golden, Model};

/// Loads the model of a golden with its head for a task, like a pipeline.
fn load_for(name: &str, task: &str) -> Result<Model> {
    Golden::named(name).load_head("fp32", webert::tasks::head_of(task))
}

/// Asserts that a model rejects each input with its options, in a message that contains the text.
fn refuses(name: &str, task: &str, calls: impl IntoIterator<Item = (Value, Value, &'static str)>) {
    let mut model = load(name);
    for (input, options, what) in calls {
        refused(&mut model, task, &input, &options, "bad_input", what);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn bad_questions_and_contexts_are_refused_and_the_model_stays_usable() {
    let long = long_text();
    let calls = [
        (json!(["", "a context"]), json!({}), "question is empty"),
        (json!(["who ?", " \n"]), json!({}), "context is empty"),
        (json!([long, "a"]), json!({}), "question takes all"),
        (json!(["who ?", "a"]), json!({"top_k": 0}), "at least 1"),
        (json!(["who ?", "a"]), json!({"doc_stride": 65}), "doc_stride 65"),
        (json!(["who ?", long]), json!({"doc_stride": 60}), "stride 60"),
    ];
    let mut model = load("bert-qa");
    for (input, options, what) in calls {
        refused(&mut model, "question-answering", &input, &options, "bad_input", what);
    }
    run(&mut model, "question-answering", &[json!(["who ?", "Alice"])], &json!({})).unwrap();
}

#[wasm_bindgen_test(unsupported = test)]
fn bad_labels_and_choices_are_refused() {
    let long = long_text();
    let template = json!({"hypothesis_template": "none"});
    let calls = [
        (json!(["a", []]), json!({}), "no labels"),
        (json!(["a", ["b"]]), template, "no {}"),
        (json!(["a", [long]]), json!({}), "too many"),
    ];
    refuses("bert-seqcls-nli", "zero-shot-classification", calls);
    let calls = [
        (json!(["", "b"]), json!({}), "text is empty"),
        (json!(["a", ""]), json!({}), "next text is empty"),
    ];
    refuses("bert-nsp", "next-sentence-prediction", calls);
    let calls = [
        (json!(["a", []]), json!({}), "no choices"),
        (json!(["a", ["b", ""]]), json!({}), "choice is empty"),
    ];
    refuses("bert-multiplechoice", "multiple-choice", calls);
}

#[wasm_bindgen_test(unsupported = test)]
fn bad_options_of_tokens_and_layers_are_refused() {
    let long = long_text();
    let calls = [
        (json!(long), json!({"stride": 62}), "stride 62"),
        (json!("a"), json!({"aggregation_strategy": "best"}), "best"),
    ];
    refuses("bert-tokencls-bio", "token-classification", calls);
    let calls = [(json!(format!("{long} [MASK]")), json!({}), "beyond the model's")];
    refuses("bert-mlm", "fill-mask", calls);
    let calls = [
        (json!("a"), json!({"layers": [99]}), "layer 99"),
        (json!("a"), json!({"layers": []}), "layers is empty"),
    ];
    refuses("bert-base-gelu", "feature-extraction", calls);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_task_without_its_head_names_the_present_heads() {
    let cases = [
        ("bert-seqcls-3", "fill-mask", "heads in its file: sequence classification"),
        ("bert-seqcls-3", "token-classification", "heads in its file: sequence classification"),
        ("bert-seqcls-3", "multiple-choice", "heads in its file: sequence classification"),
        ("bert-multiplechoice", "text-classification", "heads in its file: multiple choice"),
        ("bert-mlm", "question-answering", "heads in its file: masked LM"),
        ("bert-base-gelu", "next-sentence-prediction", "heads in its file: none"),
        (
            "bert-tokencls-bio",
            "zero-shot-classification",
            "heads in its file: token classification",
        ),
        ("bert-qa", "replaced-token-detection", "heads in its file: question answering"),
    ];
    for (name, task, what) in cases {
        let error = load_for(name, task).err().unwrap();
        assert_eq!(error.code(), "unsupported", "{error}");
        assert!(error.to_string().contains(what), "{task} on {name}: \"{error}\"");
    }
    // loaded for one task and called for another
    refused(
        &mut load("bert-qa"),
        "fill-mask",
        &json!("[MASK]"),
        &json!({}),
        "unsupported",
        "masked LM",
    );
    // Generic labels end with entailment, if there are several. With other names no label is
    // entailment.
    let labels = json!(["a", ["b", "c"]]);
    for name in ["bert-seqcls-3", "bert-seqcls-regression"] {
        let mut model = load(name);
        let task = "zero-shot-classification";
        refused(&mut model, task, &labels, &json!({}), "unsupported", "entailment");
    }
}
