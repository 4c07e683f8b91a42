//! The table of tasks: a name, the function that runs it, and what its answers are in JavaScript.

use js_sys::Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use super::{JsResult, Utf16, js_error, parse, set, tensor, to_js};
use crate::model::{Model, Tick};
use crate::tasks::feature_extraction::{Features, feature_extraction};
use crate::tasks::fill_mask::fill_mask;
use crate::tasks::multiple_choice::multiple_choice;
use crate::tasks::next_sentence::next_sentence;
use crate::tasks::question_answering::{Answer, question_answering};
use crate::tasks::replaced_tokens::{Replaced, replaced_tokens};
use crate::tasks::text_classification::text_classification;
use crate::tasks::token_classification::{Entity, token_classification};
use crate::tasks::zero_shot::zero_shot;
use crate::{Error, Result};

/// A call as JavaScript makes it.
pub(super) struct Call<'a> {
    pub(super) model: &'a mut Model,
    /// An array of inputs; what each is depends on the task.
    pub(super) inputs: JsValue,
    /// An object, by the names of the task's `Options`.
    pub(super) options: JsValue,
    pub(super) tick: Tick<'a>,
}

/// Runs a task over all inputs; an array with a result for each.
pub(super) async fn run(task: &str, call: Call<'_>) -> JsResult<JsValue> {
    match task {
        "fill-mask" => call.run(fill_mask, plain).await,
        "text-classification" => call.run(text_classification, plain).await,
        "token-classification" => call.run(token_classification, |text, a| spans(text, a)).await,
        "question-answering" => {
            call.run(question_answering, |(_, context), answers| spans(context, answers)).await
        }
        "zero-shot-classification" => call.run(zero_shot, plain).await,
        "feature-extraction" => call.run(feature_extraction, |_, f| features(f)).await,
        "next-sentence-prediction" => call.run(next_sentence, plain).await,
        "multiple-choice" => call.run(multiple_choice, plain).await,
        "replaced-token-detection" => call.run(replaced_tokens, |text, a| spans(text, a)).await,
        other => Err(js_error(Error::Unsupported(format!("there is no task \"{other}\"")))),
    }
}

impl Call<'_> {
    /// Inputs `I` and options `O` come in, an answer `A` for each input goes out as `shape` has it.
    async fn run<I, O, A>(
        self,
        task: impl AsyncFnOnce(&mut Model, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
        shape: impl Fn(&I, A) -> JsResult<JsValue>,
    ) -> JsResult<JsValue>
    where
        I: DeserializeOwned,
        O: DeserializeOwned,
    {
        let inputs: Vec<I> = parse(&self.inputs, "inputs")?;
        let options: O = parse(&self.options, "options")?;
        let answers = task(self.model, &inputs, &options, self.tick).await.map_err(js_error)?;
        let all = Array::new();
        for (input, answer) in inputs.iter().zip(answers) {
            all.push(&shape(input, answer)?);
        }
        Ok(all.into())
    }
}

/// An answer as it is.
fn plain<I, A: Serialize>(_input: &I, answer: A) -> JsResult<JsValue> {
    to_js(&answer)
}

/// An answer that says which bytes of a text it is about.
trait Spanned: Serialize {
    /// The first byte, and the one after the last.
    fn span(&mut self) -> [&mut u32; 2];
}

impl Spanned for Entity {
    fn span(&mut self) -> [&mut u32; 2] {
        [&mut self.start, &mut self.end]
    }
}

impl Spanned for Replaced {
    fn span(&mut self) -> [&mut u32; 2] {
        [&mut self.start, &mut self.end]
    }
}

impl Spanned for Answer {
    fn span(&mut self) -> [&mut u32; 2] {
        [&mut self.start, &mut self.end]
    }
}

/// Answers with their bytes of `text` as UTF-16 code units.
fn spans<A: Spanned>(text: &str, mut answers: Vec<A>) -> JsResult<JsValue> {
    let units = Utf16::new(text);
    for answer in &mut answers {
        answer.span().into_iter().for_each(|byte| *byte = units.at(*byte));
    }
    to_js(&answers)
}

fn features(features: Features) -> JsResult<JsValue> {
    let object = tensor(&features.tensor);
    if features.truncated {
        set(&object, "truncated", &true.into());
    }
    Ok(object.into())
}
