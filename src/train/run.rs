//! A run: which examples each step takes, at which rate, and what is told of it.

use std::pin::Pin;

use super::arguments::TrainingArguments;
use super::batches::{MicroBatch, Place, Sampler};
use super::loss::Labels;
use super::masking::Masking;
use super::rows::Example;
use super::schedule::Schedule;
use super::trainer::{Step, Trainer};
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::batch::Batch;
use crate::config::HeadKind;
use crate::{Error, Result};

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
    /// trainer was resumed. `masking` is for heads that score the vocabulary.
    ///
    /// # Errors
    /// `BadInput` for arguments that no run can have, no examples or examples of another task; as [`Trainer::step`];
    /// the callback's own.
    pub async fn train(
        &mut self,
        examples: &[Example],
        masking: Option<&Masking>,
        arguments: &TrainingArguments,
        callback: &mut Callback<'_>,
    ) -> Result<TrainingResult> {
        arguments.check()?;
        if self.model.head_spec().kind.scores_vocabulary() != masking.is_some() {
            return Err(Error::BadInput("masking is for heads that score the vocabulary".into()));
        }
        let mut sampler = Sampler::new(examples.iter().map(Example::len).collect(), arguments)?;
        let (max_steps, per_epoch) = (sampler.total_steps(arguments), sampler.steps_per_epoch());
        let schedule = Schedule::new(arguments, max_steps);
        let first = self.steps() as usize;
        sampler.resume(Place { epoch: (first / per_epoch) as u32, step: first % per_epoch });
        let mut total = 0.0;
        for taken in first..max_steps {
            let epoch = sampler.place().epoch;
            let masking = masking.map(|masking| (masking, arguments.seed));
            let micro_batches: Vec<MicroBatch> = sampler
                .next_step()
                .iter()
                .map(|batch| MicroBatch::collate(examples, batch, masking, epoch))
                .collect();
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

    /// One step on micro-batches of examples.
    async fn step_of_examples(
        &mut self,
        micro_batches: &[MicroBatch],
        arguments: &TrainingArguments,
        rate: f64,
    ) -> Result<Step> {
        let mut batches = Vec::new();
        for micro in micro_batches {
            let batch = Batch::pack(self.model.config(), &micro.encodings)?;
            batches.push((batch, labels(self.model.head_spec().kind, micro)));
        }
        let batches: Vec<_> = batches.iter().map(|(batch, labels)| (batch, labels)).collect();
        self.step_of(&batches, arguments, rate).await
    }
}

/// The labels of a head's examples.
fn labels(kind: HeadKind, micro: &MicroBatch) -> Labels {
    match kind {
        HeadKind::PreTraining => Labels::PreTraining {
            tokens: micro.tokens.clone(),
            next_sentence: micro.classes.clone(),
        },
        HeadKind::QuestionAnswering => {
            Labels::Answers { starts: micro.starts.clone(), ends: micro.ends.clone() }
        }
        _ if kind.reads_tokens() => Labels::Tokens(micro.tokens.clone()),
        _ if micro.scores.is_empty() => Labels::Classes(micro.classes.clone()),
        _ => Labels::Scores(micro.scores.clone()),
    }
}
