//! Correlation of scores with references: Pearson and Spearman, as in SciPy.

use serde::Serialize;

use super::mean;

/// Quality of predicted numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Correlation {
    /// Pearson's correlation; `None` if one side is constant.
    pub pearson: Option<f64>,
    /// Spearman's correlation.
    pub spearmanr: Option<f64>,
    /// Mean squared difference.
    pub mse: f64,
}

/// Scores predictions of numbers.
///
/// ```
/// let scores = webert::train::metrics::correlation(&[1.0, 2.0, 4.0], &[10.0, 20.0, 30.0]);
/// assert!(scores.spearmanr > Some(0.999)); // the order is the same
/// assert!(scores.pearson < Some(0.99)); // the distances are not
/// ```
pub fn correlation(predictions: &[f64], references: &[f64]) -> Correlation {
    let squares = predictions.iter().zip(references).map(|(a, b)| (a - b) * (a - b));
    Correlation {
        pearson: pearson(predictions, references),
        spearmanr: spearman(predictions, references),
        mse: mean(squares),
    }
}

/// Returns Pearson's correlation, or `None` if one side is constant or not finite.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let centred = |values: &[f64]| -> Vec<f64> {
        let mean = mean(values.iter().copied());
        values.iter().map(|value| value - mean).collect()
    };
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let is_constant = |values: &[f64]| values.windows(2).all(|pair| pair[0] == pair[1]);
    if is_constant(x) || is_constant(y) {
        return None;
    }
    let (x, y) = (centred(x), centred(y));
    let correlation = dot(&x, &y) / (dot(&x, &x).sqrt() * dot(&y, &y).sqrt());
    correlation.is_finite().then(|| correlation.clamp(-1.0, 1.0))
}

/// Returns Spearman's correlation: Pearson's correlation of the ranks. Equal values share their
/// mean rank.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    // Infinities have ranks; NaN has none.
    let are_numbers = |values: &[f64]| values.iter().all(|value| !value.is_nan());
    if are_numbers(x) && are_numbers(y) { pearson(&ranks(x), &ranks(y)) } else { None }
}

/// Returns the rank of each value, from 0. Equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = first as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|&at| ranks[at] = rank);
        first += equal.len();
    }
    ranks
}
