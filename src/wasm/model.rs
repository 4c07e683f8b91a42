//! Models: loading them, and calling them with texts or ids.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use js_sys::{Function, Object, Promise};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::job::Job;
use super::tasks::Call;
use super::values::{TensorOut, write};
use super::{JsResult, files, js_error};
use crate::backend::Precision;
use crate::config::HeadKind;
use crate::model::{self, Inputs, ModelLoader, Outputs, Tensor};
use crate::tasks::{self, head_of};
use crate::{Error, Result};

#[wasm_bindgen]
extern "C" {
    /// How to load a model: LoaderOptions in src/js.
    pub type LoaderOptions;
    /// The device that this binary is built for.
    #[wasm_bindgen(method, getter)]
    fn device(this: &LoaderOptions) -> String;
    #[wasm_bindgen(method, getter)]
    fn dtype(this: &LoaderOptions) -> String;
    /// The task, or the head as [`HeadKind::id`] names it, that the model is for.
    #[wasm_bindgen(method, getter)]
    fn task(this: &LoaderOptions) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn head(this: &LoaderOptions) -> Option<String>;
}

/// A model on its way in.
#[wasm_bindgen]
pub struct Loader(ModelLoader);

#[wasm_bindgen]
impl Loader {
    /// A loader from the files of a folder but for its weights; `options` say how.
    pub fn open(folder: Object, options: LoaderOptions) -> Job {
        Job::new(async move { Ok(Self::opened(folder, options).await?.into()) })
    }

    async fn opened(folder: Object, options: LoaderOptions) -> JsResult<Self> {
        let by_id = options.head().and_then(|id| HeadKind::with_id(&id));
        let by_task = options.task().and_then(|task| head_of(&task));
        let head = by_id.or(by_task);
        let files = files(&folder);
        let loader = ModelLoader::open(&files, &options.device(), &options.dtype(), head).await;
        loader.map(Self).map_err(js_error)
    }

    /// Begins a safetensors file; `size` in bytes, where it is known.
    pub fn begin_file(&mut self, name: &str, size: Option<f64>) -> JsResult<()> {
        self.0.begin_file(name).map_err(js_error)?;
        if let Some(size) = size {
            self.0.expect_size(size as u64);
        }
        Ok(())
    }

    /// The next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) -> JsResult<()> {
        self.0.push(bytes).map_err(js_error)
    }

    /// Ends the file.
    pub fn end_file(&mut self) -> JsResult<()> {
        self.0.end_file().map_err(js_error)
    }

    /// The model.
    pub fn finish(self) -> Job {
        Job::new(async {
            let model = self.0.finish().await.map_err(js_error)?;
            Ok(Model(Rc::new(model)).into())
        })
    }
}

/// A model. Calls take turns in their ticks: none of them ends while another call's pass is under
/// way. A call goes on to hold the model when JavaScript has freed it.
#[wasm_bindgen]
pub struct Model(pub(super) Rc<model::Model>);

#[wasm_bindgen]
impl Model {
    /// Runs a task over `inputs`, an array; gives an array with a result for each.
    pub fn run(&self, task: String, inputs: JsValue, options: JsValue, tick: Function) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move {
            let tick = || ticked(&tick);
            let call = Call { model: &model, inputs, options, tick: &tick };
            tasks::run(&task, call).await.map_err(js_error)?
        })
    }

    /// Runs ids; gives an object of tensors.
    pub fn forward(&self, inputs: RawInputs, options: ForwardOptions, tick: Function) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move { forward(&model, inputs, options, &tick).await })
    }

    /// Whether the GPU's device has gone, and with it the weights.
    pub fn lost(&self) -> bool {
        self.0.is_lost()
    }

    /// Whether the GPU ever refused a command: an error that is `unsupported` may be for that.
    pub fn refused(&self) -> bool {
        self.0.has_refused()
    }

    /// What the model says of itself: ModelInfo in src/js.
    pub fn info(&self) -> JsResult<JsValue> {
        let facts = self.0.info();
        write(&InfoOut {
            device: facts.device,
            dtype: match facts.precision {
                Precision::F32 => "fp32",
                Precision::F16 => "fp16",
                Precision::Bf16 => "bf16",
                Precision::I8 => "q8",
            },
            threads: facts.threads,
            simd: facts.simd,
            model_type: self.0.config().family.model_type(),
            head: facts.head.id(),
            parameters: facts.parameters,
            bytes: facts.bytes,
            note: facts.note.as_deref(),
        })
    }
}

