//! Models: loading, and calls with texts or ids.

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
use super::{Device, JsResult, files, js_error, open_device};
use crate::backend::{Precision, Processor};
use crate::config::HeadKind;
#[cfg(feature = "train")]
use crate::engine::Initialize;
use crate::engine::{Folder, Inputs, LoadOptions, ModelLoader, Outputs, Tensor};
#[cfg(feature = "families")]
use crate::engine::{LayerValues, ScorePooling};
use crate::tasks::{self, head_of};
use crate::{Error, Result};

#[wasm_bindgen]
extern "C" {
    /// Options for loading a model: LoaderOptions in src/js.
    pub type LoaderOptions;
    /// Device, which must be the device of this binary.
    #[wasm_bindgen(method, getter)]
    fn device(this: &LoaderOptions) -> String;
    #[wasm_bindgen(method, getter)]
    fn dtype(this: &LoaderOptions) -> String;
    /// The kernels that [`Model::info`] named in an earlier load on this device.
    #[cfg(feature = "gpu")]
    #[wasm_bindgen(method, getter)]
    fn kernels(this: &LoaderOptions) -> Option<String>;
    /// If given, the choice of kernels is left to [`Model::improve`]. True: the kernels in use are
    /// measured before.
    #[cfg(feature = "gpu")]
    #[wasm_bindgen(method, getter)]
    fn times_defaults(this: &LoaderOptions) -> Option<bool>;
    /// The task of the model, or its head as in [`HeadKind::id`].
    #[wasm_bindgen(method, getter)]
    fn task(this: &LoaderOptions) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn head(this: &LoaderOptions) -> Option<String>;
    /// Identifies the adapter of the files; 0 or undefined if there is none.
    #[wasm_bindgen(method, getter)]
    fn adapter(this: &LoaderOptions) -> u32;
    /// How missing parameters are initialized. Only in a binary that trains.
    #[cfg(feature = "train")]
    #[wasm_bindgen(method, getter)]
    fn initialize(this: &LoaderOptions) -> Option<InitializeOption>;

    /// Options of random initialization.
    #[cfg(feature = "train")]
    type InitializeOption;
    #[cfg(feature = "train")]
    #[wasm_bindgen(method, getter)]
    fn seed(this: &InitializeOption) -> f64;
    /// If true, the head's last layer is initialized even if the files have it.
    #[cfg(feature = "train")]
    #[wasm_bindgen(method, getter)]
    fn output(this: &InitializeOption) -> bool;
}

/// A model that is being loaded.
#[wasm_bindgen]
pub struct Loader(ModelLoader<Device>);

