//! The rows of each step. They are shuffled anew in each epoch, optionally grouped by length, and
//! split into micro-batches whose gradients are added up. The order depends only on seed and epoch,
//! so a run resumes from its [`Place`] without any other state.

use serde::{Deserialize, Serialize};

use super::masking::Masking;
use super::rows::{Example, Target};
use crate::Result;
use crate::error::unexpected;
use crate::random::{Random, Stream};
use crate::tokenizer::Encoding;
use crate::train::arguments::TrainingArguments;

/// Number of batches that are sorted by length together, as in transformers'
/// `LengthGroupedSampler`. Enough to save padding, and few enough to keep the order random.
const GROUPED_BATCHES: usize = 50;

/// Progress of a run within its data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Number of finished epochs.
    pub epoch: u32,
    /// Number of finished steps in this epoch.
    pub step: usize,
}

/// Chooses the examples of each step.
///
/// ```
/// use webert::train::arguments::TrainingArguments;
/// use webert::train::data::batches::{Place, Sampler};
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
/// // A resumed run takes the same rows.
/// let mut resumed = Sampler::new(lengths, &arguments)?;
/// resumed.resume(Place { epoch: 0, step: 1 });
/// assert_eq!(resumed.next_step(), sampler.next_step());
/// # Ok::<(), webert::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sampler {
    /// Tokens per example.
    lengths: Vec<usize>,
    batch_size: usize,
    accumulation: usize,
    group_by_length: bool,
    seed: u64,
    place: Place,
    /// Micro-batches of the epoch at `place`, computed when first needed.
    batches: Option<Vec<Vec<usize>>>,
}

impl Sampler {
    /// Creates a sampler for examples with these numbers of tokens.
    ///
    /// # Errors
    /// `BadInput` if `lengths` is empty.
    pub fn new(lengths: Vec<usize>, arguments: &TrainingArguments) -> Result<Self> {
        if lengths.is_empty() {
            return Err(unexpected!(BadInput, "rows", "one or more", "none"));
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

    /// Returns the number of steps per epoch. The last step may have fewer rows.
    pub fn steps_per_epoch(&self) -> usize {
        self.lengths.len().div_ceil(self.batch_size).div_ceil(self.accumulation)
    }

    /// Returns the number of steps of the run: `max_steps`, or the steps of `num_train_epochs`
    /// epochs.
    pub fn total_steps(&self, arguments: &TrainingArguments) -> usize {
        match usize::try_from(arguments.max_steps) {
            Ok(steps) if steps > 0 => steps,
            _ => (arguments.num_train_epochs * self.steps_per_epoch() as f64).ceil() as usize,
        }
    }

    /// Returns the place of the next step.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Continues from a place.
    pub fn resume(&mut self, place: Place) {
        (self.place, self.batches) = (place, None);
    }

    /// Returns the micro-batches of the next step, as indices of examples.
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

    /// Returns the micro-batches of an epoch, as indices of examples.
    pub fn epoch(&self, epoch: u32) -> Vec<Vec<usize>> {
        let mut random = Random::new(self.seed, Stream::Shuffle, [epoch, 0]);
        let mut order: Vec<usize> = (0..self.lengths.len()).collect();
        random.shuffle(&mut order);
        if !self.group_by_length {
            return order.chunks(self.batch_size).map(<[usize]>::to_vec).collect();
        }
        // With few examples the groups are small, so that examples still meet different ones in
        // each epoch.
        let groups = (self.lengths.len() / (self.batch_size * 4)).clamp(1, GROUPED_BATCHES);
        for group in order.chunks_mut(groups * self.batch_size) {
            group.sort_by_key(|&at| std::cmp::Reverse(self.lengths[at]));
        }
        let mut batches: Vec<Vec<usize>> =
            order.chunks(self.batch_size).map(<[usize]>::to_vec).collect();
        // Batches are sorted by length within a group. Shuffling keeps similar steps apart; an
        // incomplete last batch stays last.
        let full = self.lengths.len() / self.batch_size;
        random.shuffle(&mut batches[..full]);
        // The longest batch comes first, so a lack of memory shows at the first step.
        let tokens = |batch: &Vec<usize>| batch.iter().map(|&at| self.lengths[at]).sum::<usize>();
        if let Some(longest) = (0..full).max_by_key(|&at| tokens(&batches[at])) {
            batches.swap(0, longest);
        }
        batches
    }
}

/// The examples of one forward pass: sequences and their targets. Lists that a task does not use
/// are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MicroBatch {
    /// All sequences. The sequences of an example follow each other.
    pub encodings: Vec<Encoding>,
    /// Number of sequences per example.
    pub sequences: Vec<usize>,
    /// Class per example; for multiple choice, the number of the right choice.
    pub classes: Vec<i32>,
    /// Numbers per example: one per label, or the score of a pair. Row-major `[examples, numbers]`.
    pub scores: Vec<f32>,
    /// Class or vocabulary id per token, over all sequences concatenated. -100 means that the token
    /// is ignored.
    pub tokens: Vec<i32>,
    /// First token of the answer per example, counted within its sequence.
    pub starts: Vec<i32>,
    /// Last token of the answer per example.
    pub ends: Vec<i32>,
}

impl MicroBatch {
    /// Collects examples into a micro-batch. With `masking`, tokens are masked; the masks depend
    /// only on the seed, the example and the epoch.
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

    /// Returns the tokens that are not ignored, counted over all sequences, with their labels.
    pub fn chosen_tokens(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let labels = self.tokens.iter().enumerate();
        labels.filter_map(|(token, &label)| Some((token, usize::try_from(label).ok()?)))
    }

    /// Returns the number of tokens of all sequences.
    pub fn len(&self) -> usize {
        self.encodings.iter().map(Encoding::len).sum()
    }

    /// Returns true if the batch has no sequence.
    pub fn is_empty(&self) -> bool {
        self.encodings.is_empty()
    }
}
