//! A model in training: its gradients and the optimizer's state, on the device of its engine.

use crate::error::{fault, unexpected};
use std::rc::Rc;

use super::backward::{Backward, HeadBackward, WordTable, head_backward};
use super::distillation::{Taught, Weights as TeacherWeights, check_teacher};
use super::dropout::{DropoutRates, Rates};
pub use super::freeze::Freeze;
use super::gradients::Gradients;
use super::lora::{LoraOptions, LoraPlan};
use super::loss::{Labels, Targets};
use super::low_rank::{LowRank, factor_specs};
use super::optimizer::{Entry, Optimizer, no_room_for_moments};
use super::replacement::check_generator;
use super::state_cache::{States, StatesOf};
use super::tape::{Recorder, Tape, TapeOptions};
use crate::backend::train::{CrossEntropy, Parameter, Train};
use crate::backend::{Precision, Processor};
use crate::batch::Batch;
use crate::config::{Config, HeadKind, Structure};
use crate::engine::{Device, Model};
use crate::model::encoder::{Scratch, Span, Uploaded, encode_with};
use crate::model::heads::{HeadOutputs, HeadRows, run_with};
use crate::model::pass::{Inference, Pass};
use crate::model::{EncoderOn, HeadOn, Leaf, ParameterSpec, describe_encoder};
use crate::train::arguments::TrainingArguments;
use crate::train::run::selection::Selection;
use crate::{Error, ErrorKind, Result};

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

/// Gradients with respect to the outputs of a forward pass.
struct OutputGradients<B: Train> {
    /// In place of the head's outputs.
    outputs: HeadOutputs<B>,
    /// With respect to the encoder's last states, `[tokens, hidden]`, through losses that read the
    /// states themselves. 0 without such losses.
    dstate: B::Rows,
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

/// Adds the size of the gradients to an error of their allocation.
fn no_room(error: Error, entries: &[Entry]) -> Error {
    let numbers = entries.iter().filter(|entry| !entry.frozen).map(|entry| entry.shape);
    let bytes = size_of::<f32>() * numbers.map(|[rows, cols]| rows * cols).sum::<usize>();
    match error {
        Error::OutOfMemory(why) => {
            Error::OutOfMemory(format!("no memory for the gradients, {bytes} bytes: {why}"))
        }
        other => other,
    }
}

/// Adds to the error of a step that does not fit in memory which options reduce it.
fn no_room_for(error: Error, batch: &Batch) -> Error {
    let (sequences, tokens) = (batch.sequences.len(), batch.ids.len());
    match error {
        Error::OutOfMemory(why) => Error::OutOfMemory(format!(
            "no memory for a step on {sequences} sequences with {tokens} tokens in total: {why}. \
             Reduce per_device_train_batch_size or max_length, or use gradient_checkpointing."
        )),
        other => other,
    }
}

fn is_out_of_memory<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::OutOfMemory(_)))
}

/// Returns the options of the loss of one of `batches` micro-batches.
fn cross_entropy(arguments: &TrainingArguments, batches: usize) -> CrossEntropy<'_> {
    CrossEntropy {
        class_weights: arguments.class_weights.as_deref(),
        label_smoothing: arguments.label_smoothing_factor as f32,
        scale: 1.0 / batches.max(1) as f32,
    }
}

/// Rejects a model whose layers have no gradients.
fn check_gradients(config: &Config) -> Result<()> {
    let structure = config.structure();
    if *structure == Structure::BERT {
        return Ok(());
    }
    let model_type = config.family.model_type();
    let plain = Structure {
        disentangled: None,
        pooler_activation: None,
        has_positions: true,
        projects_first: false,
        ..structure.clone()
    };
    let is_deberta = structure.disentangled.is_some();
    if plain != Structure::BERT || !is_deberta || config.embedding != config.hidden {
        let part = if is_deberta { " with a convolution or narrow embeddings" } else { "" };
        return Err(fault!(
            Unsupported,
            "training: model_type \"{model_type}\" is not supported, because its layers have no gradients{part}",
            item = "training",
            found = "model_type \"{model_type}\"",
        ));
    }
    Ok(())
}

/// Rejects a model that cannot be trained.
fn check_model<B: Train + Processor>(model: &Model<B>) -> Result<()> {
    let precision = model.engine().precision();
    if precision != Precision::F32 {
        return Err(Error::unexpected(
            ErrorKind::Unsupported,
            format_args!("training"),
            format_args!("F32 weights"),
            format_args!("{precision:?}"),
        ));
    }
    check_gradients(model.config())
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

/// The parameters of a model.
struct Weights<'a, B: Train> {
    encoder: &'a EncoderOn<B>,
    head: &'a HeadOn<B>,
}

