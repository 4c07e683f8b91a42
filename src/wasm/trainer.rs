//! A model in training, for JavaScript.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Float32Array, Function, Object, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use serde_wasm_bindgen::Deserializer;
use wasm_bindgen::prelude::*;

use super::job::Job;
use super::model::{Model, RawInputs, call_tick};
use super::values::{read, read_options, write};
use super::{Device, JsResult, bad_input, js_error};
use crate::backend::Processor;
use crate::batch::Batch;
use crate::engine::Inputs;
use crate::train::arguments::TrainingArguments;
use crate::train::data::dataset::{Dataset, TrainingTask};
use crate::train::data::padded::{PaddedLabels, Values, pack};
use crate::train::data::rows::Offsets;
use crate::train::metrics::evaluate::{Metrics, score_metrics};
use crate::train::run::resume::{Resuming, metric};
use crate::train::run::save::{Dtype, safetensors_header};
use crate::train::run::state::NamedTensor;
use crate::train::run::training_loop::{Event, Run as TrainingRun, RunRecord};
use crate::train::step::dropout::Rates;
use crate::train::step::lora::LoraOptions;
use crate::train::step::loss::Labels;
use crate::train::step::trainer::{Freeze, Trainer as ModelTrainer};
use crate::{Error, Result};

/// How a model is trained: TrainerSetup in src/js.
#[derive(Deserialize)]
struct Setup {
    task: String,
    freeze: FreezeOption,
    seed: u64,
    peft: Option<LoraOptions>,
}

/// The tensors of a file: SavedTensors in src/js.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedTensors {
    /// The model's.
    Model,
    /// The model's before its adapters were added.
    Base,
    /// The optimizer's state and the factors of adapters.
    State,
    /// The trained tensors, with PEFT's names.
    Adapter,
}

/// The part of the model that is not trained.
#[derive(Deserialize)]
#[serde(untagged)]
enum FreezeOption {
    Layers(usize),
    Name(FreezeName),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum FreezeName {
    None,
    Embeddings,
    Encoder,
}

impl From<FreezeOption> for Freeze {
    fn from(option: FreezeOption) -> Self {
        match option {
            FreezeOption::Layers(layers) => Self::Layers(layers),
            FreezeOption::Name(FreezeName::None) => Self::None,
            FreezeOption::Name(FreezeName::Embeddings) => Self::Layers(0),
            FreezeOption::Name(FreezeName::Encoder) => Self::Encoder,
        }
    }
}

#[wasm_bindgen]
impl Model {
    /// Creates a trainer. `config_json` is the config of the model's folder.
    pub fn trainer(&self, config_json: &[u8], setup: JsValue) -> JsResult<Trainer> {
        let setup: Setup = read("setup", setup)?;
        let Some(task) = TrainingTask::with_name(&setup.task) else {
            return Err(js_error(Error::Unsupported(format!("training for {}", setup.task))));
        };
        let rates = Rates::read(config_json).map_err(js_error)?;
        let model = Rc::clone(&self.0);
        let trainer = match setup.peft {
            Some(options) => ModelTrainer::with_lora(model, rates, options, setup.seed),
            None => ModelTrainer::new(model, rates, setup.freeze.into()),
        };
        let trainer = trainer.map_err(js_error)?;
        let trainer = Rc::new(RefCell::new(trainer));
        Ok(Trainer { task, model: Rc::clone(&self.0), trainer, resuming: Resuming::default() })
    }
}

/// A model in training. Only one call may run at a time; a second one is rejected.
#[wasm_bindgen]
pub struct Trainer {
    task: TrainingTask,
    model: Rc<super::Model>,
    trainer: Rc<RefCell<ModelTrainer<Device>>>,
    /// The state read so far, to resume from.
    resuming: Resuming,
}

#[wasm_bindgen]
impl Trainer {
    /// Sets the model that fills masked tokens for replaced-token detection.
    pub fn set_generator(&mut self, generator: &Model) -> JsResult<()> {
        let mut trainer = self.trainer.try_borrow_mut().map_err(|_| in_use())?;
        trainer.set_generator(Rc::clone(&generator.0)).map_err(js_error)
    }

