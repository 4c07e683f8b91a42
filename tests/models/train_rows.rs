//! The rows of every task: their examples, and errors that name the row.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::config::Problem;
use webert::tokenizer::{Encoding, Files, Tokenizer};
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::TrainingTask;
use webert::train::data::masking::Masking;
use webert::train::data::rows::{
    self, Example, Offsets, Reading, Target, choices, embeddings, question_answering,
    text_classification, texts, token_classification,
};
use webert::{Details, Result};

const VOCABULARY: [&str; 26] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "nile", "is", "a", "long", "river",
    "where", "?", ".", "in", "africa", "anna", "##s", "lives", "south", "sudan", ",", "near",
    "caf", "##e", "!",
];

fn tokenizer() -> Tokenizer {
    let vocab = VOCABULARY.join("\n");
    Tokenizer::load(&Files { vocab_txt: Some(vocab.as_bytes()), ..Files::default() }).unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn reading<'a>(tokenizer: &'a Tokenizer, labels: &'a [String]) -> Reading<'a> {
    let offsets = Offsets::Utf16;
    Reading { tokenizer, labels, problem: None, max_length: 16, offsets }
}

/// Reads rows like the package: each separately.
fn read<T: DeserializeOwned>(rows: Value) -> Result<Vec<T>> {
    rows::parse(rows.as_array().unwrap().clone(), serde_json::from_value)
}

/// Returns the message of a `bad_input` error.
fn refused(result: Result<Vec<Example>>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.code(), "bad_input", "{error}");
    error.to_string()
}

/// Returns the tokens of a sequence.
fn tokens(encoding: &Encoding) -> String {
    encoding.ids.iter().map(|&id| VOCABULARY[id as usize]).collect::<Vec<_>>().join(" ")
}

fn classify(rows: Value, labels: &[&str], problem: Option<Problem>) -> Result<Vec<Example>> {
    let (tokenizer, labels) = (tokenizer(), names(labels));
    let reading = Reading { problem, ..reading(&tokenizer, &labels) };
    text_classification::examples(&read(rows)?, &reading)
}

#[wasm_bindgen_test(unsupported = test)]
fn labels_are_names_or_indices() {
    let rows = json!([
        { "text": "the nile", "label": "up" },
        { "text": "a river", "text_pair": "Africa", "label": 0, "id": 7 },
    ]);
    let examples = classify(rows, &["down", "up"], None).unwrap();
    assert_eq!([&examples[0].target, &examples[1].target], [&Target::Class(1), &Target::Class(0)]);
    assert_eq!(tokens(&examples[1].encodings[0]), "[CLS] a river [SEP] africa [SEP]");
    assert_eq!(examples[1].row, 1);
}

#[wasm_bindgen_test(unsupported = test)]
fn arrays_are_several_labels_and_numbers_are_scores() {
    let rows = json!([
        { "text": "a", "label": ["c", "a"] },
        { "text": "a", "label": [0, 0.5, 1] },
        { "text": "a", "label": [] },
        { "text": "a", "label": "b" },
    ]);
    let scores = |examples: Vec<Example>| -> Vec<Target> {
        examples.into_iter().map(|e| e.target).collect()
    };
    let several = scores(classify(rows, &["a", "b", "c"], None).unwrap());
    let expected = [vec![1.0, 0.0, 1.0], vec![0.0, 0.5, 1.0], vec![0.0; 3], vec![0.0, 1.0, 0.0]];
    assert_eq!(several, expected.map(Target::Scores));

    let rows = json!([{ "text": "a", "label": -2.5 }]);
    assert_eq!(scores(classify(rows, &["LABEL_0"], None).unwrap()), [Target::Scores(vec![-2.5])]);
    let rows = json!([{ "text": "a", "label": [1, -3] }]);
    let two = scores(classify(rows, &["x", "y"], Some(Problem::Regression)).unwrap());
    assert_eq!(two, [Target::Scores(vec![1.0, -3.0])]);
}

