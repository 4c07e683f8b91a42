//! The vectors of passages, and the search for the ones nearest to a query: an exhaustive scan in
//! integers, followed by exact scores for the best.
//!
//! A row is quantized as its difference from the centre, the mean of the first rows. Texts of some
//! models, e.g. mean-pooled masked language models, all point in one direction. Without the centre,
//! their bits would be spent on what all rows share. The quantizers of Lucene and `RaBitQ` also
//! subtract a centre (Gao and Long 2024). Each number has 10 bits, with one scale per row. The scan
//! reads the upper 8 bits; the lower 2 are added when the best are scored again. With 8 bits alone,
//! one of a hundred of the ten nearest rows is missed.

use webert_kernels::{QUERY_SUM_MAX, score_rows, score_rows_f32, top_indices};

use crate::{Error, Result};

/// Number of rows whose mean is the centre. With fewer rows, all are stored as f32.
pub const CENTRE_ROWS: usize = 256;

/// Largest magnitude of a quantized number: four times the largest 8-bit magnitude.
const Q_MAX: f32 = 508.0;

/// Largest number of dimensions.
pub const MAX_DIMENSIONS: usize = 8192;

/// Largest magnitude of a vector's numbers. No dot product of smaller numbers overflows.
pub(super) const MAX_NUMBER: f32 = 1e15;

/// Largest number of rows.
pub const MAX_ROWS: usize = 1 << 22;

/// Meaning of a score of two vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Similarity {
    /// Cosine of the angle between them, -1 to 1.
    #[default]
    Cosine,
    /// Dot product, for models that are trained for it.
    Dot,
}

/// Rows of `dimensions` numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vectors {
    pub(super) dimensions: usize,
    pub(super) similarity: Similarity,
    /// True if many rows are quantized.
    pub(super) quantizes: bool,
    pub(super) rows: Rows,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rows {
    /// `[rows, dimensions]`
    Exact(Vec<f32>),
    Quantized(Quantized),
}

/// Rows with 10 bits per number: centre + scale · (4 · high + low - 2).
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Quantized {
    /// `[dimensions]`
    pub(super) centre: Vec<f32>,
    /// `[rows]`
    pub(super) scales: Vec<f32>,
    /// `[rows, dimensions]`
    pub(super) high: Vec<i8>,
    /// `[rows, ceil(dimensions / 4)]`: four numbers from 0 to 3 per byte, the first in the lowest
    /// bits.
    pub(super) low: Vec<u8>,
}

fn bad(what: String) -> Error {
    Error::BadInput(what)
}

impl Vectors {
    pub(super) fn new(dimensions: usize, similarity: Similarity, quantizes: bool) -> Result<Self> {
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return Err(bad(format!(
                "dimensions: expected 1 to {MAX_DIMENSIONS}, got {dimensions}"
            )));
        }
        Ok(Self { dimensions, similarity, quantizes, rows: Rows::Exact(Vec::new()) })
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        match &self.rows {
            Rows::Exact(rows) => rows.len() / self.dimensions,
            Rows::Quantized(rows) => rows.scales.len(),
        }
    }

    /// Returns the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        match &self.rows {
            Rows::Exact(rows) => 4 * rows.len(),
            Rows::Quantized(rows) => {
                4 * (rows.centre.len() + rows.scales.len()) + rows.high.len() + rows.low.len()
            }
        }
    }

    /// Checks that `vectors` are `count` rows with numbers in range.
    pub(super) fn check(&self, vectors: &[f32], count: usize) -> Result<()> {
        let dimensions = self.dimensions;
        if vectors.len() != count * dimensions {
            let found = vectors.len();
            return Err(bad(format!(
                "vectors: expected {count} × {dimensions} numbers, got {found}"
            )));
        }
        match vectors.iter().position(|x| x.is_nan() || x.abs() > MAX_NUMBER) {
            None => Ok(()),
            Some(n) => {
                let found = vectors[n];
                Err(bad(format!(
                    "vectors: expected numbers of magnitude 1e15 or less, got {found} at {n}"
                )))
            }
        }
    }

    /// Adds rows `[count, dimensions]`, which [`Self::check`] must have accepted.
    pub(super) fn push(&mut self, vectors: &[f32]) -> Result<()> {
        let (count, full) = (vectors.len() / self.dimensions, || {
            Error::OutOfMemory("no memory for more vectors".into())
        });
        if self.len() + count > MAX_ROWS {
            return Err(bad(format!("index: expected at most {MAX_ROWS} passages")));
        }
        // Memory is reserved first, so that a failure adds no row at all.
        match &mut self.rows {
            Rows::Exact(rows) => rows.try_reserve(vectors.len()).map_err(|_| full())?,
            Rows::Quantized(rows) => {
                rows.high.try_reserve(vectors.len()).map_err(|_| full())?;
                rows.low.try_reserve(count * self.dimensions.div_ceil(4)).map_err(|_| full())?;
            }
        }
        for vector in vectors.chunks_exact(self.dimensions) {
            let vector = self.scaled(vector);
            match &mut self.rows {
                Rows::Exact(rows) => rows.extend(vector),
                Rows::Quantized(rows) => rows.push(&vector),
            }
        }
        if self.quantizes && self.len() >= CENTRE_ROWS {
            self.quantize();
        }
        Ok(())
    }

    /// Returns a vector in the form that is compared: scaled to length 1 for cosines, unless it is
    /// all zeros.
    fn scaled(&self, vector: &[f32]) -> Vec<f32> {
        let square = |x: &f32| f64::from(*x) * f64::from(*x);
        let length = vector.iter().map(square).sum::<f64>().sqrt();
        let factor = match self.similarity {
            Similarity::Cosine if length > 0.0 => 1.0 / length,
            _ => 1.0,
        };
        vector.iter().map(|x| (f64::from(*x) * factor) as f32).collect()
    }

    fn quantize(&mut self) {
        let Rows::Exact(rows) = &self.rows else { return };
        let mut centre = vec![0.0_f64; self.dimensions];
        for row in rows.chunks_exact(self.dimensions) {
            for (sum, x) in centre.iter_mut().zip(row) {
                *sum += f64::from(*x);
            }
        }
        let share = 1.0 / self.len() as f64;
        let centre = centre.into_iter().map(|sum| (sum * share) as f32).collect();
        let mut quantized = Quantized { centre, ..Quantized::default() };
        for row in rows.chunks_exact(self.dimensions) {
            quantized.push(row);
        }
        self.rows = Rows::Quantized(quantized);
    }

    /// Keeps the rows whose entry in `keep` is true.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        let width = self.dimensions;
        match &mut self.rows {
            Rows::Exact(rows) => retain_rows(rows, width, keep),
            Rows::Quantized(rows) => {
                retain_rows(&mut rows.scales, 1, keep);
                retain_rows(&mut rows.high, width, keep);
                retain_rows(&mut rows.low, width.div_ceil(4), keep);
            }
        }
    }

    /// Returns the similarity of a query to every row. The best `rescored` rows are scored with all
    /// bits, the others with their upper 8.
    pub(super) fn scores(&self, query: &[f32], rescored: usize) -> Vec<f32> {
        let query = self.scaled(query);
        let mut scores = vec![0.0; self.len()];
        match &self.rows {
            Rows::Exact(rows) => score_rows_f32(&query, rows, &mut scores),
            Rows::Quantized(rows) => {
                rows.scan(&query, &mut scores);
                for row in top_indices(&scores, rescored) {
                    scores[row] = rows.score(&query, row);
                }
            }
        }
        scores
    }
}