    /// Sets the model whose outputs are targets.
    pub fn set_teacher(&mut self, teacher: &Model) -> JsResult<()> {
        let mut trainer = self.trainer.try_borrow_mut().map_err(|_| in_use())?;
        trainer.set_teacher(Rc::clone(&teacher.0)).map_err(js_error)
    }

    /// Returns the kernels in use as the text that a later load can take. It includes the kernels of
    /// gradients once they are chosen. Undefined on the CPU, and during a call.
    pub fn kernels(&self) -> Option<String> {
        Processor::kernels(&*self.model.engine().backend()?)
    }

    /// Takes one step on a batch, with the learning rate of the options. Returns
    /// `{loss, grad_norm}`.
    pub fn take_step(&self, batches: Vec<RawInputs>, labels: RawLabels, options: JsValue) -> Job {
        let (model, trainer) = (Rc::clone(&self.model), Rc::clone(&self.trainer));
        Job::new(async move {
            let arguments: TrainingArguments = read_options(options)?;
            let (batch, labels) = packed(&model, batches, &labels).map_err(js_error)?;
            let step = async |trainer: &mut ModelTrainer<Device>| {
                trainer.step(&batch, &labels, &arguments).await
            };
            let done = alone(&trainer, step).await?;
            write(&StepOut { loss: done.loss, grad_norm: done.grad_norm })
        })
    }

    /// Returns the loss of a batch, `{loss}`; for pre-training also its parts.
    pub fn loss(&self, batches: Vec<RawInputs>, labels: RawLabels) -> Job {
        let (model, trainer) = (Rc::clone(&self.model), Rc::clone(&self.trainer));
        Job::new(async move {
            let (batch, labels) = packed(&model, batches, &labels).map_err(js_error)?;
            let loss =
                async |trainer: &mut ModelTrainer<Device>| trainer.loss(&batch, &labels).await;
            let losses = alone(&trainer, loss).await?;
            let [masked_lm_loss, next_sentence_loss] =
                losses.parts.map_or([None; 2], |p| p.map(Some));
            write(&LossOut { loss: losses.loss, masked_lm_loss, next_sentence_loss })
        })
    }

    /// Begins a run over rows, and returns it. With `resumes` it continues from the trainer's state,
    /// otherwise it starts anew. `record` is the record of a run on another device, which
    /// this run continues.
    pub fn begin(
        &self,
        rows: Array,
        eval_rows: Option<Array>,
        options: JsValue,
        resumes: bool,
        record: JsValue,
    ) -> Job {
        let (task, model, trainer) = (self.task, Rc::clone(&self.model), Rc::clone(&self.trainer));
        Job::new(async move {
            let arguments: TrainingArguments = read_options(options)?;
            let read_rows = |rows| dataset(&model, task, rows, &arguments);
            let (data, eval) = (read_rows(rows)?, eval_rows.map(read_rows).transpose()?);
            let record = read::<Option<RecordIn>>("record", record)?.unwrap_or_default();
            let record = RunRecord::try_from(record).map_err(js_error)?;
            let begin = async |trainer: &mut ModelTrainer<Device>| {
                if !resumes {
                    trainer.reset();
                }
                trainer.begin(data, eval, arguments.clone(), record).await
            };
            let run = alone(&trainer, begin).await?;
            Ok(Run { trainer: Rc::clone(&trainer), run: Rc::new(RefCell::new(run)) }.into())
        })
    }

    /// Returns the loss and metrics of rows, by name.
    pub fn evaluate(&self, rows: Array, options: JsValue, tick: Function) -> Job {
        let (task, model, trainer) = (self.task, Rc::clone(&self.model), Rc::clone(&self.trainer));
        Job::new(async move {
            let arguments: TrainingArguments = read_options(options)?;
            let data = dataset(&model, task, rows, &arguments)?;
            let tick = || call_tick(&tick);
            let evaluate = async |trainer: &mut ModelTrainer<Device>| {
                trainer.evaluate(&data, &arguments, &tick).await
            };
            let metrics = alone(&trainer, evaluate).await?;
            let object = Object::new();
            put_metrics(&object, &metrics)?;
            Ok(object.into())
        })
    }

