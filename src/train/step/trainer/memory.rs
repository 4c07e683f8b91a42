//! The memory of training: gradients, moments, and the values of a step.

use super::Trainer;
use super::micro_batch::cross_entropy;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::batch::Batch;
use crate::engine::Device;
use crate::model::describe_encoder;
use crate::model::encoder::Scratch;
use crate::train::arguments::TrainingArguments;
use crate::train::step::freeze::Freeze;
use crate::train::step::gradients::Gradients;
use crate::train::step::loss::Labels;
use crate::train::step::optimizer::{Entry, no_room_for_moments};
use crate::{Error, Result};
use std::rc::Rc;

/// Adds the size of the gradients to an error of their allocation.
pub(super) fn no_room(error: Error, entries: &[Entry]) -> Error {
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

pub(super) fn is_out_of_memory<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::OutOfMemory(_)))
}

impl<B: Train + Processor> Trainer<B> {
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

    pub(super) async fn settle_on(&mut self, device: &mut Device<B>) -> Result<()> {
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
    pub(super) async fn reserve_on(
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
    pub(super) fn give_back(&mut self, device: &mut Device<B>, new: &[usize]) {
        self.optimizer.forget(new);
        self.room = [0; 2];
        device.scratch = Scratch::default();
        device.backend.release();
    }
}
