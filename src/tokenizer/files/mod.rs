//! The files of a checkpoint that describe its tokenizer.
//!
//! - `class`: `tokenizer_class`, which selects the algorithm
//! - `esm`: ESM's tokenizer as a `tokenizer.json`
//! - `settings`: `tokenizer_config.json` and the small files beside it
//! - `fields`: the known fields; a test compares them with docs/tokenizer-fields.md
//! - `tokenizer_json`: `tokenizer.json`, with parts from `pipeline`
//! - `json`: helpers shared by the readers
//! - `load`: loads a tokenizer from all files

pub(in crate::tokenizer) mod class;
#[cfg(feature = "tokenizers")]
mod esm;
pub(in crate::tokenizer) mod fields;
pub(in crate::tokenizer) mod json;
pub(in crate::tokenizer) mod load;
pub(in crate::tokenizer) mod settings;
pub(in crate::tokenizer) mod tokenizer_json;
