//! Replaced-token detection (ELECTRA, Clark et al. 2020): a masked language model fills masked tokens with plausible
//! ones, drawn from what it predicts, and another model is to say of each token whether it is the one that was there.

use super::batches::MicroBatch;
use super::dataset::TrainingTask;
use super::masking::Masked;
use super::random::{Random, Stream};
use crate::backend::Processor;
use crate::batch::Batch;
use crate::config::HeadKind;
use crate::engine::{Model, Request};
use crate::tokenizer::Encoding;
use crate::{Error, Result};

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

/// Refuses a generator that makes no replacements for a model.
///
/// # Errors
/// `Unsupported` where a head is not that of its part; `BadInput` for another vocabulary.
pub(super) fn check_generator<B: Processor>(model: &Model<B>, generator: &Model<B>) -> Result<()> {
    model.need("training with a generator", &[HeadKind::ReplacedToken])?;
    generator.need("a generator", &[HeadKind::MaskedLm])?;
    let (own, other) = (model.config().vocab, generator.config().vocab);
    if own != other {
        return Err(Error::BadInput(format!(
            "the generator's vocabulary has {other} tokens, expected the model's {own}"
        )));
    }
    let (own, other) = (model.tokenizer()?, generator.tokenizer()?);
    let differs = |id: &u32| own.token(*id) != other.token(*id);
    match (0..own.vocab_size() as u32).find(differs) {
        None => Ok(()),
        Some(id) => Err(Error::BadInput(format!(
            "the generator's token {id} is {:?}, expected the model's {:?}",
            other.token(id).unwrap_or_default(),
            own.token(id).unwrap_or_default()
        ))),
    }
}

/// Refuses a generator where a task has no use for it, and none where it needs one. Errors as [`check_generator`].
pub(super) fn need_generator<B: Processor>(
    model: &Model<B>,
    generator: Option<&Model<B>>,
    task: TrainingTask,
) -> Result<()> {
    let needs = task == TrainingTask::ReplacedTokenDetection;
    let name = task.name();
    match generator {
        None if needs => {
            Err(Error::BadInput(format!("{name} needs a generator, a model that fills masks")))
        }
        None => Ok(()),
        Some(_) if !needs => Err(Error::BadInput(format!("{name} has no use for a generator"))),
        Some(generator) => check_generator(model, generator),
    }
}

impl MicroBatch {
    /// Fills masked tokens with what `generator` draws for them, as it is drawn for these examples, one a sequence, in
    /// this epoch of a run with this seed. `tokens` then says of every token whether it was replaced.
    ///
    /// # Errors
    /// As [`Batch::pack`], and the backend's.
    pub async fn replace<B: Processor>(
        &mut self,
        generator: &Model<B>,
        examples: &[usize],
        seed: u64,
        epoch: u32,
    ) -> Result<()> {
        let chosen: Vec<u32> = self.chosen_tokens().map(|(token, _)| token as u32).collect();
        let count = chosen.len().max(1);
        let batch = Batch::pack(generator.config(), &self.encodings)?;
        let request = Request { batch, head: true, tokens: Some(chosen), ..Request::default() };
        let logits = generator.forward(request).await?.logits;
        let mut scores = logits.chunks_exact((logits.len() / count).max(1));
        let mut first = 0;
        for (encoding, &example) in self.encodings.iter_mut().zip(examples) {
            let labels = &mut self.tokens[first..first + encoding.len()];
            first += encoding.len();
            let masked = Masked { ids: encoding.ids.clone(), labels: labels.to_vec() };
            // the tokens that were there
            let places = encoding.ids.iter_mut().zip(&*labels);
            places.filter(|place| *place.1 >= 0).for_each(|(id, &label)| *id = label as u32);
            let mut random = Random::new(seed, Stream::Replace, [epoch, example as u32]);
            let count = labels.iter().filter(|label| **label >= 0).count();
            let drawn =
                scores.by_ref().take(count).map(|scores| sample(scores, &mut random) as u32);
            let replaced = replace(encoding, &masked, drawn);
            encoding.ids = replaced.ids;
            labels.iter_mut().zip(replaced.labels).for_each(|(to, label)| *to = label as i32);
        }
        Ok(())
    }
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