    /// Returns loss and metrics of the scores of another head, `[rows, labels]`, by name.
    pub fn score_metrics(
        &self,
        scores: &[f32],
        targets: &[f32],
        labels: usize,
        several: bool,
    ) -> JsResult<Object> {
        let object = Object::new();
        put_metrics(&object, &score_metrics(scores, targets, labels, several))?;
        Ok(object)
    }

    /// Returns the header of a safetensors file of these tensors in F32. They follow in the order
    /// of [`Trainer::leaves`].
    pub fn header(&self, of: JsValue) -> JsResult<Uint8Array> {
        let trainer = self.trainer.try_borrow().map_err(|_| in_use())?;
        let tensors = match read("tensors", of)? {
            SavedTensors::State => trainer.moment_tensors(),
            SavedTensors::Adapter => trainer.adapter_tensors().unwrap_or_default(),
            SavedTensors::Model | SavedTensors::Base => {
                trainer.tensors().map(|(name, shape)| (name.to_owned(), shape)).collect()
            }
        };
        let tensors: Vec<_> = tensors.iter().map(|(name, shape)| (&**name, &**shape)).collect();
        let header = safetensors_header(&tensors, Dtype::F32).map_err(js_error)?;
        Ok(Uint8Array::from(&*header))
    }

    /// Returns the numbers of the parameters that have such tensors.
    pub fn leaves(&self, of: JsValue) -> JsResult<Vec<u32>> {
        let trainer = self.trainer.try_borrow().map_err(|_| in_use())?;
        let of = read("tensors", of)?;
        let has = |index: &usize| match of {
            SavedTensors::State => true,
            SavedTensors::Adapter => trainer.is_trained(*index),
            SavedTensors::Model | SavedTensors::Base => *index < trainer.model_parameters(),
        };
        Ok((0..trainer.parameter_count()).filter(has).map(|index| index as u32).collect())
    }

    /// Returns true if a parameter is trained, and false if it stays as loaded.
    pub fn is_trained(&self, index: usize) -> JsResult<bool> {
        Ok(self.trainer.try_borrow().map_err(|_| in_use())?.is_trained(index))
    }

    /// Returns the bytes of a parameter's tensors.
    pub fn leaf(&self, index: usize, of: JsValue) -> Job {
        let trainer = Rc::clone(&self.trainer);
        Job::new(async move {
            let of = read("tensors", of)?;
            let read = async |trainer: &mut ModelTrainer<Device>| match of {
                SavedTensors::State => trainer.moments(index).await,
                SavedTensors::Base => trainer.base_parameter(index).await,
                SavedTensors::Model | SavedTensors::Adapter => trainer.parameter(index).await,
            };
            Ok(bytes(&alone(&trainer, read).await?).into())
        })
    }

    /// Returns adapter_config.json. `base` names the base model.
    pub fn adapter_config(&self, base: Option<String>) -> JsResult<String> {
        let trainer = self.trainer.try_borrow().map_err(|_| in_use())?;
        trainer.adapter_config(base.as_deref()).map_err(js_error)
    }

    /// Returns the progress of the run as JSON.
    pub fn run_state(&self) -> JsResult<String> {
        let trainer = self.trainer.try_borrow().map_err(|_| in_use())?;
        serde_json::to_string(&trainer.run_state()).map_err(bad_input)
    }

    /// Takes a tensor of the optimizer's state. `bytes` are its values in F32.
    pub fn resume_tensor(&mut self, name: String, shape: Vec<usize>, bytes: &[u8]) -> JsResult<()> {
        let mut trainer = self.trainer.try_borrow_mut().map_err(|_| in_use())?;
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let values = bytes.chunks_exact(4).map(number).collect();
        let tensor = NamedTensor { name, shape, values };
        self.resuming.push(&mut trainer, tensor).map_err(js_error)
    }

