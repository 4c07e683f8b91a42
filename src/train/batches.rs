//! Which rows each step takes: shuffled anew each epoch, of similar lengths where that is asked for, and grouped
//! into micro-batches whose gradients are added up. The order is a function of seed and epoch, so a run goes on
//! from its [`Place`] without any other state.

use serde::{Deserialize, Serialize};

use super::arguments::TrainingArguments;
use super::masking::Masking;
use super::random::{Random, Stream};
use super::rows::{Example, Target};
use crate::tokenizer::Encoding;
use crate::{Error, Result};

/// Batches that are sorted by length together, as in transformers' `LengthGroupedSampler`: enough for little
/// padding work, few enough to keep the order random.
const GROUPED_BATCHES: usize = 50;

/// How far a run is in its data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Epochs that are done.
    pub epoch: u32,
    /// Steps of this epoch that are done.
    pub step: usize,
}

/// Gives the examples of each step.
///
/// ```
/// use webert::train::arguments::TrainingArguments;
/// use webert::train::batches::{Place, Sampler};
///
/// let arguments = TrainingArguments {
///     per_device_train_batch_size: 2,
///     gradient_accumulation_steps: 2,
///     ..Default::default()
/// };
/// let lengths = vec![9; 7]; // tokens of seven examples
/// let mut sampler = Sampler::new(lengths.clone(), &arguments)?;
/// assert_eq!(sampler.steps_per_epoch(), 2);
/// let step = sampler.next_step();
/// assert_eq!(step.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
///
/// // a run that is resumed takes the same rows
/// let mut resumed = Sampler::new(lengths, &arguments)?;
/// resumed.resume(Place { epoch: 0, step: 1 });
/// assert_eq!(resumed.next_step(), sampler.next_step());
/// # Ok::<(), webert::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sampler {
    /// Tokens of each example.
    lengths: Vec<usize>,
    batch_size: usize,
    accumulation: usize,
    group_by_length: bool,
    seed: u64,
    place: Place,
    /// The micro-batches of the epoch at `place`, once they are needed.
    batches: Option<Vec<Vec<usize>>>,
}

impl Sampler {
    /// For examples of so many tokens each.
    ///
    /// # Errors
    /// `BadInput` where there are none.
    pub fn new(lengths: Vec<usize>, arguments: &TrainingArguments) -> Result<Self> {
        if lengths.is_empty() {
            return Err(Error::BadInput("there are no rows to train on".into()));
        }
        Ok(Self {
            lengths,
            batch_size: arguments.per_device_train_batch_size.max(1),
            accumulation: arguments.gradient_accumulation_steps.max(1),
            group_by_length: arguments.group_by_length,
            seed: arguments.seed,
            place: Place::default(),
            batches: None,
        })
    }

    /// Steps of an epoch; the last one may have fewer rows.
    pub fn steps_per_epoch(&self) -> usize {
        self.lengths.len().div_ceil(self.batch_size).div_ceil(self.accumulation)
    }

    /// Steps of the run: `max_steps`, or those of `num_train_epochs`.
    pub fn total_steps(&self, arguments: &TrainingArguments) -> usize {
        match usize::try_from(arguments.max_steps) {
            Ok(steps) if steps > 0 => steps,
            _ => (arguments.num_train_epochs * self.steps_per_epoch() as f64).ceil() as usize,
        }
    }

    /// Where the next step is.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Goes on from a place.
    pub fn resume(&mut self, place: Place) {
        (self.place, self.batches) = (place, None);
    }

    /// The micro-batches of the next step, as indices of examples.
    pub fn next_step(&mut self) -> Vec<Vec<usize>> {
        let batches = match self.batches.take() {
            Some(batches) => batches,
            None => self.epoch(self.place.epoch),
        };
        let first = (self.place.step * self.accumulation).min(batches.len());
        let last = batches.len().min(first + self.accumulation);
        let step = batches[first..last].to_vec();
        self.place.step += 1;
        if last < batches.len() {
            self.batches = Some(batches);
        } else {
            self.place = Place { epoch: self.place.epoch + 1, step: 0 };
        }
        step
    }

