//! A task call as JSON, `{task, inputs, options}`. It yields one result per input or an error.
//! Scores are finite, offsets are at character boundaries, and each result equals the result of its
//! input alone.

use serde::de::DeserializeOwned;
use serde_json::Value;
use webert::Result;
use webert::backend::cpu::Cpu;
use webert::engine::{Model, Tick};
use webert::tasks::{self, Answer, Caller, Input};

use super::check::allowed;
use super::tiny::with_model;

pub fn run(data: &[u8]) -> bool {
    let Ok(call) = serde_json::from_slice::<Value>(data) else { return false };
    let Some(task) = call["task"].as_str() else { return false };
    let Some(head) = tasks::head_of(task) else { return false };
    let empty = Value::Object(serde_json::Map::new());
    let options = call.get("options").unwrap_or(&empty);
    with_model(head, |model| {
        let Some(answers) = answers(model, task, &call["inputs"], options) else { return false };
        for (input, answer) in call["inputs"].as_array().into_iter().flatten().zip(answers) {
            check_numbers(&answer);
            let alone = self::answers(model, task, &Value::Array(vec![input.clone()]), options);
            assert_eq!(alone, Some(vec![answer]), "{input} alone and with others");
        }
        true
    })
}

/// Returns the results, or `None` if inputs or options are unreadable or rejected.
fn answers(model: &Model<Cpu>, task: &str, inputs: &Value, options: &Value) -> Option<Vec<Value>> {
    let called = pollster::block_on(tasks::run(task, Call { model, inputs, options }));
    allowed(called.expect("a task of the table")?, &["bad_input", "unsupported"])
}

struct Call<'a> {
    model: &'a Model<Cpu>,
    inputs: &'a Value,
    options: &'a Value,
}

impl Caller for Call<'_> {
    type Device = Cpu;
    type Output = Option<Result<Vec<Value>>>;

    async fn call<I: Input, O: DeserializeOwned, A: Answer>(
        self,
        task: impl AsyncFnOnce(&Model<Cpu>, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> Self::Output {
        let inputs: Vec<I> = serde_json::from_value(self.inputs.clone()).ok()?;
        let options: O = serde_json::from_value(self.options.clone()).ok()?;
        let tick = || Box::pin(async { Ok(()) }) as _;
        let answers = match task(self.model, &inputs, &options, &tick).await {
            Ok(answers) => answers,
            Err(error) => return Some(Err(error)),
        };
        assert_eq!(answers.len(), inputs.len());
        let json = |(answer, input): (A, &I)| to_json(answer, input.text());
        Some(Ok(answers.into_iter().zip(&inputs).map(json).collect()))
    }
}

fn to_json(mut answer: impl Answer, text: &str) -> Value {
    answer.map_offsets(&|byte| {
        assert!(text.is_char_boundary(byte as usize), "offset {byte} of {text:?}");
        byte
    });
    serde_json::to_value(&answer).expect("an answer is JSON")
}

/// Checks that no number became null. JSON has no NaN and no infinity.
fn check_numbers(value: &Value) {
    match value {
        Value::Array(values) => {
            for value in values {
                assert!(!value.is_null(), "{values:?}");
                check_numbers(value);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                assert!(!name.contains("score") || !value.is_null(), "{fields:?}");
                check_numbers(value);
            }
        }
        _ => {}
    }
}