    /// Continues from [`Trainer::run_state`]. Must be called after the last tensor.
    pub fn resume(&mut self, json: &str) -> JsResult<()> {
        let mut trainer = self.trainer.try_borrow_mut().map_err(|_| in_use())?;
        let state = serde_json::from_str(json)
            .map_err(|error| bad_input(format!("trainer_state.json: {error}")))?;
        std::mem::take(&mut self.resuming).finish(&mut trainer, state).map_err(js_error)
    }
}

/// A run between two steps.
#[wasm_bindgen]
pub struct Run {
    trainer: Rc<RefCell<ModelTrainer<Device>>>,
    run: Rc<RefCell<TrainingRun<Dataset>>>,
}

#[wasm_bindgen]
impl Run {
    /// Takes the next step or makes the next evaluation. Returns its event, or undefined at the end
    /// of the run.
    #[expect(clippy::await_holding_refcell_ref, reason = "a second call meanwhile is refused")]
    pub fn next(&self) -> Job {
        let (trainer, run) = (Rc::clone(&self.trainer), Rc::clone(&self.run));
        Job::new(async move {
            let mut run = run.try_borrow_mut().map_err(|_| in_use())?;
            let next = async |trainer: &mut ModelTrainer<Device>| run.next(trainer).await;
            let event = alone(&trainer, next).await?;
            event.map_or(Ok(JsValue::UNDEFINED), |event| event_out(&event))
        })
    }

    /// Returns the results of the steps so far, for [`Trainer::begin`] on another device.
    pub fn record(&self) -> JsResult<JsValue> {
        let run = self.run.try_borrow().map_err(|_| in_use())?;
        let RunRecord { losses, metrics } = run.record();
        write(&RecordOut { losses, metrics })
    }

