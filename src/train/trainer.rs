//! A model in training: its parameters, their gradients and the optimiser's state on one device.

use super::arguments::TrainingArguments;
use super::backward::{EncoderGradients, HeadGradients, encode_backward, head_backward};
use super::dropout::Rates;
use super::loss::{Labels, Targets};
use super::optimizer::{Entry, Optimizer};
use super::schedule::Depth;
use super::tape::{Keeping, Tape};
use crate::backend::train::{CrossEntropy, Parameter, Train};
use crate::backend::{Precision, Processor};
use crate::batch::Batch;
use crate::checkpoint::{Loaded, LoadedEncoder};
use crate::config::{Config, Family, HeadKind, Structure};
use crate::model::encoder::{Scratch, Span, Uploaded, encode_with};
use crate::model::heads::{HeadOutputs, run_with};
use crate::model::pass::{Inference, Pass};
use crate::model::{
    Encoder, EncoderOn, Head, HeadOn, Leaf, ParameterSpec, Visitor, describe_encoder,
};
use crate::{Error, Result};

/// What stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Freeze {
    /// Nothing.
    #[default]
    None,
    /// The embeddings and so many of the first layers.
    Layers(usize),
    /// All but the head.
    Encoder,
}

/// What a step says of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The loss before the step.
    pub loss: f32,
    /// The norm of all gradients together, before clipping.
    pub grad_norm: f32,
}

/// A loss and, of pre-training, its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Losses {
    /// The sum of the parts.
    pub loss: f32,
    /// Masked LM and next sentence.
    pub parts: Option<[f32; 2]>,
}

/// A model in training.
pub struct Trainer<B: Train + Processor> {
    pub(super) backend: B,
    pub(super) config: Config,
    rates: Rates,
    pub(super) encoder: EncoderOn<B>,
    pub(super) head: HeadOn<B>,
    /// In the order of the parameters: the encoder's leaves, then the head's.
    pub(super) specs: Vec<Leaf<ParameterSpec, ParameterSpec>>,
    pub(super) gradients: (EncoderGradients<B>, HeadGradients<B>),
    pub(super) optimizer: Optimizer<B>,
    freeze: Freeze,
    scratch: Scratch<B>,
    /// Sums over the micro-batches of a step, each `[1, 1]`.
    losses: [B::Rows; 2],
    /// Forward passes of the run, by which dropout differs.
    pub(super) passes: u32,
}

impl<B: Train + Processor> Trainer<B> {
    /// Trains a model that was loaded in f32.
    ///
    /// # Errors
    /// `Unsupported` for weights in another precision, for a family whose layers are not BERT's and for one whose one
    /// layer cannot be frozen in part;
    /// `BadInput` where more layers are to be frozen than there are, or the encoder is not there; `OutOfMemory`.
    pub fn new(
        mut backend: B,
        config: Config,
        rates: Rates,
        loaded: Loaded<B>,
        freeze: Freeze,
    ) -> Result<Self> {
        let Some(LoadedEncoder { weights: encoder, precision, .. }) = loaded.encoder else {
            return Err(Error::BadInput("a model in training has an encoder of its own".into()));
        };
        if precision != Precision::F32 {
            return Err(Error::Unsupported(format!("training of {precision:?} weights, load F32")));
        }
        if *config.structure() != Structure::BERT {
            return Err(Error::Unsupported(format!(
                "training of model_type \"{}\": its layers have no gradients here",
                config.family.model_type()
            )));
        }
        check_freeze(&config, freeze)?;
        let spec = describe_encoder(&config);
        let head_spec = &loaded.head_spec;
        let mut zeros = Zeros(&mut backend);
        let gradients = (spec.map(&mut zeros)?, head_spec.map(&mut zeros)?);
        let entries = entries(&spec, head_spec, freeze);
        let specs = spec.leaves().into_iter().chain(head_spec.leaves()).map(|leaf| match leaf {
            Leaf::Matrix(spec) => Leaf::Matrix(spec.clone()),
            Leaf::Vector(spec) => Leaf::Vector(spec.clone()),
        });
        Ok(Self {
            specs: specs.collect(),
            optimizer: Optimizer::new(&mut backend, entries, config.layers)?,
            losses: [backend.zeros(1, 1)?, backend.zeros(1, 1)?],
            scratch: Scratch::default(),
            passes: 0,
            head: loaded.head,
            backend,
            config,
            rates,
            encoder,
            gradients,
            freeze,
        })
    }

