//! Evaluation against transformers' `Trainer`, and for every task against the results of its own
//! pipeline and the losses of training.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::rc::Rc;

use crate::common::{Golden, Model, go_on};
use pollster::block_on;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::OutputRequest;
use webert::tasks::feature_extraction::{self, Pool};
use webert::tasks::{multiple_choice, question_answering};
use webert::tokenizer::Encoding;
use webert::train::arguments::TrainingArguments;
use webert::train::data::batches::MicroBatch;
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::data::rows::Offsets;
use webert::train::metrics::evaluate::{Metrics, evaluate};
use webert::train::metrics::{answer_scores, entities};
use webert::train::run::training_loop::{Event, Progress, TrainingResult};
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::{Freeze, Trainer};
use webert::{Error, Result};

/// Embeds the files of tests/goldens/training/rows.
macro_rules! rows {
    ($($name:literal)+) => {
        Golden {
            name: "rows",
            files: &[$(($name, include_bytes!(concat!("../goldens/training/rows/", $name)))),+],
        }
    };
}

const ROWS: Golden =
    rows!("config.json" "model.safetensors" "rows.json" "tokenizer.json" "tokenizer_config.json");

fn data(model: &Model, task: TrainingTask, rows: &Value) -> Result<Dataset> {
    let rows = rows.as_array().unwrap().clone();
    Dataset::for_model(model, task, rows, Offsets::Utf16, &TrainingArguments::default())
}

fn metrics(model: &Model, data: &Dataset, arguments: &TrainingArguments) -> Metrics {
    let metrics = block_on(evaluate(model, None, data, arguments, &go_on)).unwrap();
    let names: Vec<&str> = metrics.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, data.metric_names());
    metrics
}

