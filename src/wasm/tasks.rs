//! The table of tasks: their names, and what goes in and out of each.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::values::{Fields, FromJs, ToJs, flag, object, read};
use super::{JsResult, Model, Utf16, js_error, set, tensor};
use crate::engine::Tick;
use crate::tasks::Text;
use crate::tasks::feature_extraction::{self, Features, Pool, feature_extraction};
use crate::tasks::fill_mask::{self, Filled, Targets, fill_mask};
use crate::tasks::multiple_choice::{self, Choice, multiple_choice};
use crate::tasks::next_sentence::{self, NextSentence, next_sentence};
use crate::tasks::question_answering::{self, Answer, question_answering};
use crate::tasks::replaced_tokens::{self, Replaced, replaced_tokens};
use crate::tasks::text_classification::{self, Function, Label, text_classification};
use crate::tasks::token_classification::{self, Aggregation, Entity, token_classification};
use crate::tasks::zero_shot::{self, Ranking, zero_shot};
use crate::{Error, Result};

/// A call as JavaScript makes it.
pub(super) struct Call<'a> {
    pub(super) model: &'a Model,
    /// An array of inputs; what each is depends on the task.
    pub(super) inputs: JsValue,
    /// An object, by the names of the task's `Options`.
    pub(super) options: JsValue,
    pub(super) tick: Tick<'a>,
}

/// Runs a task over all inputs; an array with a result for each.
pub(super) async fn run(task: &str, call: Call<'_>) -> JsResult<JsValue> {
    match task {
        "fill-mask" => call.run(fill_mask).await,
        "text-classification" => call.run(text_classification).await,
        "token-classification" => call.run(token_classification).await,
        "question-answering" => call.run(question_answering).await,
        "zero-shot-classification" => call.run(zero_shot).await,
        "feature-extraction" => call.run(feature_extraction).await,
        "next-sentence-prediction" => call.run(next_sentence).await,
        "multiple-choice" => call.run(multiple_choice).await,
        "replaced-token-detection" => call.run(replaced_tokens).await,
        other => Err(js_error(Error::Unsupported(format!("there is no task \"{other}\"")))),
    }
}

