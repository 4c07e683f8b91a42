//! Calls of tasks as JavaScript makes them.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::values::{TensorOut, read, read_options, write};
use super::{Device, JsResult, Model, Utf16, js_error};
use crate::Result;
use crate::engine::Tick;
use crate::tasks::{Answer, CallOptions, Caller, Input};

/// A call of a task.
pub(super) struct Call<'a> {
    pub(super) model: &'a Model,
    /// An array of inputs; what each is depends on the task.
    pub(super) inputs: JsValue,
    /// An object, by the names of the task's `Options`.
    pub(super) options: JsValue,
    pub(super) tick: Tick<'a>,
}

impl Caller for Call<'_> {
    type Device = Device;
    /// An array with an answer for each input.
    type Output = JsResult<JsValue>;

    async fn call<I: Input, O: CallOptions, A: Answer>(
        self,
        task: impl AsyncFnOnce(&Model, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> JsResult<JsValue> {
        let inputs: Vec<I> = read("inputs", self.inputs)?;
        let options: O = read_options(self.options)?;
        let answers = task(self.model, &inputs, &options, self.tick).await.map_err(js_error)?;
        let all = Array::new();
        for (input, answer) in inputs.iter().zip(answers) {
            all.push(&answer_to_js(answer, input.text())?);
        }
        Ok(all.into())
    }
}

/// An answer with offsets in UTF-16 code units of `text`.
fn answer_to_js(mut answer: impl Answer, text: &str) -> JsResult<JsValue> {
    if let Some(features) = answer.as_features() {
        return write(&TensorOut::new(&features.tensor, features.truncated));
    }
    let units = Utf16::new(text);
    answer.map_offsets(&|byte| units.at(byte));
    write(&answer)
}
