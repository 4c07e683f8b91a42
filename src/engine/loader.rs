//! Loads a [`Model`] from a checkpoint folder and the bytes of its weights.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::lock::Lock;
use super::model::Tokens;
use super::same_encoder::check_same_encoder;
use super::warm_up::warm_up;
use super::{Common, Device, Engine, Folder, Model};
use crate::backend::Processor;
use crate::checkpoint::{LoadOptions, Loaded, Loader, Part, Share};
use crate::model::encoder::Scratch;
use crate::{Error, Result};

/// A model that is being loaded.
pub struct ModelLoader<B: Processor> {
    folder: Folder,
    loader: Loader<B>,
    common: Rc<Common<B>>,
    /// The engine that the head is attached to. `None`: the model brings its own.
    engine: Option<Rc<Engine<B>>>,
    /// Identifies the model's adapter; 0 if it has none.
    adapter: u32,
    /// True if the device has started to compile the model's kernels.
    has_warmed_up: bool,
    /// Input that arrived during passes of the engine, in order.
    waiting: Vec<Input>,
}

/// Input from the caller about a weights file.
enum Input {
    Begin(String),
    Size(u64),
    Bytes(Vec<u8>),
    Skip(usize),
    End,
}

impl<B: Processor> ModelLoader<B> {
    /// Prepares to load the weights of a model with an engine of its own on this device.
    ///
    /// # Errors
    /// `Unsupported` if the folder's index shows that the head is missing, or if the device lacks an
    /// operation of the family; `BadWeights` for an invalid index.
    pub fn new(folder: Folder, backend: B, options: LoadOptions) -> Result<Self> {
        let common = Rc::new(Common {
            device: Lock::new(Device { backend, scratch: Scratch::default() }),
            threads: Cell::new(1),
            tokenizers: RefCell::default(),
            engines: RefCell::default(),
        });
        Self::over(folder, common, None, options)
    }

    /// Prepares to load a model over the encoder of `engine`, or of an engine that shares matrices
    /// with it: the one with the adapter [`LoadOptions::adapter`]. Tensors of the encoder may be
    /// absent, and are skipped. If no engine has this adapter, the model brings an engine that shares
    /// the matrices that neither adapter changes: see [`Loader::over`].
    ///
    /// # Errors
    /// `BadInput` if the folder's config describes another encoder. As [`ModelLoader::new`].
    pub fn attach(engine: &Rc<Engine<B>>, folder: Folder, options: LoadOptions) -> Result<Self> {
        let (mut found, mut shares) = (None, Vec::new());
        for other in engine.common.engines.borrow().iter().filter_map(Weak::upgrade) {
            Share::add_to(&mut shares, &other.shares.borrow());
            if other.adapter == options.adapter {
                found = Some(other);
            }
        }
        let is_new = found.is_none();
        let of_engine = found.as_deref().unwrap_or(engine).config();
        check_same_encoder(of_engine, &folder.config, is_new)?;
        let mut loader = Self::over(folder, Rc::clone(&engine.common), found, options)?;
        if is_new {
            loader.loader.over(shares);
        }
        Ok(loader)
    }

    fn over(
        folder: Folder,
        common: Rc<Common<B>>,
        engine: Option<Rc<Engine<B>>>,
        options: LoadOptions,
    ) -> Result<Self> {
        let part = if engine.is_some() { Part::Head } else { Part::All };
        let (config, index) = (folder.config.clone(), folder.index.as_deref());
        #[cfg(feature = "families")]
        let loader = match &folder.adapter {
            Some(adapter) => Loader::with_adapter(config, part, options, index, adapter.clone())?,
            None => Loader::new(config, part, options, index)?,
        };
        #[cfg(not(feature = "families"))]
        let loader = Loader::new(config, part, options, index)?;
        Ok(Self {
            folder,
            loader,
            common,
            engine,
            adapter: options.adapter,
            has_warmed_up: false,
            waiting: Vec::new(),
        })
    }

