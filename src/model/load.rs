//! From the files of a checkpoint folder to a [`Model`].

use std::cell::RefCell;

use serde::Deserialize;

use super::{Engine, Info, Model};
#[cfg(feature = "cpu")]
use crate::backend::cpu::{self, Cpu};
#[cfg(feature = "gpu")]
use crate::backend::gpu::Gpu;
use crate::backend::{Backend, Precision};
use crate::config::{Config, HeadKind};
use crate::json::{self, Object};
use crate::network::Network;
use crate::tokenizer::Tokenizer;
use crate::weights::{self, Loaded, Loader};
use crate::{Error, Result};

/// The files of a checkpoint folder but for its weights: name and bytes.
pub type Files = Vec<(String, Vec<u8>)>;

fn file<'a>(files: &'a Files, name: &str) -> Option<&'a [u8]> {
    files.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes.as_slice())
}

/// A model whose weights are still to come.
pub struct ModelLoader {
    config: Config,
    tokenizer: Option<Tokenizer>,
    pooling: Result<Pooling>,
    loader: AnyLoader,
    /// Whether the GPU has begun to compile what the model will need.
    #[cfg(feature = "gpu")]
    rehearsed: bool,
}

enum AnyLoader {
    #[cfg(feature = "cpu")]
    Cpu(Box<Loader<Cpu>>),
    #[cfg(feature = "gpu")]
    Gpu(Box<Loader<Gpu>>),
}

/// Runs the same on either loader.
macro_rules! on_loader {
    ($any:expr, $loader:ident => $body:expr) => {
        match $any {
            #[cfg(feature = "cpu")]
            AnyLoader::Cpu($loader) => $body,
            #[cfg(feature = "gpu")]
            AnyLoader::Gpu($loader) => $body,
        }
    };
}

/// How a sentence-transformers folder turns token states into one vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pooling {
    /// `None`: the folder does not say.
    pub by: Option<PoolBy>,
    /// Whether vectors are scaled to length 1.
    pub normalize: bool,
    /// The most tokens a text may have, where the folder sets a limit of its own.
    pub max_tokens: Option<usize>,
}

/// Which token states make a text's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolBy {
    /// All of them as they are.
    None,
    /// Their mean.
    Mean,
    /// The first token's.
    Cls,
    /// The last token's.
    Last,
}

impl ModelLoader {
    /// Reads config and tokenizer, opens the device and prepares for the weights.
    ///
    /// `device` is "wasm" (the CPU) or "webgpu"; `dtype` "auto" (q8 on the CPU, where it is three
    /// times as fast, and as in the file on a GPU), "fp32", "fp16" or "q8"; `head` the one the
    /// caller needs, if it needs one.
    ///
    /// # Errors
    /// Those of the files at fault; `Unsupported` for a device or dtype that is not to be had.
    pub async fn open(
        files: &Files,
        device: &str,
        dtype: &str,
        head: Option<HeadKind>,
    ) -> Result<Self> {
        let Some(config) = file(files, "config.json") else {
            return Err(Error::BadConfig("config.json is missing".into()));
        };
        let config = Config::parse(config)?;
        let precision = match dtype {
            "auto" => None,
            "fp32" => Some(Precision::F32),
            "fp16" => Some(Precision::F16),
            "q8" => Some(Precision::I8),
            other => {
                return Err(Error::BadInput(format!(
                    "dtype \"{other}\" is not one of auto, fp32, fp16, q8"
                )));
            }
        };
        let tokenizer = load_tokenizer(files)?;
        let pooling = Pooling::read(files, tokenizer.as_ref());
        let index = file(files, "model.safetensors.index.json");
        let options = weights::Options { head, precision };
        let loader = AnyLoader::open(device, config.clone(), options, index).await?;
        Ok(Self {
            config,
            tokenizer,
            pooling,
            loader,
            #[cfg(feature = "gpu")]
            rehearsed: false,
        })
    }

    /// Begins a weights file. Errors as [`Loader::begin_file`].
    pub fn begin_file(&mut self, name: &str) -> Result<()> {
        on_loader!(&mut self.loader, loader => loader.begin_file(name))
    }

    /// Tells the length of the file that was begun, as [`Loader::expect_size`].
    pub fn expect_size(&mut self, size: u64) {
        on_loader!(&mut self.loader, loader => loader.expect_size(size));
    }

    /// The next bytes of the file. Errors as [`Loader::push`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        on_loader!(&mut self.loader, loader => loader.push(bytes))?;
        #[cfg(feature = "gpu")]
        #[allow(irrefutable_let_patterns, reason = "a build may have the GPU alone")]
        if !self.rehearsed
            && let AnyLoader::Gpu(loader) = &mut self.loader
        {
            self.rehearsed = super::rehearsal::rehearse(&self.config, loader)?;
        }
        Ok(())
    }

    /// Ends the file. Errors as [`Loader::end_file`].
    pub fn end_file(&mut self) -> Result<()> {
        on_loader!(&mut self.loader, loader => loader.end_file())
    }

    /// The model. Errors as [`Loader::finish`]; on a GPU also `OutOfMemory` and `DeviceLost`.
    pub async fn finish(self) -> Result<Model> {
        let (info, engine) = match self.loader {
            #[cfg(feature = "cpu")]
            AnyLoader::Cpu(loader) => {
                let loaded = loader.finish()?;
                (facts(&loaded, "wasm", cpu::SIMD), Engine::Cpu(Box::new(Network::new(loaded))))
            }
            #[cfg(feature = "gpu")]
            AnyLoader::Gpu(loader) => {
                let mut loaded = loader.finish()?;
                loaded.backend.settle().await?;
                let note = loaded.backend.note().map(str::to_owned);
                let info = Info { note, ..facts(&loaded, "webgpu", "none") };
                (info, Engine::Gpu(Box::new(Network::new(loaded))))
            }
        };
        let mut model = Model {
            config: self.config,
            tokenizer: self.tokenizer,
            pooling: self.pooling,
            engine: RefCell::new(engine),
            most_rows: 0,
            info,
        };
        model.most_rows = model.processor().rows();
        Ok(model)
    }
}