    /// One step on one batch, at `arguments.learning_rate`.
    ///
    /// # Errors
    /// `BadInput` for labels that do not fit, and naming the step where loss or gradient is not finite: then the
    /// parameters are those of the step before. As [`Backend::read`](crate::backend::Backend::read).
    pub async fn step(
        &mut self,
        batch: &Batch,
        labels: &Labels,
        arguments: &TrainingArguments,
    ) -> Result<Step> {
        arguments.check()?;
        self.step_of(&[(batch, labels)], arguments, arguments.learning_rate).await
    }

    /// One step on the mean of the losses of these micro-batches, at this rate. Errors as [`Trainer::step`].
    pub async fn step_of(
        &mut self,
        batches: &[(&Batch, &Labels)],
        arguments: &TrainingArguments,
        rate: f64,
    ) -> Result<Step> {
        let share = 1.0 / batches.len().max(1) as f32;
        self.gradients_of(batches, arguments)?;
        let parameters =
            self.encoder.leaves_mut().into_iter().chain(self.head.leaves_mut()).collect();
        let gradients = gradient_leaves::<B>(&self.gradients);
        let backend = &mut self.backend;
        let squares = self.optimizer.step(backend, parameters, &gradients, arguments, rate)?;
        let read = backend.read(&[&self.losses[0], &self.losses[1], squares]).await?;
        let [loss, second, squares] = [0, 1, 2].map(|n| read[n][0]);
        let step = Step { loss: share * (loss + second), grad_norm: squares.sqrt() };
        if !step.loss.is_finite() || !step.grad_norm.is_finite() {
            return Err(Error::BadInput(format!(
                "step {}: the loss is {} and the gradients' norm {}; the weights are those before the step",
                self.optimizer.steps, step.loss, step.grad_norm
            )));
        }
        self.optimizer.steps += 1;
        Ok(step)
    }

    /// The loss alone, without dropout. Errors as [`Trainer::step`].
    pub async fn loss(&mut self, batch: &Batch, labels: &Labels) -> Result<Losses> {
        let targets = Targets::new(&self.config, self.head.kind, batch, labels)?;
        let uploaded = Uploaded::new(&mut self.backend, batch.clone())?;
        self.losses.iter_mut().for_each(|loss| self.backend.clear(loss));
        let mut outputs = self.forward(&mut Inference, &uploaded, &targets);
        let how = CrossEntropy { scale: 1.0, ..CrossEntropy::default() };
        targets.apply(&mut self.backend, &mut outputs, how, &mut self.losses);
        let read = self.backend.read(&[&self.losses[0], &self.losses[1]]).await?;
        let [loss, second] = [0, 1].map(|n| read[n][0]);
        let has_parts = self.head.kind == HeadKind::PreTraining;
        Ok(Losses { loss: loss + second, parts: has_parts.then_some([loss, second]) })
    }

    /// Steps taken.
    pub fn steps(&self) -> u32 {
        self.optimizer.steps
    }

    /// Records losses and gradients, summed over the micro-batches.
    fn gradients_of(
        &mut self,
        batches: &[(&Batch, &Labels)],
        arguments: &TrainingArguments,
    ) -> Result<()> {
        let (encoder, head) = &mut self.gradients;
        for gradient in encoder.leaves_mut().into_iter().chain(head.leaves_mut()) {
            let (Parameter::Matrix(rows) | Parameter::Vector(rows)) = gradient;
            self.backend.clear(rows);
        }
        self.losses.iter_mut().for_each(|loss| self.backend.clear(loss));
        let how = CrossEntropy {
            class_weights: arguments.class_weights.as_deref(),
            label_smoothing: arguments.label_smoothing_factor as f32,
            scale: 1.0 / batches.len().max(1) as f32,
        };
        for (batch, labels) in batches {
            self.accumulate(batch, labels, arguments, how)?;
        }
        Ok(())
    }

