//! The gradient of a sum of logits with respect to the state that the encoder's first layer reads.
//! It needs no loss, and no gradients of parameters except the small ones of norms.

use super::target::ExplainTarget;
use crate::backend::train::Train;
use crate::backend::{Precision, Processor};
use crate::batch::Batch;
use crate::config::Structure;
use crate::engine::{Device, Model};
use crate::error::fault;
use crate::model::encoder::{Uploaded, run_layer};
use crate::model::heads::{HeadRows, run_with};
use crate::model::{Leaf, describe_encoder};
use crate::train::step::backward::{Backward, HeadBackward, WordTable, head_backward};
use crate::train::step::dropout::DropoutRates;
use crate::train::step::freeze::Freeze;
use crate::train::step::gradients::Gradients;
use crate::train::step::tape::{Recorder, Tape, TapeOptions};
use crate::{Error, ErrorKind, Result};

/// Computes gradients of a model's logits.
pub(super) struct LogitGradient<'a, B: Train + Processor> {
    model: &'a Model<B>,
    /// Gradients of norms, which the kernels require; matrices have none.
    gradients: Gradients<B>,
}

impl<'a, B: Train + Processor> LogitGradient<'a, B> {
    /// # Errors
    /// `Unsupported` if weights are not f32, if the family's layers have no gradients, or if the
    /// device computes a kernel wrong. `OutOfMemory`.
    pub(super) async fn new(model: &'a Model<B>) -> Result<Self> {
        let (engine, config) = (model.engine(), model.config());
        if engine.precision() != Precision::F32 {
            let precision = engine.precision();
            return Err(Error::unexpected(
                ErrorKind::Unsupported,
                format_args!("explain"),
                format_args!("F32 weights"),
                format_args!("{precision:?}"),
            ));
        }
        if *config.structure() != Structure::BERT {
            let family = config.family.model_type();
            return Err(fault!(
                Unsupported,
                "explain: model_type \"{family}\" is not supported, because its layers have no gradients",
                item = "explain",
                found = "model_type \"{family}\"",
            ));
        }
        let (encoder, head) = (describe_encoder(config), model.head_spec());
        let mut entries = Freeze::None.entries(&encoder, head);
        let leaves = encoder.leaves().into_iter().chain(head.leaves());
        // Matrices count as frozen, so no gradient is allocated for them.
        for (entry, leaf) in entries.iter_mut().zip(leaves) {
            entry.frozen = matches!(leaf, Leaf::Matrix(_));
        }
        let mut device = engine.lock().await;
        let gradients = Gradients::new(&mut device.backend, &encoder, head, &entries, false)?;
        device.backend.settle_train().await?;
        Ok(Self { model, gradients })
    }

    /// Returns the gradient of the target's logits for each sequence of a batch,
    /// `[tokens, hidden]`. All sequences must have the same length and the same target. `states`
    /// `[tokens, hidden]` is the input of the first layer.
    ///
    /// # Errors
    /// `OutOfMemory`, `DeviceLost`.
    pub(super) async fn of(
        &mut self,
        batch: Batch,
        states: &[f32],
        target: &ExplainTarget,
    ) -> Result<Vec<f32>> {
        let model = self.model;
        let mut device = model.engine().lock().await;
        let dstate = self.record(&mut device, batch, states, target)?;
        Ok(device.backend.read(&[&dstate]).await?.concat())
    }

    fn record(
        &mut self,
        Device { backend, scratch }: &mut Device<B>,
        batch: Batch,
        states: &[f32],
        target: &ExplainTarget,
    ) -> Result<B::Rows> {
        let (config, kind) = (self.model.config(), self.model.head_spec().kind);
        let (first, sequences) = (batch.first_rows(), batch.sequences.len());
        let scored: Vec<u32> =
            first.iter().flat_map(|start| target.tokens.iter().map(move |t| start + t)).collect();
        let rows =
            HeadRows { first: Some(&first), tokens: kind.reads_tokens().then_some(&scored[..]) };
        let batch = Uploaded::new(backend, batch)?;
        let (encoder, head) = (&*self.model.engine().encoder(), &*self.model.head());
        let mut tape = Tape::new(DropoutRates::default(), 0, 0, TapeOptions::inputs_alone());
        backend.put(states, batch.tokens(), &mut scratch.state)?;
        let mut pass = Recorder::new(&mut tape);
        for number in 0..config.layers {
            let layer = encoder.layer(number);
            run_layer(&mut pass, backend, layer, config.heads, batch.batch(), scratch);
        }
        let mut outputs = run_with(&mut pass, backend, encoder, head, &scratch.state, &rows);
        // The outputs are replaced by their own gradients.
        let dlogits = target.gradient(sequences, kind.scores(config));
        let mut logits = outputs.logits.take().unwrap_or_default();
        backend.put(&dlogits, target.rows(sequences), &mut logits)?;
        outputs.logits = Some(logits);
        // Only the logits of the mask are explained, so the relation of the texts adds nothing.
        if let Some(relation) = &mut outputs.relation {
            backend.clear(relation);
        }
        let mut dstate = backend.zeros(batch.tokens(), config.hidden)?;
        let Gradients { encoder: to_encoder, head: to_head } = &mut self.gradients;
        let word = WordTable { weights: &encoder.embeddings.word, gradient: None };
        let head = HeadBackward { head, gradients: to_head, word, rows: &rows };
        head_backward(&mut tape, backend, head, outputs, &mut dstate);
        let (tape, uploaded) = (&mut tape, &batch);
        let backward = Backward { tape, backend, config, encoder, uploaded };
        let dstate = { backward }.layers(to_encoder, dstate, 0).dstate;
        debug_assert!(tape.is_empty(), "a gradient was left out");
        Ok(dstate)
    }
}
