//! Results that do not depend on the other inputs of a batch.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{load, long_text, run};

/// Returns the golden, the head and inputs of several lengths for each task.
fn samples() -> Vec<(&'static str, &'static str, Vec<Value>, Value)> {
    let (long, short) = (long_text(), "the piano is near the window");
    let texts = vec![json!("a"), json!(long), json!("Alice's café 🎻"), json!(short)];
    let masked: Vec<_> = ["[MASK]", "the [MASK] is near the window", "a [MASK] and a [MASK] ."]
        .map(Value::from)
        .into();
    let pairs: Vec<_> =
        [("what ?", &long[..]), ("Where is it ?", short), ("who ?", "Carmen's house . It's old")]
            .map(|(a, b)| json!([a, b]))
            .into();
    let lists: Vec<_> =
        [(short, vec!["music", "history"]), (&long[..700], vec!["x", "travel plans", "science"])]
            .map(|(text, list)| json!([text, list]))
            .into();
    let none = || json!({});
    vec![
        ("fill-mask", "bert-mlm", masked, none()),
        ("text-classification", "bert-seqcls-3", texts.clone(), json!({"top_k": null})),
        ("token-classification", "bert-tokencls-bio", texts.clone(), none()),
        (
            "token-classification",
            "bert-tokencls-bio",
            texts.clone(),
            json!({"aggregation_strategy": "average", "stride": 7}),
        ),
        ("question-answering", "bert-qa", pairs.clone(), json!({"top_k": 3})),
        ("zero-shot-classification", "bert-seqcls-nli", lists.clone(), none()),
        (
            "zero-shot-classification",
            "bert-seqcls-nli",
            lists.clone(),
            json!({"multi_label": true}),
        ),
        ("feature-extraction", "bert-base-gelu", texts.clone(), none()),
        ("next-sentence-prediction", "bert-nsp", pairs, none()),
        ("multiple-choice", "bert-multiplechoice", lists, none()),
        ("replaced-token-detection", "electra-discriminator", texts, none()),
    ]
}

#[wasm_bindgen_test(unsupported = test)]
fn a_result_never_depends_on_its_batch_mates() {
    for (task, name, inputs, options) in samples() {
        let mut model = load(name);
        let together = run(&mut model, task, &inputs, &options).unwrap();
        assert_eq!(together.len(), inputs.len());
        let mut order: Vec<usize> = (0..inputs.len()).collect();
        for turn in 0..inputs.len() {
            order.rotate_left(1);
            let some: Vec<Value> = order[turn..].iter().map(|&n| inputs[n].clone()).collect();
            let answers = run(&mut model, task, &some, &options).unwrap();
            for (&n, answer) in order[turn..].iter().zip(answers) {
                assert_eq!(answer, together[n], "{task}, input {n}: bit for bit");
            }
        }
    }
}
