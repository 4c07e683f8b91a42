//! The losses of embeddings, as sentence-transformers has them, over the cosines of a batch's texts. Texts are pooled on
//! the device; their vectors, a few hundred, come to the host, where each is compared with all others in f64. Vectors are
//! row-major `[columns · rows, width]`: the first texts of all rows, then the second ones, then, where there are, the
//! third.

use std::ops::Range;

use crate::backend::train::Train;
use crate::batch::Batch;
use crate::engine::{PoolBy, Pooling};
use crate::{Error, Result};

/// Cosines are multiplied by this before their softmax: `MultipleNegativesRankingLoss`'s `scale`.
const SCALE: f64 = 20.0;
/// The least length that a vector is divided by, as in `torch.nn.functional.normalize`.
const MIN_LENGTH: f64 = 1e-12;

/// Which token states make a text's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pool {
    /// Their mean.
    Mean,
    /// The first token's.
    First,
    /// The last token's.
    Last,
}

impl Pool {
    /// As a folder says; by the mean where it does not say.
    ///
    /// # Errors
    /// `Unsupported` for pooling that has no gradient here.
    pub(super) fn of(pooling: Pooling) -> Result<Self> {
        match pooling.by {
            None | Some(PoolBy::Mean) => Ok(Self::Mean),
            Some(PoolBy::Cls) => Ok(Self::First),
            Some(PoolBy::Last) => Ok(Self::Last),
            Some(other) => Err(Error::Unsupported(format!(
                "training of embeddings pooled by {other:?}, only by mean, first or last token"
            ))),
        }
    }

