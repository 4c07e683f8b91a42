//! What a forward pass in training keeps: each operation of [`Pass`] puts what its gradient needs on a stack, and
//! its gradient takes it from there, in the reverse order.

use super::dropout::Sites;
use crate::backend::train::{Dropout, Train};
use crate::backend::{Activation, Backend, Embeddings, Linear, Norm};
use crate::model::pass::{Pass, Residual};

/// What is kept of a forward pass, in the order of its operations. Every gradient takes what its operation kept: a
/// backward pass in another order than the forward pass's reverse is a mistake in this crate.
pub(super) struct Tape<B: Train> {
    rates: Sites,
    seed: u64,
    /// Which forward pass of the run.
    step: u32,
    /// How many dropouts there were in this pass.
    sites: u32,
    keeping: Keeping,
    linears: Vec<LinearKept<B>>,
    norms: Vec<NormKept<B>>,
    attentions: Vec<AttentionKept<B>>,
    /// How many linear layers and norms came before the encoder's first layer.
    before_layers: (usize, usize),
    /// The states that layers began from, with the number of dropouts before each.
    states: Vec<(B::Rows, u32)>,
}

/// What of the encoder's layers stays on the tape.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Keeping {
    /// The first layer that has a gradient; `None`: the embeddings have one, too.
    pub(super) first_layer: Option<usize>,
    /// One state a layer; the rest is computed again.
    pub(super) states_alone: bool,
    /// Weights and biases have no gradients.
    pub(super) inputs_alone: bool,
}

impl Keeping {
    /// What gradients by states need, and not those by weights and biases. Norms have gradients nevertheless.
    pub(super) fn inputs_alone() -> Self {
        Self { inputs_alone: true, ..Self::default() }
    }
}

/// Of y = activation(dropout(x) · weightᵀ + bias).
struct LinearKept<B: Backend> {
    /// `[rows, inputs]`, after dropout; empty where the weight has no gradient.
    x: Input<B::Rows>,
    /// Before the activation, `[rows, outputs]`; `None`: there is none.
    z: Option<(Activation, B::Rows)>,
    dropout: Option<Dropout>,
}

/// What a linear layer was given.
enum Input<R> {
    Kept(R),
    /// The result of the linear layer before it, computed again from what that had before its activation.
    Before,
}

/// Of y = norm(x).
struct NormKept<B: Backend> {
    /// `[rows, cols]`
    normalized: B::Rows,
    /// `[rows, 1]`
    inverse: B::Rows,
    /// Of what was added to the residual, or of the embeddings' output.
    dropout: Option<Dropout>,
}

/// Of y = attention(qkv).
struct AttentionKept<B: Backend> {
    /// `[rows, 3 · hidden]`
    qkv: B::Rows,
    /// `[rows, hidden]`
    y: B::Rows,
    /// `[rows, heads]`
    log_sums: B::Rows,
    dropout: Option<Dropout>,
}

impl<B: Backend> Default for LinearKept<B> {
    fn default() -> Self {
        Self { x: Input::Kept(B::Rows::default()), z: None, dropout: None }
    }
}

impl<B: Backend> Default for NormKept<B> {
    fn default() -> Self {
        Self { normalized: B::Rows::default(), inverse: B::Rows::default(), dropout: None }
    }
}

impl<B: Backend> Default for AttentionKept<B> {
    fn default() -> Self {
        let [qkv, y, log_sums] = std::array::from_fn(|_| B::Rows::default());
        Self { qkv, y, log_sums, dropout: None }
    }
}

impl<B: Train> Tape<B> {
    /// An empty tape for a forward pass: which of the run, and the run's seed.
    pub(super) fn new(rates: Sites, seed: u64, step: u32, keeping: Keeping) -> Self {
        let (linears, norms, attentions, states) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (sites, before_layers) = (0, (0, 0));
        Self {
            rates,
            seed,
            step,
            sites,
            keeping,
            linears,
            norms,
            attentions,
            before_layers,
            states,
        }
    }

    /// The state that the last layer not yet taken back began from, where the layer is to be computed again: its
    /// dropouts are then those that it had.
    pub(super) fn take_state(&mut self) -> Option<B::Rows> {
        let (state, sites) = self.states.pop()?;
        self.sites = sites;
        Some(state)
    }

    /// Whether every operation has been taken back.
    pub(super) fn is_empty(&self) -> bool {
        self.linears.is_empty()
            && self.norms.is_empty()
            && self.attentions.is_empty()
            && self.states.is_empty()
    }

    /// The next dropout of the pass; each has its number, whether it has a rate or not.
    fn next_dropout(&mut self, rate: f32) -> Option<Dropout> {
        let site = self.sites;
        self.sites += 1;
        (rate > 0.0).then_some(Dropout { rate, seed: self.seed, site, step: self.step })
    }

