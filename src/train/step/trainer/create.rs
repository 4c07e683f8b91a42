//! Creates a trainer: which models have gradients, and which parameters are trained.

use super::memory::no_room;
use super::{Trainer, in_use};
use crate::backend::train::Train;
use crate::backend::{Precision, Processor};
use crate::config::{Config, HeadKind, Structure};
use crate::engine::Model;
use crate::error::fault;
use crate::model::{Leaf, describe_encoder};
use crate::train::run::selection::Selection;
use crate::train::step::dropout::{DropoutRates, Rates};
use crate::train::step::freeze::Freeze;
use crate::train::step::gradients::Gradients;
use crate::train::step::lora::{LoraOptions, LoraPlan};
use crate::train::step::low_rank::{LowRank, factor_specs};
use crate::train::step::optimizer::{Entry, Optimizer};
use crate::train::step::state_cache::States;
use crate::{Error, ErrorKind, Result};
use std::rc::Rc;

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
}
