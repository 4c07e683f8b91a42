//! Rows of every training task.

use pollster::block_on;
use serde_json::{Value, json};
use webert::config::HeadKind;
use webert::train::data::batches::MicroBatch;
use webert::train::data::dataset::{Dataset, TrainingTask};

use crate::common::Model;

pub(super) fn class_rows() -> Value {
    json!([
        { "text": "alice walked near the river", "label": 2 },
        { "text": "bob likes very loud music", "text_pair": "every new house", "label": 0 },
        { "text": "the teacher opened", "label": 1 },
        { "text": "a small computer today", "label": 0 },
        { "text": "tokyo", "label": 2 },
    ])
}

pub(super) fn relation_rows() -> Value {
    json!([
        { "text": "alice walked", "next": "near the river", "is_next": true },
        { "text": "the teacher opened", "next": "every new house in berlin", "is_next": false },
        { "text": "bob", "next": "likes loud music", "is_next": false },
    ])
}

pub(super) fn choice_rows() -> Value {
    json!([
        { "prompt": "alice walked", "choices": ["near the river", "loud", "tokyo berlin"], "label": 1 },
        { "prompt": "the teacher", "choices": ["opened", "every new house", "bob"], "label": 2 },
        { "prompt": "bob likes", "choices": ["music", "very", "a computer today"], "label": 0 },
    ])
}

pub(super) fn text_rows() -> Value {
    json!([
        "alice walked near the river with a small computer today",
        "the teacher opened every new house in berlin",
        { "text": "bob likes very loud music from tokyo" },
    ])
}

fn documents() -> Value {
    let sentences = |text: &str| text.split(" . ").map(str::to_owned).collect::<Vec<_>>();
    json!([
        sentences(
            "alice walked near the river . bob likes loud music . the teacher opened a house"
        ),
        "every new computer. The city was built. paris and tokyo today.",
        sentences("she works with a very small computer . music from berlin . the river"),
    ])
}

pub(super) fn pair_rows() -> Value {
    json!([
        { "text": "alice walked", "positive": "near the river", "negative": "loud music" },
        { "text": "the teacher opened", "positive": "every new house", "negative": "tokyo" },
        { "text": "bob likes", "positive": "music today", "negative": "the river" },
    ])
}

pub(super) fn scored_rows() -> Value {
    json!([
        { "text": "alice walked", "text_pair": "near the river", "score": 0.75 },
        { "text": "the teacher opened", "text_pair": "every new house", "score": -0.5 },
        { "text": "bob likes", "text_pair": "bob likes music", "score": 1 },
    ])
}

fn tagged_rows() -> Value {
    json!([
        { "tokens": ["alice", "walked", "near", "paris"], "tags": ["B-PER", "O", "O", "B-LOC"] },
        { "text": "bob likes google in tokyo", "entities": [
            { "start": 0, "end": 3, "label": "PER" },
            { "start": 10, "end": 16, "label": "ORG" },
            { "start": 20, "end": 25, "label": "LOC" },
        ] },
        { "tokens": ["the", "river"], "tags": [0, 0] },
    ])
}

fn question_rows() -> Value {
    let answer = |text: &str, at: usize| json!([{ "text": text, "answer_start": at }]);
    json!([
        { "question": "alice walked", "context": "near the river every day", "answers": answer("river", 9) },
        { "question": "who", "context": "bob likes very loud music", "answers": answer("bob", 0) },
        { "question": "where", "context": "the teacher opened a new house", "answers": answer("new house", 21) },
    ])
}

/// Returns the rows of each task, with a model for them.
pub(super) fn tasks() -> Vec<(&'static str, Option<HeadKind>, TrainingTask, Value)> {
    use TrainingTask as Task;
    let bare = Some(HeadKind::Bare);
    let several = json!([
        { "text": "alice walked", "label": ["spam", "urgent"] },
        { "text": "bob likes loud music", "label": [] },
    ]);
    let numbers = json!([{ "text": "alice", "label": -2.5 }, { "text": "a river", "label": 1 }]);
    vec![
        ("bert-seqcls-3", None, Task::TextClassification, class_rows()),
        ("bert-seqcls-multilabel", None, Task::TextClassification, several),
        ("bert-seqcls-regression", None, Task::TextClassification, numbers),
        ("bert-tokencls-bio", None, Task::TokenClassification, tagged_rows()),
        ("bert-qa", None, Task::QuestionAnswering, question_rows()),
        ("bert-multiplechoice", None, Task::MultipleChoice, choice_rows()),
        ("bert-nsp", None, Task::NextSentencePrediction, relation_rows()),
        ("bert-mlm", None, Task::FillMask, text_rows()),
        ("bert-pretraining", None, Task::PreTraining, documents()),
        ("bert-mlm", bare, Task::FeatureExtraction, pair_rows()),
        ("bert-mlm", bare, Task::FeatureExtraction, scored_rows()),
        ("electra-discriminator", None, Task::ReplacedTokenDetection, text_rows()),
    ]
}

/// Returns all examples of an evaluation with these arguments, in one batch.
pub(super) fn collated(data: &Dataset, generator: Option<&Model>, seed: u64) -> MicroBatch {
    let all: Vec<usize> = (0..data.examples().len()).collect();
    let mut micro = data.collate(&all, seed, u32::MAX);
    if let Some(generator) = generator {
        block_on(micro.replace(generator, &all, seed, u32::MAX)).unwrap();
    }
    micro
}