    /// y = activation(x · weightᵀ + bias) of an `x` that stays on the tape.
    fn keep_linear(
        &mut self,
        backend: &mut B,
        (x, dropout): (B::Rows, Option<Dropout>),
        (weight, bias): (&B::Matrix, &B::Vector),
        activation: Activation,
        y: &mut B::Rows,
    ) {
        let z = linear(backend, &x, (weight, bias), activation, y);
        let x = if self.keeping.inputs_alone { B::Rows::default() } else { x };
        self.linears.push(LinearKept { x: Input::Kept(x), z, dropout });
    }

    /// The `x` that a linear layer was given, where the layer before it is the last one not yet taken back.
    fn input(&self, backend: &mut B, x: Input<B::Rows>) -> B::Rows {
        let mut y = match x {
            Input::Kept(x) => return x,
            Input::Before => B::Rows::default(),
        };
        if let Some((activation, z)) = self.linears.last().and_then(|before| before.z.as_ref()) {
            backend.activation(z, *activation, &mut y);
        }
        y
    }

    /// The layer's output for `x` after dropout at this rate.
    fn dropped_linear(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        (x, rate): (&B::Rows, f32),
        y: &mut B::Rows,
    ) {
        let mut x = copy(backend, x);
        let dropout = self.next_dropout(rate);
        if let Some(dropout) = &dropout {
            backend.dropout(&mut x, dropout);
        }
        let Linear { weight, bias, activation } = layer;
        self.keep_linear(backend, (x, dropout), (weight, bias), *activation, y);
    }

    /// x = norm(x + residual), `x` after this dropout.
    fn keep_norm(
        &mut self,
        backend: &mut B,
        (x, residual): (&mut B::Rows, Option<&B::Rows>),
        norm: &Norm<B::Vector>,
        dropout: Option<Dropout>,
    ) {
        if let Some(dropout) = &dropout {
            backend.dropout(x, dropout);
        }
        let (mut y, mut normalized, mut inverse) = Default::default();
        backend.norm_forward(x, residual, norm, &mut y, &mut normalized, &mut inverse);
        *x = y;
        self.norms.push(NormKept { normalized, inverse, dropout });
    }

    /// The gradient by the input of the last linear layer not yet taken back; adds to the weight's and the bias's.
    /// `dy` becomes the gradient before the activation.
    pub(super) fn linear_backward(
        &mut self,
        backend: &mut B,
        weight: &B::Matrix,
        (dweight, dbias): (&mut B::Rows, &mut B::Rows),
        dy: &mut B::Rows,
    ) -> B::Rows {
        let LinearKept { x, z, dropout } = self.linears.pop().unwrap_or_default();
        if let Some((activation, z)) = &z {
            backend.activation_backward(z, *activation, dy);
        }
        if !self.keeping.inputs_alone {
            let x = self.input(backend, x);
            backend.linear_backward_weight(&x, dy, dweight, dbias);
        }
        let mut dx = B::Rows::default();
        backend.linear_backward_input(dy, weight, &mut dx);
        if let Some(dropout) = &dropout {
            backend.dropout(&mut dx, dropout);
        }
        dx
    }

    /// The same of a layer without activation and of a frozen weight, of so many rows: adds to the bias's alone.
    pub(super) fn frozen_linear_backward(
        &mut self,
        backend: &mut B,
        (weight, rows): (&B::Matrix, usize),
        dbias: &mut B::Rows,
        dy: &B::Rows,
    ) -> B::Rows {
        self.linears.pop();
        if !self.keeping.inputs_alone {
            // every row of dy is added to the only one
            backend.gather_backward(dy, &vec![0; rows], dbias);
        }
        let mut dx = B::Rows::default();
        backend.linear_backward_input(dy, weight, &mut dx);
        dx
    }

    /// The gradients of the last norm not yet taken back: by what dropout made of x, for x itself, and by the
    /// residual.
    pub(super) fn add_norm_backward(
        &mut self,
        backend: &mut B,
        norm: &Norm<B::Vector>,
        gradients: &mut Norm<B::Rows>,
        dy: &B::Rows,
    ) -> (B::Rows, B::Rows) {
        let NormKept { normalized, inverse, dropout } = self.norms.pop().unwrap_or_default();
        let mut dresidual = B::Rows::default();
        let Norm { weight, bias, .. } = gradients;
        backend.norm_backward(dy, &normalized, &inverse, norm, &mut dresidual, weight, bias);
        let mut dx = copy(backend, &dresidual);
        if let Some(dropout) = &dropout {
            backend.dropout(&mut dx, dropout);
        }
        (dx, dresidual)
    }

