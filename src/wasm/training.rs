//! Functions for JavaScript before a trainer exists: the config.json of a model to be trained, and
//! vocabularies.
#![expect(unreachable_pub, reason = "bindgen exports what is public")]

use js_sys::{Object, Reflect, Uint8Array};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use super::values::{read, read_options};
use super::{JsResult, files, js_error};
use crate::config::{Config, Problem};
use crate::engine::{self, Files};
use crate::tokenizer::train::{TokenizerTrainer, TrainOptions};
use crate::train::data::dataset::TrainingTask;
use crate::train::run::save::{HeadConfig, config_with_head};
use crate::{Error, Result};

/// What is trained: TrainerSetup in src/js.
#[derive(Deserialize)]
struct Setup {
    task: String,
    /// Labels of a new head. `None`: the labels of the checkpoint.
    labels: Option<Vec<String>>,
    problem_type: Option<ProblemType>,
}

/// `problem_type` of config.json.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProblemType {
    SingleLabelClassification,
    MultiLabelClassification,
    Regression,
}

/// Returns the config.json of the model in training, with the task's head and its labels. `object`
/// has the files of the folder. If the config has no `vocab_size`, the tokenizer's is added.
#[wasm_bindgen]
pub fn training_config(object: &Object, setup: JsValue) -> JsResult<Uint8Array> {
    let setup: Setup = read("setup", setup)?;
    let json = config_of(&files(object), &setup).map_err(js_error)?;
    Ok(Uint8Array::from(json.as_bytes()))
}

fn config_of(files: &Files, setup: &Setup) -> Result<String> {
    let found = files.iter().find(|(name, _)| name == "config.json");
    let json = found.map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
    let json = with_vocab_size(json, files)?;
    let Some(task) = TrainingTask::with_name(&setup.task) else {
        return Err(Error::Unsupported(format!("training for {}", setup.task)));
    };
    let config = Config::parse(json.as_bytes())?;
    let own = config.head == Some(task.head());
    let labels = setup.labels.clone().unwrap_or(config.labels);
    let has_labels =
        matches!(task, TrainingTask::TextClassification | TrainingTask::TokenClassification);
    let problem = setup.problem_type.map(|problem| match problem {
        ProblemType::SingleLabelClassification => Problem::SingleLabel,
        ProblemType::MultiLabelClassification => Problem::MultiLabel,
        ProblemType::Regression => Problem::Regression,
    });
    let head = HeadConfig {
        kind: task.head(),
        labels: if has_labels { &labels } else { &[] },
        // The checkpoint's problem type is valid only for its own head and labels.
        problem: problem.or(config.problem.filter(|_| own && setup.labels.is_none())),
    };
    config_with_head(json.as_bytes(), &head)
}

/// Returns config.json, with `vocab_size` added if it is missing.
fn with_vocab_size(json: &[u8], files: &Files) -> Result<String> {
    let bad = |error: &dyn std::fmt::Display| Error::BadConfig(format!("config.json: {error}"));
    let mut fields: Map<String, Value> = serde_json::from_slice(json).map_err(|e| bad(&e))?;
    if !fields.contains_key("vocab_size")
        && let Some(tokenizer) = engine::load_tokenizer(files)?
    {
        fields.insert("vocab_size".into(), json!(tokenizer.vocab_size()));
    }
    serde_json::to_string(&fields).map_err(|e| bad(&e))
}

/// Collects texts, then trains a vocabulary on their words.
#[wasm_bindgen]
pub struct VocabularyTrainer(TokenizerTrainer);

/// Creates a trainer with these options, named as in [`TrainOptions`].
#[wasm_bindgen]
pub fn train_vocabulary(options: JsValue) -> JsResult<VocabularyTrainer> {
    let options: TrainOptions = read_options(options)?;
    Ok(VocabularyTrainer(TokenizerTrainer::new(options).map_err(js_error)?))
}

#[wasm_bindgen]
impl VocabularyTrainer {
    /// Counts the words of texts.
    pub fn add(&mut self, texts: Vec<String>) {
        texts.iter().for_each(|text| self.0.add(text));
    }

    /// Returns the tokenizer's files as an object of name → text.
    pub fn finish(self) -> JsResult<Object> {
        let trained = self.0.finish().map_err(js_error)?;
        let files = [
            ("tokenizer.json", trained.tokenizer_json().map_err(js_error)?),
            ("tokenizer_config.json", trained.tokenizer_config(MAX_LENGTH).map_err(js_error)?),
            ("vocab.txt", trained.vocab_txt()),
        ];
        let object = Object::new();
        for (name, text) in files {
            Reflect::set(&object, &name.into(), &text.into())?;
        }
        Ok(object)
    }
}

/// Largest number of tokens per text in BERT's tokenizers. A model may have a lower limit.
const MAX_LENGTH: usize = 512;
