//! Runs a model's first request without weights, so that its kernels compile while the weights
//! arrive.

use super::pass::{Request, record};
use crate::Result;
use crate::backend::Processor;
use crate::batch::{Batch, Sequence};
use crate::checkpoint::Loader;
use crate::config::Config;
use crate::model::encoder::Scratch;

/// Text lengths in tokens. A device may have different kernels for short and long texts.
const LENGTHS: [usize; 2] = [16, 512];

/// Compiles the kernels of a model as soon as the precision of its weights is known. Returns false
/// if it is not known yet.
///
/// # Errors
/// As [`Backend::matrix`](crate::backend::Backend::matrix).
pub(super) fn warm_up<B: Processor>(
    config: &Config,
    loader: &Loader<B>,
    backend: &mut B,
) -> Result<bool> {
    let Some(precision) = loader.precision() else { return Ok(false) };
    backend.begin_warm_up();
    if let Some((encoder, head)) = loader.outline(backend, precision)? {
        let masked = head.kind.scores_vocabulary();
        // The last layer runs over all rows, or only over the rows that the head reads: two kinds
        // of requests.
        for (length, states) in
            LENGTHS.into_iter().flat_map(|n| [(n, vec![config.last_state()]), (n, vec![])])
        {
            let ids = vec![0; length];
            let sequences = vec![Sequence { rows: 0..length, keys: 0..length }];
            let request = Request {
                batch: Batch {
                    types: ids.clone(),
                    positions: ids.clone(),
                    columns: (0..length as u32).collect(),
                    ids,
                    masked: vec![0],
                    sequences,
                },
                head: true,
                tokens: masked.then(|| vec![0]),
                best: masked.then_some(1),
                states,
                ..Request::default()
            };
            record(backend, config, &encoder, &head, &mut Scratch::default(), request)?;
        }
    }
    backend.end_warm_up()?;
    Ok(true)
}
