//! An encoder on its device, with any number of heads.
//!
//! An [`Engine`] holds the parameters of one encoder, the device and its scratch memory. A
//! [`Model`] is a head over an engine, with the config and tokenizer of its checkpoint; tasks use
//! models. A [`ModelLoader`] loads models. The first model brings the engine. Further models attach
//! to it and load only their own tensors. A head is freed when its model is dropped, the engine
//! when its last model is dropped.
//!
//! ```
//! use std::fs::read;
//! use std::rc::Rc;
//!
//! use pollster::block_on;
//! use webert::config::HeadKind;
//! use webert::engine::{Folder, LoadOptions, ModelLoader};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(feature = "cpu")] {
//! use webert::backend::cpu::Cpu;
//!
//! let file = |path: &str| read(format!("models/{path}"));
//! let mut files = vec![("config.json".to_owned(), file("minilm-mlm/config.json")?)];
//! files.push(("tokenizer.json".to_owned(), file("minilm-mlm/tokenizer.json")?));
//! let options = LoadOptions::default();
//! let mut loader = ModelLoader::new(Folder::read(&files)?, Cpu::default(), options)?;
//! loader.begin_file("model.safetensors")?;
//! loader.push(&file("minilm-mlm/model.safetensors")?)?;
//! let fills_masks = block_on(loader.finish())?;
//!
//! // a classifier over the same encoder; its file has only the pooler and the output layer
//! files[0].1 = file("minilm-sentiment/config.json")?;
//! let folder = Folder::read(&files)?;
//! let mut loader = ModelLoader::attach(fills_masks.engine(), folder, options)?;
//! loader.begin_file("classifier.safetensors")?;
//! loader.push(&file("minilm-sentiment/classifier.safetensors")?)?;
//! let classifies = block_on(loader.finish())?;
//! assert!(Rc::ptr_eq(fills_masks.engine(), classifies.engine()));
//! assert_eq!(classifies.info().head, HeadKind::SequenceClassification);
//! # }
//! # Ok(())
//! # }
//! ```

mod folder;
#[cfg(feature = "families")]
mod layer_values;
mod loader;
mod lock;
mod model;
mod outputs;
mod pack;
mod pass;
mod passes_by_size;
#[cfg(feature = "train")]
mod pooling;
#[cfg(feature = "families")]
mod retrieval;
mod same_encoder;
mod warm_up;

#[cfg(feature = "train")]
pub use crate::checkpoint::Initialize;
pub use crate::checkpoint::LoadOptions;
pub use crate::model::Size;
pub use folder::{Files, Folder, load_tokenizer};
#[cfg(feature = "families")]
pub use layer_values::LayerValues;
pub use loader::ModelLoader;
pub use model::{Info, Model, OutputRequest, Table, Tick};
pub use outputs::{Inputs, Outputs, Tensor};
pub use pass::{Request, Response};
#[cfg(feature = "train")]
pub use pooling::{PoolBy, Pooling};
#[cfg(feature = "families")]
pub use retrieval::ScorePooling;

use std::cell::{Cell, Ref, RefCell};
use std::ops::DerefMut;
use std::rc::{Rc, Weak};

use crate::backend::{Precision, Processor};
use crate::checkpoint::Share;
use crate::config::Config;
use crate::model::encoder::Scratch;
use crate::model::{EncoderOn, HeadOn};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};
use folder::Fingerprint;
use lock::Lock;

/// An encoder on its device. The passes of all its models run one after another.
pub struct Engine<B: Processor> {
    /// Config of the first model. The configs of other models agree in everything that concerns the
    /// encoder.
    config: Config,
    encoder: RefCell<EncoderOn<B>>,
    /// Number of times the encoder was borrowed mutably.
    #[cfg(feature = "train")]
    changes: Cell<u64>,
    common: Rc<Common<B>>,
    /// Precision of the matrices: the precision of the word table.
    precision: Precision,
    size: Size,
    /// Approximate number of rows per pass.
    pass_rows: Cell<usize>,
    /// Identifies the adapter that the encoder has; 0 if the caller named none.
    adapter: u32,
    /// The matrices that the adapter does not change, for other engines. Empty once the encoder was
    /// borrowed mutably.
    shares: RefCell<Vec<Share<B>>>,
}

/// What engines with different adapters of one encoder have in common.
struct Common<B: Processor> {
    device: Lock<Device<B>>,
    threads: Cell<usize>,
    /// Tokenizers of the models, so that equal ones are shared.
    tokenizers: RefCell<Vec<(Fingerprint, Weak<Tokenizer>)>>,
    /// The engines, each with another adapter.
    engines: RefCell<Vec<Weak<Engine<B>>>>,
}

impl<B: Processor> Common<B> {
    /// Adds an engine, and removes those that were dropped.
    fn add(&self, engine: &Rc<Engine<B>>) {
        let mut engines = self.engines.borrow_mut();
        engines.retain(|engine| engine.strong_count() > 0);
        engines.push(Rc::downgrade(engine));
    }
}

/// A backend and the activations of its passes.
pub(crate) struct Device<B: Processor> {
    pub(crate) backend: B,
    pub(crate) scratch: Scratch<B>,
}