    /// The micro-batches of an epoch.
    pub fn epoch(&self, epoch: u32) -> Vec<Vec<usize>> {
        let mut random = Random::new(self.seed, Stream::Shuffle, [epoch, 0]);
        let mut order: Vec<usize> = (0..self.lengths.len()).collect();
        random.shuffle(&mut order);
        if !self.group_by_length {
            return order.chunks(self.batch_size).map(<[usize]>::to_vec).collect();
        }
        // few examples make small groups, so that they still meet others in each epoch
        let groups = (self.lengths.len() / (self.batch_size * 4)).clamp(1, GROUPED_BATCHES);
        for group in order.chunks_mut(groups * self.batch_size) {
            group.sort_by_key(|&at| std::cmp::Reverse(self.lengths[at]));
        }
        let mut batches: Vec<Vec<usize>> =
            order.chunks(self.batch_size).map(<[usize]>::to_vec).collect();
        // by lengths within a group, but steps of one kind shall not follow one another
        let full = self.lengths.len() / self.batch_size;
        random.shuffle(&mut batches[..full]);
        // the longest first: where memory does not suffice, that shows at once
        let tokens = |batch: &Vec<usize>| batch.iter().map(|&at| self.lengths[at]).sum::<usize>();
        if let Some(longest) = (0..full).max_by_key(|&at| tokens(&batches[at])) {
            batches.swap(0, longest);
        }
        batches
    }
}

/// The examples of one forward pass: sequences, and what they are to be. Lists that a task has no use for are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MicroBatch {
    /// All sequences, those of an example one after the other.
    pub encodings: Vec<Encoding>,
    /// How many sequences each example has.
    pub sequences: Vec<usize>,
    /// A class an example; of choices the right one's number.
    pub classes: Vec<i32>,
    /// Numbers an example: one for each label, or the score of a pair. Row-major `[examples, numbers]`.
    pub scores: Vec<f32>,
    /// A class or a vocabulary entry a token of all sequences laid end to end; -100 where none counts.
    pub tokens: Vec<i32>,
    /// The token of its sequence at which an answer starts, an example.
    pub starts: Vec<i32>,
    /// The token at which it ends.
    pub ends: Vec<i32>,
}

impl MicroBatch {
    /// Puts examples together. With `masking` their tokens are masked, as they are in this epoch: the same examples
    /// in the same epoch are masked alike.
    pub fn collate(
        examples: &[Example],
        batch: &[usize],
        masking: Option<(&Masking, u64)>,
        epoch: u32,
    ) -> Self {
        let mut micro = Self::default();
        for &at in batch {
            let example = &examples[at];
            micro.sequences.push(example.encodings.len());
            match &example.target {
                Target::None => {}
                Target::Class(class) => micro.classes.push(*class),
                Target::Scores(scores) => micro.scores.extend(scores),
                Target::Tokens(tokens) => micro.tokens.extend(tokens),
                Target::Span { start, end } => {
                    micro.starts.push(*start as i32);
                    micro.ends.push(*end as i32);
                }
            }
            let first = micro.encodings.len();
            micro.encodings.extend(example.encodings.iter().cloned());
            if let Some((masking, seed)) = masking {
                let mut random = Random::new(seed, Stream::Mask, [epoch, at as u32]);
                for encoding in &mut micro.encodings[first..] {
                    let masked = masking.mask(encoding, &mut random);
                    encoding.ids = masked.ids;
                    micro.tokens.extend(masked.labels);
                }
            }
        }
        micro
    }

    /// The tokens whose labels count, counted over all sequences, with their labels.
    pub fn chosen_tokens(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let labels = self.tokens.iter().enumerate();
        labels.filter_map(|(token, &label)| Some((token, usize::try_from(label).ok()?)))
    }

    /// Tokens of all sequences.
    pub fn len(&self) -> usize {
        self.encodings.iter().map(Encoding::len).sum()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.encodings.is_empty()
    }
}