/// Keeps rows of `width` numbers, in place.
pub(super) fn retain_rows<T: Copy>(rows: &mut Vec<T>, width: usize, keep: &[bool]) {
    let mut kept = 0;
    for (row, &keep) in keep.iter().enumerate() {
        if keep {
            rows.copy_within(row * width..(row + 1) * width, kept * width);
            kept += 1;
        }
    }
    rows.truncate(kept * width);
    rows.shrink_to_fit();
}

impl Quantized {
    fn push(&mut self, row: &[f32]) {
        let differences: Vec<f32> = row.iter().zip(&self.centre).map(|(x, c)| x - c).collect();
        let scale = differences.iter().fold(0.0_f32, |max, x| max.max(x.abs())) / Q_MAX;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        // A scale too small for its reciprocal means that the row equals the centre.
        self.scales.push(if inverse.is_finite() { scale } else { 0.0 });
        for four in differences.chunks(4) {
            let mut byte = 0;
            for (n, x) in four.iter().enumerate() {
                let value = (x * inverse).round().clamp(-Q_MAX, Q_MAX) as i32 + 2;
                self.high.push((value >> 2) as i8);
                byte |= ((value & 3) as u8) << (2 * n);
            }
            self.low.push(byte);
        }
    }

    /// Scores every row by the upper 8 bits of its numbers.
    fn scan(&self, query: &[f32], scores: &mut [f32]) {
        let shared = dot(query, &self.centre);
        let magnitudes = query.iter().map(|x| f64::from(x.abs()));
        let max = magnitudes.clone().fold(0.0, f64::max);
        // 16 bits per number, or fewer if a sum could overflow.
        let room = f64::from(QUERY_SUM_MAX) - query.len() as f64; // for the growth by rounding
        let step = (max / f64::from(i16::MAX)).max(magnitudes.sum::<f64>() / room);
        let inverse = if step > 0.0 { 1.0 / step } else { 0.0 };
        let rounded = |x: &f32| (f64::from(*x) * inverse).round() as i16;
        let quantized: Vec<i16> = query.iter().map(rounded).collect();
        let mut sums = vec![0; scores.len()];
        score_rows(&quantized, &self.high, &mut sums);
        for ((score, sum), scale) in scores.iter_mut().zip(sums).zip(&self.scales) {
            *score = shared + 4.0 * step as f32 * scale * sum as f32;
        }
    }

    /// Returns the similarity to one row, by all bits of its numbers.
    fn score(&self, query: &[f32], row: usize) -> f32 {
        let width = query.len();
        let high = &self.high[row * width..][..width];
        let low = &self.low[row * width.div_ceil(4)..][..width.div_ceil(4)];
        let number =
            |n: usize| 4 * i32::from(high[n]) + i32::from(low[n / 4] >> (2 * (n % 4)) & 3) - 2;
        let sum: f32 = query.iter().enumerate().map(|(n, q)| q * number(n) as f32).sum();
        dot(query, &self.centre) + self.scales[row] * sum
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
