//! Evaluation: the loss of a model over rows, and the metrics of each task.
//!
//! The loss is the mean over the rows, computed like transformers' `Trainer`: the mean loss of each
//! batch of `per_device_eval_batch_size` rows, weighted by its number of rows. Label smoothing and
//! class weights do not apply. Masks and replacements depend only on the seed, so evaluations of
//! one data set are comparable.

mod answers;
mod classes;
mod embeddings;
pub(in crate::train) mod names;
mod tokens;

pub use classes::score_metrics;

use crate::Result;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::batch::Batch;
use crate::config::Problem;
use crate::engine::{Model, Request, Response, Tick};
use crate::train::arguments::TrainingArguments;
use crate::train::data::batches::MicroBatch;
use crate::train::data::dataset::{Dataset, TrainingTask};
use crate::train::step::replacement::need_generator;
use crate::train::step::similarity::log_sum_exp;
use crate::train::step::trainer::Trainer;

/// Metrics of an evaluation: [`Dataset::metric_names`] with their values. A value is NaN if the
/// metric is undefined, e.g. the correlation with constant references.
pub type Metrics = Vec<(&'static str, f64)>;

/// Epoch used for masking in evaluations. No run reaches it.
const EPOCH: u32 = u32::MAX;

/// Collects the metrics of one kind of prediction, batch by batch.
trait Scores {
    /// Takes the response for a batch. Returns its mean loss, or `None` if every target is ignored.
    fn add(&mut self, micro: &MicroBatch, batch: &Batch, response: &Response) -> Option<f64>;
    /// Returns the metrics after `loss`, in the order of [`Dataset::metric_names`].
    fn finish(&self, loss: f64) -> Vec<f64>;
}

/// Evaluates a model. `generator` replaces tokens for replaced-token detection and must have the
/// same vocabulary; other tasks take none. `tick` is called before each batch.
///
/// # Errors
/// `Unsupported` if a model has another head than the task. `BadInput` if a generator is missing or
/// superfluous, or for invalid arguments. Errors of the backend and of `tick`.
pub async fn evaluate<B: Processor>(
    model: &Model<B>,
    generator: Option<&Model<B>>,
    data: &Dataset,
    arguments: &TrainingArguments,
    tick: Tick<'_>,
) -> Result<Metrics> {
    arguments.check()?;
    model.need(data.task().name(), &[data.task().head()])?;
    need_generator(model, generator, data.task())?;
    let mut scores = scores(model, data)?;
    let order: Vec<usize> = (0..data.examples().len()).collect();
    let (mut sum, mut rows) = (0.0, 0);
    for numbers in order.chunks(arguments.per_device_eval_batch_size) {
        tick().await?;
        let mut micro = data.collate(numbers, arguments.seed, EPOCH);
        if let Some(generator) = generator {
            micro.replace(generator, numbers, arguments.seed, EPOCH).await?;
        }
        let batch = Batch::pack(model.config(), &micro.encodings)?;
        let Some(request) = request(model, data.task(), &micro, batch.clone()) else { continue };
        let response = model.forward(request).await?;
        if let Some(loss) = scores.add(&micro, &batch, &response) {
            sum += numbers.len() as f64 * loss;
            rows += numbers.len();
        }
    }
    let loss = if rows == 0 { f64::NAN } else { sum / rows as f64 };
    let values = std::iter::once(loss).chain(scores.finish(loss));
    Ok(data.metric_names().iter().copied().zip(values).collect())
}

impl<B: Train + Processor> Trainer<B> {
    /// Evaluates the model in its current state, see [`evaluate`].
    ///
    /// # Errors
    /// As [`evaluate`].
    pub async fn evaluate(
        &self,
        data: &Dataset,
        arguments: &TrainingArguments,
        tick: Tick<'_>,
    ) -> Result<Metrics> {
        evaluate(&self.model, self.generator.as_deref(), data, arguments, tick).await
    }
}

fn scores<'a, B: Processor>(
    model: &'a Model<B>,
    data: &'a Dataset,
) -> Result<Box<dyn Scores + 'a>> {
    let labels = &model.config().labels;
    Ok(match data.task() {
        TrainingTask::TextClassification => match data.problem() {
            Some(Problem::MultiLabel) => Box::new(classes::SeveralLabels::new(labels.len())),
            Some(Problem::Regression) => Box::new(classes::Numbers::default()),
            _ => Box::new(classes::Classes::with_f1()),
        },
        TrainingTask::MultipleChoice | TrainingTask::NextSentencePrediction => {
            Box::new(classes::Classes::default())
        }
        TrainingTask::TokenClassification => Box::new(tokens::Entities::new(labels)),
        TrainingTask::FillMask => Box::new(tokens::Masked::default()),
        TrainingTask::PreTraining => Box::new(tokens::PreTraining::default()),
        TrainingTask::ReplacedTokenDetection => Box::new(tokens::Replaced::default()),
        TrainingTask::QuestionAnswering => {
            let cls = model.tokenizer()?.special().cls.as_ref().map_or(u32::MAX, |cls| cls.id);
            Box::new(answers::Answers::new(data, cls))
        }
        TrainingTask::FeatureExtraction => Box::new(embeddings::Embeddings::new(model, data)?),
    })
}

/// Returns the forward pass over a batch, or `None` if every target of the batch is ignored.
fn request<B: Processor>(
    model: &Model<B>,
    task: TrainingTask,
    micro: &MicroBatch,
    batch: Batch,
) -> Option<Request> {
    let chosen = || -> Vec<u32> { micro.chosen_tokens().map(|(row, _)| row as u32).collect() };
    let tokens = match task {
        TrainingTask::TokenClassification | TrainingTask::FillMask | TrainingTask::PreTraining => {
            Some(chosen()).filter(|chosen| !chosen.is_empty()).map(Some)?
        }
        _ => None,
    };
    let is_bare = task == TrainingTask::FeatureExtraction;
    let states = if is_bare { vec![model.config().layers] } else { Vec::new() };
    Some(Request { batch, head: !is_bare, tokens, states, ..Request::default() })
}

/// Returns -ln of the softmax probability of a target.
fn cross_entropy(scores: &[f32], target: usize) -> f64 {
    log_sum_exp(scores.iter().map(|&score| f64::from(score))) - f64::from(scores[target])
}

/// Returns the binary cross-entropy of sigmoid(score) with a target from 0 to 1, in PyTorch's form,
/// which does not overflow.
fn binary_cross_entropy(score: f32, target: f32) -> f64 {
    let (score, target) = (f64::from(score), f64::from(target));
    score.max(0.0) - score * target + (-score.abs()).exp().ln_1p()
}

/// Returns the index of the largest score; the first one among equals.
fn best(scores: &[f32]) -> usize {
    let better =
        |best: usize, place: usize| if scores[place] > scores[best] { place } else { best };
    (0..scores.len()).fold(0, better)
}

/// Returns the mean, or `None` for no values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}