    /// The gradient by the input of the last norm not yet taken back, one without a residual. Its dropout, where
    /// it has one, came after it: the embeddings'.
    pub(super) fn norm_backward(
        &mut self,
        backend: &mut B,
        norm: &Norm<B::Vector>,
        gradients: &mut Norm<B::Rows>,
        dy: &mut B::Rows,
    ) -> B::Rows {
        let NormKept { normalized, inverse, dropout } = self.norms.pop().unwrap_or_default();
        if let Some(dropout) = &dropout {
            backend.dropout(dy, dropout);
        }
        let mut dx = B::Rows::default();
        let Norm { weight, bias, .. } = gradients;
        backend.norm_backward(dy, &normalized, &inverse, norm, &mut dx, weight, bias);
        dx
    }

    /// The gradient by queries, keys and values of the last attention not yet taken back.
    pub(super) fn attention_backward(
        &mut self,
        backend: &mut B,
        batch: &B::Batch,
        heads: usize,
        dy: &B::Rows,
    ) -> B::Rows {
        let AttentionKept { qkv, y, log_sums, dropout } = self.attentions.pop().unwrap_or_default();
        let (dropout, mut dqkv) = (dropout.as_ref(), B::Rows::default());
        backend.attention_backward(&qkv, batch, heads, dropout, &y, &log_sums, dy, &mut dqkv);
        dqkv
    }
}

impl<B: Train> Pass<B> for Tape<B> {
    fn begin_layer(&mut self, backend: &mut B, number: usize, state: &B::Rows) {
        let Keeping { first_layer, states_alone, .. } = self.keeping;
        let first_layer = first_layer.unwrap_or(0);
        if number == 0 {
            self.before_layers = (self.linears.len(), self.norms.len());
        }
        if states_alone || number <= first_layer {
            self.linears.truncate(self.before_layers.0);
            self.norms.truncate(self.before_layers.1);
            self.attentions.clear();
        }
        if states_alone && number >= first_layer {
            self.states.push((copy(backend, state), self.sites));
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
        self.keep_norm(backend, (y, None), &tables.norm, None);
        let dropout = self.next_dropout(self.rates.embeddings);
        if let Some(dropout) = &dropout {
            backend.dropout(y, dropout);
        }
        if let Some(kept) = self.norms.last_mut() {
            kept.dropout = dropout;
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
        let Linear { weight, bias, activation } = layer;
        self.keep_linear(backend, (x, None), (weight, bias), *activation, y);
    }

    /// What is between the layers is not kept: computing the activation again takes little time, and it is the widest
    /// of all that a layer computes.
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
        let z = linear(backend, wide, (&outer.weight, &outer.bias), outer.activation, y);
        self.linears.push(LinearKept { x: Input::Before, z, dropout: None });
    }

    fn pool(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, (x, self.rates.pooler), y);
    }

    fn classify(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, (x, self.rates.head), y);
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
        self.keep_linear(backend, (x, None), (weight, bias), Activation::Identity, y);
    }

    /// Probabilities are not kept: `probabilities` stays as it is.
    fn attention(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        y: &mut B::Rows,
        _probabilities: Option<&mut B::Rows>,
    ) {
        let dropout = self.next_dropout(self.rates.attention);
        let qkv = copy(backend, qkv);
        let mut log_sums = B::Rows::default();
        backend.attention_forward(&qkv, batch, heads, dropout.as_ref(), y, &mut log_sums);
        let y = copy(backend, y);
        self.attentions.push(AttentionKept { qkv, y, log_sums, dropout });
    }

    fn add_norm(
        &mut self,
        backend: &mut B,
        x: &mut B::Rows,
        (place, residual): (Residual, &B::Rows),
        norm: &Norm<B::Vector>,
    ) {
        let rate = match place {
            Residual::Attention => self.rates.attention_output,
            Residual::FeedForward => self.rates.output,
        };
        let dropout = self.next_dropout(rate);
        self.keep_norm(backend, (x, Some(residual)), norm, dropout);
    }

    fn norm(&mut self, backend: &mut B, x: &mut B::Rows, norm: &Norm<B::Vector>) {
        self.keep_norm(backend, (x, None), norm, None);
    }
}

/// y = activation(x · weightᵀ + bias); gives what the activation was given, where there is one.
fn linear<B: Train>(
    backend: &mut B,
    x: &B::Rows,
    (weight, bias): (&B::Matrix, &B::Vector),
    activation: Activation,
    y: &mut B::Rows,
) -> Option<(Activation, B::Rows)> {
    if activation == Activation::Identity {
        backend.linear(x, weight, bias, activation, y);
        return None;
    }
    let mut z = B::Rows::default();
    backend.linear(x, weight, bias, Activation::Identity, &mut z);
    backend.activation(&z, activation, y);
    Some((activation, z))
}

/// The identity writes what it reads.
fn copy<B: Train>(backend: &mut B, x: &B::Rows) -> B::Rows {
    let mut y = B::Rows::default();
    backend.activation(x, Activation::Identity, &mut y);
    y
}
