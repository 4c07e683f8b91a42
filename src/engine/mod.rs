//! An encoder on its device, and any number of heads on it.
//!
//! An [`Engine`] holds the parameters of one encoder, the device and its scratch memory. A [`Model`] is a head over
//! it, with the config and tokenizer of its checkpoint: what tasks call. Models come from a
//! [`ModelLoader`]; the first one brings its engine, others attach to it by reading their own tensors alone. A head
//! is gone when its model is dropped, the engine when the last of its models is.
//!
//! ```
//! use std::fs::read;
//! use std::rc::Rc;
//!
//! use pollster::block_on;
//! use webert::config::HeadKind;
//! use webert::engine::{Folder, ModelLoader, Options};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(feature = "cpu")] {
//! use webert::backend::cpu::Cpu;
//!
//! let file = |path: &str| read(format!("models/{path}"));
//! let mut files = vec![("config.json".to_owned(), file("minilm-mlm/config.json")?)];
//! files.push(("tokenizer.json".to_owned(), file("minilm-mlm/tokenizer.json")?));
//! let options = Options::default();
//! let mut loader = ModelLoader::new(Folder::read(&files)?, Cpu::default(), options)?;
//! loader.begin_file("model.safetensors")?;
//! loader.push(&file("minilm-mlm/model.safetensors")?)?;
//! let fills_masks = block_on(loader.finish())?;
//!
//! // a classifier over the same encoder: its file has the pooler and the output layer alone
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

mod blocks;
mod folder;
mod loader;
mod lock;
mod model;
mod outputs;
mod pass;
#[cfg(feature = "train")]
mod pooling;
mod rehearsal;
mod same;

#[cfg(feature = "train")]
pub use crate::checkpoint::Initialize;
pub use crate::checkpoint::Options;
pub use crate::model::Size;
pub use folder::{Files, Folder, load_tokenizer};
pub use loader::ModelLoader;
pub use model::{Info, Model, Table, Tick, Want};
pub use outputs::{Inputs, Outputs, Tensor};
pub use pass::{Request, Response};
#[cfg(feature = "train")]
pub use pooling::{PoolBy, Pooling};

use std::cell::{Cell, Ref, RefCell};
use std::ops::DerefMut;
use std::rc::{Rc, Weak};

use crate::backend::{Precision, Processor};
use crate::config::Config;
use crate::model::encoder::Scratch;
use crate::model::{EncoderOn, HeadOn};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};
use folder::Fingerprint;
use lock::Lock;

/// An encoder on its device. Passes of all its models wait for each other.
pub struct Engine<B: Processor> {
    /// That of the first model; of others what concerns the encoder is the same.
    config: Config,
    encoder: RefCell<EncoderOn<B>>,
    /// How often it was given to be changed.
    #[cfg(feature = "train")]
    changes: Cell<u64>,
    device: Rc<Lock<Device<B>>>,
    /// How the matrices are kept: the precision of the word table.
    precision: Precision,
    size: Size,
    /// Rows of a pass, about.
    pass_rows: usize,
    threads: Cell<usize>,
    /// Those of its models, so that equal ones are shared.
    tokenizers: RefCell<Vec<(Fingerprint, Weak<Tokenizer>)>>,
}

/// A backend and the activations of its passes.
pub(crate) struct Device<B: Processor> {
    pub(crate) backend: B,
    pub(crate) scratch: Scratch<B>,
}

impl<B: Processor> Engine<B> {
    /// The encoder's parameters, as [`describe_encoder`](crate::model::describe_encoder) of [`Engine::config`]
    /// lists them.
    pub fn encoder(&self) -> Ref<'_, EncoderOn<B>> {
        self.encoder.borrow()
    }

    /// The encoder's parameters, to be changed.
    ///
    /// # Errors
    /// `BadInput` while somebody reads them.
    pub fn encoder_mut(&self) -> Result<impl DerefMut<Target = EncoderOn<B>>> {
        let encoder = self.encoder.try_borrow_mut();
        #[cfg(feature = "train")]
        self.changes.set(self.changes.get() + u64::from(encoder.is_ok()));
        encoder.map_err(|_| Error::BadInput("the encoder is in use".into()))
    }

    /// How often the encoder was given to be changed.
    #[cfg(feature = "train")]
    pub(crate) fn changes(&self) -> u64 {
        self.changes.get()
    }

    /// The config that the encoder was loaded by.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How the encoder's matrices are kept.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// What the encoder's parameters take.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The device; `None` during a pass.
    pub fn backend(&self) -> Option<impl DerefMut<Target = B>> {
        self.device.try_lock().map(|device| lock::map(device, |device| &mut device.backend))
    }

    /// Rows of a pass, about.
    #[cfg(feature = "train")]
    pub(crate) fn pass_rows(&self) -> usize {
        self.pass_rows
    }

    /// The device, after the passes under way: others wait until what is given is dropped.
    #[cfg(feature = "train")]
    pub(crate) async fn lock(&self) -> impl DerefMut<Target = Device<B>> {
        self.device.lock().await
    }

    /// Computes with up to `threads` threads of the CPU from now on.
    ///
    /// # Errors
    /// `BadInput` during a pass.
    pub fn set_threads(&self, threads: usize) -> Result<()> {
        let Some(mut backend) = self.backend() else {
            return Err(Error::BadInput("the model is in use".into()));
        };
        self.threads.set(backend.set_threads(threads));
        Ok(())
    }

    /// Whether the device has gone, and with it the weights. Not known during a pass, which then
    /// fails by itself.
    pub fn is_lost(&self) -> bool {
        self.backend().is_some_and(|backend| backend.is_lost())
    }

    /// Whether the device ever refused a command. Not known during a pass.
    pub fn has_refused(&self) -> bool {
        self.backend().is_some_and(|backend| backend.has_refused())
    }

    /// What of the device is not used because it computes wrongly or slowly, and what is instead. Not known during
    /// a pass.
    pub fn note(&self) -> Option<String> {
        self.backend().and_then(|backend| backend.note().map(str::to_owned))
    }

    /// One forward pass, after those under way. Errors as [`Model::compute_each`].
    async fn forward(&self, head: &RefCell<HeadOn<B>>, request: Request) -> Result<Response> {
        let mut device = self.device.lock().await;
        let Device { backend, scratch } = &mut *device;
        let recorded = {
            let parts = (&*self.encoder.borrow(), &*head.borrow());
            pass::record(backend, &self.config, parts, scratch, request)?
        };
        recorded.read(backend).await
    }

    /// The tokenizer of these files if one of the models has it, else `made`.
    fn share(&self, fingerprint: Fingerprint, made: Rc<Tokenizer>) -> Rc<Tokenizer> {
        let mut tokenizers = self.tokenizers.borrow_mut();
        tokenizers.retain(|(_, tokenizer)| tokenizer.strong_count() > 0);
        let same = tokenizers.iter().find(|(other, _)| *other == fingerprint);
        if let Some(tokenizer) = same.and_then(|(_, tokenizer)| tokenizer.upgrade()) {
            return tokenizer;
        }
        tokenizers.push((fingerprint, Rc::downgrade(&made)));
        made
    }
}
