//! The files of a checkpoint folder except its weights: config, tokenizer and the index of shards.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::config::Config;
#[cfg(feature = "families")]
use crate::config::{GLINER_CONFIG, Gliner};
use crate::json::{self, Object, Text};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};

/// Files of a checkpoint folder except its weights, as pairs of name and bytes.
pub type Files = Vec<(String, Vec<u8>)>;

/// Files that define a tokenizer.
const TOKENIZER_FILES: [&str; 11] = [
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "bpe.codes",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
];

pub(super) fn file<'a>(files: &'a Files, name: &str) -> Option<&'a [u8]> {
    files.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes.as_slice())
}

/// A checkpoint folder without its weights.
pub struct Folder {
    /// Contents of `config.json`.
    pub config: Config,
    /// `None` if the folder has no vocabulary.
    pub tokenizer: Option<Tokenizer>,
    /// `model.safetensors.index.json`, if the weights are split into shards.
    pub(super) index: Option<Vec<u8>>,
    /// `adapter_model.safetensors`: tensors that are read before the weights.
    #[cfg(feature = "families")]
    pub(super) adapter: Option<Vec<u8>>,
    pub(super) fingerprint: Fingerprint,
    /// An error here matters only if embeddings are trained, so it is kept and reported then.
    #[cfg(feature = "train")]
    pub(super) pooling: Result<super::Pooling>,
}

/// Identifies the files of a tokenizer: their total length and a 64-bit hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint(usize, u64);

impl Folder {
    /// Reads the files.
    ///
    /// # Errors
    /// `BadConfig` if `config.json` is missing; otherwise the error of the invalid file.
    pub fn read(files: &Files) -> Result<Self> {
        let mut config = read_config(files)?;
        config.score_function = score_function(files)?.or(config.score_function);
        let tokenizer = load_tokenizer(files)?;
        #[cfg(feature = "families")]
        if let (Some(gliner), Some(tokenizer)) = (&config.gliner, &tokenizer) {
            config.vocab = vocab_of_gliner(gliner, tokenizer).unwrap_or(config.vocab);
        }
        let index = file(files, "model.safetensors.index.json");
        #[cfg(feature = "families")]
        let index = index.or_else(|| file(files, "pytorch_model.bin.index.json"));
        Ok(Self {
            config,
            tokenizer,
            index: index.map(<[u8]>::to_vec),
            #[cfg(feature = "families")]
            adapter: file(files, "adapter_model.safetensors").map(<[u8]>::to_vec),
            fingerprint: Fingerprint::new(files),
            #[cfg(feature = "train")]
            pooling: super::Pooling::read(files),
        })
    }
}

/// Returns the number of rows of the word table if the gliner library resizes it: it adds three
/// tokens to the tokenizer, unless they are there. `None`: `gliner_config.json` has the number.
#[cfg(feature = "families")]
fn vocab_of_gliner(gliner: &Gliner, tokenizer: &Tokenizer) -> Option<usize> {
    if gliner.class_token.is_some() {
        return None;
    }
    let added = ["[FLERT]", &gliner.ent_token, &gliner.sep_token];
    let missing = added.iter().filter(|token| tokenizer.id(token).is_none()).count();
    Some(tokenizer.vocab_size() + missing)
}

fn read_config(files: &Files) -> Result<Config> {
    let config = file(files, "config.json");
    #[cfg(feature = "families")]
    if let Some(gliner) = file(files, GLINER_CONFIG) {
        return Config::parse_gliner(config, gliner);
    }
    match config {
        Some(config) => Config::parse(config),
        None => Err(Error::BadConfig("config.json is missing".into())),
    }
}

impl Fingerprint {
    fn new(files: &Files) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut length = 0;
        for name in TOKENIZER_FILES {
            let Some(bytes) = file(files, name) else {
                name.hash(&mut hasher); // marks an absent file
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
            // The path in `tokenizer_file` differs between folders with the same tokenizer.
            for (field, value) in fields.iter().filter(|(field, _)| field != "tokenizer_file") {
                (field, value.get()).hash(&mut hasher);
                length += value.get().len();
            }
        }
        Self(length, hasher.finish())
    }
}

/// Loads the tokenizer of a folder. Returns `None` if the folder has no vocabulary.
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
        bpe_codes: file("bpe.codes"),
        spiece_model: file("spiece.model"),
        sentencepiece_bpe_model: file("sentencepiece.bpe.model"),
        spm_model: file("spm.model"),
        tokenizer_config: file("tokenizer_config.json"),
        special_tokens_map: file("special_tokens_map.json"),
        added_tokens: file("added_tokens.json"),
        config: file("config.json"),
    };
    let vocabularies = [
        files.tokenizer_json,
        files.vocab_txt,
        files.vocab_json,
        files.spiece_model,
        files.sentencepiece_bpe_model,
        files.spm_model,
    ];
    if vocabularies.iter().all(Option::is_none) {
        return Ok(None);
    }
    Tokenizer::load(&files).map(Some)
}

/// Returns the `activation_fn` of sentence-transformers 5, if the folder has one.
fn score_function(files: &Files) -> Result<Option<String>> {
    let name = "config_sentence_transformers.json";
    let Some(bytes) = file(files, name) else { return Ok(None) };
    let config: Object<'_> = json::read(name, bytes).map_err(Error::BadConfig)?;
    Ok(config.get_as("activation_fn").map(|Text(name)| name.into_owned()))
}
