//! Embeddings: the correlation of cosines with scores, or the rank of each text's own positive
//! among all texts.

use super::Scores;
use crate::Result;
use crate::backend::Processor;
use crate::batch::Batch;
use crate::engine::{Model, Response};
use crate::train::data::batches::MicroBatch;
use crate::train::data::dataset::Dataset;
use crate::train::metrics::{pearson, spearman};
use crate::train::step::similarity::{Pool, cosine_mean_square, dot, multiple_negatives, unit};

/// Collects the vectors of all texts.
pub(super) struct Embeddings {
    pool: Pool,
    width: usize,
    has_scores: bool,
    /// Texts per row.
    columns: usize,
    /// Vectors of length 1 per column, row-major `[rows, width]`.
    units: Vec<Vec<f32>>,
    expected: Vec<f64>,
}

impl Embeddings {
    pub(super) fn new<B: Processor>(model: &Model<B>, data: &Dataset) -> Result<Self> {
        let columns = data.examples().first().map_or(0, |first| first.encodings.len());
        Ok(Self {
            pool: Pool::of(model.pooling()?),
            width: model.config().hidden,
            has_scores: data.has_scores(),
            columns,
            units: vec![Vec::new(); columns],
            expected: Vec::new(),
        })
    }

    fn row(&self, column: usize, row: usize) -> &[f32] {
        &self.units[column][row * self.width..(row + 1) * self.width]
    }

    /// Returns for each first text how many texts of the other columns are nearer to it than its
    /// own second text.
    fn nearer(&self) -> Vec<usize> {
        let rows = self.units.first().map_or(0, |units| units.len() / self.width);
        let nearer = |row: usize| {
            let anchor = self.row(0, row);
            let own = dot(anchor, self.row(1, row));
            let others = (1..self.columns).flat_map(|column| (0..rows).map(move |n| (column, n)));
            others.filter(|&(column, n)| dot(anchor, self.row(column, n)) > own).count()
        };
        (0..rows).map(nearer).collect()
    }
}

impl Scores for Embeddings {
    fn add(&mut self, micro: &MicroBatch, batch: &Batch, response: &Response) -> Option<f64> {
        let states = response.states.first()?;
        let texts = batch.sequences.len();
        let mut vectors = Vec::with_capacity(texts * self.width);
        for column in 0..self.columns {
            for sequence in batch.sequences.iter().skip(column).step_by(self.columns) {
                let rows = sequence.rows.start * self.width..sequence.rows.end * self.width;
                let vector = self.pool.on_host(&states[rows], self.width);
                self.units[column].extend(unit(&vector));
                vectors.extend(vector);
            }
        }
        self.expected.extend(micro.scores.iter().map(|&score| f64::from(score)));
        let (loss, _) = match self.has_scores {
            true => cosine_mean_square(&vectors, self.width, &micro.scores),
            false => multiple_negatives(&vectors, self.width, self.columns),
        };
        Some(loss)
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        if self.has_scores {
            let found: Vec<f64> = (0..self.expected.len())
                .map(|row| dot(self.row(0, row), self.row(1, row)))
                .collect();
            let correlations = [pearson(&found, &self.expected), spearman(&found, &self.expected)];
            return correlations.map(|value| value.unwrap_or(f64::NAN)).to_vec();
        }
        let nearer = self.nearer();
        let rows = nearer.len().max(1) as f64;
        let first = nearer.iter().filter(|&&nearer| nearer == 0).count() as f64;
        let reciprocal: f64 = nearer.iter().map(|&nearer| 1.0 / (nearer + 1) as f64).sum();
        vec![first / rows, reciprocal / rows]
    }
}