#[wasm_bindgen]
impl Loader {
    /// Creates a loader from the files of a folder except its weights.
    pub fn open(folder: Object, options: LoaderOptions) -> Job {
        Job::new(async move {
            #[cfg(feature = "gpu")]
            let (kernels, times_defaults) = (options.kernels(), options.times_defaults());
            let (folder, options) = checkpoint(&folder, &options)?;
            #[cfg_attr(
                not(feature = "gpu"),
                expect(unused_mut, reason = "only the GPU chooses kernels later")
            )]
            let mut device = open_device().await.map_err(js_error)?;
            #[cfg(feature = "gpu")]
            {
                kernels.iter().for_each(|kernels| device.restore(kernels));
                times_defaults.iter().for_each(|times_defaults| device.postpone(*times_defaults));
            }
            Ok(Self(ModelLoader::new(folder, device, options).map_err(js_error)?).into())
        })
    }

    /// Starts a weight file: PyTorch's if its name ends in `.bin`, ONNX if it ends in `.onnx`, otherwise safetensors.
    /// `size` is its length in bytes, if known.
    pub fn begin_file(&mut self, name: &str, size: Option<f64>) -> JsResult<()> {
        self.0.begin_file(name).map_err(js_error)?;
        match size {
            Some(size) => self.0.expect_size(size as u64).map_err(js_error),
            None => Ok(()),
        }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) -> JsResult<()> {
        self.0.push(bytes).map_err(js_error)
    }

    /// Returns how many of the next bytes of the file are not needed. Returns 0 if all are needed
    /// or if it is not known yet.
    pub fn skippable(&self) -> f64 {
        self.0.skippable() as f64
    }

    /// Skips `bytes` of the file, at most `skippable()`, as if they had been pushed.
    pub fn skip(&mut self, bytes: f64) -> JsResult<()> {
        self.0.skip(bytes as usize).map_err(js_error)
    }

    /// Returns true if the shard with this name has a tensor that is needed. The index among the
    /// folder's files decides; without an index the result is true.
    pub fn wants(&self, name: &str) -> bool {
        self.0.wants(name)
    }

    /// Ends the file.
    pub fn end_file(&mut self) -> JsResult<()> {
        self.0.end_file().map_err(js_error)
    }

    /// Begins a dry run: files are read up to the list of their tensors, and nothing is allocated.
    #[cfg(feature = "families")]
    pub fn dry_run(&mut self) {
        self.0.dry_run();
    }

    /// Returns whether a dry run does not need the rest of the file.
    #[cfg(feature = "families")]
    pub fn knows(&self) -> bool {
        self.0.knows()
    }

    /// Ends a dry run: fails if the files do not list all tensors.
    #[cfg(feature = "families")]
    pub fn check(&self) -> JsResult<()> {
        self.0.check().map_err(js_error)
    }

    /// Tests the device and chooses its kernels, while the weights arrive. Returns undefined if it
    /// is too early.
    #[cfg(feature = "gpu")]
    pub fn settle(&self) -> Option<Job> {
        let settled = self.0.settle()?;
        Some(Job::new(async { Ok(settled.await.map_err(js_error)?.into()) }))
    }

    /// Finishes loading and returns the model.
    pub fn finish(self) -> Job {
        Job::new(async {
            let model = self.0.finish().await.map_err(js_error)?;
            Ok(Model(Rc::new(model)).into())
        })
    }
}

#[cfg(feature = "families")]
#[wasm_bindgen]
impl Loader {
    /// Returns the names of files with data of the last file's tensors, e.g. `model.onnx_data`.
    pub fn external_files(&mut self) -> JsResult<Vec<String>> {
        self.0.external_files().map_err(js_error)
    }
}

/// Reads the files of a folder and the options of a load.
fn checkpoint(folder: &Object, options: &LoaderOptions) -> JsResult<(Folder, LoadOptions)> {
    let device = options.device();
    let by_id = options.head().and_then(|id| HeadKind::with_id(&id));
    let by_task = options.task().and_then(|task| head_of(&task));
    let folder = Folder::read(&files(folder)).map_err(js_error)?;
    tasks::check(options.task().as_deref(), &folder.config).map_err(js_error)?;
    let head = by_id.or(by_task);
    #[cfg(feature = "train")]
    let initialize = options.initialize();
    let adapter = options.adapter();
    let mut options = LoadOptions::with_dtype(&options.dtype(), head).map_err(js_error)?;
    options.adapter = adapter;
    #[cfg(feature = "train")]
    let options = LoadOptions {
        initialize: initialize
            .map(|draw| Initialize { seed: draw.seed() as u64, output: draw.output() }),
        ..options
    };
    if device != Device::NAME {
        let what = format!("this build has no device \"{device}\"");
        return Err(js_error(Error::Unsupported(what)));
    }
    Ok((folder, options))
}

/// A model. The passes of all models over one engine run one after another. A call in progress
/// keeps the model alive, even if JavaScript has freed it.
#[wasm_bindgen]
pub struct Model(pub(super) Rc<super::Model>);

