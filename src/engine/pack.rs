//! What [`Batch::pack`](crate::batch::Batch::pack) reads of a config and of an encoding. Batches
//! themselves know neither.

use crate::batch::{Encoded, Limits};
use crate::config::Config;
use crate::tokenizer::Encoding;

impl From<&Config> for Limits {
    fn from(config: &Config) -> Self {
        Self {
            vocab: config.vocab,
            types: config.types,
            positions: config.positions,
            first_position: config.first_position(),
            padding: config.padding_position(),
            reads_masked: config.structure().reads_masked,
        }
    }
}

impl<'a> From<&'a Encoding> for Encoded<'a> {
    fn from(encoding: &'a Encoding) -> Self {
        let Encoding { ids, type_ids: types, attention_mask: mask, .. } = encoding;
        Self { ids, types, mask }
    }
}
