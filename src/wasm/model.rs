//! Models: loading them, and calling them with texts or ids.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::job::Job;
use super::tasks::{self, Call};
use super::values::{Fields, object};
use super::{Device, JsResult, files, js_error, open_device, set, tensor};
use crate::backend::{Precision, Processor};
use crate::config::HeadKind;
use crate::engine::{Folder, Inputs, ModelLoader, Options, Tensor};
use crate::tasks::head_of;
use crate::{Error, Result};

/// A model on its way in.
#[wasm_bindgen]
pub struct Loader(ModelLoader<Device>);

#[wasm_bindgen]
impl Loader {
    /// A loader from the files of a folder but for its weights; `options` are `{dtype, device, task,
    /// head}`, the device being the one that this binary is built for.
    pub fn open(folder: Object, options: JsValue) -> Job {
        Job::new(async move {
            let (folder, options) = checkpoint(&folder, &Fields(&options))?;
            let device = open_device().await.map_err(js_error)?;
            Ok(Self(ModelLoader::new(folder, device, options).map_err(js_error)?).into())
        })
    }

    /// Begins a safetensors file; `size` in bytes, where it is known.
    pub fn begin_file(&mut self, name: &str, size: Option<f64>) -> JsResult<()> {
        self.0.begin_file(name).map_err(js_error)?;
        match size {
            Some(size) => self.0.expect_size(size as u64).map_err(js_error),
            None => Ok(()),
        }
    }

    /// The next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) -> JsResult<()> {
        self.0.push(bytes).map_err(js_error)
    }

    /// How many of the next bytes of the file are needed by nothing; 0 where there are none or it is not known.
    pub fn skippable(&self) -> f64 {
        self.0.skippable() as f64
    }

    /// Goes on by `bytes` of the file, `skippable()` at most, as if they had been pushed.
    pub fn skip(&mut self, bytes: f64) -> JsResult<()> {
        self.0.skip(bytes as usize).map_err(js_error)
    }

    /// Whether the shard of that name has any tensor that is needed, as the index among the folder's files tells;
    /// true without an index.
    pub fn wants(&self, name: &str) -> bool {
        self.0.wants(name)
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

/// Reads the files of a folder, and the options of a load.
fn checkpoint(folder: &Object, options: &Fields<'_>) -> JsResult<(Folder, Options)> {
    let device: String = options.or("device", String::new())?;
    let dtype = options.or("dtype", "auto".to_owned())?;
    let by_id = options.get::<String>("head")?.and_then(|id| HeadKind::with_id(&id));
    let by_task = options.get::<String>("task")?.and_then(|task| head_of(&task));
    let folder = Folder::read(&files(folder)).map_err(js_error)?;
    let options = Options::with_dtype(&dtype, by_id.or(by_task)).map_err(js_error)?;
    if device != Device::NAME {
        let what = format!("this build has no device \"{device}\"");
        return Err(js_error(Error::Unsupported(what)));
    }
    Ok((folder, options))
}

/// A model. Passes of all models over one engine wait for each other. A call goes on to hold the model when
/// JavaScript has freed it.
#[wasm_bindgen]
pub struct Model(pub(super) Rc<super::Model>);

#[wasm_bindgen]
impl Model {
    /// A loader of another head over this model's encoder, which its files need not have; as [`Loader::open`].
    pub fn attach(&self, folder: Object, options: JsValue) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move {
            let (folder, options) = checkpoint(&folder, &Fields(&options))?;
            let loader = ModelLoader::attach(model.engine(), folder, options);
            Ok(Loader(loader.map_err(js_error)?).into())
        })
    }

    /// Runs a task over `inputs`, an array; gives an array with a result for each.
    pub fn run(&self, task: String, inputs: JsValue, options: JsValue, tick: Function) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move {
            let tick = || ticked(&tick);
            tasks::run(&task, Call { model: &model, inputs, options, tick: &tick }).await
        })
    }

    /// Runs ids; gives an object of tensors.
    pub fn forward(&self, inputs: Object, options: JsValue, tick: Function) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(
            async move { Ok(forward(&model, &inputs, &Fields(&options), &tick).await?.into()) },
        )
    }

    /// Whether the GPU's device has gone, and with it the weights.
    pub fn lost(&self) -> bool {
        self.0.engine().is_lost()
    }

    /// Whether the GPU ever refused a command: an error that is `unsupported` may be for that.
    pub fn refused(&self) -> bool {
        self.0.engine().has_refused()
    }

    /// What the model says of itself: ModelInfo in src/js.
    pub fn info(&self) -> JsValue {
        let facts = self.0.info();
        let dtype = match facts.precision {
            Precision::F32 => "fp32",
            Precision::F16 => "fp16",
            Precision::Bf16 => "bf16",
            Precision::I8 => "q8",
        };
        object(&[
            ("device", facts.device.into()),
            ("dtype", dtype.into()),
            ("threads", (facts.threads as u32).into()),
            ("simd", facts.simd.into()),
            ("model_type", self.0.config().family.model_type().into()),
            ("head", facts.head.id().into()),
            ("parameters", (facts.parameters as f64).into()),
            ("bytes", (facts.bytes as f64).into()),
            ("note", facts.note.as_deref().map_or(JsValue::UNDEFINED, JsValue::from)),
        ])
    }
}

async fn forward(
    model: &super::Model,
    inputs: &Object,
    options: &Fields<'_>,
    tick: &Function,
) -> JsResult<Object> {
    let states = options.or("output_hidden_states", false)?;
    let attentions = options.or("output_attentions", false)?;
    let ids = |name: &str| -> Option<Vec<u32>> {
        let value = Reflect::get(inputs, &name.into()).ok()?;
        value.dyn_into::<Uint32Array>().ok().map(|ids| ids.to_vec())
    };
    let inputs = Inputs {
        dims: Fields(inputs).or("dims", Vec::new())?,
        ids: ids("input_ids").unwrap_or_default(),
        mask: ids("attention_mask"),
        types: ids("token_type_ids"),
        positions: ids("position_ids"),
    };
    let outputs =
        model.outputs(&inputs, states, attentions, &|| ticked(tick)).await.map_err(js_error)?;
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
