//! The files of a checkpoint folder but for its weights: config, tokenizer, pooling and the index of shards.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;

use crate::config::Config;
use crate::json::{self, Object};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};

/// The files of a checkpoint folder but for its weights: name and bytes.
pub type Files = Vec<(String, Vec<u8>)>;

/// The files that a tokenizer is made of.
const TOKENIZER_FILES: [&str; 7] = [
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
];

fn file<'a>(files: &'a Files, name: &str) -> Option<&'a [u8]> {
    files.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes.as_slice())
}

/// A checkpoint folder without its weights.
pub struct Folder {
    /// Of `config.json`.
    pub config: Config,
    /// `None`: the folder has no vocabulary.
    pub tokenizer: Option<Tokenizer>,
    /// An error in it matters to who asks for the folder's pooling alone.
    pub pooling: Result<Pooling>,
    /// `model.safetensors.index.json`, where the weights are in shards.
    pub(super) index: Option<Vec<u8>>,
    pub(super) fingerprint: Fingerprint,
}

/// What the files of a tokenizer are known by: their lengths together and a hash of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint(usize, u64);

impl Folder {
    /// Reads the files.
    ///
    /// # Errors
    /// Those of the files at fault.
    pub fn read(files: &Files) -> Result<Self> {
        let Some(config) = file(files, "config.json") else {
            return Err(Error::BadConfig("config.json is missing".into()));
        };
        let config = Config::parse(config)?;
        let tokenizer = load_tokenizer(files)?;
        let pooling = Pooling::read(files, tokenizer.as_ref());
        let index = file(files, "model.safetensors.index.json").map(<[u8]>::to_vec);
        Ok(Self { config, tokenizer, pooling, index, fingerprint: Fingerprint::new(files) })
    }
}

impl Fingerprint {
    fn new(files: &Files) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut length = 0;
        for name in TOKENIZER_FILES {
            let Some(bytes) = file(files, name) else {
                name.hash(&mut hasher); // an absent file
                continue;
            };
            let fields: Option<Object<'_>> = match name {
                "tokenizer_config.json" => json::read(name, bytes).ok(),
                _ => None,
            };
            let Some(Object(fields)) = fields else {
                bytes.hash(&mut hasher);
                length += bytes.len();
                continue;
            };
            // where tokenizer.json was read from says nothing of what is in it
            for (field, value) in fields.iter().filter(|(field, _)| field != "tokenizer_file") {
                (field, value.get()).hash(&mut hasher);
                length += value.get().len();
            }
        }
        Self(length, hasher.finish())
    }
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

/// The tokenizer of a folder; none where the folder has no vocabulary.
///
/// # Errors
/// As [`Tokenizer::load`].
pub fn load_tokenizer(files: &Files) -> Result<Option<Tokenizer>> {
    let file = |name| file(files, name);
    let files = crate::tokenizer::Files {
        tokenizer_json: file("tokenizer.json"),
        vocab_txt: file("vocab.txt"),
        vocab_json: file("vocab.json"),
        merges_txt: file("merges.txt"),
        tokenizer_config: file("tokenizer_config.json"),
        special_tokens_map: file("special_tokens_map.json"),
        added_tokens: file("added_tokens.json"),
    };
    if [files.tokenizer_json, files.vocab_txt, files.vocab_json].iter().all(Option::is_none) {
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
