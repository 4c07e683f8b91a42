//! Compares names, heads, options and results of the tasks with tests/interface.json.
//! tests/interface.test.mjs compares the TypeScript types with the same file.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt;

use pollster::block_on;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Value, json};
use webert::Result;
use webert::backend::cpu::Cpu;
use webert::config::Label;
use webert::engine::{Model, Tick};
use webert::tasks::{
    Answer, CallOptions, Caller, Input, TASKS, fill_mask, multiple_choice, next_sentence,
    question_answering, replaced_tokens, run, text_classification, text_ranking,
    token_classification, zero_shot, zero_shot_tokens,
};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interface.json");

/// Names of fields and their TypeScript types. The name of an optional field ends with "?".
type Fields = BTreeMap<String, String>;

#[test]
fn what_programs_see_is_as_written_down() {
    let interface: BTreeMap<&str, Value> = TASKS
        .iter()
        .map(|&(task, head)| {
            let (options, defaults) = block_on(run(task, Describe)).unwrap();
            let answers: Vec<Fields> = answers(task).iter().map(|shape| fields(shape)).collect();
            let head = head.id();
            (task, json!({ "head": head, "options": options, "defaults": defaults, "answers": answers }))
        })
        .collect();
    let found = serde_json::to_string_pretty(&interface).unwrap() + "\n";
    if std::env::var_os("WEBERT_WRITE_INTERFACE").is_some() {
        std::fs::write(FILE, &found).unwrap();
    }
    let written = std::fs::read_to_string(FILE).unwrap();
    assert_eq!(found, written, "WEBERT_WRITE_INTERFACE=1 writes it anew");
}