    /// Returns the result of the run: TrainingResult in src/js.
    pub fn result(&self) -> JsResult<Object> {
        let result = self.run.try_borrow().map_err(|_| in_use())?.result();
        let object = Object::new();
        put(&object, "global_step", &(result.global_step as f64).into())?;
        put(&object, "training_loss", &result.training_loss.into())?;
        if let Some(metrics) = result.metrics {
            let found = Object::new();
            put_metrics(&found, &metrics)?;
            put(&object, "metrics", &found)?;
        }
        Ok(object)
    }
}

/// Returns the values of tensors, concatenated.
fn bytes(tensors: &[NamedTensor]) -> Uint8Array {
    let size: usize = tensors.iter().map(|tensor| tensor.values.len()).sum();
    let all = Float32Array::new_with_length(size as u32);
    let mut at = 0;
    for tensor in tensors {
        let end = at + tensor.values.len() as u32;
        all.subarray(at, end).copy_from(&tensor.values);
        at = end;
    }
    Uint8Array::new(&all.buffer())
}

/// Calls `work` with the trainer. Fails if another call has it.
#[expect(clippy::await_holding_refcell_ref, reason = "a second call meanwhile is refused")]
async fn alone<T>(
    trainer: &RefCell<ModelTrainer<Device>>,
    work: impl AsyncFnOnce(&mut ModelTrainer<Device>) -> Result<T>,
) -> JsResult<T> {
    let mut trainer = trainer.try_borrow_mut().map_err(|_| in_use())?;
    work(&mut trainer).await.map_err(js_error)
}

fn in_use() -> JsValue {
    js_error(Error::BadInput("the trainer is in use: another call of it is under way".into()))
}

/// Reads rows. Their offsets are in UTF-16 units.
fn dataset(
    model: &super::Model,
    task: TrainingTask,
    rows: Array,
    arguments: &TrainingArguments,
) -> JsResult<Dataset> {
    let rows = rows.iter().map(Deserializer::from);
    Dataset::for_model(model, task, rows, Offsets::Utf16, arguments).map_err(js_error)
}

#[wasm_bindgen]
extern "C" {
    /// Labels by name: RawLabels in src/js.
    pub type RawLabels;
    #[wasm_bindgen(method, getter)]
    fn labels(this: &RawLabels) -> Option<RawValues>;
    #[wasm_bindgen(method, getter)]
    fn next_sentence_label(this: &RawLabels) -> Option<RawValues>;
    #[wasm_bindgen(method, getter)]
    fn start_positions(this: &RawLabels) -> Option<RawValues>;
    #[wasm_bindgen(method, getter)]
    fn end_positions(this: &RawLabels) -> Option<RawValues>;

    /// Numbers with a shape.
    pub type RawValues;
    #[wasm_bindgen(method, getter)]
    fn dims(this: &RawValues) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn data(this: &RawValues) -> Vec<f32>;
}

/// Packs a batch and its labels for the model.
fn packed(
    model: &super::Model,
    batches: Vec<RawInputs>,
    labels: &RawLabels,
) -> Result<(Batch, Labels)> {
    let values = |raw: RawValues| Values {
        dims: raw.dims().into_iter().map(|dim| dim as usize).collect(),
        data: raw.data(),
    };
    let labels = PaddedLabels {
        labels: labels.labels().map(values),
        next_sentence_label: labels.next_sentence_label().map(values),
        start_positions: labels.start_positions().map(values),
        end_positions: labels.end_positions().map(values),
    };
    let inputs: Vec<Inputs> = batches.into_iter().map(Inputs::from).collect();
    pack(model.config(), model.head_spec().kind, &inputs, &labels)
}

/// Converts an event for JavaScript: RunEvent in src/js.
fn event_out(event: &Event) -> JsResult<JsValue> {
    match event {
        Event::Step(progress) => write(&ProgressOut {
            r#type: "step",
            step: progress.step,
            max_steps: progress.max_steps,
            epoch: progress.epoch,
            loss: progress.loss,
            learning_rate: progress.learning_rate,
            grad_norm: progress.grad_norm,
            tokens: progress.tokens,
        }),
        Event::Evaluate { step, epoch, metrics } => {
            let object = Object::new();
            put(&object, "type", &"evaluate".into())?;
            put(&object, "step", &(*step as f64).into())?;
            put(&object, "epoch", &(*epoch).into())?;
            put_metrics(&object, metrics)?;
            Ok(object.into())
        }
    }
}

fn put(object: &Object, name: &str, value: &JsValue) -> JsResult<()> {
    Reflect::set(object, &name.into(), value).map(|_| ())
}

/// Adds metrics by name. An undefined metric is null.
fn put_metrics(object: &Object, metrics: &Metrics) -> JsResult<()> {
    for (name, value) in metrics {
        let value = if value.is_nan() { JsValue::NULL } else { (*value).into() };
        put(object, name, &value)?;
    }
    Ok(())
}

/// The results of a run so far.
#[derive(Serialize)]
struct RecordOut<'a> {
    losses: &'a [(usize, f32)],
    metrics: &'a Option<Metrics>,
}

/// A [`RecordOut`] of another instance.
#[derive(Default, Deserialize)]
struct RecordIn {
    losses: Vec<(usize, f32)>,
    metrics: Option<Vec<(String, Option<f64>)>>,
}

impl TryFrom<RecordIn> for RunRecord {
    type Error = Error;

    fn try_from(RecordIn { losses, metrics }: RecordIn) -> Result<Self> {
        let metrics = metrics.map(|all| all.into_iter().map(metric).collect::<Result<_>>());
        Ok(Self { losses, metrics: metrics.transpose()? })
    }
}

/// The fields of a step's event.
#[derive(Serialize)]
struct ProgressOut {
    r#type: &'static str,
    step: usize,
    max_steps: usize,
    epoch: f64,
    loss: f32,
    learning_rate: f64,
    grad_norm: f32,
    tokens: usize,
}

#[derive(Serialize)]
struct StepOut {
    loss: f32,
    grad_norm: f32,
}

#[derive(Serialize)]
struct LossOut {
    loss: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    masked_lm_loss: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_sentence_loss: Option<f32>,
}
