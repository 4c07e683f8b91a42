//! Each task against Hugging Face's pipelines, with invalid inputs; results do not depend on the
//! other inputs of a batch.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;

use crate::common::{Golden, Model, go_on};
use pollster::block_on;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Files, Tick};
use webert::tasks::{Answer, Caller, Input};
use webert::tokenizer::EncodeOptions;
use webert::{Error, Result};

/// Tolerance of f32 against f32. The goldens' own rounding is about 1e-5.
const TOLERANCE: f64 = 1e-4;

/// A call with JSON.
struct Call<'a> {
    model: &'a Model,
    inputs: &'a [Value],
    options: &'a Value,
    /// Converts a byte offset in the text of an input.
    offset: fn(&str, u32) -> u32,
}

impl Caller for Call<'_> {
    type Device = Cpu;
    type Output = Result<Vec<Value>>;

    async fn call<I: Input, O: DeserializeOwned, A: Answer>(
        self,
        task: impl AsyncFnOnce(&Model, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> Result<Vec<Value>> {
        let inputs: Vec<I> = parse(self.inputs);
        let options: O = serde_json::from_value(self.options.clone())
            .map_err(|error| Error::BadInput(error.to_string()))?;
        let mut answers = task(self.model, &inputs, &options, &go_on).await?;
        for (answer, input) in answers.iter_mut().zip(&inputs) {
            answer.map_offsets(&|byte| (self.offset)(input.text(), byte));
        }
        Ok(answers.iter().map(|answer| serde_json::to_value(answer).unwrap()).collect())
    }
}

/// Runs a task with JSON inputs. Returns JSON results; for a tensor, its numbers.
fn run(model: &mut Model, task: &str, inputs: &[Value], options: &Value) -> Result<Vec<Value>> {
    call(task, Call { model, inputs, options, offset: |_, byte| byte })
}

fn call(task: &str, call: Call<'_>) -> Result<Vec<Value>> {
    let mut answers = block_on(webert::tasks::run(task, call))??;
    for answer in &mut answers {
        if let Some(tensor) = answer.get_mut("tensor") {
            *answer = tensor["data"].take();
        }
    }
    Ok(answers)
}

fn parse<I: DeserializeOwned>(inputs: &[Value]) -> Vec<I> {
    inputs.iter().map(|input| serde_json::from_value(input.clone()).unwrap()).collect()
}

/// Returns a golden's inputs in the task's form, and its options.
fn inputs(row: &Value) -> (Vec<Value>, Value) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let (given, mut options) = (&row["inputs"], row["options"].clone());
    // Options of Hugging Face's tokenizer that have no effect here.
    for name in ["padding", "truncation"] {
        options.as_object_mut().unwrap().remove(name);
    }
    match row["task"].as_str().unwrap() {
        "question-answering" => {
            let (questions, contexts) = (list(&given["question"]), list(&given["context"]));
            (questions.iter().zip(&contexts).map(|(q, c)| json!([q, c])).collect(), options)
        }
        "zero-shot-classification" => {
            let labels = match options.as_object_mut().unwrap().remove("candidate_labels") {
                Some(Value::String(labels)) => labels.split(", ").map(Value::from).collect(),
                labels => labels.unwrap(),
            };
            (list(given).iter().map(|text| json!([text, labels])).collect(), options)
        }
        _ => (list(given), options),
    }
}

/// Returns the first difference, or `None`. Numbers are equal within the tolerance, and additional
/// fields are allowed.
fn difference(got: &Value, want: &Value) -> Option<String> {
    match (got, want) {
        (Value::Number(got), Value::Number(want)) => {
            let (got, want) = (got.as_f64().unwrap(), want.as_f64().unwrap());
            ((got - want).abs() > TOLERANCE * want.abs().max(1.0))
                .then(|| format!("{got} for {want}"))
        }
        (Value::Array(got), Value::Array(want)) if got.len() == want.len() => {
            got.iter().zip(want).find_map(|(got, want)| difference(got, want))
        }
        (Value::Object(got), Value::Object(want)) => want.iter().find_map(|(name, want)| {
            difference(&got[name], want).map(|what| format!("{name}: {what}"))
        }),
        _ => (got != want).then(|| format!("{got} for {want}")),
    }
}

/// Converts an offset to code points, the unit of the goldens.
fn in_code_points(text: &str, byte: u32) -> u32 {
    text[..byte as usize].chars().count() as u32
}