#[wasm_bindgen]
impl Model {
    /// Creates a loader of another model over this model's encoder, or over the encoder that it
    /// shares. Its files need not contain the encoder. As [`Loader::open`].
    pub fn attach(&self, folder: Object, options: LoaderOptions) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move {
            let (folder, options) = checkpoint(&folder, &options)?;
            let loader = ModelLoader::attach(model.engine(), folder, options);
            Ok(Loader(loader.map_err(js_error)?).into())
        })
    }

    /// Runs a task over the array `inputs`. Returns an array with one result per input.
    pub fn run(&self, task: String, inputs: JsValue, options: JsValue, tick: Function) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move {
            let tick = || call_tick(&tick);
            let call = Call { model: &model, inputs, options, tick: &tick };
            tasks::run(&task, call).await.map_err(js_error)?
        })
    }

    /// Runs the model on ids. Returns an object of tensors.
    pub fn forward(&self, inputs: RawInputs, options: ForwardOptions, tick: Function) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move { forward(&model, inputs, options, &tick).await })
    }

    /// Returns true if the GPU device is lost, and the weights with it.
    pub fn lost(&self) -> bool {
        self.0.engine().is_lost()
    }

    /// Returns true if the GPU ever refused a command. Such a command can be the cause of an
    /// `unsupported` error.
    pub fn refused(&self) -> bool {
        self.0.engine().has_refused()
    }

    /// Does a part of the choice of kernels. Returns the kernels in use as text if nothing is left,
    /// otherwise undefined.
    #[cfg(feature = "gpu")]
    pub fn improve(&self) -> Job {
        let model = Rc::clone(&self.0);
        Job::new(async move { Ok(model.engine().improve().await.map_err(js_error)?.into()) })
    }

    /// Returns facts about the model: ModelInfo in src/js.
    pub fn info(&self) -> JsResult<JsValue> {
        let facts = self.0.info();
        let tokenizer = self.0.tokenizer().ok();
        write(&InfoOut {
            warnings: tokenizer.map_or(&[], |tokenizer| tokenizer.warnings()),
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
            shared_bytes: facts.shared_bytes,
            note: facts.note.as_deref(),
            kernels: facts.kernels.as_deref(),
        })
    }
}

/// Facts about a model.
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
    shared_bytes: usize,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernels: Option<&'a str>,
}

#[wasm_bindgen]
extern "C" {
    /// Ids with masks, types and positions: RawInputs in src/js.
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

    /// Additional outputs requested from a forward pass.
    pub type ForwardOptions;
    #[wasm_bindgen(method, getter)]
    fn output_hidden_states(this: &ForwardOptions) -> Option<bool>;
    #[wasm_bindgen(method, getter)]
    fn output_attentions(this: &ForwardOptions) -> Option<bool>;
    #[cfg(feature = "families")]
    #[wasm_bindgen(method, getter)]
    fn output_activations(this: &ForwardOptions) -> Option<bool>;
    #[cfg(feature = "families")]
    #[wasm_bindgen(method, getter)]
    fn output_attention_scores(this: &ForwardOptions) -> Option<bool>;
    /// If given, only the pooled scores are returned: see `ScorePooling::named`.
    #[cfg(feature = "families")]
    #[wasm_bindgen(method, getter)]
    fn pool_scores(this: &ForwardOptions) -> Option<String>;
    /// If true, only the last states are returned, masked tokens' states included.
    #[cfg(feature = "families")]
    #[wasm_bindgen(method, getter)]
    fn keep_masked(this: &ForwardOptions) -> Option<bool>;
}

impl From<RawInputs> for Inputs {
    fn from(inputs: RawInputs) -> Self {
        Self {
            dims: inputs.dims().into_iter().map(|dim| dim as usize).collect(),
            ids: inputs.input_ids(),
            mask: inputs.attention_mask(),
            types: inputs.token_type_ids(),
            positions: inputs.position_ids(),
        }
    }
}