impl<B: Processor> Engine<B> {
    /// Returns the encoder's parameters, with the structure of
    /// [`describe_encoder`](crate::model::describe_encoder) for [`Engine::config`].
    pub fn encoder(&self) -> Ref<'_, EncoderOn<B>> {
        self.encoder.borrow()
    }

    /// Returns the encoder's parameters for changes.
    ///
    /// # Errors
    /// `BadInput` while they are being read, or while another engine shares them.
    pub fn encoder_mut(&self) -> Result<impl DerefMut<Target = EncoderOn<B>>> {
        let engines = self.common.engines.borrow();
        if engines.iter().filter(|engine| engine.strong_count() > 0).count() > 1 {
            let what = "the encoder is shared with models that have an adapter";
            return Err(Error::BadInput(what.into()));
        }
        self.shares.take();
        let encoder = self.encoder.try_borrow_mut();
        #[cfg(feature = "train")]
        self.changes.set(self.changes.get() + u64::from(encoder.is_ok()));
        encoder.map_err(|_| Error::BadInput("the encoder is in use".into()))
    }

    /// Returns how often the encoder was borrowed for changes.
    #[cfg(feature = "train")]
    pub(crate) fn changes(&self) -> u64 {
        self.changes.get()
    }

    /// Returns the config that the encoder was loaded with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the precision of the encoder's matrices.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Returns the size of the encoder's parameters.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the device, or `None` during a pass.
    pub fn backend(&self) -> Option<impl DerefMut<Target = B>> {
        self.common.device.try_lock().map(|device| lock::map(device, |device| &mut device.backend))
    }

    /// Returns the approximate number of rows per pass.
    pub(crate) fn pass_rows(&self) -> usize {
        self.pass_rows.get()
    }

    /// Does a part of the choice of kernels that was postponed, after the passes that are running.
    /// Returns the kernels in use if nothing is left. `None`: there is more to do.
    ///
    /// # Errors
    /// As [`Processor::improve`].
    pub async fn improve(&self) -> Result<Option<String>> {
        let backend = &mut self.common.device.lock().await.backend;
        if backend.improve().await? {
            return Ok(None);
        }
        // A device that was measured may compute more at a time.
        for engine in self.common.engines.borrow().iter().filter_map(Weak::upgrade) {
            engine.pass_rows.set(backend.pass_rows(engine.config.products()));
        }
        Ok(Some(backend.kernels().unwrap_or_default()))
    }

    /// Waits for running passes and returns the device. Other calls wait until the result is
    /// dropped.
    #[cfg(feature = "train")]
    pub(crate) async fn lock(&self) -> impl DerefMut<Target = Device<B>> {
        self.common.device.lock().await
    }

    /// Sets the number of CPU threads to at most `threads`.
    ///
    /// # Errors
    /// `BadInput` during a pass.
    pub fn set_threads(&self, threads: usize) -> Result<()> {
        let Some(mut backend) = self.backend() else {
            return Err(Error::BadInput("the model is in use".into()));
        };
        self.common.threads.set(backend.set_threads(threads));
        Ok(())
    }

    /// Returns true if the device is lost, and the weights with it. Returns false during a pass,
    /// which then fails by itself.
    pub fn is_lost(&self) -> bool {
        self.backend().is_some_and(|backend| backend.is_lost())
    }

    /// Returns true if the device ever refused a command. Returns false during a pass.
    pub fn has_refused(&self) -> bool {
        self.backend().is_some_and(|backend| backend.has_refused())
    }

    /// Returns which feature of the device is not used because it is wrong or slow, and what
    /// replaces it. Returns `None` during a pass.
    pub fn note(&self) -> Option<String> {
        self.backend().and_then(|backend| backend.note().map(str::to_owned))
    }

    /// Waits for the turn of a pass and returns the device. Errors: as `tick`.
    async fn turn(&self, tick: Tick<'_>) -> Result<impl DerefMut<Target = Device<B>>> {
        tick().await?;
        let must_wait = self.common.device.is_busy();
        let device = self.common.device.lock().await;
        if must_wait {
            // The caller may have ended the call while it waited.
            tick().await?;
        }
        Ok(device)
    }

    /// Runs one forward pass. Errors: as [`Model::compute_each`].
    async fn forward(
        &self,
        Device { backend, scratch }: &mut Device<B>,
        head: &RefCell<HeadOn<B>>,
        request: Request,
    ) -> Result<Response> {
        let recorded = {
            let (encoder, head) = (self.encoder.borrow(), head.borrow());
            pass::record(backend, &self.config, &encoder, &head, scratch, request)?
        };
        recorded.read(backend).await
    }

    /// Returns the tokenizer of a model with the same files, or `made` if no model has them.
    fn share(&self, fingerprint: Fingerprint, made: Rc<Tokenizer>) -> Rc<Tokenizer> {
        let mut tokenizers = self.common.tokenizers.borrow_mut();
        tokenizers.retain(|(_, tokenizer)| tokenizer.strong_count() > 0);
        let same = tokenizers.iter().find(|(other, _)| *other == fingerprint);
        if let Some(tokenizer) = same.and_then(|(_, tokenizer)| tokenizer.upgrade()) {
            return tokenizer;
        }
        tokenizers.push((fingerprint, Rc::downgrade(&made)));
        made
    }
}