/// Runs a golden. Returns a description of the difference, if any.
fn check(model: &mut Model, row: &Value) -> Option<String> {
    let task = row["task"].as_str().unwrap();
    let (inputs, options) = inputs(row);
    let (inputs, options) = (&inputs[..], &options);
    let got = call(task, Call { model, inputs, options, offset: in_code_points });
    if row.get("error").is_some() {
        return (crate::common::code(got) != "bad_input").then(|| "is no error".to_owned());
    }
    let mut got = match got {
        Ok(got) => got,
        Err(error) => return Some(error.to_string()),
    };
    let single = !row["inputs"].is_array() && !row["inputs"]["question"].is_array();
    if task == "question-answering" && options["top_k"].as_u64().unwrap_or(1) == 1 {
        got = got.into_iter().map(|answers| answers[0].clone()).collect();
    }
    let (got, mut want) = (if single { got.remove(0) } else { json!(got) }, row["output"].clone());
    match task {
        "feature-extraction" => {
            let flat = |value: &Value| json!(crate::common::flat(value));
            return difference(&flat(&got), &flat(&want));
        }
        // For a single result, Hugging Face returns either the result or a list with it.
        "text-classification" if want.is_object() => want = json!([want]),
        "text-classification" if !single && want[0].is_object() => {
            let each = want.as_array().unwrap().iter();
            want = each.map(|answer| json!([answer])).collect();
        }
        "question-answering" if want.is_object() && got.is_array() => want = json!([want]),
        _ => {}
    }
    difference(&got, &want)
}

/// Checks that all goldens of a file are equal, except `others`, which differ intentionally.
fn equals_the_reference(json: &[u8], others: &[&str], least: usize) {
    let rows: Vec<Value> = serde_json::from_slice(json).unwrap();
    let mut models = BTreeMap::<String, Model>::new();
    let mut failed = Vec::new();
    let rows = rows.iter().filter(|row| row["options"].get("is_split_into_words").is_none());
    let rows: Vec<_> = rows.collect();
    for row in &rows {
        let name = row["model"].as_str().unwrap();
        let model = models
            .entry(name.to_owned())
            .or_insert_with(|| Golden::named(name).load("fp32").unwrap());
        let id = row["id"].as_str().unwrap();
        match (check(model, row), others.contains(&id)) {
            (None, true) => failed.push(format!("{id} is equal after all")),
            (Some(what), false) => failed.push(format!("{id} {}: {what}", row["options"])),
            _ => {}
        }
    }
    assert!(failed.is_empty(), "{} of {} not:\n{}", failed.len(), rows.len(), failed.join("\n"));
    assert!(rows.len() - others.len() >= least, "only {} compared", rows.len());
}

macro_rules! pipeline {
    ($($test:ident $file:literal $others:expr, $least:literal;)+) => {
        $(#[wasm_bindgen_test(unsupported = test)]
        fn $test() {
            let json = include_bytes!(concat!("../goldens/pipelines/", $file, ".json"));
            equals_the_reference(json, &$others, $least);
        })+
    };
}

pipeline! {
    fill_mask_equals_the_reference "fill-mask" [], 57;
    text_classification_equals_the_reference "text-classification" [], 100;
    // A long text without a stride: Hugging Face truncates it, webert reads it in windows.
    token_classification_equals_the_reference
        "token-classification" ["token-classification-052"], 52;
    question_answering_equals_the_reference "question-answering" [], 39;
    zero_shot_equals_the_reference "zero-shot-classification" [], 15;
    feature_extraction_equals_the_reference "feature-extraction" [], 6;
}

#[cfg(all(feature = "tokenizers", feature = "families", not(target_arch = "wasm32")))]
#[test]
fn pipelines_of_other_families_equal_the_reference() {
    for (task, least) in [
        ("fill-mask", 32),
        ("text-classification", 48),
        ("token-classification", 16),
        ("question-answering", 8),
        ("zero-shot-classification", 6),
        ("feature-extraction", 9),
    ] {
        let path = crate::common::families::folder().join(format!("pipelines/{task}.json"));
        equals_the_reference(&std::fs::read(path).unwrap(), &[], least);
    }
}

fn load(name: &str) -> Model {
    Golden::named(name).load("fp32").unwrap()
}

/// Loads the model of a golden with its head for a task, like a pipeline.
fn load_for(name: &str, task: &str) -> Result<Model> {
    Golden::named(name).load_head("fp32", webert::tasks::head_of(task))
}

