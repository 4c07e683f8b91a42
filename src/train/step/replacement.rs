//! Replaced-token detection (ELECTRA, Clark et al. 2020). A masked language model, the generator,
//! fills masked tokens with tokens drawn from its predictions. Another model must decide for each
//! token if it was replaced.

use crate::backend::Processor;
use crate::batch::Batch;
use crate::config::HeadKind;
use crate::engine::{Model, Request};
use crate::error::{fault, unexpected};
use crate::random::{Random, Stream};
use crate::tokenizer::Encoding;
use crate::train::data::batches::MicroBatch;
use crate::train::data::dataset::TrainingTask;
use crate::train::data::masking::Masked;
use crate::{Error, ErrorKind, Result};

/// A text with replaced tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Replaced {
    /// Ids that the model sees.
    pub ids: Vec<u32>,
    /// Target per token: 1 if it was replaced by a different token, otherwise 0. A drawn token that
    /// equals the original counts as 0.
    pub labels: Vec<f32>,
}

/// Draws an entry from the softmax of the scores.
///
/// The largest sum of score and Gumbel noise is such a draw, and it needs no sum over the
/// vocabulary.
///
/// ```
/// use webert::random::{Random, Stream};
/// use webert::train::step::replacement::sample;
///
/// let mut random = Random::new(42, Stream::Replace, [0, 0]);
/// assert_eq!(sample(&[0.0, 200.0, 1.0], &mut random), 1);
/// ```
pub fn sample(scores: &[f32], random: &mut Random) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (entry, &score) in scores.iter().enumerate() {
        // 0 < 1 - u ≤ 1, so the inner logarithm is finite. If it is 0, the noise is infinite, once
        // in 2^32 draws.
        let noise = -(-(1.0 - random.uniform()).ln()).ln();
        let score = f64::from(score) + noise;
        if score > best.0 {
            best = (score, entry);
        }
    }
    best.1
}

/// Puts drawn tokens into the chosen places, in order. `drawn` has one token per label of `masked`
/// that is not -100. The other tokens come from `encoding`.
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

/// Checks that a generator fits a model.
///
/// # Errors
/// `Unsupported` if one of them has the wrong head. `BadInput` if the vocabularies differ.
pub(in crate::train) fn check_generator<B: Processor>(
    model: &Model<B>,
    generator: &Model<B>,
) -> Result<()> {
    model.need("training with a generator", &[HeadKind::ReplacedToken])?;
    generator.need("a generator", &[HeadKind::MaskedLm])?;
    same_tokens(model, generator, "generator")
}

/// Checks that the ids of two models mean the same tokens. Models without a tokenizer are compared
/// by the sizes of their vocabularies.
///
/// # Errors
/// `BadInput` that names the other model as `name`.
pub(in crate::train) fn same_tokens<B: Processor>(
    model: &Model<B>,
    other: &Model<B>,
    name: &str,
) -> Result<()> {
    let [own, found] = [model.config().vocab, other.config().vocab];
    if own != found {
        return Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("the {name}'s vocabulary"),
            format_args!("{own} tokens like the model's"),
            format_args!("{found}"),
        ));
    }
    let (Ok(own), Ok(found)) = (model.tokenizer(), other.tokenizer()) else { return Ok(()) };
    let differs = |id: &u32| own.token(*id) != found.token(*id);
    match (0..own.vocab_size() as u32).find(differs) {
        None => Ok(()),
        Some(id) => {
            let [own, found] =
                [own, found].map(|tokenizer| tokenizer.token(id).unwrap_or_default());
            Err(unexpected!(
                BadInput,
                "the {name}'s token {id}",
                "{own:?} like the model's",
                "{found:?}",
            ))
        }
    }
}

/// Checks that a generator is passed exactly if the task needs one. Errors: as [`check_generator`].
pub(in crate::train) fn need_generator<B: Processor>(
    model: &Model<B>,
    generator: Option<&Model<B>>,
    task: TrainingTask,
) -> Result<()> {
    let needs = task == TrainingTask::ReplacedTokenDetection;
    let name = task.name();
    match generator {
        None if needs => Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("{name}"),
            format_args!("a generator, which is a model that fills masks"),
            format_args!("none"),
        )),
        None => Ok(()),
        Some(_) if !needs => Err(fault!(
            BadInput,
            "{name}: expected no generator",
            item = "{name}",
            expected = "no generator",
        )),
        Some(generator) => check_generator(model, generator),
    }
}

impl MicroBatch {
    /// Replaces masked tokens by tokens that `generator` draws. The draws depend only on the seed,
    /// the example and the epoch; `examples` has one number per sequence. `tokens` then holds 1 for
    /// each replaced token and 0 for the others.
    ///
    /// # Errors
    /// As [`Batch::pack`]. Errors of the backend.
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
            // Restore the original tokens first: `replace` compares with them.
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
    use crate::random::{Random, Stream};
    use crate::tokenizer::Encoding;
    use crate::train::data::masking::Masked;

    #[test]
    fn entries_are_drawn_by_their_softmax() {
        let scores = [1.0_f32, 0.0, 2.0, -1.0];
        let sum: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
        let mut random = Random::new(3, Stream::Replace, [0, 0]);
        let (draws, mut counts) = (40_000, [0_usize; 4]);
        (0..draws).for_each(|_| counts[sample(&scores, &mut random)] += 1);
        for (&count, &score) in counts.iter().zip(&scores) {
            let (found, expected) = (count as f64 / draws as f64, f64::from(score).exp() / sum);
            // four standard deviations of a binomial distribution
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
