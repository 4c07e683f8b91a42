//! The forward pass of training: it computes, and pushes on the tape what gradients need.

use super::{
    BeforeActivation, BeforeLayers, Input, SavedAttention, SavedLinear, SavedNorm, SavedState,
    Tape, TapeOptions, copy,
};
use crate::backend::train::{Dropout, Train};
use crate::backend::{Activation, Backend, Disentangled, Embeddings, Linear, Norm};
use crate::model::pass::{Pass, Residual};
use crate::model::{EncoderOn, HeadOn, Leaf};
use crate::train::step::backward::{EncoderGradients, HeadGradients};
use crate::train::step::gradients::MatrixGradient;
use crate::train::step::low_rank::LowRank;

/// A forward pass that writes to a tape.
pub(in crate::train) struct Recorder<'a, B: Train> {
    tape: &'a mut Tape<B>,
    /// Weights with the adapters that they contain. Empty if the adapters' inputs have no dropout.
    adapters: Vec<(&'a B::Matrix, &'a LowRank<B>)>,
}

/// A linear layer by reference. A decoder may borrow its weight from the word table.
struct LinearRef<'a, B: Backend> {
    weight: &'a B::Matrix,
    bias: &'a B::Vector,
    activation: Activation,
}

impl<'a, B: Backend> LinearRef<'a, B> {
    fn new(layer: &'a Linear<B::Matrix, B::Vector>) -> Self {
        Self { weight: &layer.weight, bias: &layer.bias, activation: layer.activation }
    }
}

impl<'a, B: Train> Recorder<'a, B> {
    /// Creates a pass over weights without adapters, or whose adapters' inputs have no dropout.
    pub(in crate::train) fn new(tape: &'a mut Tape<B>) -> Self {
        Self { tape, adapters: Vec::new() }
    }

    /// Adds the adapters of an encoder.
    pub(in crate::train) fn with_encoder(
        self,
        encoder: &'a EncoderOn<B>,
        gradients: &'a EncoderGradients<B>,
    ) -> Self {
        self.with(encoder.leaves(), gradients.leaves())
    }

    /// Adds the adapters of a head.
    pub(in crate::train) fn with_head(
        self,
        head: &'a HeadOn<B>,
        gradients: &'a HeadGradients<B>,
    ) -> Self {
        self.with(head.leaves(), gradients.leaves())
    }

    fn with(
        mut self,
        weights: Vec<Leaf<&'a B::Matrix, &'a B::Vector>>,
        gradients: Vec<Leaf<&'a MatrixGradient<B>, &'a B::Rows>>,
    ) -> Self {
        if self.tape.rates.adapters > 0.0 {
            let pairs = weights.into_iter().zip(gradients);
            self.adapters.extend(pairs.filter_map(|pair| match pair {
                (Leaf::Matrix(weight), Leaf::Matrix(gradient)) => {
                    Some((weight, gradient.adapters.as_ref()?))
                }
                _ => None,
            }));
        }
        self
    }

    /// Computes y = activation(x · weightᵀ + bias), with dropout of the adapters' inputs. Returns
    /// what the gradient needs, without x.
    fn run_linear(
        &mut self,
        backend: &mut B,
        LinearRef { weight, bias, activation }: LinearRef<'_, B>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) -> SavedLinear<B> {
        let is_identity = activation == Activation::Identity;
        let mut z = B::Rows::default();
        let sums = if is_identity { &mut *y } else { &mut z };
        backend.linear(x, weight, bias, Activation::Identity, sums);
        // The same weight may run several times in a pass, each time with masks of its own.
        let adapters = self.adapters.iter().find(|(adapted, _)| std::ptr::eq(*adapted, weight));
        let adapter_dropout = adapters.map(|(_, adapters)| {
            let dropout = self.tape.next_adapter_dropout(adapters.parts.len());
            adapters.drop_inputs(backend, x, dropout, sums);
            dropout
        });
        let z = (!is_identity).then(|| {
            backend.activation(&z, activation, y);
            BeforeActivation { activation, z }
        });
        SavedLinear { z, adapter_dropout, ..SavedLinear::default() }
    }

    /// Computes y = activation(x · weightᵀ + bias) and saves `x`, to which `dropout` has been
    /// applied, on the tape.
    fn save_linear(
        &mut self,
        backend: &mut B,
        layer: LinearRef<'_, B>,
        x: B::Rows,
        dropout: Option<Dropout>,
        y: &mut B::Rows,
    ) {
        let saved = self.run_linear(backend, layer, &x, y);
        let x = if self.tape.options.inputs_alone { B::Rows::default() } else { x };
        self.tape.linears.push(SavedLinear { x: Input::Saved(x), dropout, ..saved });
    }

    /// Computes a layer's output for `x` after dropout with this rate.
    fn dropped_linear(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        rate: f32,
        y: &mut B::Rows,
    ) {
        let mut x = copy(backend, x);
        let dropout = self.tape.next_dropout(rate);
        if let Some(dropout) = &dropout {
            backend.dropout(&mut x, dropout);
        }
        self.save_linear(backend, LinearRef::new(layer), x, dropout, y);
    }

