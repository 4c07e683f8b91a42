//! Feature extraction: the encoder's states as vectors, of each token or pooled into one a text.

use serde::{Deserialize, Serialize};

use super::{Answer, Fitted, encode};
use crate::backend::Processor;
use crate::engine::{Model, PoolBy, Table, Tensor, Tick, Want};
use crate::tokenizer::Truncation;
use crate::{Error, Result};

/// The name of the task.
pub const TASK: &str = "feature-extraction";

/// Options of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How token states become one vector; by default not at all.
    pub pooling: Pool,
    /// Whether vectors are scaled to length 1; by default not, or where the model's folder pools, as
    /// it says.
    pub normalize: Option<bool>,
    /// Layers whose states are put side by side: 0 the embeddings' output, n layer n's, negative
    /// from the last. By default the last alone.
    pub layers: Option<Vec<i64>>,
}

/// How token states become one vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// Not at all.
    #[default]
    None,
    /// Their mean.
    Mean,
    /// The first token's.
    #[serde(alias = "first_token")]
    Cls,
    /// The last token's, padding left out.
    #[serde(alias = "eos")]
    LastToken,
    /// As the model's folder says, or by the mean where it does not say, which is what
    /// sentence-transformers does; texts are then cut where the folder says, too.
    Model,
}

/// The features of one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Features {
    /// `[1, tokens, width]`, or pooled `[1, width]`.
    pub tensor: Tensor,
    /// Whether the text was cut to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Features {
    fn as_features(&self) -> Option<&Features> {
        Some(self)
    }
}

/// Features of each text.
///
/// # Errors
/// `BadInput` for no layer, or one the model does not have.
pub async fn feature_extraction<B: Processor>(
    model: &Model<B>,
    texts: &[String],
    options: &Options,
    tick: Tick<'_>,
) -> Result<Vec<Features>> {
    let longest = model.max_tokens();
    let (pooling, by_itself, limit) = match options.pooling {
        Pool::None => (PoolBy::None, false, longest),
        Pool::Mean => (PoolBy::Mean, false, longest),
        Pool::Cls => (PoolBy::Cls, false, longest),
        Pool::LastToken => (PoolBy::Last, false, longest),
        Pool::Model => {
            let folder = model.pooling()?;
            let limit = longest.min(folder.max_tokens.unwrap_or(usize::MAX));
            (folder.by.unwrap_or(PoolBy::Mean), folder.normalize, limit)
        }
    };
    let normalize = options.normalize.unwrap_or(by_itself);
    let last = model.config().layers;
    let layers = match &options.layers {
        None => vec![model.config().last_state()],
        Some(layers) if layers.is_empty() => {
            return Err(Error::BadInput(format!(
                "feature-extraction: layers is empty, expected some of 0 to {last}"
            )));
        }
        Some(layers) => layers.iter().map(|&layer| resolve(layer, last)).collect::<Result<_>>()?,
    };
    let texts = &mut texts.iter().map(|text| (text.as_str(), None));
    let Fitted { encodings, truncated } =
        encode(model, texts, Truncation::LongestFirst, limit, tick).await?;
    let mut tensors = vec![Tensor::default(); encodings.len()];
    let mut each = |n: usize, table: Table| {
        let cols = table.cols;
        let mut tensor = pool(table, pooling);
        if normalize {
            tensor.data.chunks_exact_mut(cols).for_each(scale_to_one);
        }
        tensors[n] = tensor;
    };
    model.compute_each(&encodings, Want::States(&layers), None, tick, &mut each).await?;
    let of_text = |(tensor, truncated)| Features { tensor, truncated };
    Ok(tensors.into_iter().zip(truncated).map(of_text).collect())
}

fn resolve(layer: i64, last: usize) -> Result<usize> {
    let from_end = if layer < 0 { layer + last as i64 + 1 } else { layer };
    usize::try_from(from_end).ok().filter(|&layer| layer <= last).ok_or_else(|| {
        Error::BadInput(format!(
            "feature-extraction: layer {layer}, the model has 0 to {last} (or -1 to -{})",
            last + 1
        ))
    })
}

fn pool(table: Table, pooling: PoolBy) -> Tensor {
    let cols = table.cols;
    let tokens = table.data.len() / cols;
    match pooling {
        PoolBy::None => Tensor { dims: vec![1, tokens, cols], data: table.data },
        PoolBy::Cls => Tensor { dims: vec![1, cols], data: table.row(0).to_vec() },
        PoolBy::Last => Tensor { dims: vec![1, cols], data: table.row(tokens - 1).to_vec() },
        PoolBy::Mean => {
            let mut sums = vec![0.0_f64; cols];
            for row in table.rows() {
                sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
            }
            let mean = sums.iter().map(|sum| (sum / tokens as f64) as f32);
            Tensor { dims: vec![1, cols], data: mean.collect() }
        }
    }
}

/// As PyTorch's normalize, with its floor of 1e-12.
fn scale_to_one(row: &mut [f32]) {
    let length = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt().max(1e-12);
    row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
}
