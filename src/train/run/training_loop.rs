//! A run: the examples and the learning rate of each step, and its events.

use std::pin::Pin;

use super::selection::{Selection, check_evaluations};
use crate::Result;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::batch::Batch;
use crate::config::{Config, HeadKind};
use crate::train::arguments::TrainingArguments;
use crate::train::data::batches::{MicroBatch, Place, Sampler};
use crate::train::data::dataset::Dataset;
use crate::train::data::rows::Example;
use crate::train::metrics::evaluate::Metrics;
use crate::train::step::loss::Labels;
use crate::train::step::replacement::need_generator;
use crate::train::step::schedule::Schedule;
use crate::train::step::trainer::{Step, Trainer};

/// Progress of a run after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Number of steps taken. The first step is step 1.
    pub step: usize,
    /// Number of steps of the whole run.
    pub max_steps: usize,
    /// Number of epochs done, with fractions.
    pub epoch: f64,
    /// Loss before the step.
    pub loss: f32,
    /// Learning rate of the step.
    pub learning_rate: f64,
    /// Norm of all gradients together, before clipping.
    pub grad_norm: f32,
    /// Number of tokens of the step.
    pub tokens: usize,
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A step was taken.
    Step(Progress),
    /// The model was evaluated.
    Evaluate {
        /// Number of steps taken.
        step: usize,
        /// Number of epochs done, with fractions.
        epoch: f64,
        /// Metrics of the evaluation.
        metrics: Metrics,
    },
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingResult {
    /// Number of steps taken.
    pub global_step: usize,
    /// Mean loss of the steps of this call.
    pub training_loss: f64,
    /// Metrics of the final model: of the last evaluation or, with `load_best_model_at_end`, of the
    /// best one. `None` without evaluation data.
    pub metrics: Option<Metrics>,
}

/// Called after each step and each evaluation. An error ends the run, and the weights keep their
/// current values.
pub type Callback<'a> = dyn FnMut(&Event) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>> + 'a;

/// Order and learning rates of a run's steps.
struct Plan {
    sampler: Sampler,
    schedule: Schedule,
    max_steps: usize,
    /// Number of steps per epoch.
    per_epoch: usize,
}

impl Plan {
    /// Plans the steps from `first` on.
    fn new(data: &Dataset, arguments: &TrainingArguments, first: usize) -> Result<Self> {
        let lengths = data.examples().iter().map(Example::len).collect();
        let mut sampler = Sampler::new(lengths, arguments)?;
        let (max_steps, per_epoch) = (sampler.total_steps(arguments), sampler.steps_per_epoch());
        let schedule = Schedule::new(arguments, max_steps);
        sampler.resume(Place { epoch: (first / per_epoch) as u32, step: first % per_epoch });
        Ok(Self { sampler, schedule, max_steps, per_epoch })
    }

    /// Returns the number of epochs after `steps` steps.
    fn epoch(&self, steps: usize) -> f64 {
        steps as f64 / self.per_epoch as f64
    }

    /// Returns true if the model is evaluated after this number of steps: every `eval_steps` steps
    /// or each epoch, and at the end.
    fn evaluates_after(&self, steps: usize, arguments: &TrainingArguments) -> bool {
        let between = arguments.eval_steps.unwrap_or(self.per_epoch);
        steps > 0 && (steps.is_multiple_of(between) || steps == self.max_steps)
    }
}

impl<B: Train + Processor> Trainer<B> {
    /// Takes the remaining steps of a run: all steps, or the steps after the state from which the
    /// trainer was resumed. `eval` has the rows for evaluations.
    ///
    /// # Errors
    /// Before the first step: `BadInput` for arguments that are invalid or do not fit together, and
    /// for a missing generator; `Unsupported` for rows of another task than the model's head;
    /// `OutOfMemory` if a step does not fit, including the longest batch of rows. Later as
    /// [`Trainer::settle`], [`Trainer::step`] and [`Trainer::evaluate`]. Errors of the callback.
    pub async fn train(
        &mut self,
        data: &Dataset,
        eval: Option<&Dataset>,
        arguments: &TrainingArguments,
        callback: &mut Callback<'_>,
    ) -> Result<TrainingResult> {
        arguments.check()?;
        for data in [Some(data), eval].into_iter().flatten() {
            self.model.need(data.task().name(), &[data.task().head()])?;
            need_generator(&self.model, self.generator.as_deref(), data.task())?;
        }
        check_evaluations(arguments, eval)?;
        self.settle().await?;
        let first = self.steps() as usize;
        let mut plan = Plan::new(data, arguments, first)?;
        self.reserve_longest(data, arguments).await?;
        // A new run forgets the evaluations of an earlier one.
        if first == 0 {
            self.selection = Selection::default();
        }
        let (mut total, mut metrics) = (0.0, None);
        loop {
            let step = self.steps() as usize;
            // An evaluation is not repeated if the run resumes right after it.
            let is_due = plan.evaluates_after(step, arguments)
                && self.selection.evaluated_at as usize != step;
            if let Some(eval) = eval.filter(|_| is_due) {
                let found = self.evaluate_in_run(eval, arguments).await?;
                let epoch = plan.epoch(step);
                callback(&Event::Evaluate { step, epoch, metrics: found.clone() }).await?;
                metrics = Some(found);
            }
            // Checked here also for an evaluation whose event ended an earlier call, so that a
            // continued run respects it.
            if step >= plan.max_steps || self.selection.stops_at(step) {
                break;
            }
            let progress = self.step_of_run(&mut plan, data, arguments).await?;
            total += f64::from(progress.loss);
            callback(&Event::Step(progress)).await?;
        }
        if arguments.load_best_model_at_end {
            metrics = self.load_best()?.or(metrics);
        }
        let global_step = self.steps() as usize;
        let training_loss = total / (global_step - first).max(1) as f64;
        Ok(TrainingResult { global_step, training_loss, metrics })
    }

