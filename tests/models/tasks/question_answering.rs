//! Answers and the context that they are cut from.

use std::collections::BTreeMap;

use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::engine::Files;

use super::{amended, load, long_text, refused, run};
use crate::common::Golden;

#[wasm_bindgen_test(unsupported = test)]
fn answers_are_cut_from_the_context_as_it_is() {
    let mut model = load("bert-qa");
    let context = format!("Ünïcödé 🎻 {}", long_text());
    let inputs = [json!(["Where is the café ?", context])];
    let options = json!({"top_k": 30});
    let answers = run(&mut model, "question-answering", &inputs, &options).unwrap();
    assert_eq!(answers[0].as_array().unwrap().len(), 30);
    for answer in answers[0].as_array().unwrap() {
        let [start, end] = ["start", "end"].map(|name| answer[name].as_u64().unwrap() as usize);
        assert_eq!(answer["answer"], json!(context[start..end]));
    }
    // The question leaves less room than the default overlap.
    let question =
        "where is the old café in Berlin and what does the teacher buy there ? ".repeat(2);
    let answers = run(&mut model, "question-answering", &[json!([question, context])], &json!({}));
    assert_eq!(answers.unwrap()[0].as_array().unwrap().len(), 1);
}

/// Returns the tokenizer of a golden with this number of separators between text and pair. RoBERTa
/// has two.
fn with_separators(golden: &Golden, count: usize) -> Files {
    let vocab = std::str::from_utf8(golden.file("vocab.txt").unwrap()).unwrap();
    let ids: BTreeMap<&str, usize> = vocab.lines().zip(0..).collect();
    let special = |token: &str| json!({"SpecialToken": {"id": token, "type_id": 0}});
    let [a, b] = ["A", "B"].map(|text| json!({"Sequence": {"id": text, "type_id": 0}}));
    let (cls, sep) = (special("[CLS]"), special("[SEP]"));
    let middle = vec![sep.clone(); count];
    let pair = [vec![cls.clone(), a.clone()], middle, vec![b, sep.clone()]].concat();
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [cls, a, sep],
            "pair": pair,
            "special_tokens": {"[CLS]": {"ids": [ids["[CLS]"]]}, "[SEP]": {"ids": [ids["[SEP]"]]}},
        },
        "model": {"type": "WordPiece", "vocab": ids},
    });
    // A BERT class would replace the template by its own.
    let mut files = amended(golden, "tokenizer_class", json!("PreTrainedTokenizerFast"));
    files.push(("tokenizer.json".to_owned(), tokenizer.to_string().into_bytes()));
    files
}

#[wasm_bindgen_test(unsupported = test)]
fn a_question_may_leave_room_for_a_single_token_of_the_context() {
    let golden = Golden::named("bert-qa");
    let context = "the piano is near the window";
    for separators in [1, 2] {
        let files = with_separators(golden, separators);
        let mut model = golden.load_from(&files, "fp32", None, usize::MAX).unwrap();
        let most = model.max_tokens() - 2 - separators;
        for room in [3, 2, 1] {
            let inputs = [json!(["a ".repeat(most - room), context])];
            let answers = run(&mut model, "question-answering", &inputs, &json!({})).unwrap();
            let answer = answers[0][0]["answer"].as_str().unwrap();
            assert!(
                !answer.is_empty() && context.contains(answer),
                "{separators} {room}: {answer}"
            );
        }
        let input = json!(["a ".repeat(most), context]);
        let task = "question-answering";
        refused(&mut model, task, &input, &json!({}), "bad_input", "question takes all");
    }
}

/// The separator after the context must not count as the context's last token.
#[wasm_bindgen_test(unsupported = test)]
fn no_answer_ends_after_its_context() {
    let golden = Golden::named("bert-qa");
    let files = amended(golden, "cls_token", json!("[SEP]"));
    let mut model = golden.load_from(&files, "fp32", None, usize::MAX).unwrap();
    let context = "Alice walked to the old café in Berlin";
    let inputs = [json!(["Where is it ?", context])];
    // More results than possible answers, so that none is missing.
    let options = json!({"top_k": 1000, "align_to_words": false});
    let answers = run(&mut model, "question-answering", &inputs, &options).unwrap();
    let answers = answers[0].as_array().unwrap();
    let last = answers.iter().map(|answer| answer["end"].as_u64().unwrap()).max();
    assert_eq!(last, Some(context.len() as u64));
}
