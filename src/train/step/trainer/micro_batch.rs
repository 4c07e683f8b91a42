//! Losses and gradients of micro-batches: the forward and the backward pass.

use super::Trainer;
use crate::Result;
use crate::backend::Processor;
use crate::backend::train::{CrossEntropy, Train};
use crate::batch::Batch;
use crate::engine::Device;
use crate::error::fault;
use crate::model::encoder::{Span, Uploaded, encode_with};
use crate::model::heads::{HeadOutputs, HeadRows, run_with};
use crate::model::pass::Pass;
use crate::model::{EncoderOn, HeadOn};
use crate::train::arguments::TrainingArguments;
use crate::train::step::backward::{Backward, HeadBackward, WordTable, head_backward};
use crate::train::step::distillation::{Taught, Weights as TeacherWeights};
use crate::train::step::freeze::Freeze;
use crate::train::step::gradients::Gradients;
use crate::train::step::loss::{Labels, Targets};
use crate::train::step::state_cache::StatesOf;
use crate::train::step::tape::{Recorder, Tape, TapeOptions};
use std::rc::Rc;

/// Gradients with respect to the outputs of a forward pass.
struct OutputGradients<B: Train> {
    /// In place of the head's outputs.
    outputs: HeadOutputs<B>,
    /// With respect to the encoder's last states, `[tokens, hidden]`, through losses that read the
    /// states themselves. 0 without such losses.
    dstate: B::Rows,
}

/// The parameters of a model.
pub(super) struct Weights<'a, B: Train> {
    pub(super) encoder: &'a EncoderOn<B>,
    pub(super) head: &'a HeadOn<B>,
}

/// Returns the options of the loss of one of `batches` micro-batches.
pub(super) fn cross_entropy(arguments: &TrainingArguments, batches: usize) -> CrossEntropy<'_> {
    CrossEntropy {
        class_weights: arguments.class_weights.as_deref(),
        label_smoothing: arguments.label_smoothing_factor as f32,
        scale: 1.0 / batches.max(1) as f32,
    }
}

impl<B: Train + Processor> Trainer<B> {
    /// Records losses and gradients, summed over the micro-batches.
    pub(super) async fn record_gradients(
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
    pub(super) async fn accumulate(
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

    pub(super) fn forward<P: Pass<B>>(
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