    /// Adds the loss and the gradients of a micro-batch.
    fn accumulate(
        &mut self,
        batch: &Batch,
        labels: &Labels,
        arguments: &TrainingArguments,
        how: CrossEntropy<'_>,
    ) -> Result<()> {
        let targets = Targets::new(&self.config, self.head.kind, batch, labels)?;
        targets.check_weights(how.class_weights, self.head.kind.scores(&self.config))?;
        let tokens = batch.ids.len();
        let batch = Uploaded::new(&mut self.backend, batch.clone())?;
        let first_layer = match self.freeze {
            Freeze::None => None,
            Freeze::Layers(layers) => Some(layers),
            Freeze::Encoder => Some(self.config.layers),
        };
        let keeping = Keeping { first_layer, states_alone: arguments.gradient_checkpointing };
        let mut tape = Tape::new(self.rates, arguments.seed, self.passes, keeping);
        self.passes = self.passes.wrapping_add(1);
        let mut outputs = self.forward(&mut tape, &batch, &targets);
        let backend = &mut self.backend;
        targets.apply(backend, &mut outputs, how, &mut self.losses);
        let mut dstate = backend.zeros(tokens, self.config.hidden)?;
        let (model, rows) = ((&self.encoder, &self.head), targets.rows());
        let (encoder, head) = &mut self.gradients;
        head_backward(&mut tape, backend, model, (encoder, head), outputs, &rows, &mut dstate);
        let model = (&self.config, &self.encoder);
        let batch = batch.batch();
        encode_backward(&mut tape, backend, model, encoder, batch, dstate, first_layer);
        debug_assert!(self.freeze != Freeze::None || tape.is_empty(), "a gradient was left out");
        Ok(())
    }

    fn forward<P: Pass<B>>(
        &mut self,
        pass: &mut P,
        batch: &Uploaded<B>,
        targets: &Targets,
    ) -> HeadOutputs<B> {
        let span = Span { layers: self.config.layers, ..Span::default() };
        let Self { backend, config, encoder, head, scratch, .. } = self;
        encode_with(pass, backend, (config, encoder), batch, scratch, &span);
        run_with(pass, backend, (encoder, head), &scratch.state, &targets.rows())
    }
}

/// Gradients of the shapes that are walked, all 0.
struct Zeros<'a, B>(&'a mut B);

impl<B: Train> Visitor<&ParameterSpec, &ParameterSpec> for Zeros<'_, B> {
    type Matrix = B::Rows;
    type Vector = B::Rows;

    fn matrix(&mut self, spec: &ParameterSpec) -> Result<B::Rows> {
        self.0.zeros(spec.rows, spec.cols)
    }

    fn vector(&mut self, spec: &ParameterSpec) -> Result<B::Rows> {
        self.0.zeros(1, spec.rows)
    }
}

fn check_freeze(config: &Config, freeze: Freeze) -> Result<()> {
    let Freeze::Layers(layers) = freeze else { return Ok(()) };
    if layers > config.layers {
        return Err(Error::BadInput(format!(
            "freeze: {layers} layers, the model has {}",
            config.layers
        )));
    }
    if config.family == Family::Albert && (1..config.layers).contains(&layers) {
        return Err(Error::Unsupported("freeze: ALBERT's layers share their weights".into()));
    }
    Ok(())
}

/// What the optimiser is told of each parameter.
fn entries(
    encoder: &Encoder<ParameterSpec, ParameterSpec>,
    head: &Head<ParameterSpec, ParameterSpec>,
    freeze: Freeze,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (leaf, layer) in encoder.leaves().into_iter().zip(encoder.leaf_layers()) {
        let mut entry = Entry::new(leaf, layer.map_or(Depth::Embeddings, Depth::Layer));
        entry.frozen = match freeze {
            Freeze::None => false,
            Freeze::Layers(layers) => layer.is_none_or(|layer| layer < layers),
            Freeze::Encoder => true,
        };
        entries.push(entry);
    }
    entries.extend(head.leaves().into_iter().map(|leaf| Entry::new(leaf, Depth::Head)));
    entries
}

pub(super) fn gradient_leaves<B: Train>(
    (encoder, head): &(EncoderGradients<B>, HeadGradients<B>),
) -> Vec<&B::Rows> {
    encoder.leaves().into_iter().chain(head.leaves()).map(Leaf::into_inner).collect()
}
