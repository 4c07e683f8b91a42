//! A run: which examples each step takes, at which rate, and what is told of it.

use std::pin::Pin;

use super::arguments::TrainingArguments;
use super::batches::{MicroBatch, Place, Sampler};
use super::dataset::Dataset;
use super::loss::Labels;
use super::replacement::need_generator;
use super::rows::Example;
use super::schedule::Schedule;
use super::trainer::{Step, Trainer};
use crate::Result;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::batch::Batch;
use crate::config::{Config, HeadKind};

/// How far a run is after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps taken, the first being step 1.
    pub step: usize,
    /// Steps of the whole run.
    pub max_steps: usize,
    /// Epochs done, in parts of one.
    pub epoch: f64,
    /// The loss before the step.
    pub loss: f32,
    /// The rate of the step.
    pub learning_rate: f64,
    /// The norm of all gradients together, before clipping.
    pub grad_norm: f32,
    /// Tokens of the step.
    pub tokens: usize,
}

/// What a run comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingResult {
    /// Steps taken.
    pub global_step: usize,
    /// The mean loss of the steps that this call took.
    pub training_loss: f64,
}

/// Called after each step; an error ends the run, the weights stay as they are then.
pub type Callback<'a> = dyn FnMut(&Progress) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>> + 'a;

impl<B: Train + Processor> Trainer<B> {
    /// Takes the steps of a run that have not been taken yet: all of them, or those after the state from which the
    /// trainer was resumed.
    ///
    /// # Errors
    /// `BadInput` for arguments that no run can have, and a generator that is missing; `Unsupported` for rows of another
    /// task than the model's head; as [`Trainer::step`];
    /// the callback's own.
    pub async fn train(
        &mut self,
        data: &Dataset,
        arguments: &TrainingArguments,
        callback: &mut Callback<'_>,
    ) -> Result<TrainingResult> {
        arguments.check()?;
        self.model.need(data.task().name(), &[data.task().head()])?;
        need_generator(&self.model, self.generator.as_deref(), data.task())?;
        let lengths = data.examples().iter().map(Example::len).collect();
        let mut sampler = Sampler::new(lengths, arguments)?;
        let (max_steps, per_epoch) = (sampler.total_steps(arguments), sampler.steps_per_epoch());
        let schedule = Schedule::new(arguments, max_steps);
        let first = self.steps() as usize;
        sampler.resume(Place { epoch: (first / per_epoch) as u32, step: first % per_epoch });
        let mut total = 0.0;
        for taken in first..max_steps {
            let epoch = sampler.place().epoch;
            let micro_batches =
                self.collate(data, &sampler.next_step(), arguments.seed, epoch).await?;
            let learning_rate = schedule.rate(taken);
            let Step { loss, grad_norm } =
                self.step_of_examples(&micro_batches, arguments, learning_rate).await?;
            total += f64::from(loss);
            let (step, tokens) = (taken + 1, micro_batches.iter().map(MicroBatch::len).sum());
            let epoch = step as f64 / per_epoch as f64;
            callback(&Progress { step, max_steps, epoch, loss, learning_rate, grad_norm, tokens })
                .await?;
        }
        let training_loss = total / max_steps.saturating_sub(first).max(1) as f64;
        Ok(TrainingResult { global_step: self.steps() as usize, training_loss })
    }

    /// The micro-batches of a step, with masked and replaced tokens as they are in this epoch.
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

    /// One step on micro-batches of examples.
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
    /// The tokens and the labels, as the losses of a head take them.
    ///
    /// # Errors
    /// As [`Batch::pack`].
    pub fn pack(&self, config: &Config, kind: HeadKind) -> Result<(Batch, Labels)> {
        if kind != HeadKind::Bare {
            return Ok((Batch::pack(config, &self.encodings)?, self.labels(kind)));
        }
        // the first texts of all rows, then the second ones
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