#[wasm_bindgen_test(unsupported = test)]
fn bad_labels_name_their_row() {
    let good = json!({ "text": "a", "label": "up" });
    let second = |row: Value| refused(classify(json!([good, row]), &["down", "up"], None));
    assert_eq!(second(json!({ "text": "a" })), "row 1: label is missing");
    assert_eq!(second(json!({ "text": "a", "label": null })), "row 1: label is missing");
    let unknown = second(json!({ "text": "a", "label": "left" }));
    assert_eq!(unknown, "row 1: label: expected one of down, up, got \"left\"");
    let error = classify(json!([good, { "text": "a" }]), &["down", "up"], None).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(source.as_deref(), Some("label is missing"));
    let unknown =
        classify(json!([{ "text": "a", "label": "x" }]), &["down", "up"], None).unwrap_err();
    let parts = unknown.details().map(Details::parts).unwrap();
    assert_eq!(parts, &["", "row 0", "one of down, up", "\"x\""].map(String::from));
    for label in [json!(2), json!(-1), json!(0.5)] {
        assert!(
            second(json!({ "text": "a", "label": label }))
                .starts_with("row 1: label: expected an index")
        );
    }
    assert!(second(json!({ "text": "a", "label": true })).starts_with("row 1: data did not match"));
    assert_eq!(second(json!({ "label": "up" })), "row 1: text is missing");
    assert_eq!(second(json!({ "text": " ", "label": "up" })), "row 1: text is empty");
    assert!(second(json!("a")).starts_with("row 1: invalid type"));

    let single = Some(Problem::SingleLabel);
    let array = classify(json!([{ "text": "a", "label": ["up"] }]), &["down", "up"], single);
    assert!(refused(array).contains("exclude each other"));
    let many =
        |label| refused(classify(json!([{ "text": "a", "label": label }]), &["a", "b"], None));
    assert!(many(json!([1])).contains("a number for each of 2 labels, got 1"));
    assert!(many(json!([1, 2])).contains("expected 0 to 1 for each label, got 2"));
    assert!(many(json!(["a", "z"])).contains("got \"z\""));
    let score = classify(json!([{ "text": "a", "label": "high" }]), &["x"], None);
    assert_eq!(refused(score), "row 0: label: expected a number, got \"high\"");
}

#[wasm_bindgen_test(unsupported = test)]
fn new_labels_match_the_rows() {
    let rows = json!([{ "text": "a", "label": "up" }, { "text": "a", "label": ["down", "up"] }]);
    let found = text_classification::label_names(&read(rows).unwrap()).unwrap();
    assert_eq!(found, ["down", "up"]);
    let rows = read(json!([{ "text": "a", "label": "up" }, { "text": "a", "label": 3 }])).unwrap();
    let error = text_classification::label_names(&rows).unwrap_err();
    assert!(error.to_string().starts_with("row 1: label: expected a name, got a number"));
}

const BIO: [&str; 5] = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"];

fn tag(rows: Value, labels: &[&str]) -> Result<Vec<Example>> {
    let (tokenizer, labels) = (tokenizer(), names(labels));
    token_classification::examples(&read(rows)?, &reading(&tokenizer, &labels))
}

fn classes(examples: &[Example]) -> Vec<i32> {
    let Target::Tokens(classes) = &examples[0].target else { panic!("{:?}", examples[0].target) };
    assert_eq!(classes.len(), examples[0].len());
    classes.clone()
}

#[wasm_bindgen_test(unsupported = test)]
fn first_pieces_have_the_labels_of_their_words() {
    // a word with two pieces, one that BERT splits into two words, one without any token
    let row = json!([{
        "tokens": ["Annas", "cafe!", "\u{200d}", "river"],
        "tags": ["B-PER", 3, "O", "O"],
    }]);
    let examples = tag(row, &BIO).unwrap();
    assert_eq!(tokens(&examples[0].encodings[0]), "[CLS] anna ##s caf ##e ! river [SEP]");
    assert_eq!(classes(&examples), [-100, 1, -100, 3, -100, -100, 0, -100]);
}