    /// Reserves memory for the longest possible micro-batch of the run. Errors: as
    /// [`Trainer::reserve`].
    async fn reserve_longest(
        &mut self,
        data: &Dataset,
        arguments: &TrainingArguments,
    ) -> Result<()> {
        let mut longest: Vec<usize> = (0..data.examples().len()).collect();
        longest.sort_by_key(|&at| std::cmp::Reverse(data.examples()[at].len()));
        longest.truncate(arguments.per_device_train_batch_size);
        let kind = self.model.head_spec().kind;
        for micro in self.collate(data, &[longest], arguments.seed, 0).await? {
            let (batch, labels) = micro.pack(self.model.config(), kind)?;
            self.reserve(&[(&batch, &labels)], arguments).await?;
        }
        Ok(())
    }

    /// Takes the next step of a run.
    async fn step_of_run(
        &mut self,
        plan: &mut Plan,
        data: &Dataset,
        arguments: &TrainingArguments,
    ) -> Result<Progress> {
        let taken = self.steps() as usize;
        let epoch = plan.sampler.place().epoch;
        let batches = plan.sampler.next_step();
        let micro_batches = self.collate(data, &batches, arguments.seed, epoch).await?;
        let learning_rate = plan.schedule.rate(taken);
        let Step { loss, grad_norm } =
            self.step_of_examples(&micro_batches, arguments, learning_rate).await?;
        Ok(Progress {
            step: taken + 1,
            max_steps: plan.max_steps,
            epoch: plan.epoch(taken + 1),
            loss,
            learning_rate,
            grad_norm,
            tokens: micro_batches.iter().map(MicroBatch::len).sum(),
        })
    }

    /// Returns the micro-batches of a step, with the masked and replaced tokens of this epoch.
    async fn collate(
        &self,
        data: &Dataset,
        batches: &[Vec<usize>],
        seed: u64,
        epoch: u32,
    ) -> Result<Vec<MicroBatch>> {
        let mut micro_batches = Vec::with_capacity(batches.len());
        for batch in batches {
            let mut micro = data.collate(batch, seed, epoch);
            if let Some(generator) = &self.generator {
                micro.replace(generator, batch, seed, epoch).await?;
            }
            micro_batches.push(micro);
        }
        Ok(micro_batches)
    }

    /// Takes a step on micro-batches of examples.
    async fn step_of_examples(
        &mut self,
        micro_batches: &[MicroBatch],
        arguments: &TrainingArguments,
        rate: f64,
    ) -> Result<Step> {
        let (config, kind) = (self.model.config(), self.model.head_spec().kind);
        let batches = micro_batches.iter().map(|micro| micro.pack(config, kind));
        let batches = batches.collect::<Result<Vec<_>>>()?;
        let batches: Vec<_> = batches.iter().map(|(batch, labels)| (batch, labels)).collect();
        self.step_of(&batches, arguments, rate).await
    }
}

impl MicroBatch {
    /// Packs tokens and labels for the losses of a head.
    ///
    /// # Errors
    /// As [`Batch::pack`].
    pub fn pack(&self, config: &Config, kind: HeadKind) -> Result<(Batch, Labels)> {
        if kind != HeadKind::Bare {
            return Ok((Batch::pack(config, &self.encodings)?, self.labels(kind)));
        }
        // The first texts of all rows come first, then the second texts.
        let columns = self.sequences.first().copied().unwrap_or(1).max(1);
        let texts = |column| self.encodings.iter().skip(column).step_by(columns);
        let batch = Batch::pack(config, (0..columns).flat_map(texts))?;
        let scores = (!self.scores.is_empty()).then(|| self.scores.clone());
        Ok((batch, Labels::Similarity { columns, scores }))
    }

    fn labels(&self, kind: HeadKind) -> Labels {
        match kind {
            HeadKind::PreTraining => Labels::PreTraining {
                tokens: self.tokens.clone(),
                next_sentence: self.classes.clone(),
            },
            HeadKind::QuestionAnswering => {
                Labels::Answers { starts: self.starts.clone(), ends: self.ends.clone() }
            }
            _ if kind.reads_tokens() => Labels::Tokens(self.tokens.clone()),
            _ if self.scores.is_empty() => Labels::Classes(self.classes.clone()),
            _ => Labels::Scores(self.scores.clone()),
        }
    }
}
