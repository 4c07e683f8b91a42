//! A model in training: its gradients and the optimizer's state, on the device of its engine.

mod create;
mod memory;
mod micro_batch;

use super::distillation::check_teacher;
use super::dropout::DropoutRates;
pub use super::freeze::Freeze;
use super::gradients::Gradients;
use super::lora::{LoraOptions, LoraPlan};
use super::loss::{Labels, Targets};
use super::optimizer::Optimizer;
use super::replacement::check_generator;
use super::state_cache::States;
use crate::backend::Processor;
use crate::backend::train::{CrossEntropy, Parameter, Train};
use crate::batch::Batch;
use crate::config::HeadKind;
use crate::engine::{Device, Model};
use crate::error::unexpected;
use crate::model::encoder::Uploaded;
use crate::model::pass::Inference;
use crate::model::{EncoderOn, HeadOn, Leaf, ParameterSpec};
use crate::train::arguments::TrainingArguments;
use crate::train::run::selection::Selection;
use crate::{Error, Result};
use memory::is_out_of_memory;
use micro_batch::Weights;
use std::rc::Rc;

/// Result of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Loss before the step.
    pub loss: f32,
    /// Norm of all gradients together, before clipping.
    pub grad_norm: f32,
}

/// A loss and, for pre-training, its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Losses {
    /// Sum of the parts.
    pub loss: f32,
    /// Losses of masked language modelling and of next sentence prediction.
    pub parts: Option<[f32; 2]>,
}

/// A model in training. The parameters stay in the model and its engine, so tasks between two steps
/// use the current weights. If the engine has other models and the encoder is trained, it changes
/// for them as well.
pub struct Trainer<B: Train + Processor> {
    pub(in crate::train) model: Rc<Model<B>>,
    dropout_rates: DropoutRates,
    /// Parameters, in order: the encoder's leaves, the head's, then the factors of adapters.
    pub(in crate::train) specs: Vec<Leaf<ParameterSpec, ParameterSpec>>,
    pub(in crate::train) gradients: Gradients<B>,
    pub(in crate::train) optimizer: Optimizer<B>,
    freeze: Freeze,
    /// Which matrices have low-rank adapters.
    pub(in crate::train) lora: Option<(LoraOptions, LoraPlan)>,
    /// Sums over the micro-batches of a step, each `[1, 1]`.
    losses: [B::Rows; 2],
    /// Number of forward passes of the run. Each has its own dropout.
    pub(in crate::train) passes: u32,
    pub(in crate::train) generator: Option<Rc<Model<B>>>,
    teacher: Option<Rc<Model<B>>>,
    pub(in crate::train) selection: Selection,
    /// States of a frozen encoder.
    pub(in crate::train) states: States,
    /// Number of tokens of the largest batch that fits in memory, without and with gradient
    /// checkpointing.
    room: [usize; 2],
    /// True if the gradients did not fit in memory. They are then empty.
    lacks_gradients: bool,
}

fn in_use() -> Error {
    Error::BadInput("the model is in use".into())
}

/// Writes the sum of base and adapters to each adapted matrix of the model.
pub(in crate::train) fn merge<B: Train + Processor>(
    backend: &mut B,
    gradients: &mut Gradients<B>,
    encoder: &mut EncoderOn<B>,
    head: &mut HeadOn<B>,
) {
    let leaves = encoder.leaves_mut().into_iter().chain(head.leaves_mut());
    for (adapters, leaf) in gradients.adapters_mut().into_iter().zip(leaves) {
        if let (Some(adapters), Parameter::Matrix(weight)) = (adapters, leaf) {
            adapters.merge(backend, weight);
        }
    }
}

impl<B: Train + Processor> Trainer<B> {
    /// Returns the model, e.g. for tasks.
    pub fn model(&self) -> &Rc<Model<B>> {
        &self.model
    }

    /// Sets the generator, the model that fills masked tokens for replaced-token detection. It is
    /// not trained.
    ///
    /// # Errors
    /// `Unsupported` if the generator does not fill masks. `BadInput` if this model is not for
    /// replaced-token detection or has another vocabulary.
    pub fn set_generator(&mut self, generator: Rc<Model<B>>) -> Result<()> {
        check_generator(&self.model, &generator)?;
        self.generator = Some(generator);
        Ok(())
    }

    /// Sets the teacher, the model whose outputs are the targets of later steps. It is not trained.
    ///
    /// # Errors
    /// `Unsupported` if the head has no soft targets, the encoder is frozen, or the models count
    /// positions differently. `BadInput` if head, labels or vocabulary differ from the model's.
    pub fn set_teacher(&mut self, teacher: Rc<Model<B>>) -> Result<()> {
        check_teacher(&self.model, &teacher)?;
        if self.freeze == Freeze::Encoder {
            return Err(unexpected!(
                Unsupported,
                "teacher",
                "an encoder that is trained",
                "freeze \"encoder\"",
            ));
        }
        self.teacher = Some(teacher);
        Ok(())
    }

