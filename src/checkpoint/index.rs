//! `model.safetensors.index.json`, which maps tensors to shards.

use super::header::bad_file;
use crate::json::{self, Object};
use crate::{Error, Result};

/// Tensor names in the file, each with the name of its shard.
pub(super) type Index = Vec<(String, String)>;

/// Reads the index.
///
/// # Errors
/// `BadWeights` for an invalid index.
pub(super) fn read(json: &[u8]) -> Result<Index> {
    let name = "model.safetensors.index.json";
    let index: Object<'_> = json::read(name, json).map_err(Error::BadWeights)?;
    let Some(map) = index.get_as::<Object<'_>>("weight_map") else {
        return Err(bad_file(name, format_args!("there is no weight_map in it")));
    };
    let shard = |shard| json::text(shard).unwrap_or_default().into_owned();
    Ok(map.0.iter().map(|(tensor, file)| (tensor.to_string(), shard(file))).collect())
}