impl<B: Train + Processor> Trainer<B> {
    /// Creates a trainer for a model loaded in f32.
    ///
    /// # Errors
    /// `Unsupported` for weights in another precision, for a family whose layers are not BERT's,
    /// and for freezing some of ALBERT's layers, which share weights. `BadInput` if nothing is left
    /// to train, if more layers are frozen than the model has, or during a pass of the engine.
    /// `OutOfMemory`.
    pub fn new(model: Rc<Model<B>>, rates: Rates, freeze: Freeze) -> Result<Self> {
        check_model(&model)?;
        freeze.check(model.config())?;
        let entries = freeze.entries(&describe_encoder(model.config()), model.head_spec());
        Self::with_entries(model, rates, freeze, entries, false)
    }

    /// Creates a trainer for the low-rank adapters of a model loaded in f32, and for the modules
    /// of the head that `options` trains as a whole. The other parameters stay.
    ///
    /// # Errors
    /// As [`Trainer::new`]. `BadInput` and `Unsupported` for options that do not fit the model.
    pub fn with_lora(
        model: Rc<Model<B>>,
        rates: Rates,
        options: LoraOptions,
        seed: u64,
    ) -> Result<Self> {
        check_model(&model)?;
        let (encoder, head) = (describe_encoder(model.config()), model.head_spec());
        let plan = options.plan(model.config(), &encoder, head, model.drawn())?;
        let freeze = Freeze::Layers(plan.first_layer);
        let mut entries = freeze.entries(&encoder, head);
        for (entry, is_whole) in entries.iter_mut().zip(&plan.is_whole) {
            entry.frozen = !is_whole;
        }
        let mut trainer = Self::with_entries(model, rates, freeze, entries, true)?;
        trainer.add_adapters(options, plan, seed)?;
        Ok(trainer)
    }

    /// Creates the adapters, which change no output yet.
    fn add_adapters(&mut self, options: LoraOptions, plan: LoraPlan, seed: u64) -> Result<()> {
        let model = Rc::clone(&self.model);
        let Some(mut backend) = model.engine().backend() else { return Err(in_use()) };
        let (encoder, head) = (model.engine().encoder(), model.head());
        let leaves = encoder.leaves().into_iter().chain(head.leaves());
        let (mut specs, mut entries) = (Vec::new(), Vec::new());
        let to = self.gradients.matrices_mut().into_iter().zip(leaves);
        let of = plan.adapters.iter().zip(self.specs.iter().zip(&self.optimizer.entries));
        for ((to, leaf), (adapters, (spec, entry))) in to.zip(of) {
            let (Some(to), Some(adapters)) = (to, adapters) else { continue };
            let (Leaf::Matrix(weight), Leaf::Matrix(spec)) = (leaf, spec) else { continue };
            let adapter = LowRank::new(&mut *backend, weight, spec, adapters, &options, seed)?;
            to.adapters = Some(adapter);
            for factor in factor_specs(adapters, options.r, spec.cols) {
                entries.push(entry.of_factor(&factor));
                specs.push(factor);
            }
        }
        self.specs.extend(specs);
        self.optimizer.extend(entries);
        self.dropout_rates.adapters = options.lora_dropout as f32;
        self.lora = Some((options, plan));
        Ok(())
    }

    /// Creates a trainer of the parameters whose entries are not frozen. `keeps_vectors`: see
    /// [`Gradients::new`].
    fn with_entries(
        model: Rc<Model<B>>,
        rates: Rates,
        freeze: Freeze,
        entries: Vec<Entry>,
        keeps_vectors: bool,
    ) -> Result<Self> {
        let (engine, config) = (model.engine(), model.config());
        let (encoder, head) = (describe_encoder(config), model.head_spec());
        // A bare head has no parameters of its own, so with a frozen encoder nothing is left to
        // train.
        let is_bare = head.kind == HeadKind::Bare && freeze == Freeze::Encoder;
        let has_adapters = keeps_vectors;
        if is_bare || !has_adapters && entries.iter().all(|entry| entry.frozen) {
            return Err(fault!(
                BadInput,
                "freeze: expected something left to train",
                item = "freeze",
                expected = "something left to train",
            ));
        }
        let leaves = encoder.leaves().into_iter().chain(head.leaves());
        let specs = leaves.map(|leaf| match leaf {
            Leaf::Matrix(spec) => Leaf::Matrix(spec.clone()),
            Leaf::Vector(spec) => Leaf::Vector(spec.clone()),
        });
        let specs = specs.collect();
        let dropout_rates = DropoutRates::new(rates, config.family, head.kind);
        let (gradients, optimizer, losses) = {
            let Some(mut backend) = engine.backend() else {
                return Err(in_use());
            };
            let gradients = Gradients::new(&mut *backend, &encoder, head, &entries, keeps_vectors)
                .map_err(|error| no_room(error, &entries))?;
            let losses = [backend.zeros(1, 1)?, backend.zeros(1, 1)?];
            (gradients, Optimizer::new(&mut *backend, entries, config.layers)?, losses)
        };
        Ok(Self {
            model,
            dropout_rates,
            specs,
            gradients,
            optimizer,
            freeze,
            lora: None,
            losses,
            passes: 0,
            generator: None,
            teacher: None,
            selection: Selection::default(),
            states: States::default(),
            room: [0; 2],
            lacks_gradients: false,
        })
    }