/// Compares a file of src/js/generated with `text`, or writes it.
fn compare_generated(file: &str, text: &str) {
    let head = "// Written by `WEBERT_WRITE_INTERFACE=1 cargo test --test interface` from the tables of the crate.\n";
    let path = format!("{}/src/js/generated/{file}", env!("CARGO_MANIFEST_DIR"));
    let found = format!("{head}\n{text}");
    if std::env::var_os("WEBERT_WRITE_INTERFACE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(found, written, "WEBERT_WRITE_INTERFACE=1 writes it anew");
}

#[test]
fn typescript_has_the_tasks_and_options_of_the_crate() {
    let mut text = "/** Options of each task that the engine reads. */\n".to_owned();
    text += "export const ENGINE_OPTIONS = {\n";
    for (task, _) in TASKS {
        let names = block_on(run(task, OptionNames)).unwrap();
        let options: String = names.iter().map(|name| format!("    {name}: 1,\n")).collect();
        let object = if options.is_empty() { "{}".into() } else { format!("{{\n{options}  }}") };
        text += &format!("  \"{task}\": {object},\n");
    }
    compare_generated("tasks.ts", &(text + "} as const;\n"));
}

#[cfg(feature = "train")]
#[test]
fn typescript_has_the_tasks_and_arguments_of_training() {
    use serde::de::Deserialize;
    use webert::train::arguments::TrainingArguments;
    use webert::train::data::dataset::TrainingTask;

    let Err(Names(names)) = TrainingArguments::deserialize(Probe) else { panic!("a struct") };
    let heads =
        TrainingTask::ALL.map(|(task, _, head)| format!("  \"{task}\": \"{}\",\n", head.id()));
    let arguments: String = names.iter().map(|name| format!("  \"{name}\",\n")).collect();
    let text = format!(
        "/** The head that each task trains. */\nexport const TRAINING_HEADS = {{\n{}}} as const;\n\n\
         /** Options of a run. */\nexport const ARGUMENTS = [\n{arguments}] as const;\n",
        heads.concat()
    );
    compare_generated("training.ts", &text);
}

/// A caller that returns the names of a task's options.
struct OptionNames;

impl Caller for OptionNames {
    type Device = Cpu;
    type Output = &'static [&'static str];

    async fn call<I: Input, O: CallOptions, A: Answer>(
        self,
        _: impl AsyncFnOnce(&Model<Cpu>, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> &'static [&'static str] {
        let Err(Names(names)) = O::deserialize(Probe) else { panic!("options are a struct") };
        names
    }
}

/// A caller that collects names, types and defaults of a task's options instead of running it.
struct Describe;

impl Caller for Describe {
    type Device = Cpu;
    type Output = (Fields, Value);

    async fn call<I: Input, O: CallOptions, A: Answer>(
        self,
        _: impl AsyncFnOnce(&Model<Cpu>, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> (Fields, Value) {
        let defaults: O = serde_json::from_value(json!({})).unwrap(); // every option has a default
        let Err(Names(names)) = O::deserialize(Probe) else { panic!("options are a struct") };
        let types = names.iter().map(|&name| (name.to_owned(), option_type::<O>(name))).collect();
        (types, value(defaults))
    }
}

/// Returns the type of an option, found by trying values.
fn option_type<O: DeserializeOwned>(name: &str) -> String {
    let read = |value: Value| serde_json::from_value::<O>(json!({ name: value }));
    let mut types: Vec<String> = [
        (json!(true), "boolean"),
        (json!(1), "number"),
        (json!("any"), "string"),
        (json!(["any"]), "string[]"),
        (json!([1]), "number[]"),
        (json!({ "any": 1 }), "Record<string, number>"),
        (json!(null), "null"),
    ]
    .into_iter()
    .filter(|(value, _)| read(value.clone()).is_ok())
    .map(|(_, name)| name.to_owned())
    .collect();
    // For an enum, serde lists the possible names: `one`, `other`.
    if let Some(message) = read(json!("any")).err().map(|error| error.to_string())
        && message.contains("unknown variant")
    {
        let variants = message.split('`').skip(3).step_by(2);
        types.extend(variants.map(|variant| format!("\"{variant}\"")));
    }
    assert!(types.iter().any(|name| name != "null"), "{name} takes none of these values");
    types.join(" | ")
}

/// A deserializer that reads nothing and reports the field names of a struct.
struct Probe;

#[derive(Debug)]
struct Names(&'static [&'static str]);

impl<'de> Deserializer<'de> for Probe {
    type Error = Names;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> std::result::Result<V::Value, Names> {
        Err(Names::custom("no struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> std::result::Result<V::Value, Names> {
        Err(Names(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Names {}

impl serde::de::Error for Names {
    fn custom<T: fmt::Display>(what: T) -> Self {
        panic!("{what}")
    }
}

/// Returns results of a task for each shape, such that all fields are present. A tensor has none.
fn answers(task: &str) -> Vec<Vec<Value>> {
    let shape = |answers: [Value; 2]| answers.to_vec();
    let text = || "text".to_owned();
    match task {
        fill_mask::TASK => vec![shape([true, false].map(|truncated| {
            let (token_str, sequence) = (text(), text());
            value(fill_mask::MaskPrediction {
                score: 0.5,
                token: 1,
                token_str,
                sequence,
                truncated,
            })
        }))],
        text_classification::TASK => vec![shape([true, false].map(|truncated| {
            value(text_classification::Label { label: Label::Text(text()), score: 0.5, truncated })
        }))],
        token_classification::TASK => {
            let [token, group] = token_and_group();
            vec![vec![value(token)], vec![value(group)]]
        }
        question_answering::TASK => {
            let answer =
                question_answering::AnswerSpan { answer: text(), score: 0.5, start: 0, end: 1 };
            vec![vec![value(answer)]]
        }
        zero_shot::TASK => vec![shape([true, false].map(|truncated| {
            let (labels, scores) = (vec![text()], vec![0.5]);
            value(zero_shot::Ranking { sequence: text(), labels, scores, truncated })
        }))],
        zero_shot_tokens::TASK => {
            let (entity_group, score, word, start, end) = (text(), 0.5, text(), 0, 1);
            let entity = zero_shot_tokens::LabelledWords { entity_group, score, word, start, end };
            vec![vec![value(entity)]]
        }
        next_sentence::TASK => vec![shape([true, false].map(|truncated| {
            value(next_sentence::NextSentence { is_next: 0.5, not_next: 0.5, truncated })
        }))],
        multiple_choice::TASK => vec![shape([true, false].map(|truncated| {
            value(multiple_choice::Choice { choice: text(), score: 0.5, truncated })
        }))],
        replaced_tokens::TASK => vec![shape([true, false].map(|replaced| {
            let (word, score, index, start, end) = (text(), 0.5, 1, 0, 1);
            value(replaced_tokens::Replaced { word, score, replaced, index, start, end })
        }))],
        text_ranking::TASK => vec![shape([true, false].map(|truncated| {
            let text = truncated.then(text);
            value(text_ranking::Ranked { corpus_id: 0, score: 0.5, text, truncated })
        }))],
        _ => Vec::new(),
    }
}

/// Returns a token with its label, and a group of tokens with theirs.
fn token_and_group() -> [token_classification::Entity; 2] {
    let text = || "text".to_owned();
    let token = token_classification::Entity {
        entity: Some(Label::Text(text())),
        entity_group: None,
        score: 0.5,
        index: Some(1),
        word: text(),
        start: 0,
        end: 1,
    };
    let (entity, index, entity_group) = (None, None, Some(text()));
    let group = token_classification::Entity { entity, index, entity_group, ..token.clone() };
    [token, group]
}

fn value(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap()
}

/// Returns the fields of results with one shape.
fn fields(answers: &[Value]) -> Fields {
    let mut fields: BTreeMap<&String, Vec<&Value>> = BTreeMap::new();
    for (name, value) in answers.iter().flat_map(|answer| answer.as_object().unwrap()) {
        fields.entry(name).or_default().push(value);
    }
    fields
        .into_iter()
        .map(|(name, values)| {
            let optional = if values.len() < answers.len() { "?" } else { "" };
            (format!("{name}{optional}"), type_of(&values))
        })
        .collect()
}

fn type_of(values: &[&Value]) -> String {
    match values[0] {
        // The field is absent instead of false.
        Value::Bool(true) if values.iter().all(|&value| value == &json!(true)) => "true".into(),
        Value::Bool(_) => "boolean".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(values) => type_of(&[&values[0]]) + "[]",
        other => panic!("{other} is nothing that an answer has"),
    }
}