/// Loads the model with the limit of its goldens.
fn cut_to(tokens: usize, golden: &Golden, head: Option<HeadKind>) -> Model {
    let files = amended(golden, "model_max_length", json!(tokens));
    golden.load_from(&files, "fp32", head, usize::MAX).unwrap()
}

/// Returns the small files with one entry of the tokenizer's config replaced.
fn amended(golden: &Golden, name: &str, value: Value) -> Files {
    amended_in("tokenizer_config.json", golden, name, value)
}

fn amended_in(file: &str, golden: &Golden, name: &str, value: Value) -> Files {
    let mut files = golden.small_files();
    let (_, config) = files.iter_mut().find(|(name, _)| name == file).unwrap();
    let mut json: Value = serde_json::from_slice(config).unwrap();
    json[name] = value;
    *config = json.to_string().into_bytes();
    files
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let sum: f64 = scores.iter().map(|score| score.exp()).sum();
    scores.iter().map(|score| score.exp() / sum).collect()
}

fn assert_near(got: &Value, want: f64) {
    assert!((got.as_f64().unwrap() - want).abs() < TOLERANCE, "{got} for {want}");
}

#[wasm_bindgen_test(unsupported = test)]
fn next_sentences_equal_the_reference() {
    let json = include_bytes!("../goldens/pipelines/next-sentence-prediction.json");
    for row in serde_json::from_slice::<Vec<Value>>(json).unwrap() {
        let golden = Golden::named(row["model"].as_str().unwrap());
        let mut model = cut_to(24, golden, Some(HeadKind::NextSentence));
        let [texts, nexts] = ["texts", "text_pairs"].map(|name| row[name].as_array().unwrap());
        let pairs: Vec<Value> =
            texts.iter().zip(nexts).map(|(text, next)| json!([text, next])).collect();
        let answers = run(&mut model, "next-sentence-prediction", &pairs, &json!({})).unwrap();
        for (answer, logits) in answers.iter().zip(row["logits"].as_array().unwrap()) {
            let want = softmax(&crate::common::flat(logits));
            assert_near(&answer["is_next"], want[0]);
            assert_near(&answer["not_next"], want[1]);
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn multiple_choice_equals_the_reference() {
    let golden = Golden::named("bert-multiplechoice");
    let mut model = cut_to(32, golden, None);
    for case in golden.cases() {
        let prompts = case["prompts"].as_array().unwrap().iter();
        let inputs = prompts.zip(case["choices"].as_array().unwrap());
        let inputs: Vec<Value> = inputs.map(|(prompt, choices)| json!([prompt, choices])).collect();
        let answers = run(&mut model, "multiple-choice", &inputs, &json!({})).unwrap();
        for ((answer, logits), input) in
            answers.iter().zip(case["outputs"]["logits"].as_array().unwrap()).zip(&inputs)
        {
            for ((weighed, want), choice) in answer
                .as_array()
                .unwrap()
                .iter()
                .zip(softmax(&crate::common::flat(logits)))
                .zip(input[1].as_array().unwrap())
            {
                assert_near(&weighed["score"], want);
                assert_eq!(&weighed["choice"], choice, "in the order given");
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn replaced_tokens_equal_the_reference() {
    let mut model = load("electra-discriminator");
    let json = include_bytes!("../goldens/pipelines/replaced-token-detection.json");
    let rows: Value = serde_json::from_slice(json).unwrap();
    let texts = rows[0]["texts"].as_array().unwrap();
    let answers = run(&mut model, "replaced-token-detection", texts, &json!({})).unwrap();
    let (mut replaced, mut kept) = (0, 0);
    for ((tokens, logits), text) in
        answers.iter().zip(rows[0]["logits"].as_array().unwrap()).zip(texts)
    {
        let text = text.as_str().unwrap();
        for (n, token) in tokens.as_array().unwrap().iter().enumerate() {
            let logit = logits[n + 1].as_f64().unwrap();
            assert_near(&token["score"], 1.0 / (1.0 + (-logit).exp()));
            assert_eq!(token["replaced"], json!(logit > 0.0));
            assert_eq!(token["index"], json!(n + 1));
            let [start, end] = ["start", "end"].map(|name| token[name].as_u64().unwrap() as usize);
            let word = token["word"].as_str().unwrap();
            if word != "[UNK]" {
                assert_eq!(text[start..end].to_lowercase(), word.trim_start_matches("##"));
            }
            if logit > 0.0 { replaced += 1 } else { kept += 1 }
        }
    }
    assert!(replaced > 5 && kept > 5, "{replaced} and {kept}");
}

/// Returns a text several windows long, for the models with 64 positions.
fn long_text() -> String {
    let sentence = "Alice walked to the old café in Berlin , and the teacher bought coffee . ";
    sentence.repeat(20)
}

#[wasm_bindgen_test(unsupported = test)]
fn long_texts_are_read_to_their_end_each_token_once() {
    let text = long_text();
    let all = json!({"ignore_labels": []});
    let everything = |stride: Value| json!({"ignore_labels": [], "stride": stride});
    let mut model = load("bert-tokencls-bio");
    let inputs = [json!(text)];
    let tokens = |got: Vec<Value>| got[0].as_array().unwrap().clone();
    let by_default = tokens(run(&mut model, "token-classification", &inputs, &all).unwrap());
    let mut model_rtd = load("electra-discriminator");
    let rtd = tokens(run(&mut model_rtd, "replaced-token-detection", &inputs, &json!({})).unwrap());
    for (what, got) in [("labels", &by_default), ("replaced", &rtd)] {
        assert!(got.len() > 200, "{what}: {}", got.len());
        for (n, token) in got.iter().enumerate() {
            assert_eq!(token["index"], json!(n + 1), "{what}");
        }
        assert_eq!(got.last().unwrap()["end"], json!(text.trim_end().len()), "{what}");
    }
    for stride in [0, 1, 30, 50] {
        let got = run(&mut model, "token-classification", &inputs, &everything(json!(stride)));
        let got = tokens(got.unwrap());
        assert_eq!(got.len(), by_default.len(), "stride {stride}");
        let differs = got.iter().zip(&by_default).any(|(a, b)| a["score"] != b["score"]);
        assert!(differs, "stride {stride} has other windows");
    }
    // Before the first cut the results equal Hugging Face's, which reads only the first window.
    let rows: Vec<Value> =
        serde_json::from_slice(include_bytes!("../goldens/pipelines/token-classification.json"))
            .unwrap();
    let row = rows.iter().find(|row| row["id"] == "token-classification-052").unwrap();
    let got = run(&mut model, "token-classification", &[row["inputs"].clone()], &row["options"]);
    let (got, want) = (tokens(got.unwrap()), row["output"].as_array().unwrap());
    let before = |list: &[Value]| -> Vec<Value> {
        let kept = list.iter().filter(|token| token["index"].as_u64().unwrap() < 40);
        kept.map(|token| json!([token["entity"], token["score"], token["index"], token["word"]]))
            .collect()
    };
    assert_eq!(difference(&json!(before(&got)), &json!(before(want))), None);
    assert!(got.len() > 2 * want.len());
}

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

/// For an input with several texts, offsets count in the text that contains the results.
#[wasm_bindgen_test(unsupported = test)]
fn the_text_of_an_input_is_the_one_that_offsets_count_in() {
    let [a, b] = ["a", "b"].map(str::to_owned);
    assert_eq!(a.text(), "a");
    assert_eq!((a.clone(), b.clone()).text(), "b", "an answer is a part of the context");
    assert_eq!((a.clone(), vec![b.clone()]).text(), "a");
    assert_eq!(webert::tasks::Text::Pair { text: a, text_pair: Some(b) }.text(), "a");
}

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

#[wasm_bindgen_test(unsupported = test)]
fn a_text_that_was_cut_says_so() {
    let long = long_text();
    let cases = [
        ("fill-mask", "bert-mlm", json!(format!("[MASK] {long}"))),
        ("text-classification", "bert-seqcls-3", json!(long)),
        ("zero-shot-classification", "bert-seqcls-nli", json!([long, ["music", "science"]])),
        ("next-sentence-prediction", "bert-nsp", json!([long, "a"])),
        ("multiple-choice", "bert-multiplechoice", json!([long, ["a", "b"]])),
    ];
    for (task, name, input) in cases {
        let answers = run(&mut load(name), task, &[input], &json!({})).unwrap();
        let first = if answers[0].is_array() { &answers[0][0] } else { &answers[0] };
        assert_eq!(first["truncated"], json!(true), "{task}: {first}");
    }
}

/// The text's windows times the pair's windows would be eleven million.
#[wasm_bindgen_test(unsupported = test)]
fn a_pair_of_long_texts_takes_memory_for_one_window() {
    let long = "a ".repeat(100_000);
    let pair = [json!([long, long])];
    let answers = run(&mut load("bert-nsp"), "next-sentence-prediction", &pair, &json!({}));
    assert_eq!(answers.unwrap()[0]["truncated"], json!(true));
}

/// Windows that share all tokens but one with their neighbours, and long texts of answers.
#[wasm_bindgen_test(unsupported = test)]
fn more_than_memory_holds_is_refused_before_it_is_taken() {
    let long = "a ".repeat(300_000);
    let stride = json!({"stride": 61});
    let too_many = "one call takes 16777216 tokens";
    let mut model = load("bert-tokencls-bio");
    refused(&mut model, "token-classification", &json!(long), &stride, "bad_input", too_many);
    run(&mut model, "token-classification", &[json!(long_text())], &stride).unwrap();

    let stride = json!({"doc_stride": 58});
    let mut model = load("bert-qa");
    let input = json!(["who ?", long]);
    refused(&mut model, "question-answering", &input, &stride, "bad_input", too_many);
    run(&mut model, "question-answering", &[json!(["who ?", long_text()])], &stride).unwrap();

    let mut model = load("bert-mlm");
    let masks = vec![json!("[MASK] ".repeat(60)); 1000];
    match run(&mut model, "fill-mask", &masks, &json!({"top_k": 1_000_000})) {
        Err(Error::BadInput(text)) => assert!(text.contains("one call gives 134217728"), "{text}"),
        other => panic!("{} answers", other.unwrap().len()),
    }
    run(&mut model, "fill-mask", &masks[..1], &json!({"top_k": 1_000_000})).unwrap();
}

fn refused(model: &mut Model, task: &str, input: &Value, options: &Value, code: &str, what: &str) {
    match run(model, task, std::slice::from_ref(input), options) {
        Ok(answers) => panic!("{task} takes {input} {options}: {answers:?}"),
        Err(error) => {
            assert_eq!(error.code(), code, "{error}");
            assert!(error.to_string().contains(what), "\"{error}\" does not say \"{what}\"");
        }
    }
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

/// Hugging Face's pipeline uses the first label as contradiction, or the last label if entailment
/// is the first.
#[wasm_bindgen_test(unsupported = test)]
fn entailment_that_is_the_first_label_is_weighed_against_the_last() {
    let golden = Golden::named("bert-seqcls-nli");
    let labels = json!({"0": "entailment", "1": "neutral", "2": "contradiction"});
    let files = amended_in("config.json", golden, "id2label", labels);
    let mut model = golden.load_from(&files, "fp32", None, usize::MAX).unwrap();
    let text = "the piano is near the window";
    let pair = json!({"text": text, "text_pair": "This example is music."});
    let options = json!({"top_k": null, "function_to_apply": "none"});
    let logits = run(&mut model, "text-classification", &[pair], &options).unwrap().remove(0);
    let logits = logits.as_array().unwrap();
    let logit = |label: &str| {
        let found = logits.iter().find(|found| found["label"] == label).unwrap();
        found["score"].as_f64().unwrap()
    };
    let against = |label: &str| softmax(&[logit("entailment"), logit(label)])[0];
    assert!((against("contradiction") - against("neutral")).abs() > 100.0 * TOLERANCE);
    let input = json!([text, ["music"]]);
    let answers = run(&mut model, "zero-shot-classification", &[input], &json!({})).unwrap();
    assert_near(&answers[0]["scores"][0], against("contradiction"));
}

#[wasm_bindgen_test(unsupported = test)]
fn first_and_last_tokens_go_by_two_names() {
    let mut model = load("bert-base-gelu");
    let states = features(&mut model, "a piano", &json!({}));
    let (first, last) = (&states[..WIDTH], &states[states.len() - WIDTH..]);
    let cases = [("cls", first), ("first_token", first), ("last_token", last), ("eos", last)];
    for (pooling, vector) in cases {
        let got = features(&mut model, "a piano", &json!({"pooling": pooling}));
        assert_eq!(got, vector, "{pooling}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn features_are_of_as_many_tokens_as_asked_for() {
    let mut model = load("bert-base-gelu");
    let text = "the piano is near the window of the old house";
    let states = features(&mut model, text, &json!({"max_length": 5}));
    assert_eq!(states.len(), 5 * WIDTH);
    let all = features(&mut model, text, &json!({"max_length": null}));
    assert!(all.len() > 5 * WIDTH);
    assert_eq!(features(&mut model, text, &json!({"max_length": 1000})), all, "there are no more");
}

#[wasm_bindgen_test(unsupported = test)]
fn masks_of_tokens_are_filled_like_masks_of_texts() {
    let mut model = load("bert-mlm");
    let text = "the [MASK] is near the [MASK] .";
    let tokenizer = std::rc::Rc::clone(model.tokenizer().unwrap());
    let encoding = tokenizer.encode(text, None, &EncodeOptions::default()).unwrap().remove(0);
    let ids = json!({"ids": encoding.ids});
    let inputs = [json!(text), ids.clone(), json!("a [MASK]")];
    let answers = run(&mut model, "fill-mask", &inputs, &json!({"top_k": 3})).unwrap();
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[2].as_array().unwrap().len(), 3);
    // one target per mask
    let all = run(&mut model, "fill-mask", &[json!(text)], &json!({"top_k": 1000})).unwrap();
    let third = |mask: usize| all[0][mask][2].clone();
    let targets = json!([third(0)["token"], third(1)["token"]]);
    let targeted = json!({"ids": encoding.ids, "targets": targets});
    let answers = run(&mut model, "fill-mask", &[targeted], &json!({})).unwrap();
    assert_eq!(answers[0], json!([[third(0)], [third(1)]]));
    let vocab = model.config().vocab;
    let last = json!({"ids": encoding.ids, "targets": [5, vocab - 1]});
    run(&mut model, "fill-mask", &[last], &json!({})).unwrap();
    let mut wrong = |input: Value, what: &str| {
        refused(&mut model, "fill-mask", &input, &json!({}), "bad_input", what);
    };
    wrong(json!({"ids": encoding.ids, "targets": [5]}), "targets [5] of 2 masks");
    for id in [vocab, 100_000] {
        wrong(json!({"ids": encoding.ids, "targets": [5, id]}), &format!("below {vocab}"));
    }
    wrong(json!({"ids": [1, 2, 3]}), "no [MASK]");
    let mask = tokenizer.special().mask.clone().unwrap().id;
    wrong(
        json!({"ids": [mask, 100_000]}),
        &format!("token id: expected less than {vocab}, got 100000"),
    );
    wrong(json!({"ids": vec![mask; 65]}), "at most 64 tokens");
}

/// The head over the state of each layer. For the last layer it is the model's result.
#[wasm_bindgen_test(unsupported = test)]
fn answers_of_each_layer_match_the_head_over_its_state() {
    let golden = Golden::named("bert-mlm");
    let mut model = golden.load("fp32").unwrap();
    let inputs = [json!("the [MASK] is near the [MASK] ."), json!("[MASK]")];
    let mut ask = |options: Value| run(&mut model, "fill-mask", &inputs, &options).unwrap();
    let last = model_layers(golden);
    let of_all = ask(json!({"top_k": 7}));
    assert_eq!(difference(&json!(ask(json!({"top_k": 7, "layer": last}))), &json!(of_all)), None);
    assert_eq!(ask(json!({"layer": -1})), ask(json!({"layer": last})));
    let mut before = of_all;
    for layer in (0..last).rev() {
        let answers = ask(json!({"top_k": 7, "layer": layer}));
        assert_ne!(answers, before, "layer {layer}");
        before = answers;
    }
    // a model without its last layer
    let files = amended_in("config.json", golden, "num_hidden_layers", json!(last - 1));
    let mut shorter = golden.load_from(&files, "fp32", None, usize::MAX).unwrap();
    let want = run(&mut shorter, "fill-mask", &inputs, &json!({"top_k": 7})).unwrap();
    let got = ask(json!({"top_k": 7, "layer": last - 1}));
    assert_eq!(difference(&json!(got), &json!(want)), None);
    let too_deep = json!({"layer": last + 1});
    refused(&mut model, "fill-mask", &inputs[0], &too_deep, "bad_input", "layer");
}

/// Returns the number of layers of a golden's model.
fn model_layers(golden: &Golden) -> usize {
    let json: Value = serde_json::from_slice(golden.file("config.json").unwrap()).unwrap();
    json["num_hidden_layers"].as_u64().unwrap() as usize
}

/// Width of the model bert-base-gelu.
const WIDTH: usize = 48;

/// Returns the features of a text, token by token.
fn features(model: &mut Model, text: &str, options: &Value) -> Vec<f64> {
    let answers = run(model, "feature-extraction", &[json!(text)], options).unwrap();
    answers[0].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
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