    /// Waits until the gradients are allocated. On a device that may compute wrong results, also
    /// tests its training kernels, once. [`Trainer::train`], [`Trainer::step`] and
    /// [`Trainer::loss`] call this themselves.
    ///
    /// # Errors
    /// `OutOfMemory`, naming the bytes of the gradients; a later call tries again. `Unsupported`,
    /// naming the kernel that is wrong. `DeviceLost`.
    pub async fn settle(&mut self) -> Result<()> {
        let model = Rc::clone(&self.model);
        let mut device = model.engine().lock().await;
        self.settle_on(&mut device).await
    }

    async fn settle_on(&mut self, device: &mut Device<B>) -> Result<()> {
        if self.lacks_gradients {
            self.make_gradients(&mut device.backend, false)?;
        }
        let settled = device.backend.settle_train().await;
        // Gradients that do not fit are dropped, so that tasks over the model still have memory. A
        // later call makes them again.
        if is_out_of_memory(&settled) {
            self.make_gradients(&mut device.backend, true)?;
            device.backend.release();
        }
        settled.map_err(|error| no_room(error, &self.optimizer.entries))
    }

    /// Creates gradients and losses anew. With `empty`, no parameter has a gradient.
    fn make_gradients(&mut self, backend: &mut B, empty: bool) -> Result<()> {
        let (encoder, head) = (describe_encoder(self.model.config()), self.model.head_spec());
        let mut entries = self.optimizer.entries.clone();
        entries.iter_mut().for_each(|entry| entry.frozen |= empty);
        // Set first: if an allocation below fails, a later call must try again.
        self.lacks_gradients = true;
        let mut gradients = Gradients::new(backend, &encoder, head, &entries, self.lora.is_some())
            .map_err(|error| no_room(error, &entries))?;
        gradients.take_adapters(&mut self.gradients);
        self.gradients = gradients;
        self.losses = [backend.zeros(1, 1)?, backend.zeros(1, 1)?];
        self.optimizer.squares = backend.zeros(1, 1)?;
        self.lacks_gradients = empty;
        Ok(())
    }

    /// Reserves memory for a step on micro-batches that are at most as large as these: the
    /// optimizer's moments, and the values of a forward and a backward pass. Computes nothing.
    ///
    /// # Errors
    /// `OutOfMemory`, naming what does not fit. As [`Trainer::step`].
    pub async fn reserve(
        &mut self,
        batches: &[(&Batch, &Labels)],
        arguments: &TrainingArguments,
    ) -> Result<()> {
        let model = Rc::clone(&self.model);
        let mut device = model.engine().lock().await;
        self.reserve_on(&mut device, batches, arguments).await.map(drop)
    }

    /// As [`Trainer::reserve`]. Returns the places of the new moments.
    async fn reserve_on(
        &mut self,
        device: &mut Device<B>,
        batches: &[(&Batch, &Labels)],
        arguments: &TrainingArguments,
    ) -> Result<Vec<usize>> {
        self.settle_on(device).await?;
        let new = self.optimizer.reserve(&mut device.backend, arguments)?;
        // A GPU reports a failed allocation only when it settles.
        if !new.is_empty() {
            let settled = device.backend.settle_train().await;
            if is_out_of_memory(&settled) {
                let bytes = self.optimizer.forget(&new);
                device.backend.release();
                return Err(no_room_for_moments(bytes));
            }
            settled?;
        }
        for &(batch, labels) in batches {
            let reserved = self.reserve_batch(device, batch, labels, arguments).await;
            if is_out_of_memory(&reserved) {
                self.give_back(device, &new);
            }
            reserved?;
        }
        Ok(new)
    }