impl Call<'_> {
    /// Inputs `I` and options `O` come in, an answer `A` for each input goes out.
    async fn run<I: Input, O: Options, A: ToJs>(
        self,
        task: impl AsyncFnOnce(&Model, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> JsResult<JsValue> {
        let inputs: Vec<I> = read("inputs", &self.inputs)?;
        let options = O::read(&Fields(&self.options))?;
        let answers = task(self.model, &inputs, &options, self.tick).await.map_err(js_error)?;
        let all = Array::new();
        for (input, answer) in inputs.iter().zip(&answers) {
            all.push(&answer.to_js(&Utf16::new(input.text())));
        }
        Ok(all.into())
    }
}

/// One input of a task.
trait Input: FromJs {
    /// The text that an answer's bytes are counted in.
    fn text(&self) -> &str;
}

impl Input for String {
    fn text(&self) -> &str {
        self
    }
}

/// A question and its context, a text and what may follow.
impl Input for (String, String) {
    fn text(&self) -> &str {
        &self.1
    }
}

/// A text and its labels, a prompt and its choices.
impl Input for (String, Vec<String>) {
    fn text(&self) -> &str {
        &self.0
    }
}

impl FromJs for Text {
    const IS: &'static str = "a string, or an object of the strings text and text_pair";
    fn from_js(value: &JsValue) -> Option<Self> {
        if let Some(text) = value.as_string() {
            return Some(Self::One(text));
        }
        let fields = Fields(value);
        let text = fields.get("text").ok()??;
        Some(Self::Pair { text, text_pair: fields.get("text_pair").ok()? })
    }
}

impl Input for Text {
    fn text(&self) -> &str {
        ""
    }
}

/// The options of a task.
trait Options: Sized {
    fn read(fields: &Fields<'_>) -> JsResult<Self>;
}

impl Options for fill_mask::Options {
    fn read(fields: &Fields<'_>) -> JsResult<Self> {
        Ok(Self { top_k: fields.or("top_k", 5)?, targets: fields.get("targets")? })
    }
}

impl FromJs for Targets {
    const IS: &'static str = "a string or an array of strings";
    fn from_js(value: &JsValue) -> Option<Self> {
        let one = String::from_js(value).map(Self::One);
        one.or_else(|| Vec::from_js(value).map(Self::Many))
    }
}

impl Options for text_classification::Options {
    fn read(fields: &Fields<'_>) -> JsResult<Self> {
        Ok(Self {
            top_k: fields.or("top_k", Some(1))?,
            function_to_apply: fields.or("function_to_apply", None)?,
        })
    }
}

impl FromJs for Function {
    const IS: &'static str = "one of softmax, sigmoid, none";
    fn from_js(value: &JsValue) -> Option<Self> {
        match value.as_string()?.as_str() {
            "softmax" => Some(Self::Softmax),
            "sigmoid" => Some(Self::Sigmoid),
            "none" => Some(Self::None),
            _ => None,
        }
    }
}

impl Options for token_classification::Options {
    fn read(fields: &Fields<'_>) -> JsResult<Self> {
        let default = Self::default();
        Ok(Self {
            ignore_labels: fields.or("ignore_labels", default.ignore_labels)?,
            aggregation_strategy: fields.or("aggregation_strategy", Aggregation::None)?,
            stride: fields.or("stride", None)?,
        })
    }
}

impl FromJs for Aggregation {
    const IS: &'static str = "one of none, simple, first, average, max";
    fn from_js(value: &JsValue) -> Option<Self> {
        match value.as_string()?.as_str() {
            "none" => Some(Self::None),
            "simple" => Some(Self::Simple),
            "first" => Some(Self::First),
            "average" => Some(Self::Average),
            "max" => Some(Self::Max),
            _ => None,
        }
    }
}

impl Options for question_answering::Options {
    fn read(fields: &Fields<'_>) -> JsResult<Self> {
        let default = Self::default();
        Ok(Self {
            top_k: fields.or("top_k", default.top_k)?,
            max_answer_len: fields.or("max_answer_len", default.max_answer_len)?,
            doc_stride: fields.or("doc_stride", None)?,
            max_seq_len: fields.or("max_seq_len", None)?,
            handle_impossible_answer: fields.or("handle_impossible_answer", false)?,
            align_to_words: fields.or("align_to_words", true)?,
        })
    }
}

impl Options for zero_shot::Options {
    fn read(fields: &Fields<'_>) -> JsResult<Self> {
        let default = Self::default();
        Ok(Self {
            hypothesis_template: fields.or("hypothesis_template", default.hypothesis_template)?,
            multi_label: fields.or("multi_label", false)?,
        })
    }
}

impl Options for feature_extraction::Options {
    fn read(fields: &Fields<'_>) -> JsResult<Self> {
        Ok(Self {
            pooling: fields.or("pooling", Pool::None)?,
            normalize: fields.or("normalize", None)?,
            layers: fields.or("layers", None)?,
        })
    }
}

impl FromJs for Pool {
    const IS: &'static str = "one of none, mean, cls, first_token, last_token, eos, model";
    fn from_js(value: &JsValue) -> Option<Self> {
        match value.as_string()?.as_str() {
            "none" => Some(Self::None),
            "mean" => Some(Self::Mean),
            "cls" | "first_token" => Some(Self::Cls),
            "last_token" | "eos" => Some(Self::LastToken),
            "model" => Some(Self::Model),
            _ => None,
        }
    }
}

impl Options for next_sentence::Options {
    fn read(_: &Fields<'_>) -> JsResult<Self> {
        Ok(Self {})
    }
}

impl Options for multiple_choice::Options {
    fn read(_: &Fields<'_>) -> JsResult<Self> {
        Ok(Self {})
    }
}

impl Options for replaced_tokens::Options {
    fn read(_: &Fields<'_>) -> JsResult<Self> {
        Ok(Self {})
    }
}

impl ToJs for fill_mask::Answer {
    fn to_js(&self, units: &Utf16) -> JsValue {
        match self {
            Self::One(filled) => filled.to_js(units),
            Self::Many(masks) => masks.to_js(units),
        }
    }
}

impl ToJs for Filled {
    fn to_js(&self, _: &Utf16) -> JsValue {
        object(&[
            ("score", self.score.into()),
            ("token", self.token.into()),
            ("token_str", self.token_str.as_str().into()),
            ("sequence", self.sequence.as_str().into()),
            ("truncated", flag(self.truncated)),
        ])
    }
}

impl ToJs for Label {
    fn to_js(&self, _: &Utf16) -> JsValue {
        object(&[
            ("label", self.label.as_str().into()),
            ("score", self.score.into()),
            ("truncated", flag(self.truncated)),
        ])
    }
}

impl ToJs for Entity {
    fn to_js(&self, units: &Utf16) -> JsValue {
        object(&[
            ("entity", self.entity.as_deref().into()),
            ("entity_group", self.entity_group.as_deref().into()),
            ("score", self.score.into()),
            ("index", self.index.into()),
            ("word", self.word.as_str().into()),
            ("start", units.at(self.start).into()),
            ("end", units.at(self.end).into()),
        ])
    }
}

impl ToJs for Replaced {
    fn to_js(&self, units: &Utf16) -> JsValue {
        object(&[
            ("word", self.word.as_str().into()),
            ("score", self.score.into()),
            ("replaced", self.replaced.into()),
            ("index", self.index.into()),
            ("start", units.at(self.start).into()),
            ("end", units.at(self.end).into()),
        ])
    }
}

impl ToJs for Answer {
    fn to_js(&self, units: &Utf16) -> JsValue {
        object(&[
            ("answer", self.answer.as_str().into()),
            ("score", self.score.into()),
            ("start", units.at(self.start).into()),
            ("end", units.at(self.end).into()),
        ])
    }
}

impl ToJs for Ranking {
    fn to_js(&self, _: &Utf16) -> JsValue {
        let labels: Array = self.labels.iter().map(|label| JsValue::from(label.as_str())).collect();
        let scores: Array = self.scores.iter().map(|&score| JsValue::from(score)).collect();
        object(&[
            ("sequence", self.sequence.as_str().into()),
            ("labels", labels.into()),
            ("scores", scores.into()),
            ("truncated", flag(self.truncated)),
        ])
    }
}

impl ToJs for NextSentence {
    fn to_js(&self, _: &Utf16) -> JsValue {
        object(&[
            ("is_next", self.is_next.into()),
            ("not_next", self.not_next.into()),
            ("truncated", flag(self.truncated)),
        ])
    }
}

impl ToJs for Choice {
    fn to_js(&self, _: &Utf16) -> JsValue {
        object(&[
            ("choice", self.choice.as_str().into()),
            ("score", self.score.into()),
            ("truncated", flag(self.truncated)),
        ])
    }
}

impl ToJs for Features {
    fn to_js(&self, _: &Utf16) -> JsValue {
        let object = tensor(&self.tensor);
        if self.truncated {
            set(&object, "truncated", &JsValue::TRUE);
        }
        object.into()
    }
}
