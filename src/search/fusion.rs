//! Combines two rankings of passages: by similarity to a query, and by words shared with it.

/// Returns a convex combination of two scores per passage, which finds more than a fusion of ranks
/// (Bruch, Gai and Ingber 2023; also on our questions, see docs/search.md). Both scores are scaled
/// so that the best passage has 1. The zero of the word scores is a passage without shared words.
/// The zero of the similarities is their mean, because models have no common zero.
///
/// ```
/// // The first is nearest, the third has the words. Each gets the best score of one kind.
/// let fused = webert::search::fusion::weighted(&[0.75, 0.5, 0.25], &[0.0, 0.0, 4.0], 0.25);
/// assert_eq!(fused, [0.75, 0.0, -0.5]);
/// ```
pub fn weighted(similarities: &[f32], words: &[f32], share_of_words: f32) -> Vec<f32> {
    let sum: f64 = similarities.iter().map(|&x| f64::from(x)).sum();
    let mean = (sum / similarities.len() as f64) as f32;
    let best = |scores: &[f32]| scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (range, most) = (best(similarities) - mean, best(words));
    let similarity = |x: f32| if range > 0.0 { (x - mean) / range } else { 0.0 };
    let word = |x: f32| if most > 0.0 { x / most } else { 0.0 };
    let pairs = similarities.iter().zip(words);
    pairs
        .map(|(&x, &y)| (1.0 - share_of_words) * similarity(x) + share_of_words * word(y))
        .collect()
}