    /// Runs a dry run of a micro-batch, if it is larger than earlier ones.
    async fn reserve_batch(
        &mut self,
        device: &mut Device<B>,
        batch: &Batch,
        labels: &Labels,
        arguments: &TrainingArguments,
    ) -> Result<()> {
        let [tokens, how] = [batch.ids.len(), usize::from(arguments.gradient_checkpointing)];
        // A frozen encoder's states are kept, but a dry run does not compute them.
        if tokens <= self.room[how] || self.freeze == Freeze::Encoder {
            return Ok(());
        }
        if !device.backend.begin_dry_run() {
            return Ok(());
        }
        // The dry run must not change the random numbers of later steps.
        let passes = self.passes;
        let cross_entropy = cross_entropy(arguments, 1);
        let recorded = self.accumulate(device, batch, labels, arguments, cross_entropy).await;
        self.passes = passes;
        let ended = device.backend.end_dry_run().await;
        recorded.and(ended).map_err(|error| no_room_for(error, batch))?;
        self.room[how] = tokens;
        Ok(())
    }

    /// Cleans up after a step that did not fit in memory. The moments at these places have no
    /// values yet.
    fn give_back(&mut self, device: &mut Device<B>, new: &[usize]) {
        self.optimizer.forget(new);
        self.room = [0; 2];
        device.scratch = Scratch::default();
        device.backend.release();
    }

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

    /// Records losses and gradients, summed over the micro-batches.
    async fn record_gradients(
        &mut self,
        device: &mut Device<B>,
        batches: &[(&Batch, &Labels)],
        arguments: &TrainingArguments,
    ) -> Result<()> {
        self.gradients.clear(&mut device.backend, &self.optimizer.entries);
        self.losses.iter_mut().for_each(|loss| device.backend.clear(loss));
        let how = cross_entropy(arguments, batches.len());
        for &(batch, labels) in batches {
            self.accumulate(device, batch, labels, arguments, how).await?;
        }
        let adapters = self.gradients.adapters_mut().into_iter().flatten();
        adapters.for_each(|adapters| adapters.scale_gradients(&mut device.backend));
        self.gradients.clear_absent(&mut device.backend, &self.optimizer.entries)
    }

    /// Adds the loss and the gradients of a micro-batch.
    async fn accumulate(
        &mut self,
        device: &mut Device<B>,
        batch: &Batch,
        labels: &Labels,
        arguments: &TrainingArguments,
        how: CrossEntropy<'_>,
    ) -> Result<()> {
        let model = Rc::clone(&self.model);
        let (config, kind) = (model.config(), model.head_spec().kind);
        let targets = Targets::new(&model, batch, labels)?;
        targets.check_weights(how.class_weights, kind.scores(config))?;
        let taught = self.taught(batch, &targets, arguments).await?;
        if self.freeze == Freeze::Encoder {
            return self.accumulate_head(device, batch, &targets, arguments.seed, how).await;
        }
        let batch = Uploaded::new(&mut device.backend, batch.clone())?;
        let first_layer = self.freeze.first_layer(config);
        let states_alone = arguments.gradient_checkpointing;
        if states_alone && config.structure().disentangled.is_some() {
            let family = config.family.model_type();
            return Err(fault!(
                Unsupported,
                "gradient_checkpointing: model_type \"{family}\" does not support it",
                item = "gradient_checkpointing",
                found = "model_type \"{family}\"",
            ));
        }
        let keeping = TapeOptions { first_layer, states_alone, ..TapeOptions::default() };
        let mut tape = Tape::new(self.dropout_rates, arguments.seed, self.passes, keeping);
        self.passes = self.passes.wrapping_add(1);
        let mut outputs = {
            let weights = Weights { encoder: &model.engine().encoder(), head: &model.head() };
            let mut pass = Recorder::new(&mut tape)
                .with_encoder(weights.encoder, &self.gradients.encoder)
                .with_head(weights.head, &self.gradients.head);
            self.forward(&mut pass, device, weights, &batch, &targets)
        };
        let Device { backend, scratch } = device;
        let dstate = match taught {
            Some(taught) => {
                let loss = &mut self.losses[0];
                taught.apply(backend, &targets, &mut outputs, &scratch.state, how, loss).await?
            }
            None => {
                targets.apply(backend, &mut outputs, how, &mut self.losses).await?;
                None
            }
        };
        let dstate = match dstate {
            Some(dstate) => dstate,
            None => backend.zeros(batch.tokens(), config.hidden)?,
        };
        let weights = Weights { encoder: &model.engine().encoder(), head: &model.head() };
        let gradients = OutputGradients { outputs, dstate };
        self.backward(tape, backend, weights, &batch, &targets, gradients)
    }

