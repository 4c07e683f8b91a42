//! The tasks over models of goldens.

mod batch_mates;
mod goldens;
mod long_texts;
mod options;
mod question_answering;
mod refused;

use pollster::block_on;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Files, Tick};
use webert::tasks::{Answer, Caller, Input};
use webert::{Error, Result};

use crate::common::{Golden, Model, go_on};

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

fn load(name: &str) -> Model {
    Golden::named(name).load("fp32").unwrap()
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

/// Returns a text several windows long, for the models with 64 positions.
fn long_text() -> String {
    let sentence = "Alice walked to the old café in Berlin , and the teacher bought coffee . ";
    sentence.repeat(20)
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
