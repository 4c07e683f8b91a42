//! Combines two rankings of passages: by similarity to a query, and by words shared with it.

/// The least distance between the best similarity and their mean, so that words order passages of
/// equal similarity.
const LEAST_RANGE: f32 = 0.01;

/// Returns the similarity of each passage with a bonus for its words. The order is the order of a
/// convex combination of both scores, which finds more than a fusion of ranks (Bruch, Gai and
/// Ingber 2023; also on our questions, see docs/search.md). In the combination the best passage of
/// each kind has 1. The zero of the word scores is a passage without shared words. The zero of the
/// similarities is their mean, because models have no common zero.
///
/// The combination is mapped back to the scale of the similarities. So a score can be compared
/// between indexes: the bonus is `share / (1 - share)` of the distance between the best similarity
/// and their mean for the best word score, and proportionally less for others. A share of 1
/// returns `words`.
///
/// ```
/// // The first is nearest, the third has the words.
/// let fused = webert::search::fusion::weighted(&[0.75, 0.5, 0.25], &[0.0, 0.0, 4.0], 0.5);
/// assert_eq!(fused, [0.75, 0.5, 0.5]);
/// ```
pub fn weighted(similarities: &[f32], words: &[f32], share_of_words: f32) -> Vec<f32> {
    if share_of_words >= 1.0 {
        return words.to_vec();
    }
    let sum: f64 = similarities.iter().map(|&x| f64::from(x)).sum();
    let mean = (sum / similarities.len() as f64) as f32;
    let best = |scores: &[f32]| scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (range, most) = ((best(similarities) - mean).max(LEAST_RANGE), best(words));
    let bonus = share_of_words / (1.0 - share_of_words) * range;
    let word = |x: f32| if most > 0.0 { x / most } else { 0.0 };
    similarities.iter().zip(words).map(|(&x, &y)| x + bonus * word(y)).collect()
}