impl AnyLoader {
    /// A loader for the device of that name, where this build has it.
    async fn open(
        device: &str,
        config: Config,
        options: weights::Options,
        index: Option<&[u8]>,
    ) -> Result<Self> {
        match device {
            #[cfg(feature = "cpu")]
            "wasm" => {
                let precision = options.precision.or(Some(Precision::I8));
                let options = weights::Options { precision, ..options };
                let loader = Loader::new(config, Cpu::default(), options, index)?;
                Ok(Self::Cpu(Box::new(loader)))
            }
            #[cfg(feature = "gpu")]
            "webgpu" => {
                let loader = Loader::new(config, Gpu::open().await?, options, index)?;
                Ok(Self::Gpu(Box::new(loader)))
            }
            other => Err(Error::Unsupported(format!("this build has no device \"{other}\""))),
        }
    }
}

/// What is known of weights that are loaded.
fn facts<B: Backend>(loaded: &Loaded<B>, device: &'static str, simd: &'static str) -> Info {
    Info {
        device,
        precision: loaded.precision,
        simd,
        threads: 1,
        head: loaded.weights.head.kind(),
        parameters: loaded.parameters,
        bytes: loaded.bytes,
        note: None,
    }
}

/// The tokenizer of a folder; none where the folder has no vocabulary.
///
/// # Errors
/// As [`Tokenizer::load`].
pub fn load_tokenizer(files: &Files) -> Result<Option<Tokenizer>> {
    let file = |name| file(files, name);
    let files = crate::tokenizer::Files {
        tokenizer_json: file("tokenizer.json"),
        vocab_txt: file("vocab.txt"),
        tokenizer_config: file("tokenizer_config.json"),
        special_tokens_map: file("special_tokens_map.json"),
        added_tokens: file("added_tokens.json"),
    };
    if files.tokenizer_json.is_none() && files.vocab_txt.is_none() {
        return Ok(None);
    }
    Tokenizer::load(&files).map(Some)
}

impl Pooling {
    /// From `1_Pooling/config.json`, `modules.json` and `sentence_bert_config.json`.
    fn read(files: &Files, tokenizer: Option<&Tokenizer>) -> Result<Self> {
        let pooling: Option<Object<'_>> = read(files, "1_Pooling/config.json")?;
        let entries = pooling.iter().flat_map(|pooling| &pooling.0);
        let modes = entries
            .filter(|(name, value)| name.starts_with("pooling_mode_") && value.get() == "true");
        let modes: Vec<&str> = modes.map(|(name, _)| &**name).collect();
        let by = match modes[..] {
            ["pooling_mode_mean_tokens"] => Some(PoolBy::Mean),
            ["pooling_mode_cls_token"] => Some(PoolBy::Cls),
            ["pooling_mode_lasttoken"] => Some(PoolBy::Last),
            _ if pooling.is_none() => None,
            _ => {
                return Err(Error::Unsupported(format!(
                    "1_Pooling/config.json: pooling by [{}], only by pooling_mode_mean_tokens, \
                     pooling_mode_cls_token or pooling_mode_lasttoken",
                    modes.join(", ")
                )));
            }
        };
        let mut normalize = false;
        let modules: Option<Vec<Object<'_>>> = read(files, "modules.json")?;
        for module in modules.iter().flatten() {
            let name = module.get("type").and_then(json::text);
            let name = name.as_deref().unwrap_or("without a type");
            normalize |= name.ends_with(".Normalize");
            let known = [".Transformer", ".Pooling", ".Normalize"];
            if !known.iter().any(|known| name.ends_with(known)) {
                return Err(Error::Unsupported(format!(
                    "modules.json: a module {name}, only Transformer, Pooling and Normalize"
                )));
            }
        }
        let config: Option<Object<'_>> = read(files, "sentence_bert_config.json")?;
        let config = config.unwrap_or_default();
        // of a tokenizer that does so itself it changes nothing
        let lowercases = tokenizer.is_none_or(Tokenizer::lowercases);
        if config.get_as("do_lower_case") == Some(true) && !lowercases {
            return Err(Error::Unsupported(
                "sentence_bert_config.json: do_lower_case is true, only where the tokenizer \
                 lowercases itself"
                    .into(),
            ));
        }
        let max_tokens = config.get("max_seq_length").and_then(json::whole);
        let max_tokens = max_tokens.map(|tokens| tokens as usize);
        Ok(Self { by, normalize, max_tokens })
    }
}

/// A file of sentence-transformers, where the folder has it.
fn read<'a, T: Deserialize<'a>>(files: &'a Files, name: &str) -> Result<Option<T>> {
    let file = file(files, name).map(|bytes| json::read(name, bytes).map_err(Error::BadConfig));
    file.transpose()
}
