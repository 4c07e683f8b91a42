//! From gradients to the next parameters, over the one walk: AdamW or plain gradient descent.

use super::arguments::{Optimizer as Kind, TrainingArguments};
use super::schedule::{Depth, rate_factor};
use crate::Result;
use crate::backend::train::{AdamW, Clip, ParameterOn, Train};
use crate::model::{Leaf, ParameterSpec};

/// What is said of one parameter.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Rows and columns of its gradient and moments.
    pub(super) shape: [usize; 2],
    decays: bool,
    depth: Depth,
    /// Whether it stays as it is.
    pub(super) frozen: bool,
}

impl Entry {
    pub(super) fn new(
        leaf: Leaf<&ParameterSpec, &ParameterSpec>,
        depth: Depth,
        frozen: bool,
    ) -> Self {
        let (shape, spec) = match leaf {
            Leaf::Matrix(spec) => ([spec.rows, spec.cols], spec),
            Leaf::Vector(spec) => ([1, spec.rows], spec),
        };
        Self { shape, decays: spec.decays, depth, frozen }
    }
}

/// The optimiser's state for each parameter of a walk.
pub(super) struct Optimizer<B: Train> {
    pub(super) entries: Vec<Entry>,
    /// Mean of gradients and mean of their squares; `None` until AdamW takes its first step.
    pub(super) moments: Vec<Option<[B::Rows; 2]>>,
    /// The sum of all gradients' squares in the last step, `[1, 1]`.
    pub(super) squares: B::Rows,
    /// Steps taken.
    pub(super) steps: u32,
    layers: usize,
}

impl<B: Train> Optimizer<B> {
    /// For parameters of these entries in a model of so many layers.
    ///
    /// # Errors
    /// As [`Train::zeros`].
    pub(super) fn new(backend: &mut B, entries: Vec<Entry>, layers: usize) -> Result<Self> {
        let moments = entries.iter().map(|_| None).collect();
        Ok(Self { entries, moments, squares: backend.zeros(1, 1)?, steps: 0, layers })
    }

    /// Changes the parameters by the gradients, both in the order of the entries. Where the sum of the gradients'
    /// squares is not finite nothing changes.
    ///
    /// # Errors
    /// As [`Train::zeros`].
    pub(super) fn step(
        &mut self,
        backend: &mut B,
        parameters: Vec<ParameterOn<'_, B>>,
        gradients: &[&B::Rows],
        arguments: &TrainingArguments,
        rate: f64,
    ) -> Result<()> {
        backend.clear(&mut self.squares);
        for (entry, gradient) in self.entries.iter().zip(gradients) {
            if !entry.frozen {
                backend.sum_of_squares(gradient, &mut self.squares);
            }
        }
        let max_norm = match arguments.max_grad_norm {
            0.0 => f32::INFINITY,
            norm => norm as f32,
        };
        let clip = Clip { squares: &self.squares, max_norm };
        let states = self.entries.iter().zip(&mut self.moments);
        for ((parameter, gradient), (entry, moments)) in
            parameters.into_iter().zip(gradients).zip(states)
        {
            if entry.frozen {
                continue;
            }
            let rate = rate * rate_factor(arguments.layer_lr_decay, self.layers, entry.depth);
            let how = adamw(arguments, rate, entry.decays, self.steps + 1);
            if arguments.optim == Kind::Sgd {
                backend.sgd(parameter, gradient, how.rate, how.weight_decay, Some(&clip));
                continue;
            }
            let [first, second] = match moments {
                Some(moments) => moments,
                None => {
                    let [rows, cols] = entry.shape;
                    moments.insert([backend.zeros(rows, cols)?, backend.zeros(rows, cols)?])
                }
            };
            backend.adamw(parameter, gradient, first, second, &how, Some(&clip));
        }
        Ok(())
    }
}

fn adamw(arguments: &TrainingArguments, rate: f64, decays: bool, step: u32) -> AdamW {
    AdamW {
        rate: rate as f32,
        beta1: arguments.adam_beta1 as f32,
        beta2: arguments.adam_beta2 as f32,
        epsilon: arguments.adam_epsilon as f32,
        weight_decay: if decays { arguments.weight_decay as f32 } else { 0.0 },
        step,
    }
}