    /// Computes x = norm(x + residual), with dropout of `x` first. Without a residual, norm(x).
    fn save_norm(
        &mut self,
        backend: &mut B,
        x: &mut B::Rows,
        residual: Option<&B::Rows>,
        norm: &Norm<B::Vector>,
        dropout: Option<Dropout>,
    ) {
        if let Some(dropout) = &dropout {
            backend.dropout(x, dropout);
        }
        let (mut y, mut normalized, mut inverse) = Default::default();
        backend.norm_forward(x, residual, norm, &mut y, &mut normalized, &mut inverse);
        *x = y;
        self.tape.norms.push(SavedNorm { normalized, inverse, dropout });
    }
}

impl<B: Train> Pass<B> for Recorder<'_, B> {
    fn begin_layer(&mut self, backend: &mut B, number: usize, state: &B::Rows) {
        let TapeOptions { first_layer, states_alone, .. } = self.tape.options;
        let first_layer = first_layer.unwrap_or(0);
        if number == 0 {
            self.tape.before_layers =
                BeforeLayers { linears: self.tape.linears.len(), norms: self.tape.norms.len() };
        }
        // Values of earlier layers are recomputed later or never needed, so they are dropped here.
        if states_alone || number <= first_layer {
            self.tape.linears.truncate(self.tape.before_layers.linears);
            self.tape.norms.truncate(self.tape.before_layers.norms);
            self.tape.attentions.clear();
        }
        if states_alone && number >= first_layer {
            let state = copy(backend, state);
            self.tape.states.push(SavedState { state, dropouts: self.tape.dropouts });
        }
    }

    fn embed(
        &mut self,
        backend: &mut B,
        tables: &Embeddings<B::Matrix, B::Vector>,
        batch: &B::Batch,
        y: &mut B::Rows,
    ) {
        backend.embed_sum(tables, batch, y);
        if let Some(norm) = &tables.norm {
            self.save_norm(backend, y, None, norm, None);
        }
        let dropout = self.tape.next_dropout(self.tape.rates.embeddings);
        if let Some(dropout) = &dropout {
            backend.dropout(y, dropout);
        }
        if let Some(saved) = self.tape.norms.last_mut() {
            saved.dropout = dropout;
        }
    }

    fn linear(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        let x = copy(backend, x);
        self.save_linear(backend, LinearRef::new(layer), x, None, y);
    }

    /// The values between the two layers are not saved: they are the widest of a layer, and
    /// recomputing the activation is cheap.
    fn feed_forward(
        &mut self,
        backend: &mut B,
        [inner, outer]: [&Linear<B::Matrix, B::Vector>; 2],
        x: &B::Rows,
        wide: &mut B::Rows,
        y: &mut B::Rows,
    ) {
        self.linear(backend, inner, x, wide);
        if inner.activation == Activation::Identity {
            return self.linear(backend, outer, wide, y);
        }
        let saved = self.run_linear(backend, LinearRef::new(outer), wide, y);
        self.tape.linears.push(SavedLinear { x: Input::Before, ..saved });
    }

    fn pool(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, x, self.tape.rates.pooler, y);
    }

    fn classify(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, x, self.tape.rates.head, y);
    }

    fn decode(
        &mut self,
        backend: &mut B,
        x: &B::Rows,
        weight: &B::Matrix,
        bias: &B::Vector,
        y: &mut B::Rows,
    ) {
        let x = copy(backend, x);
        let layer = LinearRef { weight, bias, activation: Activation::Identity };
        self.save_linear(backend, layer, x, None, y);
    }

    /// Attention for training. `probabilities` is left unchanged, because they are never stored.
    fn attention(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        y: &mut B::Rows,
        _probabilities: Option<&mut B::Rows>,
    ) {
        let dropout = self.tape.next_dropout(self.tape.rates.attention);
        let qkv = copy(backend, qkv);
        let mut log_sums = B::Rows::default();
        backend.attention_forward(&qkv, batch, heads, dropout.as_ref(), y, &mut log_sums);
        let y = copy(backend, y);
        let positions = B::Rows::default();
        self.tape.attentions.push(SavedAttention { qkv, y, log_sums, dropout, positions });
    }

    fn project_positions(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, x, self.tape.rates.positions, y);
    }

    /// Attention for training. `probabilities` is left unchanged, because they are never stored.
    fn attention_disentangled(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        disentangled: &Disentangled<'_, B::Rows>,
        y: &mut B::Rows,
        _probabilities: Option<&mut B::Rows>,
    ) {
        let dropout = self.tape.next_dropout(self.tape.rates.attention);
        let qkv = copy(backend, qkv);
        backend.attention_disentangled_forward(
            &qkv,
            batch,
            heads,
            disentangled,
            dropout.as_ref(),
            y,
        );
        let positions = disentangled.positions.map(|rows| copy(backend, rows));
        self.tape.attentions.push(SavedAttention {
            qkv,
            dropout,
            positions: positions.unwrap_or_default(),
            ..SavedAttention::default()
        });
    }

    fn add_norm(
        &mut self,
        backend: &mut B,
        x: &mut B::Rows,
        place: Residual,
        residual: &B::Rows,
        norm: &Norm<B::Vector>,
    ) {
        let rate = match place {
            Residual::Attention => self.tape.rates.attention_output,
            Residual::FeedForward => self.tape.rates.output,
        };
        let dropout = self.tape.next_dropout(rate);
        self.save_norm(backend, x, Some(residual), norm, dropout);
    }

    fn norm(&mut self, backend: &mut B, x: &mut B::Rows, norm: &Norm<B::Vector>) {
        self.save_norm(backend, x, None, norm, None);
    }
}
