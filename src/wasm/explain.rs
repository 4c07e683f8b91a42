//! Explanations of a model's results, for JavaScript.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use js_sys::{Function, Promise};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::job::Job;
use super::model::Model;
use super::values::{read, read_options, write};
use super::{Utf16, js_error};
use crate::train::data::rows::Offsets;
use crate::train::explain::{ExplainOptions, explain};
use crate::{Error, Result};

/// A text, or two texts.
#[derive(Deserialize)]
struct Texts {
    text: String,
    text_pair: Option<String>,
}

#[wasm_bindgen]
impl Model {
    /// Explains how much each token of a text adds to the result of `task`: Explanation in src/js.
    /// `tell` is called with the number of gradients computed and the total, and awaited. If its
    /// promise rejects, the call ends.
    pub fn explain(&self, task: String, input: JsValue, options: JsValue, tell: Function) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move {
            let Texts { text, text_pair } = read("input", input)?;
            let options: ExplainOptions = read_options(options)?;
            let mut report = |done: usize, of: usize| progress(&tell, done, of);
            let pair = text_pair.as_deref();
            let offsets = Offsets::Utf16;
            let explained = explain(&model, &task, &text, pair, &options, offsets, &mut report);
            let mut explanation = explained.await.map_err(js_error)?;
            let units = [Utf16::new(&text), Utf16::new(text_pair.as_deref().unwrap_or_default())];
            explanation.map_offsets(&|of, byte| units[usize::from(of)].at(byte));
            write(&explanation)
        })
    }
}

/// Reports progress to JavaScript. Fails if the promise rejects.
fn progress(tell: &Function, done: usize, of: usize) -> Pin<Box<dyn Future<Output = Result<()>>>> {
    let ended = || Error::Aborted("the call was ended".into());
    let called = tell.call2(&JsValue::UNDEFINED, &(done as f64).into(), &(of as f64).into());
    Box::pin(async move {
        let promise = called.map_err(|_| ended())?;
        JsFuture::from(Promise::resolve(&promise)).await.map(|_| ()).map_err(|_| ended())
    })
}
