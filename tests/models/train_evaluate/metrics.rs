//! The metrics of an evaluation against transformers and against the tasks.

use std::rc::Rc;

use pollster::block_on;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Error;
use webert::config::HeadKind;
use webert::engine::OutputRequest;
use webert::tasks::feature_extraction::Pool;
use webert::tasks::{feature_extraction, multiple_choice, question_answering};
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::data::rows::Offsets;
use webert::train::metrics::evaluate::evaluate;
use webert::train::metrics::{answer_scores, entities};
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::{Freeze, Trainer};

use super::rows::{choice_rows, class_rows, collated, relation_rows, tasks, text_rows};
use super::{ROWS, data, generator, metrics, model, near, value};
use crate::common::{Golden, Model, go_on};

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
pub(super) fn best(scores: &[f32]) -> usize {
    (0..scores.len()).rev().max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()
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
