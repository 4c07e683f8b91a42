//! Feature extraction: the encoder's states as vectors, either per token or pooled into one per
//! text.

use serde::{Deserialize, Serialize};

use super::options::{count_or_null, resolve};
use super::{Answer, Fitted, encode};
use crate::backend::Processor;
use crate::engine::{Model, OutputRequest, Table, Tensor, Tick};
use crate::tokenizer::Truncation;
use crate::{Error, Result};

/// The name of the task.
pub const TASK: &str = "feature-extraction";

/// Options of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureExtractionOptions {
    /// How token states become one vector. By default they are not pooled.
    pub pooling: Pool,
    /// Whether vectors are scaled to length 1.
    pub normalize: bool,
    /// Layers whose states are concatenated. 0 is the output of the embeddings, n the output of
    /// layer n, and negative numbers count from the last layer. By default only the last layer.
    pub layers: Option<Vec<i64>>,
    /// The maximum number of tokens per text, with special tokens. Defaults to the model's maximum.
    #[serde(deserialize_with = "count_or_null")]
    pub max_length: Option<usize>,
}

/// How token states become one vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// No pooling.
    #[default]
    None,
    /// The mean of the token states.
    Mean,
    /// The state of the first token.
    #[serde(alias = "first_token")]
    Cls,
    /// The state of the last token that is not padding.
    #[serde(alias = "eos")]
    LastToken,
}

/// The features of one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Features {
    /// `[1, tokens, width]`, or `[1, width]` if pooled.
    pub tensor: Tensor,
    /// Whether the text was truncated to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Features {
    fn as_features(&self) -> Option<&Features> {
        Some(self)
    }
}

/// Returns the features of each text.
///
/// # Errors
/// `BadInput` if `layers` is empty or names a layer that the model does not have.
pub async fn feature_extraction<B: Processor>(
    model: &Model<B>,
    texts: &[String],
    options: &FeatureExtractionOptions,
    tick: Tick<'_>,
) -> Result<Vec<Features>> {
    // A call's limit replaces the tokenizer's limit, but not the model's.
    let limit = match options.max_length {
        Some(limit) => limit.min(model.config().max_tokens()),
        None => model.max_tokens(),
    };
    let last = model.config().layers;
    // an explicit empty list would return vectors without columns
    let layers = match &options.layers {
        None => vec![model.config().last_state()],
        Some(layers) if layers.is_empty() => {
            return Err(Error::BadInput(format!(
                "feature-extraction: layers is empty, expected some of 0 to {last}"
            )));
        }
        Some(layers) => {
            layers.iter().map(|&layer| resolve(TASK, layer, last)).collect::<Result<_>>()?
        }
    };
    let texts = &mut texts.iter().map(|text| (text.as_str(), None));
    let Fitted { encodings, truncated } =
        encode(model, texts, Truncation::LongestFirst, limit, tick).await?;
    let mut tensors = vec![Tensor::default(); encodings.len()];
    let mut each = |n: usize, table: Table| {
        let cols = table.cols;
        let mut tensor = pool(table, options.pooling);
        if options.normalize {
            tensor.data.chunks_exact_mut(cols).for_each(scale_to_one);
        }
        tensors[n] = tensor;
    };
    model.compute_each(&encodings, OutputRequest::States(&layers), None, tick, &mut each).await?;
    let of_text = |(tensor, truncated)| Features { tensor, truncated };
    Ok(tensors.into_iter().zip(truncated).map(of_text).collect())
}

fn pool(table: Table, pooling: Pool) -> Tensor {
    let cols = table.cols;
    let tokens = table.data.len() / cols;
    match pooling {
        Pool::None => Tensor { dims: vec![1, tokens, cols], data: table.data },
        Pool::Cls => Tensor { dims: vec![1, cols], data: table.row(0).to_vec() },
        Pool::LastToken => Tensor { dims: vec![1, cols], data: table.row(tokens - 1).to_vec() },
        Pool::Mean => {
            let mut sums = vec![0.0_f64; cols];
            for row in table.rows() {
                sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
            }
            let mean = sums.iter().map(|sum| (sum / tokens as f64) as f32);
            Tensor { dims: vec![1, cols], data: mean.collect() }
        }
    }
}

/// Scales a vector to length 1, as PyTorch's `normalize` does with its minimum length of 1e-12.
fn scale_to_one(row: &mut [f32]) {
    let length = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt().max(1e-12);
    row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
}