#[wasm_bindgen_test(unsupported = test)]
fn entities_become_bio() {
    let text = "Anna lives in South Sudan, Africa.";
    let entities = json!([
        { "start": 27, "end": 33, "label": "LOC" },
        { "start": 0, "end": 4, "label": "PER" },
        { "start": 14, "end": 25, "label": "LOC" },
    ]);
    let row = json!([{ "text": text, "entities": entities }]);
    let expected = [-100, 1, 0, 0, 3, 4, 0, 3, 0, -100];
    assert_eq!(classes(&tag(row.clone(), &BIO).unwrap()), expected);
    // Two adjacent entities both start with B. A part of a word stands for the whole word.
    let halves = json!([{ "text": "South Sudan", "entities": [
        { "start": 0, "end": 5, "label": "LOC" }, { "start": 7, "end": 9, "label": "LOC" },
    ] }]);
    assert_eq!(classes(&tag(halves, &BIO).unwrap()), [-100, 3, 3, -100]);
    // a head without prefixes
    assert_eq!(
        classes(&tag(row, &["O", "PER", "LOC"]).unwrap()),
        [-100, 1, 0, 0, 2, 2, 0, 2, 0, -100]
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn offsets_count_bytes_or_code_units() {
    let (tokenizer, labels) = (tokenizer(), names(&BIO));
    let text = "\u{1f600} caf\u{e9} Anna";
    for (offsets, start, end) in [(Offsets::Utf16, 3, 7), (Offsets::Bytes, 5, 10)] {
        let reading = Reading { offsets, ..reading(&tokenizer, &labels) };
        let entities = json!([{ "start": start, "end": end, "label": "LOC" }]);
        let rows = read(json!([{ "text": text, "entities": entities }])).unwrap();
        let examples = token_classification::examples(&rows, &reading).unwrap();
        assert_eq!(classes(&examples), [-100, 0, 3, -100, 0, -100]);

        let answers = json!([{ "text": "Anna", "answer_start": end + 1 }]);
        let rows = json!([{ "question": "where", "context": text, "answers": answers }]);
        let rows = read(rows).unwrap();
        let examples = question_answering::examples(&rows, None, &reading).unwrap();
        assert_eq!(examples[0].target, Target::Span { start: 6, end: 6 });
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn bad_tags_and_entities_name_their_row() {
    let one = |row: Value| refused(tag(json!([row]), &BIO));
    let with =
        |entities: Value| one(json!({ "text": "the \u{1f600} caf\u{e9} !", "entities": entities }));
    let entity = |start: usize, end: usize, label: &str| json!({ "start": start, "end": end, "label": label });
    assert!(with(json!([entity(4, 99, "LOC")])).contains(
        "row 0: the entity \"LOC\" at 4 to 99: 99 is outside the text, which ends at 13"
    ));
    assert!(with(json!([entity(4, 5, "LOC")])).contains("within a character"));
    assert!(with(json!([entity(5, 5, "LOC")])).contains("is empty"));
    assert!(with(json!([entity(3, 4, "LOC")])).contains("white space"));
    assert!(with(json!([entity(0, 3, "ORG")])).contains("got \"ORG\""));
    assert!(with(json!([entity(4, 11, "LOC"), entity(0, 6, "PER")])).contains("overlap"));
    assert!(with(json!([{ "start": -1, "end": 2, "label": "LOC" }])).starts_with("row 0: "));
    assert!(
        one(json!({ "tokens": ["a"], "tags": [] }))
            .contains("tags: expected one for each of 1 tokens, got 0")
    );
    assert!(one(json!({ "tokens": ["a"], "tags": ["X"] })).contains("got \"X\""));
    assert!(one(json!({ "tokens": ["a"] })).contains("tags is missing"));
    assert!(one(json!({ "text": "a" })).contains("entities is missing"));
    assert!(one(json!({ "tags": [] })).contains("expected tokens and tags, or text and entities"));
    assert!(one(json!({ "tokens": [""], "tags": [0] })).contains("tokens are empty"));
}

fn answer(rows: Value, stride: Option<usize>) -> Result<Vec<Example>> {
    let tokenizer = tokenizer();
    question_answering::examples(&read(rows)?, stride, &reading(&tokenizer, &[]))
}

#[wasm_bindgen_test(unsupported = test)]
fn answers_are_found_in_their_windows() {
    let context = "The Nile is a long river in Africa, near South Sudan.";
    let row = json!([{
        "question": "Where is the Nile?",
        "context": context,
        "answers": [{ "text": "South Sudan", "answer_start": 41 }, { "text": "Africa", "answer_start": 28 }],
    }]);
    let examples = answer(row, Some(3)).unwrap();
    // [CLS] where is the nile ? [SEP], 8 tokens of the context, [SEP]
    let found: Vec<(String, Target)> = examples
        .iter()
        .map(|example| (tokens(&example.encodings[0]), example.target.clone()))
        .collect();
    let window = |text: &str| format!("[CLS] where is the nile ? [SEP] {text} [SEP]");
    assert_eq!(
        found,
        [
            (window("the nile is a long river in africa"), Target::Span { start: 0, end: 0 }),
            (window("river in africa , near south sudan ."), Target::Span { start: 12, end: 13 }),
        ]
    );
    let impossible = json!([{ "question": "where ?", "context": "a river", "answers": [] }]);
    assert_eq!(answer(impossible, None).unwrap()[0].target, Target::Span { start: 0, end: 0 });
}

#[wasm_bindgen_test(unsupported = test)]
fn bad_answers_name_their_row() {
    let good = json!({ "question": "where ?", "context": "a river" });
    let second = |row: Value, stride| refused(answer(json!([good, row]), stride));
    let with = |text: &str, start: usize| {
        let answers = json!([{ "text": text, "answer_start": start }]);
        second(
            json!({ "question": "where ?", "context": "a caf\u{e9} river", "answers": answers }),
            None,
        )
    };
    assert_eq!(with("river", 8), "row 1: answers: expected \"river\" in the context at 8");
    assert_eq!(with("river", 6), "row 1: answers: expected \"river\" in the context at 6");
    assert_eq!(with("river", 99), "row 1: answers: expected \"river\" in the context at 99");
    assert!(with("", 0).contains("answers: expected a text, got an empty one"));
    assert_eq!(second(json!({ "question": "where ?" }), None), "row 1: context is missing");
    let long = json!({ "question": "is ".repeat(20), "context": "a river" });
    assert!(second(long, None).contains("question: expected less than a window's 16 tokens"));
    assert!(
        second(good.clone(), Some(14)).starts_with("row 0: doc_stride: expected less than the 11")
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn choices_are_a_sequence_each() {
    let tokenizer = tokenizer();
    let how = reading(&tokenizer, &[]);
    let of = |rows: Value| choices::examples(&read(rows)?, &how);
    let examples =
        of(json!([{ "prompt": "where ?", "choices": ["africa", "a river", "near"], "label": 2 }]))
            .unwrap();
    assert_eq!(examples[0].target, Target::Class(2));
    let found: Vec<String> = examples[0].encodings.iter().map(tokens).collect();
    assert_eq!(found[1], "[CLS] where ? [SEP] a river [SEP]");
    assert_eq!(found.len(), 3);
    let one = |row: Value| refused(of(json!([row])));
    assert!(
        one(json!({ "prompt": "a", "choices": ["a", "a"], "label": 2 }))
            .contains("row 0: label: expected the index of one of 2 choices, got 2")
    );
    assert!(
        one(json!({ "prompt": "a", "choices": ["a"], "label": 0 }))
            .contains("choices: expected two or more, got 1")
    );
    assert!(
        one(json!({ "prompt": "a", "choices": ["a", ""], "label": 0 })).contains("choice is empty")
    );
    assert!(one(json!({ "prompt": "a", "choices": ["a", "a"] })).contains("label is missing"));

    let two = json!({ "prompt": "a", "choices": ["a", "a"], "label": 0 });
    let three = json!({ "prompt": "a", "choices": ["a", "a", "a"], "label": 0 });
    assert_eq!(
        refused(of(json!([two, three]))),
        "row 1: choices: expected 2 like the first row, got 3"
    );

    let next = |rows: Value| choices::next_examples(&read(rows)?, &how);
    let rows = json!([{ "text": "a", "next": "river", "is_next": true }, { "text": "a", "next": "?", "is_next": false }]);
    let targets: Vec<Target> =
        next(rows).unwrap().into_iter().map(|example| example.target).collect();
    assert_eq!(targets, [Target::Class(0), Target::Class(1)]);
    assert_eq!(refused(next(json!([{ "text": "a", "next": "b" }]))), "row 0: is_next is missing");
}

#[wasm_bindgen_test(unsupported = test)]
fn long_texts_are_cut_into_parts_and_none_is_lost() {
    let tokenizer = tokenizer();
    let how = reading(&tokenizer, &[]);
    let masking = Masking::new(&tokenizer, &TrainingArguments::default()).unwrap();
    let of = |rows: Value| texts::examples(&read(rows)?, Some(&masking), &how);
    let long = "the nile is a long river in africa . ".repeat(4);
    let examples = of(json!([long, { "text": "a cafe" }])).unwrap();
    let found: Vec<(usize, usize)> =
        examples.iter().map(|example| (example.row, example.len())).collect();
    assert_eq!(found, [(0, 16), (0, 16), (0, 10), (1, 5)]);
    let words: Vec<u32> = examples[..3]
        .iter()
        .flat_map(|example| {
            let ids = &example.encodings[0].ids;
            ids[1..ids.len() - 1].to_vec()
        })
        .collect();
    assert_eq!(words, tokenizer.segment(&long).unwrap().ids());
    for text in ["[MASK] [SEP]", "unknown"] {
        assert_eq!(refused(of(json!(["a", text]))), "row 1: the text has no token to mask");
    }
    assert_eq!(refused(of(json!([""]))), "row 0: text is empty");
    assert_eq!(refused(of(json!([{}]))), "row 0: text is missing");
}

#[wasm_bindgen_test(unsupported = test)]
fn documents_become_pairs() {
    let tokenizer = tokenizer();
    let how = reading(&tokenizer, &[]);
    let arguments = TrainingArguments::default();
    let masking = Masking::new(&tokenizer, &arguments).unwrap();
    let of = |rows: Value| texts::pretraining_examples(&read(rows)?, &arguments, &masking, &how);
    let rows = json!([
        ["The Nile is a long river.", "Where is the Nile?", "In Africa, near South Sudan."],
        "Anna lives in Africa. The river is near. Is it?",
    ]);
    let examples = of(rows).unwrap();
    assert!(examples.iter().any(|example| example.row == 1));
    for example in &examples {
        assert!(example.len() <= 16);
        assert!(matches!(example.target, Target::Class(0 | 1)));
    }
    // A sentence longer than a pair continues in the next one.
    let long = json!(["the ".repeat(100), "a river is near"]);
    let tokens: usize = of(long).unwrap().iter().map(|example| example.len() - 3).sum();
    assert!(tokens >= 104, "{tokens} tokens in the pairs");
    assert_eq!(
        refused(of(json!(["a river", ""]))),
        "row 1: expected a document of two or more tokens"
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn texts_of_embeddings_come_in_pairs_and_triplets() {
    let tokenizer = tokenizer();
    let how = reading(&tokenizer, &[]);
    let of = |rows: Value| embeddings::examples(&read(rows)?, &how);
    let pair = json!({ "text": "where ?", "positive": "in africa" });
    let triplet = json!({ "text": "where ?", "positive": "in africa", "negative": "a river" });
    let scored = json!({ "text": "a", "text_pair": "the", "score": 0.5 });
    let examples = of(json!([triplet])).unwrap();
    let found: Vec<String> = examples[0].encodings.iter().map(tokens).collect();
    assert_eq!(found, ["[CLS] where ? [SEP]", "[CLS] in africa [SEP]", "[CLS] a river [SEP]"]);
    assert_eq!(of(json!([pair])).unwrap()[0].encodings.len(), 2);
    assert_eq!(of(json!([scored])).unwrap()[0].target, Target::Scores(vec![0.5]));
    assert_eq!(
        refused(of(json!([pair, triplet]))),
        "row 1: expected the same fields as in the first row"
    );
    assert!(refused(of(json!([{ "text": "a" }]))).starts_with("row 0: expected text and positive"));
    let far = json!({ "text": "a", "text_pair": "the", "score": 5 });
    assert!(refused(of(json!([far]))).contains("score: expected a cosine, -1 to 1, got 5"));
    assert!(refused(of(json!([{ "text": "", "positive": "a" }]))).contains("text is empty"));
}

#[wasm_bindgen_test(unsupported = test)]
fn labels_of_a_new_head_match_the_names_in_the_rows() {
    let of = |task: TrainingTask, rows: Value| task.labels_of(rows.as_array().unwrap().clone());
    let (text, token) = (TrainingTask::TextClassification, TrainingTask::TokenClassification);
    let rows = json!([{ "label": "up" }, { "label": ["down", "up"] }]);
    assert_eq!(of(text, rows).unwrap(), ["down", "up"]);
    let entity = |label: &str| json!({ "start": 0, "end": 1, "label": label });
    let tagged = json!({ "tokens": ["a", "b"], "tags": ["X", "O"] });
    let rows = json!([{ "text": "ab", "entities": [entity("PER"), entity("LOC")] }, tagged]);
    assert_eq!(of(token, rows).unwrap(), ["O", "B-LOC", "I-LOC", "B-PER", "I-PER", "X"]);
    assert_eq!(of(token, json!([tagged])).unwrap(), ["O", "X"]);
    assert_eq!(of(token, json!([{ "text": "a", "entities": [] }])).unwrap(), ["O"]);
    assert!(of(TrainingTask::FillMask, json!(["a"])).unwrap().is_empty());

    let refused = |task, rows| of(task, rows).unwrap_err().to_string();
    let number = json!([tagged, { "tokens": ["a"], "tags": [1] }]);
    assert!(refused(token, number).starts_with("row 1: tags: expected names, got a number"));
    assert!(
        refused(token, json!([{ "text": "a" }])).starts_with("row 0: expected tags or entities")
    );
    assert_eq!(refused(text, json!([{ "text": "a" }])), "row 0: label is missing");
    assert!(refused(text, json!([{ "label": {} }])).starts_with("row 0: "));
}