async fn forward(
    model: &super::Model,
    inputs: RawInputs,
    options: ForwardOptions,
    tick: &Function,
) -> JsResult<JsValue> {
    let inputs = Inputs::from(inputs);
    let requested = RequestedOutputs {
        states: options.output_hidden_states().unwrap_or(false),
        attentions: options.output_attentions().unwrap_or(false),
        #[cfg(feature = "families")]
        activations: options.output_activations().unwrap_or(false),
        #[cfg(feature = "families")]
        scores: options.output_attention_scores().unwrap_or(false),
    };
    let tick = || call_tick(tick);
    #[cfg(feature = "families")]
    if let Some(outputs) = for_retrieval(model, &inputs, &options, &tick).await.map_err(js_error)? {
        return write(&OutputsOut(&outputs, requested, &LayerValues::default()));
    }
    #[cfg(feature = "families")]
    let inside = match requested.activations || requested.scores {
        true => model.inside(&inputs, &tick).await.map_err(js_error)?,
        false => LayerValues::default(),
    };
    let outputs = model.outputs(&inputs, requested.states, requested.attentions, &tick).await;
    let outputs = outputs.map_err(js_error)?;
    #[cfg(feature = "families")]
    return write(&OutputsOut(&outputs, requested, &inside));
    #[cfg(not(feature = "families"))]
    write(&OutputsOut(&outputs, requested))
}

/// Returns the outputs for retrieval, if the options request them.
#[cfg(feature = "families")]
async fn for_retrieval(
    model: &super::Model,
    inputs: &Inputs,
    options: &ForwardOptions,
    tick: crate::engine::Tick<'_>,
) -> Result<Option<Outputs>> {
    let tensor = if let Some(name) = options.pool_scores() {
        let Some(pooling) = ScorePooling::named(&name) else {
            return Err(Error::BadInput(format!("pool_scores: there is no pooling \"{name}\"")));
        };
        ("pooled_scores", model.pooled_scores(inputs, pooling, tick).await?)
    } else if options.keep_masked().unwrap_or(false) {
        ("last_hidden_state", model.whole_states(inputs, tick).await?)
    } else {
        return Ok(None);
    };
    Ok(Some(Outputs { tensors: vec![tensor], ..Outputs::default() }))
}

/// Lists of tensors that were requested.
#[derive(Clone, Copy)]
struct RequestedOutputs {
    states: bool,
    attentions: bool,
    #[cfg(feature = "families")]
    activations: bool,
    #[cfg(feature = "families")]
    scores: bool,
}

/// Tensors by name, with the requested lists of tensors.
struct OutputsOut<'a>(&'a Outputs, RequestedOutputs, #[cfg(feature = "families")] &'a LayerValues);

impl Serialize for OutputsOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(outputs, requested, ..) = self;
        let out = |tensor| TensorOut::new(tensor, false);
        let list = |tensors| -> Vec<_> { <[Tensor]>::iter(tensors).map(out).collect() };
        let mut map = serializer.serialize_map(None)?;
        for (name, tensor) in &outputs.tensors {
            map.serialize_entry(name, &out(tensor))?;
        }
        if requested.states {
            map.serialize_entry("hidden_states", &list(&outputs.hidden_states))?;
        }
        if requested.attentions {
            map.serialize_entry("attentions", &list(&outputs.attentions))?;
        }
        #[cfg(feature = "families")]
        if requested.activations {
            map.serialize_entry("activations", &list(&self.2.activations))?;
        }
        #[cfg(feature = "families")]
        if requested.scores {
            map.serialize_entry("attention_scores", &list(&self.2.attention_scores))?;
        }
        map.end()
    }
}

/// Awaits the caller's tick, a Promise that rejects if the call must end.
pub(super) fn call_tick(tick: &Function) -> Pin<Box<dyn Future<Output = Result<()>>>> {
    let called = tick.call0(&JsValue::UNDEFINED);
    Box::pin(async {
        let awaited = match called {
            Ok(promise) => JsFuture::from(Promise::resolve(&promise)).await,
            Err(error) => Err(error),
        };
        awaited.map(|_| ()).map_err(|_| Error::Aborted("the call was ended".into()))
    })
}
