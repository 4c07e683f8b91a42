//! The losses of embeddings, as in sentence-transformers, over the cosines of a batch's texts.
//! Texts are pooled on the device. Their vectors, a few hundred, are copied to the host, which
//! compares each with all others in f64. Vectors are row-major `[columns · rows, width]`: the first
//! texts of all rows, then the second texts, then the third texts if present.

mod losses;

use std::ops::Range;

pub(in crate::train) use losses::{cosine_mean_square, dot, log_sum_exp, multiple_negatives, unit};

use crate::Result;
use crate::backend::train::Train;
use crate::batch::Batch;
use crate::engine::{PoolBy, Pooling};
use crate::error::unexpected;

/// How token states are pooled to a text's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::train) enum Pool {
    /// Mean of all tokens.
    Mean,
    /// First token.
    First,
    /// Last token.
    Last,
}

impl Pool {
    /// Returns the pooling of a model's folder.
    pub(in crate::train) fn of(pooling: Pooling) -> Self {
        match pooling.by {
            PoolBy::Mean => Self::Mean,
            PoolBy::Cls => Self::First,
            PoolBy::Last => Self::Last,
        }
    }

    /// Pools the states of a text, row-major `[tokens, width]`, into its vector.
    pub(in crate::train) fn on_host(self, states: &[f32], width: usize) -> Vec<f32> {
        match self {
            Self::First => states[..width].to_vec(),
            Self::Last => states[states.len() - width..].to_vec(),
            Self::Mean => {
                let mut sums = vec![0.0; width];
                for row in states.chunks_exact(width) {
                    sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
                }
                let tokens = (states.len() / width) as f64;
                sums.into_iter().map(|sum| (sum / tokens) as f32).collect()
            }
        }
    }
}

/// The loss of a batch's embeddings.
pub(in crate::train) struct Similarity {
    pool: Pool,
    /// Rows of each text's tokens.
    texts: Vec<Range<usize>>,
    /// Number of texts per row.
    columns: usize,
    /// Target cosine of each pair. `None`: the second text must be the nearest of all.
    scores: Option<Vec<f32>>,
}

impl Similarity {
    /// # Errors
    /// `BadInput` if the sequences do not form rows of `columns` texts, or if `scores` does not
    /// have one score per row.
    pub(in crate::train) fn new(
        pool: Pool,
        batch: &Batch,
        columns: usize,
        scores: Option<&[f32]>,
    ) -> Result<Self> {
        let texts: Vec<_> = batch.sequences.iter().map(|sequence| sequence.keys.clone()).collect();
        if columns < 2 || texts.is_empty() || !texts.len().is_multiple_of(columns) {
            let found = texts.len();
            return Err(unexpected!(
                BadInput,
                "texts",
                "two or more columns of equal length",
                "{found} texts in {columns} columns",
            ));
        }
        if let Some(scores) = scores {
            let rows = texts.len() / 2;
            if columns != 2 || scores.len() != rows {
                let found = scores.len();
                return Err(unexpected!(
                    BadInput,
                    "labels",
                    "a score for each of {rows} pairs",
                    "{found} scores for {columns} columns of texts",
                ));
            }
            if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
                return Err(unexpected!(BadInput, "labels", "finite numbers", "{score}"));
            }
        }
        Ok(Self { pool, texts, columns, scores: scores.map(<[f32]>::to_vec) })
    }

    /// Pools the encoder's output into the vectors of the texts, `[texts, width]`.
    pub(in crate::train) fn pool<B: Train>(&self, backend: &mut B, state: &B::Rows) -> B::Rows {
        let mut vectors = B::Rows::default();
        match self.rows() {
            None => backend.mean_pool(state, &self.texts, &mut vectors),
            Some(rows) => backend.gather(state, &rows, &mut vectors),
        }
        vectors
    }

    /// Adds the gradient of pooling to `dstate`, `[tokens, width]`, given the gradient with respect
    /// to the vectors.
    pub(in crate::train) fn pool_backward<B: Train>(
        &self,
        backend: &mut B,
        dvectors: &B::Rows,
        dstate: &mut B::Rows,
    ) {
        match self.rows() {
            None => backend.mean_pool_backward(dvectors, &self.texts, dstate),
            Some(rows) => backend.gather_backward(dvectors, &rows, dstate),
        }
    }

    /// Returns the rows that are the vectors, or `None` if the vectors are means.
    fn rows(&self) -> Option<Vec<u32>> {
        let row = |text: &Range<usize>| match self.pool {
            Pool::Last => text.end as u32 - 1,
            _ => text.start as u32,
        };
        (self.pool != Pool::Mean).then(|| self.texts.iter().map(row).collect())
    }

    /// Adds the loss to `loss`, `[1, 1]`. The vectors are replaced by their gradient times `scale`.
    ///
    /// # Errors
    /// Errors of the backend.
    pub(in crate::train) async fn apply<B: Train>(
        &self,
        backend: &mut B,
        vectors: &mut B::Rows,
        scale: f32,
        loss: &mut B::Rows,
    ) -> Result<()> {
        let values = backend.read(&[&*vectors]).await?.swap_remove(0);
        let width = values.len() / self.texts.len();
        let (value, gradient) = match &self.scores {
            Some(scores) => cosine_mean_square(&values, width, scores),
            None => multiple_negatives(&values, width, self.columns),
        };
        let gradient: Vec<f32> = gradient.iter().map(|&slope| slope as f32 * scale).collect();
        backend.put(&gradient, self.texts.len(), vectors)?;
        let mut sum = B::Rows::default();
        backend.put(&[value as f32], 1, &mut sum)?;
        backend.add(&sum, loss);
        Ok(())
    }
}