    /// Returns the teacher's outputs for a batch; `None` without a teacher.
    ///
    /// # Errors
    /// `BadInput` for options of a distillation without a teacher. As [`Taught::new`].
    async fn taught(
        &self,
        batch: &Batch,
        targets: &Targets,
        arguments: &TrainingArguments,
    ) -> Result<Option<Taught>> {
        let Some(teacher) = &self.teacher else {
            TeacherWeights::refuse(arguments)?;
            return Ok(None);
        };
        let weights = TeacherWeights::new(arguments, self.model.head_spec().kind)?;
        Taught::new(teacher, &self.model, batch, targets, weights).await.map(Some)
    }

    /// Adds the gradients of the parameters, given the gradients with respect to the outputs.
    fn backward(
        &mut self,
        mut tape: Tape<B>,
        backend: &mut B,
        weights: Weights<'_, B>,
        uploaded: &Uploaded<B>,
        targets: &Targets,
        OutputGradients { outputs, mut dstate }: OutputGradients<B>,
    ) -> Result<()> {
        let config = self.model.config();
        let first_layer = self.freeze.first_layer(config);
        let Gradients { encoder: to_encoder, head: to_head } = &mut self.gradients;
        let (encoder, frozen) = (weights.encoder, first_layer.is_some());
        if let Some((similarity, dvectors)) = targets.similarity().zip(outputs.pooled.as_ref()) {
            similarity.pool_backward(backend, dvectors, &mut dstate);
        } else {
            let gradient = (!frozen).then_some(&mut to_encoder.embeddings.word);
            let word = WordTable { weights: &encoder.embeddings.word, gradient };
            let (head, rows) = (weights.head, &targets.rows());
            let head = HeadBackward { head, gradients: to_head, word, rows };
            head_backward(&mut tape, backend, head, outputs, &mut dstate);
        }
        Backward { tape: &mut tape, backend, config, encoder, uploaded }.encoder(
            to_encoder,
            dstate,
            first_layer,
        );
        debug_assert!(frozen || tape.is_empty(), "a gradient was left out");
        Ok(())
    }

    /// Adds the loss and the head's gradients of a micro-batch. The encoder is frozen.
    async fn accumulate_head(
        &mut self,
        device: &mut Device<B>,
        batch: &Batch,
        targets: &Targets,
        seed: u64,
        how: CrossEntropy<'_>,
    ) -> Result<()> {
        let model = Rc::clone(&self.model);
        let StatesOf { state, rows } = self.states.of(&model, device, batch).await?;
        let mut tape = Tape::new(self.dropout_rates, seed, self.passes, TapeOptions::default());
        self.passes = self.passes.wrapping_add(1);
        let backend = &mut device.backend;
        let reads = match model.head_spec().kind.reads_tokens() {
            true => targets.rows(),
            false => HeadRows { first: None, tokens: None },
        };
        let mut outputs = {
            let (encoder, head) = (model.engine().encoder(), model.head());
            run_with(&mut Recorder::new(&mut tape), backend, &encoder, &head, &state, &reads)
        };
        targets.apply(backend, &mut outputs, how, &mut self.losses).await?;
        let mut dstate = backend.zeros(rows, model.config().hidden)?;
        let (encoder, head) = (model.engine().encoder(), model.head());
        let word = WordTable { weights: &encoder.embeddings.word, gradient: None };
        let gradients = &mut self.gradients.head;
        let head = HeadBackward { head: &head, gradients, word, rows: &reads };
        head_backward(&mut tape, backend, head, outputs, &mut dstate);
        debug_assert!(tape.is_empty(), "a gradient was left out");
        Ok(())
    }

    fn forward<P: Pass<B>>(
        &self,
        pass: &mut P,
        Device { backend, scratch }: &mut Device<B>,
        Weights { encoder, head }: Weights<'_, B>,
        batch: &Uploaded<B>,
        targets: &Targets,
    ) -> HeadOutputs<B> {
        let config = self.model.config();
        let span = Span { layers: config.layers, ..Span::default() };
        encode_with(pass, backend, config, encoder, batch, scratch, &span);
        if let Some(similarity) = targets.similarity() {
            let pooled = Some(similarity.pool(backend, &scratch.state));
            return HeadOutputs { pooled, logits: None, relation: None };
        }
        run_with(pass, backend, encoder, head, &scratch.state, &targets.rows())
    }
}
