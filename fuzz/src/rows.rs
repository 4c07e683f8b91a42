//! Rows of training as JSON, `{kind, rows}`. They yield examples that fit the model, or
//! `bad_input`.

use serde::de::DeserializeOwned;
use serde_json::Value;
use webert::Result;
use webert::tokenizer::{Files, Tokenizer};
use webert::train::arguments::TrainingArguments;
use webert::train::data::masking::Masking;
use webert::train::data::rows::{
    self, Example, Offsets, Reading, Target, choices, embeddings, question_answering,
    text_classification, texts, token_classification,
};

use super::check::{allowed, check_encoding};
use super::tiny::VOCABULARY;

/// Largest number of tokens per sequence.
const MAX_LENGTH: usize = 12;

pub fn run(data: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return false };
    let (Some(kind), Some(rows)) = (value["kind"].as_str(), value["rows"].as_array()) else {
        return false;
    };
    TOKENIZER.with(|tokenizer| {
        let taken = [Offsets::Bytes, Offsets::Utf16].map(|offsets| {
            let labels = ["O", "B-up", "I-up"].map(str::to_owned);
            let max_length = MAX_LENGTH;
            let reading =
                Reading { tokenizer, labels: &labels, problem: None, max_length, offsets };
            let made = allowed(examples(kind, rows, &reading), &["bad_input"]);
            let each = made.iter().flatten();
            each.for_each(|example| check_example(example, tokenizer, rows.len()));
            made.is_some()
        });
        taken == [true, true]
    })
}

thread_local! {
    static TOKENIZER: Tokenizer = {
        let vocab = VOCABULARY.join("\n");
        let files = Files { vocab_txt: Some(vocab.as_bytes()), ..Files::default() };
        Tokenizer::load(&files).expect("a vocabulary of our own")
    };
}

fn examples(kind: &str, rows: &[Value], reading: &Reading<'_>) -> Result<Vec<Example>> {
    let arguments = TrainingArguments::default();
    let masking = Masking::new(reading.tokenizer, &arguments)?;
    match kind {
        "text-classification" => text_classification::examples(&read(rows)?, reading),
        "token-classification" => token_classification::examples(&read(rows)?, reading),
        "question-answering" => question_answering::examples(&read(rows)?, None, reading),
        "multiple-choice" => choices::examples(&read(rows)?, reading),
        "next-sentence" => choices::next_examples(&read(rows)?, reading),
        "texts" => texts::examples(&read(rows)?, Some(&masking), reading),
        "documents" => texts::pretraining_examples(&read(rows)?, &arguments, &masking, reading),
        "embeddings" => embeddings::examples(&read(rows)?, reading),
        _ => Ok(Vec::new()),
    }
}

fn read<T: DeserializeOwned>(rows: &[Value]) -> Result<Vec<T>> {
    rows::parse(rows.iter().cloned(), serde_json::from_value)
}

fn check_example(example: &Example, tokenizer: &Tokenizer, rows: usize) {
    assert!(example.row < rows && !example.encodings.is_empty(), "{example:?}");
    for encoding in &example.encodings {
        assert!((1..=MAX_LENGTH).contains(&encoding.len()), "{encoding:?}");
        assert!(encoding.ids.iter().all(|&id| tokenizer.token(id).is_some()), "{encoding:?}");
        let is_bare = encoding.sequence_ids.iter().all(Option::is_none);
        if is_bare {
            check_encoding(tokenizer, encoding, ["", ""]);
        }
    }
    let length = example.encodings[0].len();
    match &example.target {
        Target::None => {}
        Target::Class(class) => assert!(*class >= 0, "{example:?}"),
        Target::Scores(scores) => {
            assert!(scores.iter().all(|score| score.is_finite()), "{example:?}");
        }
        Target::Tokens(classes) => {
            assert_eq!(classes.len(), length, "{example:?}");
            assert!(classes.iter().all(|class| matches!(class, -100 | 0..=2)), "{example:?}");
        }
        Target::Span { start, end } => {
            assert!(start <= end && (*end as usize) < length, "{example:?}");
        }
    }
}
