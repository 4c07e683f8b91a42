//! Losses of vectors by their cosines, and their gradients, in f64. Vectors are row-major
//! `[columns · rows, width]`.

/// Factor of cosines before their softmax: the `scale` of `MultipleNegativesRankingLoss`.
const SCALE: f64 = 20.0;
/// Smallest length by which a vector is divided, as in `torch.nn.functional.normalize`.
const MIN_LENGTH: f64 = 1e-12;

/// A loss of vectors and its gradient with respect to them, in the same layout.
pub(in crate::train) type WithGradient = (f64, Vec<f64>);

/// `CosineSimilarityLoss`: the mean square of each row's cosine minus its score. Two columns.
pub(in crate::train) fn cosine_mean_square(
    vectors: &[f32],
    width: usize,
    scores: &[f32],
) -> WithGradient {
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

/// `MultipleNegativesRankingLoss`: for each first text, the cross-entropy of its cosines with all
/// texts of the other columns. Its own second text is the target.
pub(in crate::train) fn multiple_negatives(
    vectors: &[f32],
    width: usize,
    columns: usize,
) -> WithGradient {
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

/// Vectors of length 1, and their original lengths.
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

    /// Returns the gradient with respect to the vectors, given the gradient with respect to their
    /// units u: (du - u (u · du)) / length.
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

/// Returns a vector scaled to length 1.
pub(in crate::train) fn unit(vector: &[f32]) -> impl Iterator<Item = f32> {
    let length = dot(vector, vector).sqrt().max(MIN_LENGTH);
    vector.iter().map(move |&x| (f64::from(x) / length) as f32)
}

/// Returns the logarithm of the sum of exponentials.
pub(in crate::train) fn log_sum_exp(scores: impl Iterator<Item = f64> + Clone) -> f64 {
    let greatest = scores.clone().fold(f64::NEG_INFINITY, f64::max);
    greatest + scores.map(|score| (score - greatest).exp()).sum::<f64>().ln()
}

/// Returns the dot product. For vectors of length 1 it is their cosine.
pub(in crate::train) fn dot<T: Copy + Into<f64>>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(&x, &y)| x.into() * y.into()).sum()
}

/// y += scale · x.
fn add(scale: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += scale * x);
}

#[cfg(test)]
mod tests {
    use super::{WithGradient, cosine_mean_square, multiple_negatives};

    /// Six vectors of three numbers. None is short, so differences are accurate.
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
        // cosines 1 and 0, scores 0.5 and 0.5
        let vectors = [2.0, 0.0, 0.0, 1.0, 3.0, 0.0, 5.0, 0.0];
        let (loss, _) = cosine_mean_square(&vectors, 2, &[0.5, 0.5]);
        assert!((loss - 0.25).abs() < 1e-12);
        // Each first text equals its own second text and is orthogonal to the other: ln(1 + e^-20).
        let (loss, _) = multiple_negatives(&[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0], 2, 2);
        assert!((loss - (-20.0_f64).exp().ln_1p()).abs() < 1e-12);
    }
}