    /// The vector of a text's states, row-major `[tokens, width]`.
    pub(super) fn on_host(self, states: &[f32], width: usize) -> Vec<f32> {
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
pub(super) struct Similarity {
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
    pub(super) fn new(
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
    pub(super) fn pool<B: Train>(&self, backend: &mut B, state: &B::Rows) -> B::Rows {
        let mut vectors = B::Rows::default();
        match self.rows() {
            None => backend.mean_pool(state, &self.texts, &mut vectors),
            Some(rows) => backend.gather(state, &rows, &mut vectors),
        }
        vectors
    }

    /// Adds to `dstate`, `[tokens, width]`, the gradient from that by the vectors.
    pub(super) fn pool_backward<B: Train>(
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
    pub(super) async fn apply<B: Train>(
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

/// A loss of vectors, and its gradient by them, row-major as they are.
pub(super) type WithGradient = (f64, Vec<f64>);

/// The mean square of each row's cosine less its score: `CosineSimilarityLoss`. Two columns.
pub(super) fn cosine_mean_square(vectors: &[f32], width: usize, scores: &[f32]) -> WithGradient {
    let units = Units::new(vectors, width);
    let rows = scores.len();
    let mut dunits = vec![0.0; vectors.len()];
    let mut loss = 0.0;
    for (row, &score) in scores.iter().enumerate() {
        let (first, second) = (units.row(row), units.row(rows + row));
        let error = dot(first, second) - f64::from(score);
        loss += error * error / rows as f64;
        let slope = 2.0 * error / rows as f64;
        add(slope, second, &mut dunits[row * width..(row + 1) * width]);
        add(slope, first, &mut dunits[(rows + row) * width..(rows + row + 1) * width]);
    }
    (loss, units.backward(&dunits))
}

/// The mean cross-entropy of each first text's cosines with all texts of the other columns, where its own second text
/// is the right one: `MultipleNegativesRankingLoss`.
pub(super) fn multiple_negatives(vectors: &[f32], width: usize, columns: usize) -> WithGradient {
    let units = Units::new(vectors, width);
    let texts = vectors.len() / width;
    let rows = texts / columns;
    let mut dunits = vec![0.0; vectors.len()];
    let mut loss = 0.0;
    for row in 0..rows {
        let anchor = units.row(row);
        let scores: Vec<f64> =
            (rows..texts).map(|text| SCALE * dot(anchor, units.row(text))).collect();
        let log_sum = log_sum_exp(scores.iter().copied());
        loss += (log_sum - scores[row]) / rows as f64;
        for (place, &score) in scores.iter().enumerate() {
            let share = (score - log_sum).exp() - f64::from(u8::from(place == row));
            let (slope, text) = (SCALE * share / rows as f64, rows + place);
            add(slope, units.row(text), &mut dunits[row * width..(row + 1) * width]);
            add(slope, anchor, &mut dunits[text * width..(text + 1) * width]);
        }
    }
    (loss, units.backward(&dunits))
}

/// Vectors of length 1, and the lengths they had.
struct Units {
    width: usize,
    units: Vec<f64>,
    lengths: Vec<f64>,
}

impl Units {
    fn new(vectors: &[f32], width: usize) -> Self {
        let mut units: Vec<f64> = vectors.iter().map(|&x| f64::from(x)).collect();
        let mut lengths = Vec::with_capacity(units.len() / width.max(1));
        for row in units.chunks_exact_mut(width) {
            let length = dot(row, row).sqrt().max(MIN_LENGTH);
            row.iter_mut().for_each(|x| *x /= length);
            lengths.push(length);
        }
        Self { width, units, lengths }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.units[row * self.width..(row + 1) * self.width]
    }

    /// The gradient by the vectors from that by their units u: (du - u (u · du)) / length.
    fn backward(&self, dunits: &[f64]) -> Vec<f64> {
        let mut gradient = Vec::with_capacity(dunits.len());
        for (row, du) in dunits.chunks_exact(self.width).enumerate() {
            let (unit, length) = (self.row(row), self.lengths[row]);
            let along = dot(unit, du);
            gradient.extend(unit.iter().zip(du).map(|(u, du)| (du - u * along) / length));
        }
        gradient
    }
}

/// A vector scaled to length 1.
pub(super) fn unit(vector: &[f32]) -> impl Iterator<Item = f32> {
    let length = dot(vector, vector).sqrt().max(MIN_LENGTH);
    vector.iter().map(move |&x| (f64::from(x) / length) as f32)
}

/// The logarithm of the sum of exponentials.
pub(super) fn log_sum_exp(scores: impl Iterator<Item = f64> + Clone) -> f64 {
    let greatest = scores.clone().fold(f64::NEG_INFINITY, f64::max);
    greatest + scores.map(|score| (score - greatest).exp()).sum::<f64>().ln()
}

/// The sum of products, of units their cosine.
pub(super) fn dot<T: Copy + Into<f64>>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(&x, &y)| x.into() * y.into()).sum()
}

/// y += scale · x.
fn add(scale: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += scale * x);
}

#[cfg(test)]
mod tests {
    use super::{WithGradient, cosine_mean_square, multiple_negatives};

    /// Six vectors of three numbers, none of them short.
    const VECTORS: [f32; 18] = [
        0.5, -1.0, 2.0, 1.5, 0.25, -0.75, -2.0, 1.0, 0.125, 1.0, 1.0, 1.0, -0.5, 0.75, 1.25, 2.5,
        -1.5, 0.375,
    ];

    fn check_gradient(loss: impl Fn(&[f32]) -> WithGradient) {
        let (_, gradient) = loss(&VECTORS);
        let step = 2.0_f32.powi(-8);
        for (place, slope) in gradient.into_iter().enumerate() {
            let at = |step: f32| {
                let mut moved = VECTORS;
                moved[place] += step;
                loss(&moved).0
            };
            let found = (at(step) - at(-step)) / f64::from(2.0 * step);
            assert!((found - slope).abs() < 1e-3 * slope.abs().max(0.1), "{found}, {slope}");
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        check_gradient(|vectors| cosine_mean_square(vectors, 3, &[0.5, -0.25, 1.0]));
        check_gradient(|vectors| multiple_negatives(vectors, 3, 2));
        check_gradient(|vectors| multiple_negatives(vectors, 3, 3));
    }

    #[test]
    fn losses_are_those_computed_by_hand() {
        // cosines 1 and 0 with scores 0.5 and 0.5
        let vectors = [2.0, 0.0, 0.0, 1.0, 3.0, 0.0, 5.0, 0.0];
        let (loss, _) = cosine_mean_square(&vectors, 2, &[0.5, 0.5]);
        assert!((loss - 0.25).abs() < 1e-12);
        // each first text is its own second one and at right angles to the other: ln(1 + e^-20)
        let (loss, _) = multiple_negatives(&[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0], 2, 2);
        assert!((loss - (-20.0_f64).exp().ln_1p()).abs() < 1e-12);
    }
}