/// What a model says of itself.
#[derive(Serialize)]
struct InfoOut<'a> {
    device: &'static str,
    dtype: &'static str,
    threads: usize,
    simd: &'static str,
    model_type: &'static str,
    head: &'static str,
    parameters: usize,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

#[wasm_bindgen]
extern "C" {
    /// Ids and what goes with them: RawInputs in src/js.
    pub type RawInputs;
    #[wasm_bindgen(method, getter)]
    fn dims(this: &RawInputs) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn input_ids(this: &RawInputs) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn attention_mask(this: &RawInputs) -> Option<Vec<u32>>;
    #[wasm_bindgen(method, getter)]
    fn token_type_ids(this: &RawInputs) -> Option<Vec<u32>>;
    #[wasm_bindgen(method, getter)]
    fn position_ids(this: &RawInputs) -> Option<Vec<u32>>;

    /// What a forward pass is asked for beside the head's outputs.
    pub type ForwardOptions;
    #[wasm_bindgen(method, getter)]
    fn output_hidden_states(this: &ForwardOptions) -> Option<bool>;
    #[wasm_bindgen(method, getter)]
    fn output_attentions(this: &ForwardOptions) -> Option<bool>;
}

async fn forward(
    model: &model::Model,
    inputs: RawInputs,
    options: ForwardOptions,
    tick: &Function,
) -> JsResult<JsValue> {
    let inputs = Inputs {
        dims: inputs.dims().into_iter().map(|dim| dim as usize).collect(),
        ids: inputs.input_ids(),
        mask: inputs.attention_mask(),
        types: inputs.token_type_ids(),
        positions: inputs.position_ids(),
    };
    let asked = Asked {
        states: options.output_hidden_states().unwrap_or(false),
        attentions: options.output_attentions().unwrap_or(false),
    };
    let tick = || ticked(tick);
    let outputs = model.outputs(&inputs, asked.states, asked.attentions, &tick).await;
    write(&OutputsOut(&outputs.map_err(js_error)?, asked))
}

/// Which lists of tensors were asked for.
#[derive(Clone, Copy)]
struct Asked {
    states: bool,
    attentions: bool,
}

/// Tensors by their names, and the lists of tensors that were asked for.
struct OutputsOut<'a>(&'a Outputs, Asked);

impl Serialize for OutputsOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(outputs, asked) = self;
        let out = |tensor| TensorOut::new(tensor, false);
        let list = |tensors| -> Vec<_> { <[Tensor]>::iter(tensors).map(out).collect() };
        let mut map = serializer.serialize_map(None)?;
        for (name, tensor) in &outputs.tensors {
            map.serialize_entry(name, &out(tensor))?;
        }
        if asked.states {
            map.serialize_entry("hidden_states", &list(&outputs.hidden_states))?;
        }
        if asked.attentions {
            map.serialize_entry("attentions", &list(&outputs.attentions))?;
        }
        map.end()
    }
}

/// Awaits the caller's tick: a Promise that rejects where the call is to end.
fn ticked(tick: &Function) -> Pin<Box<dyn Future<Output = Result<()>>>> {
    let called = tick.call0(&JsValue::UNDEFINED);
    Box::pin(async {
        let awaited = match called {
            Ok(promise) => JsFuture::from(Promise::resolve(&promise)).await,
            Err(error) => Err(error),
        };
        awaited.map(|_| ()).map_err(|_| Error::Aborted("the call was ended".into()))
    })
}
