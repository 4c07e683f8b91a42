//! A run: the examples and the learning rate of each step, and its events.

use std::borrow::Borrow;
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
    /// Number of steps before the next step of the sampler.
    taken: usize,
}

impl Plan {
    /// Plans all steps of a run.
    fn new(data: &Dataset, arguments: &TrainingArguments) -> Result<Self> {
        let lengths = data.examples().iter().map(Example::len).collect();
        let sampler = Sampler::new(lengths, arguments)?;
        let (max_steps, per_epoch) = (sampler.total_steps(arguments), sampler.steps_per_epoch());
        let schedule = Schedule::new(arguments, max_steps);
        Ok(Self { sampler, schedule, max_steps, per_epoch, taken: 0 })
    }

    /// Continues after `steps` steps.
    fn continue_from(&mut self, steps: usize) {
        // Keeps the shuffled order of the epoch, unless steps were taken outside of the run.
        if self.taken != steps {
            let (epoch, step) = ((steps / self.per_epoch) as u32, steps % self.per_epoch);
            self.sampler.resume(Place { epoch, step });
            self.taken = steps;
        }
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

/// A run between two steps. The caller takes the steps with [`Run::next`] and may use the trainer
/// between them. Dropping a run ends it; the weights keep their values.
pub struct Run<D> {
    data: D,
    eval: Option<D>,
    arguments: TrainingArguments,
    plan: Plan,
    record: RunRecord,
    global_step: usize,
}

/// Results of the steps of a run so far. If the run must continue on another device, the new run
/// takes them over.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRecord {
    /// Number and loss of each step.
    pub losses: Vec<(usize, f32)>,
    /// Metrics of the last evaluation.
    pub metrics: Option<Metrics>,
}

impl<D: Borrow<Dataset>> Run<D> {
    /// Takes the next step or makes the next evaluation. Returns `None` when the run is over.
    ///
    /// # Errors
    /// As [`Trainer::step`] and [`Trainer::evaluate`].
    pub async fn next<B: Train + Processor>(
        &mut self,
        trainer: &mut Trainer<B>,
    ) -> Result<Option<Event>> {
        let Self { data, eval, arguments, plan, record, .. } = self;
        let step = trainer.steps() as usize;
        // An evaluation is not repeated if the run resumes right after it.
        let is_due = plan.evaluates_after(step, arguments)
            && trainer.selection.evaluated_at as usize != step;
        if let Some(eval) = eval.as_ref().filter(|_| is_due) {
            let metrics = trainer.evaluate_in_run(eval.borrow(), arguments).await?;
            record.metrics = Some(metrics.clone());
            return Ok(Some(Event::Evaluate { step, epoch: plan.epoch(step), metrics }));
        }
        // Checked here also for an evaluation whose event ended an earlier call, so that a
        // continued run respects it.
        if step >= plan.max_steps || trainer.selection.stops_at(step) {
            if arguments.load_best_model_at_end {
                record.metrics = trainer.load_best()?.or(record.metrics.take());
            }
            self.global_step = step;
            return Ok(None);
        }
        let progress = trainer.step_of_run(plan, (*data).borrow(), arguments).await?;
        record.losses.push((progress.step, progress.loss));
        self.global_step = progress.step;
        Ok(Some(Event::Step(progress)))
    }

    /// Returns the results of the steps so far.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Returns the result of the run.
    pub fn result(&self) -> TrainingResult {
        let RunRecord { losses, metrics } = &self.record;
        let total: f64 = losses.iter().map(|(_, loss)| f64::from(*loss)).sum();
        TrainingResult {
            global_step: self.global_step,
            training_loss: total / losses.len().max(1) as f64,
            metrics: metrics.clone(),
        }
    }
}

impl<B: Train + Processor> Trainer<B> {
    /// Begins a run, or continues the run from whose state the trainer was resumed. `eval` has the
    /// rows for evaluations. `record` has the results of the run's steps on another device.
    ///
    /// # Errors
    /// `BadInput` for arguments that are invalid or do not fit together, and for a missing
    /// generator; `Unsupported` for rows of another task than the model's head; `OutOfMemory` if a
    /// step does not fit, including the longest batch of rows. As [`Trainer::settle`].
    pub async fn begin<D: Borrow<Dataset>>(
        &mut self,
        data: D,
        eval: Option<D>,
        arguments: TrainingArguments,
        mut record: RunRecord,
    ) -> Result<Run<D>> {
        arguments.check()?;
        for data in [Some(&data), eval.as_ref()].into_iter().flatten() {
            let task = data.borrow().task();
            self.model.need(task.name(), &[task.head()])?;
            need_generator(&self.model, self.generator.as_deref(), task)?;
        }
        check_evaluations(&arguments, eval.as_ref().map(D::borrow))?;
        self.settle().await?;
        let plan = Plan::new(data.borrow(), &arguments)?;
        self.reserve_longest(data.borrow(), &arguments).await?;
        let global_step = self.steps() as usize;
        // A new run forgets the evaluations of an earlier one.
        if global_step == 0 {
            self.selection = Selection::default();
        }
        // Later steps were lost with the other device and are taken again.
        record.losses.retain(|&(step, _)| step <= global_step);
        Ok(Run { data, eval, arguments, plan, record, global_step })
    }

    /// Takes all steps of a run: see [`Trainer::begin`]. `callback` is called with each event.
    ///
    /// # Errors
    /// As [`Trainer::begin`] and [`Run::next`]. Errors of the callback.
    pub async fn train(
        &mut self,
        data: &Dataset,
        eval: Option<&Dataset>,
        arguments: &TrainingArguments,
        callback: &mut Callback<'_>,
    ) -> Result<TrainingResult> {
        let mut run = self.begin(data, eval, arguments.clone(), RunRecord::default()).await?;
        while let Some(event) = run.next(self).await? {
            callback(&event).await?;
        }
        Ok(run.result())
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
        plan.continue_from(taken);
        let epoch = plan.sampler.place().epoch;
        let batches = plan.sampler.next_step();
        plan.taken += 1;
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