fn value(metrics: &Metrics, name: &str) -> f64 {
    metrics.iter().find(|(other, _)| *other == name).unwrap().1
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

#[wasm_bindgen_test(unsupported = test)]
fn an_evaluation_is_that_of_transformers_trainer() {
    let golden: Value = serde_json::from_slice(ROWS.file("rows.json").unwrap()).unwrap();
    let model = ROWS.load("fp32").unwrap();
    let data = data(&model, TrainingTask::TextClassification, &golden["eval_rows"]).unwrap();
    let expected = |name: &str| golden["eval_before_training"][name].as_f64().unwrap();
    for per_device_eval_batch_size in [1, 7, 8, 100] {
        let arguments = TrainingArguments { per_device_eval_batch_size, ..Default::default() };
        let found = metrics(&model, &data, &arguments);
        near(value(&found, "loss"), expected("loss"), 1e-5 * expected("loss"));
        near(value(&found, "accuracy"), expected("accuracy"), 1e-12);
        near(value(&found, "f1"), expected("f1_macro"), 1e-12);
    }
}

/// Loads a golden's model with this head, or with its own.
fn model(name: &str, head: Option<HeadKind>) -> Rc<Model> {
    Rc::new(Golden::named(name).load_head("fp32", head).unwrap())
}

/// Returns the masked language model that replaces tokens for the discriminator. Its weights come
/// from another golden, its vocabulary from the discriminator.
fn generator() -> Rc<Model> {
    let (golden, other) =
        (Golden::named("bert-pretraining"), Golden::named("electra-discriminator"));
    let mut files = golden.small_files();
    files.retain(|(name, _)| name != "vocab.txt");
    files.push(("vocab.txt".to_owned(), other.file("vocab.txt").unwrap().to_vec()));
    Rc::new(golden.load_from(&files, "fp32", Some(HeadKind::MaskedLm), usize::MAX).unwrap())
}

fn class_rows() -> Value {
    json!([
        { "text": "alice walked near the river", "label": 2 },
        { "text": "bob likes very loud music", "text_pair": "every new house", "label": 0 },
        { "text": "the teacher opened", "label": 1 },
        { "text": "a small computer today", "label": 0 },
        { "text": "tokyo", "label": 2 },
    ])
}

fn relation_rows() -> Value {
    json!([
        { "text": "alice walked", "next": "near the river", "is_next": true },
        { "text": "the teacher opened", "next": "every new house in berlin", "is_next": false },
        { "text": "bob", "next": "likes loud music", "is_next": false },
    ])
}

fn choice_rows() -> Value {
    json!([
        { "prompt": "alice walked", "choices": ["near the river", "loud", "tokyo berlin"], "label": 1 },
        { "prompt": "the teacher", "choices": ["opened", "every new house", "bob"], "label": 2 },
        { "prompt": "bob likes", "choices": ["music", "very", "a computer today"], "label": 0 },
    ])
}

fn text_rows() -> Value {
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

fn pair_rows() -> Value {
    json!([
        { "text": "alice walked", "positive": "near the river", "negative": "loud music" },
        { "text": "the teacher opened", "positive": "every new house", "negative": "tokyo" },
        { "text": "bob likes", "positive": "music today", "negative": "the river" },
    ])
}

fn scored_rows() -> Value {
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
fn tasks() -> Vec<(&'static str, Option<HeadKind>, TrainingTask, Value)> {
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
fn collated(data: &Dataset, generator: Option<&Model>, seed: u64) -> MicroBatch {
    let all: Vec<usize> = (0..data.examples().len()).collect();
    let mut micro = data.collate(&all, seed, u32::MAX);
    if let Some(generator) = generator {
        block_on(micro.replace(generator, &all, seed, u32::MAX)).unwrap();
    }
    micro
}

#[wasm_bindgen_test(unsupported = test)]
fn losses_of_an_evaluation_match_training() {
    let arguments =
        TrainingArguments { per_device_eval_batch_size: 100, ..TrainingArguments::default() };
    for (name, head, task, rows) in tasks() {
        let model = model(name, head);
        let data = data(&model, task, &rows).unwrap();
        let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::None).unwrap();
        let generator = (task == TrainingTask::ReplacedTokenDetection).then(generator);
        if let Some(generator) = &generator {
            trainer.set_generator(Rc::clone(generator)).unwrap();
        }
        let found = block_on(trainer.evaluate(&data, &arguments, &go_on)).unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, data.metric_names());
        let micro = collated(&data, generator.as_deref(), arguments.seed);
        let (batch, labels) = micro.pack(model.config(), task.head()).unwrap();
        let losses = block_on(trainer.loss(&batch, &labels)).unwrap();
        println!("{name} {}: {found:?}", task.name());
        near(value(&found, "loss"), f64::from(losses.loss), 2e-5 * f64::from(losses.loss.abs()));
        if let Some([masked_lm, relation]) = losses.parts {
            near(value(&found, "masked_lm_loss"), f64::from(masked_lm), 1e-4);
            near(value(&found, "next_sentence_loss"), f64::from(relation), 1e-4);
        }
    }
}

/// Returns the index of the largest score.
fn best(scores: &[f32]) -> usize {
    (0..scores.len()).rev().max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()
}

/// Returns -ln of the softmax probability of a target.
fn cross_entropy(scores: &[f32], target: usize) -> f64 {
    let sum: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
    sum.ln() - f64::from(scores[target])
}

#[wasm_bindgen_test(unsupported = test)]
fn masked_tokens_are_weighed_by_rows_and_masked_by_the_seed() {
    let model = model("bert-mlm", None);
    let data = data(&model, TrainingTask::FillMask, &text_rows()).unwrap();
    let with =
        |seed| TrainingArguments { per_device_eval_batch_size: 2, seed, ..Default::default() };
    let found = metrics(&model, &data, &with(1));
    assert_eq!(found, metrics(&model, &data, &with(1)));
    assert_ne!(found, metrics(&model, &data, &with(2)));

    let micro = collated(&data, None, 1);
    let tables =
        block_on(model.compute(&micro.encodings, OutputRequest::Logits, None, &go_on)).unwrap();
    let (mut first, mut right, mut losses) = (0, 0, Vec::new());
    for table in &tables {
        let labels = micro.tokens[first..first + table.rows().len()].iter();
        first += table.rows().len();
        let chosen: Vec<_> = table.rows().zip(labels).filter(|(_, label)| **label >= 0).collect();
        right += chosen.iter().filter(|(scores, label)| best(scores) as i32 == **label).count();
        let of_row = chosen.iter().map(|(scores, label)| cross_entropy(scores, **label as usize));
        losses.push(of_row.collect::<Vec<f64>>());
    }
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let pair = mean(&[&losses[0][..], &losses[1][..]].concat());
    let loss = (2.0 * pair + mean(&losses[2])) / 3.0;
    near(value(&found, "loss"), loss, 1e-5);
    near(value(&found, "perplexity"), loss.exp(), 1e-4 * loss.exp());
    near(value(&found, "accuracy"), right as f64 / losses.concat().len() as f64, 1e-12);
}

#[wasm_bindgen_test(unsupported = test)]
fn labels_of_words_are_scored_by_first_pieces() {
    let model = model("bert-tokencls-bio", None);
    let labels = &model.config().labels;
    let words = ["alice", "walkedlikes", "tokyo", "berlin", "bob", "river"];
    let row = |tags: Vec<&str>| json!([{ "tokens": words, "tags": tags }]);
    let of = |rows: Value| data(&model, TrainingTask::TokenClassification, &rows).unwrap();
    let unlabelled = of(row(vec!["O"; 6]));
    let encoding = &unlabelled.examples()[0].encodings;
    let table = &block_on(model.compute(encoding, OutputRequest::Logits, None, &go_on)).unwrap()[0];
    let first_piece =
        |word| encoding[0].word_ids.iter().position(|&found| found == Some(word)).unwrap();
    let predicted: Vec<&str> =
        (0..6).map(|word| &*labels[best(table.row(first_piece(word)))]).collect();

    let found = metrics(&model, &of(row(predicted.clone())), &TrainingArguments::default());
    near(value(&found, "accuracy"), 1.0, 0.0);
    // One predicted type does not occur, and one type that occurs was not predicted.
    let mut tags = predicted.clone();
    tags[0] = if tags[0] == "B-PER" { "B-LOC" } else { "B-PER" };
    tags[3] = if tags[3] == "O" { "B-ORG" } else { "O" };
    let expected = entities(&[predicted], &[tags.clone()]);
    let found = metrics(&model, &of(row(tags)), &TrainingArguments::default());
    let values = [expected.precision, expected.recall, expected.f1, expected.accuracy];
    for (name, expected) in ["precision", "recall", "f1", "accuracy"].into_iter().zip(values) {
        near(value(&found, name), expected, 1e-12);
    }
    near(value(&found, "accuracy"), 4.0 / 6.0, 1e-12);
}

#[wasm_bindgen_test(unsupported = test)]
fn answers_match_the_task_over_all_windows() {
    let model = model("bert-qa", None);
    let context = "bob likes very loud music and alice walked near the river with a small computer";
    let inputs: Vec<(String, String)> = ["who", "where near the teacher", "music"]
        .map(|question| (question.to_owned(), context.to_owned()))
        .to_vec();
    let arguments = TrainingArguments {
        max_length: 14,
        doc_stride: Some(3),
        per_device_eval_batch_size: 2,
        ..TrainingArguments::default()
    };
    for has_impossible in [false, true] {
        let options = question_answering::QuestionAnsweringOptions {
            max_answer_len: 30,
            max_seq_len: Some(14),
            doc_stride: Some(3),
            handle_impossible_answer: has_impossible,
            ..Default::default()
        };
        let answers = question_answering::question_answering(&model, &inputs, &options, &go_on);
        let answers = block_on(answers).unwrap();
        let row = |n: usize, answer: &str| {
            let at = context.find(answer).unwrap();
            let answers = json!([{ "text": answer, "answer_start": at }]);
            json!({ "question": inputs[n].0, "context": context, "answers": answers })
        };
        let impossible = json!({ "question": inputs[1].0, "context": context, "answers": [] });
        let right = |n: usize| match &*answers[n][0].answer {
            "" => impossible.clone(),
            answer => row(n, answer),
        };
        let wrong = if answers[2][0].answer == "loud" { "river" } else { "loud" };
        let second = if has_impossible { impossible.clone() } else { right(1) };
        let rows = [right(0), second, row(2, wrong)];
        let data = Dataset::for_model(
            &*model,
            TrainingTask::QuestionAnswering,
            rows,
            Offsets::Utf16,
            &arguments,
        )
        .unwrap();
        assert!(data.examples().len() > 6, "contexts are in windows");
        let expected = [answers[0][0].answer.clone(), answers[1][0].answer.clone(), wrong.into()];
        let found = metrics(&model, &data, &arguments);
        let predictions: Vec<&str> = answers.iter().map(|answers| &*answers[0].answer).collect();
        // A question without an answer has no references.
        let lacks_answer = |n: usize| expected[n].is_empty() || (n == 1 && has_impossible);
        let reference =
            |n: usize| (!lacks_answer(n)).then_some(&*expected[n]).into_iter().collect();
        let references: Vec<Vec<&str>> = (0..expected.len()).map(reference).collect();
        let scores = answer_scores(&predictions, &references);
        near(value(&found, "exact_match"), scores.exact_match, 1e-9);
        near(value(&found, "f1"), scores.f1, 1e-9);
        assert!(scores.exact_match < 100.0);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn choices_and_relations_match_their_tasks() {
    let model_of_choices = model("bert-multiplechoice", None);
    let rows = choice_rows();
    let texts = |value: &Value| value.as_str().unwrap().to_owned();
    let inputs: Vec<(String, Vec<String>)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let choices = row["choices"].as_array().unwrap().iter().map(texts).collect();
            (texts(&row["prompt"]), choices)
        })
        .collect();
    let options = multiple_choice::Options::default();
    let answers = multiple_choice::multiple_choice(&model_of_choices, &inputs, &options, &go_on);
    let right = block_on(answers).unwrap().into_iter().zip(rows.as_array().unwrap());
    let right = right.filter(|(choices, row)| {
        let scores: Vec<f32> = choices.iter().map(|choice| choice.score).collect();
        best(&scores) as u64 == row["label"]
    });
    let share = right.count() as f64 / 3.0;
    let data_of = |model: &Model, task, rows: &Value| data(model, task, rows).unwrap();
    let data = data_of(&model_of_choices, TrainingTask::MultipleChoice, &rows);
    let arguments =
        TrainingArguments { per_device_eval_batch_size: 2, ..TrainingArguments::default() };
    near(value(&metrics(&model_of_choices, &data, &arguments), "accuracy"), share, 1e-12);

    let model = model("bert-nsp", None);
    let data = data_of(&model, TrainingTask::NextSentencePrediction, &relation_rows());
    let encodings: Vec<_> =
        data.examples().iter().map(|example| example.encodings[0].clone()).collect();
    let tables = block_on(model.compute(&encodings, OutputRequest::Logits, None, &go_on)).unwrap();
    let right = tables.iter().zip([0, 1, 1]).filter(|(table, class)| best(table.row(0)) == *class);
    let share = right.count() as f64 / 3.0;
    near(value(&metrics(&model, &data, &arguments), "accuracy"), share, 1e-12);
}

#[wasm_bindgen_test(unsupported = test)]
fn embeddings_are_near_their_own() {
    let model = model("bert-mlm", Some(HeadKind::Bare));
    let texts = ["alice walked near the river", "bob likes loud music", "tokyo"];
    let of = |rows: Value| {
        let data = data(&model, TrainingTask::FeatureExtraction, &rows).unwrap();
        metrics(&model, &data, &TrainingArguments::default())
    };
    let same = of(texts.iter().map(|text| json!({ "text": text, "positive": text })).collect());
    assert_eq!((value(&same, "accuracy"), value(&same, "mrr")), (1.0, 1.0));
    // Each text is the other's positive, and therefore the nearest of all.
    let swapped = json!([
        { "text": texts[0], "positive": texts[1] }, { "text": texts[1], "positive": texts[0] },
    ]);
    let swapped = of(swapped);
    assert_eq!((value(&swapped, "accuracy"), value(&swapped, "mrr")), (0.0, 0.5));
    // Negatives count as other texts as well.
    let nearest = json!([{ "text": texts[0], "positive": texts[1], "negative": texts[0] }]);
    let nearest = of(nearest);
    assert_eq!((value(&nearest, "accuracy"), value(&nearest, "mrr")), (0.0, 0.5));

    let options =
        feature_extraction::FeatureExtractionOptions { pooling: Pool::Mean, ..Default::default() };
    let names: Vec<String> = texts.map(str::to_owned).to_vec();
    let vectors = feature_extraction::feature_extraction(&model, &names, &options, &go_on);
    let vectors: Vec<Vec<f32>> =
        block_on(vectors).unwrap().into_iter().map(|features| features.tensor.data).collect();
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    let cosine = |a: usize, b: usize| {
        let (a, b) = (&vectors[a], &vectors[b]);
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    let pair = |a: usize, b: usize, score: f64| json!({ "text": texts[a], "text_pair": texts[b], "score": score });
    let right = of([(0, 1), (0, 2), (1, 2)].map(|(a, b)| pair(a, b, cosine(a, b))).to_vec().into());
    near(value(&right, "loss"), 0.0, 1e-10);
    near(value(&right, "pearson"), 1.0, 1e-6);
    near(value(&right, "spearman"), 1.0, 1e-12);
    let off = of([(0, 1), (0, 2)].map(|(a, b)| pair(a, b, -cosine(a, b))).to_vec().into());
    let squares = (cosine(0, 1).powi(2) + cosine(0, 2).powi(2)) / 2.0;
    near(value(&off, "loss"), 4.0 * squares, 1e-5);
    near(value(&off, "spearman"), -1.0, 1e-12);
}

#[wasm_bindgen_test(unsupported = test)]
fn replaced_tokens_are_told_from_original_ones() {
    let (model, generator) = (model("electra-discriminator", None), generator());
    let data = data(&model, TrainingTask::ReplacedTokenDetection, &text_rows()).unwrap();
    let arguments = TrainingArguments::default();
    let evaluated = |generator: Option<&Model>| {
        block_on(evaluate(&model, generator, &data, &arguments, &go_on))
    };
    // With its own scores the model finds no replaced token; with raised scores it finds all.
    for (raised, finds) in [(0.0, false), (1e3, true)] {
        let mut head = model.head_mut().unwrap();
        head.output.as_mut().unwrap().bias.iter_mut().for_each(|bias| *bias += raised);
        drop(head);
        let found = evaluated(Some(&generator)).unwrap();
        let micro = collated(&data, Some(&generator), arguments.seed);
        let tables =
            block_on(model.compute(&micro.encodings, OutputRequest::Logits, None, &go_on)).unwrap();
        let scores = tables.iter().flat_map(|table| &table.data).map(|&score| score > 0.0);
        let pairs: Vec<(bool, bool)> =
            scores.zip(micro.tokens.iter().map(|&label| label == 1)).collect();
        let count =
            |pair: (bool, bool)| pairs.iter().filter(|other| **other == pair).count() as f64;
        let (both, found_alone, there_alone) =
            (count((true, true)), count((true, false)), count((false, true)));
        assert!(both + there_alone > 0.0, "a token was replaced");
        assert_eq!(both > 0.0, finds);
        let right = both + count((false, false));
        near(value(&found, "accuracy"), right / pairs.len() as f64, 1e-12);
        let f1 = 2.0 * both / (2.0 * both + found_alone + there_alone);
        near(value(&found, "f1"), f1, 1e-12);
    }

    let refused = |error: Error, code: &str, text: &str| {
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(text), "{error}");
    };
    refused(
        evaluated(None).unwrap_err(),
        "bad_input",
        "expected a generator, which is a model that fills masks",
    );
    refused(
        evaluated(Some(&model)).unwrap_err(),
        "unsupported",
        "a generator: expected a model with a head for masked LM",
    );
    let other = Golden::named("bert-mlm").load("fp32").unwrap();
    refused(evaluated(Some(&other)).unwrap_err(), "bad_input", "vocabulary: expected");
    let other = Golden::named("bert-pretraining").load_head("fp32", Some(HeadKind::MaskedLm));
    refused(evaluated(Some(&other.unwrap())).unwrap_err(), "bad_input", "the generator's token ");
    let masks = Golden::named("bert-mlm").load("fp32").unwrap();
    let data = self::data(&masks, TrainingTask::FillMask, &text_rows()).unwrap();
    let useless = block_on(evaluate(&masks, Some(&generator), &data, &arguments, &go_on));
    refused(useless.unwrap_err(), "bad_input", "expected no generator");
}

#[wasm_bindgen_test(unsupported = test)]
fn data_of_another_task_is_refused() {
    let (classifier, fills_masks) = (model("bert-seqcls-3", None), model("bert-mlm", None));
    let other = data(&fills_masks, TrainingTask::FillMask, &text_rows()).unwrap();
    let arguments = TrainingArguments::default();
    let error = block_on(evaluate(&classifier, None, &other, &arguments, &go_on)).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    let error = data(&fills_masks, TrainingTask::TextClassification, &class_rows()).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    let error = data(&fills_masks, TrainingTask::FillMask, &json!([])).unwrap_err();
    assert_eq!(error.to_string(), "rows: expected one or more, got none");
    let error = data(&fills_masks, TrainingTask::FillMask, &json!(["bob", " "])).unwrap_err();
    assert_eq!(error.to_string(), "row 1: text is empty");
}

/// Checks a share of `draws` within four standard deviations of a binomial distribution.
#[track_caller]
fn is_share(count: usize, draws: usize, share: f64) {
    let bound = 4.0 * (share * (1.0 - share) / draws as f64).sqrt();
    near(count as f64 / draws as f64, share, bound);
}

#[wasm_bindgen_test(unsupported = test)]
fn tokens_of_a_data_set_are_masked_and_replaced_at_their_rates() {
    let (model, generator) = (model("electra-discriminator", None), generator());
    // All rows have the same number of tokens, so the same number is chosen.
    let rows = json!([
        "alice walked near the river with a small computer every day",
        "the teacher works very often with paris and tokyo today",
    ]);
    let data = data(&model, TrainingTask::ReplacedTokenDetection, &rows).unwrap();
    let tokens = data.examples()[0].len() - 2;
    let a_text = (0.15 * tokens as f64).round() as usize;
    let mask = model.tokenizer().unwrap().special().mask.as_ref().unwrap().id;
    let (mut chosen, mut masked, mut same, mut replaced) = (0, 0, 0, 0);
    let mut expected = 0.0;
    for epoch in 0..400 {
        let mut micro = data.collate(&[0, 1], 7, epoch);
        assert_eq!(micro, data.collate(&[0, 1], 7, epoch));
        assert_eq!(micro.chosen_tokens().count(), 2 * a_text);
        let ids: Vec<u32> = micro.encodings.iter().flat_map(|e| e.ids.clone()).collect();
        for (token, label) in micro.chosen_tokens() {
            chosen += 1;
            masked += usize::from(ids[token] == mask);
            same += usize::from(ids[token] as usize == label);
        }
        if epoch >= 100 {
            continue;
        }
        // probability that the generator draws a different token than the original
        let tables =
            block_on(generator.compute(&micro.encodings, OutputRequest::Logits, None, &go_on));
        let rows: Vec<Vec<f32>> = tables
            .unwrap()
            .iter()
            .flat_map(|t| t.rows().map(<[f32]>::to_vec).collect::<Vec<_>>())
            .collect();
        let chances = micro.chosen_tokens();
        expected += chances
            .map(|(token, label)| 1.0 - (-cross_entropy(&rows[token], label)).exp())
            .sum::<f64>();
        let before = micro.clone();
        block_on(micro.replace(&generator, &[0, 1], 7, epoch)).unwrap();
        replaced += micro.tokens.iter().filter(|&&label| label == 1).count();
        let ids = |encodings: &mut dyn Iterator<Item = &Encoding>| -> Vec<u32> {
            encodings.flat_map(|encoding| encoding.ids.clone()).collect()
        };
        let was = ids(&mut data.examples().iter().flat_map(|example| &example.encodings));
        let is = ids(&mut micro.encodings.iter());
        for (token, &label) in micro.tokens.iter().enumerate() {
            assert_eq!(label == 1, is[token] != was[token], "epoch {epoch}, token {token}");
            assert!(label == 0 || before.tokens[token] >= 0, "a token that was not chosen");
        }
    }
    // Of the tenth drawn from the whole vocabulary, one in 160 is a mask, and one is the original.
    is_share(masked, chosen, 0.8 + 0.1 / 160.0);
    is_share(same, chosen, 0.1 + 0.1 / 160.0);
    let draws = 100 * 2 * a_text;
    is_share(replaced, draws, expected / draws as f64);
    let epochs: Vec<_> = (0..20).map(|epoch| data.collate(&[0], 7, epoch).tokens).collect();
    assert!(epochs.iter().any(|tokens| *tokens != epochs[0]));
}

/// Takes the steps of a run. Returns its result and the progress of each step.
fn train(
    trainer: &mut Trainer<Cpu>,
    data: &Dataset,
    arguments: &TrainingArguments,
) -> (TrainingResult, Vec<Progress>) {
    let mut steps = Vec::new();
    let result = block_on(trainer.train(data, None, arguments, &mut |event| {
        if let Event::Step(progress) = event {
            steps.push(*progress);
        }
        Box::pin(async { Ok(()) })
    }));
    (result.unwrap(), steps)
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_is_that_of_transformers_trainer() {
    let golden: Value = serde_json::from_slice(ROWS.file("rows.json").unwrap()).unwrap();
    let relative = |found: f64, expected: &Value, tolerance: f64| {
        let expected = expected.as_f64().unwrap();
        near(found, expected, tolerance * expected);
    };
    for (batch, accumulation, checkpointing) in [(4, 2, false), (8, 1, false), (4, 2, true)] {
        let mut json = golden["train_args"].clone();
        json["per_device_train_batch_size"] = batch.into();
        json["gradient_accumulation_steps"] = accumulation.into();
        json["gradient_checkpointing"] = checkpointing.into();
        json["max_length"] = 24.into();
        let arguments: TrainingArguments = serde_json::from_value(json).unwrap();
        let model = Rc::new(ROWS.load("fp32").unwrap());
        let data = data(&model, TrainingTask::TextClassification, &golden["train_rows"]).unwrap();
        let mut trainer = Trainer::new(model, Rates::default(), Freeze::None).unwrap();
        let (result, steps) = train(&mut trainer, &data, &arguments);
        assert_eq!((result.global_step, steps.len()), (3, 3));
        relative(result.training_loss, &golden["training_loss"], 2e-5);
        for (n, step) in steps.iter().enumerate() {
            relative(f64::from(step.loss), &golden["loss_before_step"][n], 2e-5);
            relative(f64::from(step.grad_norm), &golden["grad_norm"][n], 1e-4);
            relative(step.learning_rate, &golden["learning_rate"][n], 1e-9);
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn texts_that_belong_together_come_near_each_other() {
    let model = model("bert-mlm", Some(HeadKind::Bare));
    let arguments =
        TrainingArguments { max_steps: 12, learning_rate: 5e-3, ..TrainingArguments::default() };
    for rows in [pair_rows(), scored_rows()] {
        let data = data(&model, TrainingTask::FeatureExtraction, &rows).unwrap();
        let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::None).unwrap();
        let before = metrics(&model, &data, &arguments);
        let (_, steps) = train(&mut trainer, &data, &arguments);
        // A batch of a run has its texts in columns, a batch of an evaluation has them row by row.
        near(f64::from(steps[0].loss), value(&before, "loss"), 1e-4);
        let after = metrics(&model, &data, &arguments);
        assert!(value(&after, "loss") < 0.2 * value(&before, "loss"), "{before:?}, {after:?}");
        assert_eq!(after[1].1.round(), 1.0, "{after:?}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_of_replaced_tokens_has_a_generator() {
    let (model, generator) = (model("electra-discriminator", None), generator());
    let data = data(&model, TrainingTask::ReplacedTokenDetection, &text_rows()).unwrap();
    let arguments = TrainingArguments { max_steps: 4, ..TrainingArguments::default() };
    let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::None).unwrap();
    let none =
        block_on(trainer.train(&data, None, &arguments, &mut |_| Box::pin(async { Ok(()) })));
    assert!(
        none.unwrap_err()
            .to_string()
            .contains("expected a generator, which is a model that fills masks")
    );
    trainer.set_generator(Rc::clone(&generator)).unwrap();
    let weights = |model: &Model| {
        let encodings = &data.examples()[0].encodings;
        block_on(model.compute(encodings, OutputRequest::Logits, None, &go_on)).unwrap()
    };
    let before = [weights(&model), weights(&generator)];
    // All three texts form one batch, because each epoch replaces their tokens.
    let mut micro = data.collate(&[0, 1, 2], arguments.seed, 0);
    block_on(micro.replace(&generator, &[0, 1, 2], arguments.seed, 0)).unwrap();
    let (batch, labels) = micro.pack(model.config(), HeadKind::ReplacedToken).unwrap();
    let first = block_on(trainer.loss(&batch, &labels)).unwrap().loss;
    let (_, steps) = train(&mut trainer, &data, &arguments);
    near(f64::from(steps[0].loss), f64::from(first), 1e-5);
    assert_ne!(before[0], weights(&model));
    assert_eq!(before[1], weights(&generator));

    let classifier = self::model("bert-seqcls-3", None);
    let mut trainer = Trainer::new(classifier, Rates::default(), Freeze::None).unwrap();
    assert_eq!(trainer.set_generator(generator).unwrap_err().code(), "unsupported");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_pooler_that_embeddings_do_not_pass_stays() {
    let model = model("bert-nsp", Some(HeadKind::Bare));
    let data = data(&model, TrainingTask::FeatureExtraction, &pair_rows()).unwrap();
    let arguments =
        TrainingArguments { max_steps: 2, weight_decay: 0.5, ..TrainingArguments::default() };
    let mut trainer = Trainer::new(Rc::clone(&model), Rates::default(), Freeze::None).unwrap();
    let before = block_on(trainer.parameters()).unwrap();
    train(&mut trainer, &data, &arguments);
    let after = block_on(trainer.parameters()).unwrap();
    let poolers = before.iter().filter(|tensor| tensor.name.contains("pooler")).count();
    assert_eq!(poolers, 2);
    for (before, after) in before.iter().zip(&after) {
        let stays = before.name.contains("pooler");
        assert_eq!(before.values == after.values, stays, "{}", before.name);
    }
    let nothing = Trainer::new(model, Rates::default(), Freeze::Encoder).err().unwrap();
    assert_eq!(nothing.to_string(), "freeze: expected something left to train");
}

#[wasm_bindgen_test(unsupported = test)]
fn no_answer_counts_as_an_answer_on_request() {
    let model = model("bert-qa", None);
    let none = json!({ "question": "nasa works", "context": "river", "answers": [] });
    let some = json!({
        "question": "this was google",
        "context": "very",
        "answers": [{ "text": "very", "answer_start": 0 }],
    });
    let exact_match = |rows: &[&Value]| {
        let rows = rows.iter().map(|&row| row.clone()).collect();
        let data = data(&model, TrainingTask::QuestionAnswering, &rows).unwrap();
        value(&metrics(&model, &data, &TrainingArguments::default()), "exact_match")
    };
    // This model finds no answer in either text, unless it must.
    assert_eq!(exact_match(&[&none]), 100.0);
    assert_eq!(exact_match(&[&some]), 100.0);
    assert_eq!(exact_match(&[&some, &none]), 50.0);
}
