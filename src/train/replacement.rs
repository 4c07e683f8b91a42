//! Replaced-token detection (ELECTRA, Clark et al. 2020): a masked language model fills masked tokens with plausible
//! ones, drawn from what it predicts, and another model is to say of each token whether it is the one that was there.

use super::masking::Masked;
use super::random::Random;
use crate::tokenizer::Encoding;

/// A text in which tokens were replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Replaced {
    /// What the model sees.
    pub ids: Vec<u32>,
    /// What it is to say of each token: 1 where it is another than before, 0 where it is the same, also where the
    /// very token was drawn that had been there.
    pub labels: Vec<f32>,
}

/// Draws an entry by the softmax of its scores.
///
/// The greatest of score plus Gumbel noise is such a draw, without a sum over the vocabulary.
///
/// ```
/// use webert::train::random::{Random, Stream};
/// use webert::train::replacement::sample;
///
/// let mut random = Random::new(42, Stream::Replace, [0, 0]);
/// assert_eq!(sample(&[0.0, 200.0, 1.0], &mut random), 1);
/// ```
pub fn sample(scores: &[f32], random: &mut Random) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (entry, &score) in scores.iter().enumerate() {
        // 0 < 1 - u ≤ 1, so the inner logarithm is finite; where it is 0 the noise is infinite, once in 2^32
        let noise = -(-(1.0 - random.uniform()).ln()).ln();
        let score = f64::from(score) + noise;
        if score > best.0 {
            best = (score, entry);
        }
    }
    best.1
}

/// Puts the drawn tokens into the places that were chosen, in order: `drawn` has one for each label of `masked` that
/// is not -100. Tokens that were not chosen are those of `encoding`.
pub fn replace(
    encoding: &Encoding,
    masked: &Masked,
    drawn: impl IntoIterator<Item = u32>,
) -> Replaced {
    let mut ids = encoding.ids.clone();
    let chosen = masked.labels.iter().enumerate().filter(|(_, label)| **label >= 0);
    for ((at, _), id) in chosen.zip(drawn) {
        ids[at] = id;
    }
    let labels = ids.iter().zip(&encoding.ids);
    let labels = labels.map(|(id, before)| f32::from(u8::from(id != before))).collect();
    Replaced { ids, labels }
}

#[cfg(test)]
mod tests {
    use super::{replace, sample};
    use crate::tokenizer::Encoding;
    use crate::train::masking::Masked;
    use crate::train::random::{Random, Stream};

    #[test]
    fn entries_are_drawn_by_their_softmax() {
        let scores = [1.0_f32, 0.0, 2.0, -1.0];
        let sum: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
        let mut random = Random::new(3, Stream::Replace, [0, 0]);
        let (draws, mut counts) = (40_000, [0_usize; 4]);
        (0..draws).for_each(|_| counts[sample(&scores, &mut random)] += 1);
        for (&count, &score) in counts.iter().zip(&scores) {
            let (found, expected) = (count as f64 / draws as f64, f64::from(score).exp() / sum);
            // four standard deviations of a binomial
            let bound = 4.0 * (expected * (1.0 - expected) / draws as f64).sqrt();
            assert!((found - expected).abs() < bound, "{found}, expected {expected}");
        }
    }

    #[test]
    fn only_other_tokens_count_as_replaced() {
        let encoding = Encoding { ids: vec![2, 7, 8, 9, 3], ..Encoding::default() };
        let masked = Masked { ids: vec![2, 4, 8, 4, 3], labels: vec![-100, 7, -100, 9, -100] };
        let replaced = replace(&encoding, &masked, [7, 6]);
        assert_eq!(replaced.ids, [2, 7, 8, 6, 3]);
        assert_eq!(replaced.labels, [0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
