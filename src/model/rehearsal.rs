//! A model's first request without its weights: what it needs compiled is begun while they arrive.

use crate::Result;
use crate::backend::gpu::Gpu;
use crate::batch::{Batch, Sequence};
use crate::config::{Config, HeadKind};
use crate::encoder::Scratch;
use crate::network::{Request, record};
use crate::weights::Loader;

/// Tokens of the texts: a device may have one kernel for a short text and one for a long one.
const LENGTHS: [usize; 2] = [16, 512];

/// Has the GPU compile what the model will need, as soon as its weights' precision is known. Whether
/// it was.
///
/// # Errors
/// As [`Backend::matrix`](crate::backend::Backend::matrix).
pub(super) fn rehearse(config: &Config, loader: &mut Loader<Gpu>) -> Result<bool> {
    let Some(precision) = loader.precision() else { return Ok(false) };
    loader.backend().begin_warm_up();
    if let Some(weights) = loader.outline(precision)? {
        let masked = matches!(weights.head.kind(), HeadKind::MaskedLm | HeadKind::PreTraining);
        for length in LENGTHS {
            let ids = vec![0; length];
            let sequences = vec![Sequence { rows: 0..length, keys: 0..length }];
            let request = Request {
                batch: Batch { types: ids.clone(), positions: ids.clone(), ids, sequences },
                head: true,
                tokens: masked.then(|| vec![0]),
                best: masked.then_some(1),
                states: vec![config.layers],
                attentions: false,
            };
            record(loader.backend(), config, &weights, &mut Scratch::default(), request)?;
        }
    }
    loader.backend().end_warm_up()?;
    Ok(true)
}