    /// Returns the number of sequences that a frozen encoder has run over. The states of a sequence
    /// are kept, so a sequence counts once, unless its tokens are masked anew each time or the
    /// weights have changed.
    pub fn computed_states(&self) -> usize {
        self.states.computed()
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u32 {
        self.optimizer.steps
    }

    /// Takes one step on one batch, with `arguments.learning_rate`.
    ///
    /// # Errors
    /// `BadInput` for labels that do not fit. `BadInput`, naming the step, if loss or gradient is
    /// not finite; the parameters are then unchanged. `OutOfMemory`, naming what does not fit; the
    /// step was not taken, and a smaller batch can follow. As [`Trainer::settle`] and
    /// [`Backend::read`](crate::backend::Backend::read).
    pub async fn step(
        &mut self,
        batch: &Batch,
        labels: &Labels,
        arguments: &TrainingArguments,
    ) -> Result<Step> {
        arguments.check()?;
        self.step_of(&[(batch, labels)], arguments, arguments.learning_rate).await
    }

    /// Takes one step on the mean loss of these micro-batches, with this learning rate. Errors: as
    /// [`Trainer::step`].
    pub async fn step_of(
        &mut self,
        batches: &[(&Batch, &Labels)],
        arguments: &TrainingArguments,
        rate: f64,
    ) -> Result<Step> {
        let model = Rc::clone(&self.model);
        let mut device = model.engine().lock().await;
        let new = self.reserve_on(&mut device, batches, arguments).await?;
        let done = self.step_on(&mut device, batches, arguments, rate).await;
        if is_out_of_memory(&done) {
            self.give_back(&mut device, &new);
        }
        done
    }

    /// Takes a step for which memory is reserved.
    async fn step_on(
        &mut self,
        device: &mut Device<B>,
        batches: &[(&Batch, &Labels)],
        arguments: &TrainingArguments,
        rate: f64,
    ) -> Result<Step> {
        let share = 1.0 / batches.len().max(1) as f32;
        let model = Rc::clone(&self.model);
        self.record_gradients(device, batches, arguments).await?;
        let backend = &mut device.backend;
        // A loss beyond f32 may have finite gradients, and the step would be taken. So the loss is
        // checked first.
        let losses = backend.read(&[&self.losses[0], &self.losses[1]]).await?;
        let loss = share * (losses[0][0] + losses[1][0]);
        if !loss.is_finite() {
            return Err(self.not_finite(format!("the loss is {loss}")));
        }
        {
            let trains_encoder = self.freeze != Freeze::Encoder;
            let mut encoder = trains_encoder.then(|| model.engine().encoder_mut()).transpose()?;
            let mut head = model.head_mut()?;
            let of_encoder = encoder.iter_mut().flat_map(|encoder| encoder.leaves_mut());
            let (gradients, factors) = self.gradients.split_factors();
            let parameters = of_encoder.chain(head.leaves_mut()).chain(factors).collect();
            self.optimizer.step(backend, parameters, &gradients, arguments, rate)?;
            if let Some(encoder) = encoder.as_deref_mut().filter(|_| self.lora.is_some()) {
                merge(backend, &mut self.gradients, encoder, &mut head);
            }
        }
        let squares = backend.read(&[&self.optimizer.squares]).await?;
        let grad_norm = squares[0][0].sqrt();
        // The optimizer has left the parameters unchanged in this case.
        if !grad_norm.is_finite() {
            let what = format!("the loss is {loss} and the gradients' norm {grad_norm}");
            return Err(self.not_finite(what));
        }
        self.optimizer.steps += 1;
        Ok(Step { loss, grad_norm })
    }

    /// Returns the error for a step that was not taken.
    fn not_finite(&self, what: String) -> Error {
        let step = self.optimizer.steps + 1;
        Error::BadInput(format!("step {step}: {what}; the weights are those before the step"))
    }

    /// Returns the loss without taking a step and without dropout. Errors: as [`Trainer::step`].
    pub async fn loss(&mut self, batch: &Batch, labels: &Labels) -> Result<Losses> {
        let model = Rc::clone(&self.model);
        let kind = model.head_spec().kind;
        let targets = Targets::new(&model, batch, labels)?;
        let mut device = model.engine().lock().await;
        self.settle_on(&mut device).await?;
        let uploaded = Uploaded::new(&mut device.backend, batch.clone())?;
        self.losses.iter_mut().for_each(|loss| device.backend.clear(loss));
        let mut outputs = {
            let weights = Weights { encoder: &model.engine().encoder(), head: &model.head() };
            self.forward(&mut Inference, &mut device, weights, &uploaded, &targets)
        };
        let how = CrossEntropy { scale: 1.0, ..CrossEntropy::default() };
        targets.apply(&mut device.backend, &mut outputs, how, &mut self.losses).await?;
        let read = device.backend.read(&[&self.losses[0], &self.losses[1]]).await?;
        let [loss, second] = [0, 1].map(|n| read[n][0]);
        let has_parts = kind == HeadKind::PreTraining;
        Ok(Losses { loss: loss + second, parts: has_parts.then_some([loss, second]) })
    }
}