    /// Starts a weights file. Errors: as [`Loader::begin_file`].
    pub fn begin_file(&mut self, name: &str) -> Result<()> {
        self.process_or_store(Input::Begin(name.to_owned()))
    }

    /// Sets the length of the current file, see [`Loader::expect_size`].
    ///
    /// # Errors
    /// Errors of earlier input that had to wait for a pass.
    pub fn expect_size(&mut self, size: u64) -> Result<()> {
        self.process_or_store(Input::Size(size))
    }

    /// Takes the next bytes of the file. Errors: as [`Loader::push`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let common = Rc::clone(&self.common);
        // During a pass the bytes are copied and wait, so that this call need not.
        let Some(mut device) = common.device.try_lock() else {
            self.waiting.push(Input::Bytes(bytes.to_vec()));
            return Ok(());
        };
        self.process_waiting(&mut device.backend)?;
        self.take_bytes(bytes, &mut device.backend)
    }

    /// Ends the file. Errors: as [`Loader::end_file`].
    pub fn end_file(&mut self) -> Result<()> {
        self.process_or_store(Input::End)
    }

    /// Returns how many of the next bytes of the file are not needed. Returns 0 if all are needed
    /// or if it is not known yet.
    pub fn skippable(&self) -> usize {
        if self.waiting.is_empty() { self.loader.skippable() } else { 0 }
    }

    /// Skips `bytes` of the file, as if they had been pushed.
    ///
    /// # Errors
    /// `BadInput` for more than [`ModelLoader::skippable`].
    pub fn skip(&mut self, bytes: usize) -> Result<()> {
        if bytes > self.skippable() {
            return Err(Error::BadInput(format!(
                "skip: expected at most {} bytes, got {bytes}",
                self.skippable()
            )));
        }
        let common = Rc::clone(&self.common);
        match common.device.try_lock() {
            Some(mut device) => self.loader.skip(&mut device.backend, bytes),
            None => {
                self.waiting.push(Input::Skip(bytes));
                Ok(())
            }
        }
    }

    /// Returns the names of files beside the last file that have data of its tensors. They must be
    /// read next. During a pass of the engine, input waits and the names are not known yet.
    ///
    /// # Errors
    /// Errors of earlier input that had to wait for a pass.
    #[cfg(feature = "families")]
    pub fn external_files(&mut self) -> Result<Vec<String>> {
        let common = Rc::clone(&self.common);
        if let Some(mut device) = common.device.try_lock() {
            self.process_waiting(&mut device.backend)?;
        }
        Ok(self.loader.external_files())
    }

    /// Returns true if the shard with this name has a tensor that is needed. The folder's index
    /// decides; without an index the result is true.
    pub fn wants(&self, name: &str) -> bool {
        self.loader.wants(name)
    }

    /// Begins a dry run, see [`Loader::dry_run`].
    #[cfg(feature = "families")]
    pub fn dry_run(&mut self) {
        self.loader.dry_run();
        self.has_warmed_up = true;
    }

    /// Returns whether the rest of the file is not needed, see [`Loader::knows`].
    #[cfg(feature = "families")]
    pub fn knows(&self) -> bool {
        self.loader.knows()
    }

    /// Checks that the files list all tensors. Errors: as [`Loader::check`].
    #[cfg(feature = "families")]
    pub fn check(&self) -> Result<()> {
        self.loader.check()
    }

    /// Tests the device and chooses its kernels, while the weights arrive. Returns `None` if the
    /// device does not compile its kernels yet.
    ///
    /// # Errors
    /// As [`Processor::settle`].
    pub fn settle(&self) -> Option<impl Future<Output = Result<Option<String>>> + use<B>> {
        let common = Rc::clone(&self.common);
        (B::COMPILES && self.has_warmed_up).then_some(async move {
            let mut device = common.device.lock().await;
            device.backend.settle().await?;
            Ok(device.backend.kernels())
        })
    }

    /// Finishes loading and returns the model. Errors: as [`Loader::finish`]; on a GPU also
    /// `OutOfMemory` and `DeviceLost`.
    pub async fn finish(mut self) -> Result<Model<B>> {
        let common = Rc::clone(&self.common);
        #[cfg(feature = "train")]
        let drawn;
        let (note, kernels) = {
            let mut device = common.device.lock().await;
            self.process_waiting(&mut device.backend)?;
            self.loader.end_file()?;
            #[cfg(feature = "families")]
            self.loader.read_peft(&mut device.backend)?;
            #[cfg(feature = "train")]
            {
                drawn = self.loader.initialize(&mut device.backend)?;
            }
            device.backend.settle().await?;
            (device.backend.note().map(str::to_owned), device.backend.kernels())
        };
        let Self { folder, loader, engine, adapter, .. } = self;
        let loaded = loader.finish()?;
        #[cfg(feature = "families")]
        let gliner = loaded.gliner;
        let Loaded { encoder, head, head_spec, head_size, .. } = loaded;
        let engine = match (engine, encoder) {
            (Some(engine), _) => engine,
            (None, Some(loaded)) => {
                let pass_rows = match common.device.try_lock() {
                    Some(device) => device.backend.pass_rows(folder.config.products()),
                    None => return Err(Error::BadInput("the device is in use".into())),
                };
                let engine = Rc::new(Engine {
                    config: folder.config.clone(),
                    encoder: RefCell::new(loaded.weights),
                    #[cfg(feature = "train")]
                    changes: Cell::new(0),
                    common,
                    precision: loaded.precision,
                    size: loaded.size,
                    pass_rows: Cell::new(pass_rows),
                    adapter,
                    shares: RefCell::new(loaded.shares),
                });
                engine.common.add(&engine);
                engine
            }
            (None, None) => return Err(Error::BadWeights("no weights file was given".into())),
        };
        let tokenizer =
            folder.tokenizer.map(|tokenizer| engine.share(folder.fingerprint, Rc::new(tokenizer)));
        let tokens = Tokens {
            config: folder.config,
            tokenizer,
            #[cfg(feature = "families")]
            gliner,
            #[cfg(feature = "train")]
            pooling: folder.pooling,
            #[cfg(feature = "train")]
            drawn,
        };
        Ok(Model::new(engine, tokens, head, head_spec, head_size, (note, kernels)))
    }

    /// Processes input, or stores it until the pass that is running has ended.
    fn process_or_store(&mut self, input: Input) -> Result<()> {
        let common = Rc::clone(&self.common);
        match common.device.try_lock() {
            Some(mut device) => {
                self.process_waiting(&mut device.backend)?;
                self.process(input, &mut device.backend)
            }
            None => {
                self.waiting.push(input);
                Ok(())
            }
        }
    }

    fn process_waiting(&mut self, backend: &mut B) -> Result<()> {
        std::mem::take(&mut self.waiting)
            .into_iter()
            .try_for_each(|input| self.process(input, backend))
    }

    fn process(&mut self, input: Input, backend: &mut B) -> Result<()> {
        match input {
            Input::Begin(name) => self.loader.begin_file(&name),
            Input::Size(size) => {
                self.loader.expect_size(size);
                Ok(())
            }
            Input::Bytes(bytes) => self.take_bytes(&bytes, backend),
            Input::Skip(bytes) => self.loader.skip(backend, bytes),
            Input::End => self.loader.end_file(),
        }
    }

    fn take_bytes(&mut self, bytes: &[u8], backend: &mut B) -> Result<()> {
        self.loader.push(backend, bytes)?;
        // An attached head uses the kernels that its engine has already compiled.
        let is_first = || self.common.engines.borrow().is_empty();
        if B::COMPILES && !self.has_warmed_up && is_first() {
            self.has_warmed_up = warm_up(&self.folder.config, &self.loader, backend)?;
        }
        Ok(())
    }
}
