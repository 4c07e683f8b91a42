//! The losses of embeddings, as sentence-transformers has them, over the cosines of a batch's texts. Texts are pooled
//! on the device; their vectors, a few hundred, come to the host, where each is compared with all others in f64.
//! Vectors are row-major `[columns · rows, width]`: the first texts of all rows, then the second ones, then, where
//! there are, the third.

mod losses;

use std::ops::Range;

pub(in crate::train) use losses::{cosine_mean_square, dot, log_sum_exp, multiple_negatives, unit};

use crate::backend::train::Train;
use crate::batch::Batch;
use crate::engine::{PoolBy, Pooling};
use crate::{Error, Result};

/// Which token states make a text's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::train) enum Pool {
    /// Their mean.
    Mean,
    /// The first token's.
    First,
    /// The last token's.
    Last,
}

impl Pool {
    /// As a folder says.
    pub(in crate::train) fn of(pooling: Pooling) -> Self {
        match pooling.by {
            PoolBy::Mean => Self::Mean,
            PoolBy::Cls => Self::First,
            PoolBy::Last => Self::Last,
        }
    }

    /// The vector of a text's states, row-major `[tokens, width]`.
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
    /// The rows of each text's tokens.
    texts: Vec<Range<usize>>,
    /// Texts that belong together.
    columns: usize,
    /// The cosine of each pair; `None`: the second text is the nearest of all.
    scores: Option<Vec<f32>>,
}

impl Similarity {
    /// # Errors
    /// `BadInput` where the sequences are not rows of so many texts, or the scores not one for each row.
    pub(in crate::train) fn new(
        pool: Pool,
        batch: &Batch,
        columns: usize,
        scores: Option<&[f32]>,
    ) -> Result<Self> {
        let texts: Vec<_> = batch.sequences.iter().map(|sequence| sequence.keys.clone()).collect();
        let refuse = |text: String| Err(Error::BadInput(text));
        if columns < 2 || texts.is_empty() || !texts.len().is_multiple_of(columns) {
            return refuse(format!(
                "{} texts in {columns} columns, expected two or more columns of equal length",
                texts.len()
            ));
        }
        if let Some(scores) = scores {
            let rows = texts.len() / 2;
            if columns != 2 || scores.len() != rows {
                return refuse(format!(
                    "labels: {} scores for {columns} columns of texts, expected one for each of {rows} pairs",
                    scores.len()
                ));
            }
            if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
                return refuse(format!("labels: {score} is not a finite number"));
            }
        }
        Ok(Self { pool, texts, columns, scores: scores.map(<[f32]>::to_vec) })
    }

    /// The vectors of the texts, `[texts, width]`, from the encoder's output.
    pub(in crate::train) fn pool<B: Train>(&self, backend: &mut B, state: &B::Rows) -> B::Rows {
        let mut vectors = B::Rows::default();
        match self.rows() {
            None => backend.mean_pool(state, &self.texts, &mut vectors),
            Some(rows) => backend.gather(state, &rows, &mut vectors),
        }
        vectors
    }

    /// Adds to `dstate`, `[tokens, width]`, the gradient from that by the vectors.
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

    /// The rows that are the vectors; `None`: vectors are means.
    fn rows(&self) -> Option<Vec<u32>> {
        let row = |text: &Range<usize>| match self.pool {
            Pool::Last => text.end as u32 - 1,
            _ => text.start as u32,
        };
        (self.pool != Pool::Mean).then(|| self.texts.iter().map(row).collect())
    }

    /// Adds the loss to `loss`, `[1, 1]`. The vectors become the gradient by them, times `scale`.
    ///
    /// # Errors
    /// The backend's.
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
