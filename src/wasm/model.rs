//! Models: loading them, and calling them with texts or ids.

use std::cell::{RefCell, RefMut};
use std::future::Future;
use std::pin::Pin;

use js_sys::{Array, Function, Object, Promise, Reflect, Uint32Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::tasks::{self, Call};
use super::values::Fields;
use super::{JsResult, bad_input, files, js_error, set, tensor};
use crate::backend::Precision;
use crate::config::HeadKind;
use crate::model::{self, Inputs, ModelLoader, Tensor};
use crate::tasks::head_of;
use crate::{Error, Result};

/// A model on its way in.
#[wasm_bindgen]
pub struct Loader(ModelLoader);

#[wasm_bindgen]
impl Loader {
    /// From the files of a folder but for its weights; `options` are `{dtype, device, task, head}`.
    pub async fn open(object: Object, options: JsValue) -> JsResult<Self> {
        let options = Fields(&options);
        let device = options.or("device", "auto".to_owned())?;
        let dtype = options.or("dtype", "auto".to_owned())?;
        let by_id = options.get::<String>("head")?.and_then(|id| HeadKind::with_id(&id));
        let by_task = options.get::<String>("task")?.and_then(|task| head_of(&task));
        let head = by_id.or(by_task);
        let files = files(&object);
        let loader = ModelLoader::open(&files, &device, &dtype, head).await;
        loader.map(Self).map_err(js_error)
    }

    /// Begins a safetensors file.
    pub fn begin_file(&mut self, name: &str) -> JsResult<()> {
        self.0.begin_file(name).map_err(js_error)
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
    pub async fn finish(self) -> JsResult<Model> {
        Ok(Model(RefCell::new(self.0.finish().await.map_err(js_error)?)))
    }
}

/// A model. It takes one call at a time.
#[wasm_bindgen]
pub struct Model(RefCell<model::Model>);

#[expect(
    clippy::await_holding_refcell_ref,
    reason = "that is how a call made meanwhile is found out and refused"
)]
#[wasm_bindgen]
impl Model {
    /// Runs a task over `inputs`, an array; resolves to an array with a result for each.
    pub async fn run(
        &self,
        task: String,
        inputs: JsValue,
        options: JsValue,
        tick: Function,
    ) -> JsResult<JsValue> {
        let mut model = self.borrow()?;
        let tick = || ticked(&tick);
        tasks::run(&task, Call { model: &mut model, inputs, options, tick: &tick }).await
    }

    /// Runs ids; resolves to an object of tensors.
    pub async fn forward(
        &self,
        inputs: Object,
        options: JsValue,
        tick: Function,
    ) -> JsResult<Object> {
        let mut model = self.borrow()?;
        let options = Fields(&options);
        let states = options.or("output_hidden_states", false)?;
        let attentions = options.or("output_attentions", false)?;
        let ids = |name: &str| -> Option<Vec<u32>> {
            let value = Reflect::get(&inputs, &name.into()).ok()?;
            value.dyn_into::<Uint32Array>().ok().map(|ids| ids.to_vec())
        };
        let inputs = Inputs {
            dims: Fields(&inputs).or("dims", Vec::new())?,
            ids: ids("input_ids").unwrap_or_default(),
            mask: ids("attention_mask"),
            types: ids("token_type_ids"),
            positions: ids("position_ids"),
        };
        let outputs = model
            .outputs(&inputs, states, attentions, &|| ticked(&tick))
            .await
            .map_err(js_error)?;
        let result = Object::new();
        for (name, value) in &outputs.tensors {
            set(&result, name, &tensor(value));
        }
        let list = |tensors: &[Tensor]| tensors.iter().map(tensor).collect::<Array>();
        if states {
            set(&result, "hidden_states", &list(&outputs.hidden_states));
        }
        if attentions {
            set(&result, "attentions", &list(&outputs.attentions));
        }
        Ok(result)
    }

    /// An [`Info`].
    pub fn info(&self) -> JsResult<JsValue> {
        let model = self.borrow()?;
        let facts = model.info();
        let info = Info {
            device: facts.device,
            device_reason: &facts.device_reason,
            dtype: match facts.precision {
                Precision::F32 => "fp32",
                Precision::F16 => "fp16",
                Precision::Bf16 => "bf16",
                Precision::I8 => "q8",
            },
            threads: 1,
            simd: facts.simd,
            model_type: model.config().family.model_type(),
            head: facts.head.id(),
            parameters: facts.parameters as f64,
            bytes: facts.bytes as f64,
        };
        serde_wasm_bindgen::to_value(&info).map_err(bad_input)
    }
}

/// What a model says of itself; see ModelInfo in src/js.
#[derive(Serialize)]
struct Info<'a> {
    device: &'a str,
    device_reason: &'a str,
    dtype: &'a str,
    threads: u32,
    simd: &'a str,
    model_type: &'a str,
    head: &'a str,
    parameters: f64,
    bytes: f64,
}

impl Model {
    fn borrow(&self) -> JsResult<RefMut<'_, model::Model>> {
        self.0.try_borrow_mut().map_err(|_| bad_input("the model is at work on another call"))
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
