//! The files of a checkpoint that describe its tokenizer.
//!
//! - `class`: `tokenizer_class`, which decides how a text is cut
//! - `settings`: `tokenizer_config.json` and the small files beside it
//! - `fields`: the fields that are known; a test compares them with docs/tokenizer-fields.md
//! - `tokenizer_json`: `tokenizer.json`, whose parts `pipeline` makes
//! - `json`: what these files have in common
//! - `load`: a tokenizer from all of them

pub(in crate::tokenizer) mod class;
pub(in crate::tokenizer) mod fields;
pub(in crate::tokenizer) mod json;
pub(in crate::tokenizer) mod load;
pub(in crate::tokenizer) mod settings;
pub(in crate::tokenizer) mod tokenizer_json;
