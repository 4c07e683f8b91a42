//! The tape of a forward pass in training. Each operation of a [`Recorder`] pushes the values that
//! its gradient needs, and the gradient pops them in reverse order.

mod recorder;

use super::dropout::DropoutRates;
use super::gradients::MatrixGradient;
use crate::backend::train::{Dropout, Train};
use crate::backend::{Activation, Backend, Disentangled, Norm};

pub(in crate::train) use recorder::Recorder;

/// Values stored by a forward pass, in the order of its operations. Each gradient pops the values
/// of its operation, so the backward pass must run in exactly the reverse order.
pub(in crate::train) struct Tape<B: Train> {
    rates: DropoutRates,
    seed: u64,
    /// Number of the forward pass within the run.
    step: u32,
    dropouts: Dropouts,
    options: TapeOptions,
    linears: Vec<SavedLinear<B>>,
    norms: Vec<SavedNorm<B>>,
    attentions: Vec<SavedAttention<B>>,
    before_layers: BeforeLayers,
    states: Vec<SavedState<B>>,
}

/// What is on the tape before the encoder's first layer.
#[derive(Debug, Clone, Copy, Default)]
struct BeforeLayers {
    linears: usize,
    norms: usize,
}

/// Numbers of dropouts so far in a pass.
#[derive(Debug, Clone, Copy, Default)]
struct Dropouts {
    of_model: u32,
    /// Of the inputs of low-rank adapters. They are counted apart, so an adapter does not change
    /// the random numbers of the model's own dropouts.
    of_adapters: u32,
}

/// Site of the first dropout of an adapter's input. A model has far fewer dropouts of its own.
const ADAPTER_SITES: u32 = 1 << 31;

/// The input of a layer.
struct SavedState<B: Backend> {
    /// `[rows, hidden]`
    state: B::Rows,
    /// Numbers of dropouts before the layer.
    dropouts: Dropouts,
}

/// Which values of the encoder's layers stay on the tape.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::train) struct TapeOptions {
    /// First layer that needs a gradient. `None`: the embeddings need one as well.
    pub(in crate::train) first_layer: Option<usize>,
    /// Keeps one state per layer and recomputes the rest.
    pub(in crate::train) states_alone: bool,
    /// Weights and biases have no gradients.
    pub(in crate::train) inputs_alone: bool,
}

impl TapeOptions {
    /// Keeps only the values for gradients with respect to states. Norms have gradients
    /// nevertheless.
    pub(in crate::train) fn inputs_alone() -> Self {
        Self { inputs_alone: true, ..Self::default() }
    }
}

/// Values of y = activation(dropout(x) · weightᵀ + bias).
struct SavedLinear<B: Backend> {
    /// `[rows, inputs]`, after dropout. Empty if the weight has no gradient.
    x: Input<B::Rows>,
    /// `None` for the identity.
    z: Option<BeforeActivation<B>>,
    dropout: Option<Dropout>,
    /// Dropout of the input of the weight's first adapter.
    adapter_dropout: Option<Dropout>,
}

/// The saved input of a linear layer.
enum Input<R> {
    Saved(R),
    /// The output of the preceding linear layer, recomputed from its values before the activation.
    Before,
}

/// Values before an activation, `[rows, outputs]`.
struct BeforeActivation<B: Backend> {
    activation: Activation,
    z: B::Rows,
}

/// Gradients with respect to the two inputs of norm(x + residual), `[rows, cols]` each.
pub(in crate::train) struct AddNormGradients<B: Backend> {
    /// With respect to x before dropout.
    pub(in crate::train) dx: B::Rows,
    pub(in crate::train) dresidual: B::Rows,
}

/// Gradients with respect to the inputs of attention with relative positions.
pub(in crate::train) struct DisentangledGradients<B: Backend> {
    /// With respect to queries, keys and values, `[rows, 3 · hidden]`.
    pub(in crate::train) dqkv: B::Rows,
    /// With respect to the projected positions. Empty if attention does not read them.
    pub(in crate::train) dpositions: B::Rows,
}

/// Values of y = norm(x).
struct SavedNorm<B: Backend> {
    /// `[rows, cols]`
    normalized: B::Rows,
    /// `[rows, 1]`
    inverse: B::Rows,
    /// Dropout of the addend of the residual, or of the embeddings' output.
    dropout: Option<Dropout>,
}

/// Values of y = attention(qkv).
struct SavedAttention<B: Backend> {
    /// `[rows, 3 · hidden]`
    qkv: B::Rows,
    /// `[rows, hidden]`
    y: B::Rows,
    /// `[rows, heads]`
    log_sums: B::Rows,
    dropout: Option<Dropout>,
    /// Projections of relative positions. Empty if attention does not read them.
    positions: B::Rows,
}

impl<B: Backend> Default for SavedLinear<B> {
    fn default() -> Self {
        Self { x: Input::Saved(B::Rows::default()), z: None, dropout: None, adapter_dropout: None }
    }
}

impl<B: Backend> Default for SavedNorm<B> {
    fn default() -> Self {
        Self { normalized: B::Rows::default(), inverse: B::Rows::default(), dropout: None }
    }
}

impl<B: Backend> Default for SavedAttention<B> {
    fn default() -> Self {
        let [qkv, y, log_sums, positions] = std::array::from_fn(|_| B::Rows::default());
        Self { qkv, y, log_sums, dropout: None, positions }
    }
}

impl<B: Train> Tape<B> {
    /// Creates an empty tape for the forward pass `step` of a run with this seed.
    pub(in crate::train) fn new(
        rates: DropoutRates,
        seed: u64,
        step: u32,
        options: TapeOptions,
    ) -> Self {
        Self {
            rates,
            seed,
            step,
            dropouts: Dropouts::default(),
            options,
            linears: Vec::new(),
            norms: Vec::new(),
            attentions: Vec::new(),
            before_layers: BeforeLayers::default(),
            states: Vec::new(),
        }
    }

    /// Pops the input of a layer, if the layer must be recomputed. The counts of dropouts are
    /// restored, so the layer draws the same dropouts again.
    pub(in crate::train) fn take_state(&mut self) -> Option<B::Rows> {
        let SavedState { state, dropouts } = self.states.pop()?;
        self.dropouts = dropouts;
        Some(state)
    }

    /// Returns true if every operation has been popped.
    pub(in crate::train) fn is_empty(&self) -> bool {
        self.linears.is_empty()
            && self.norms.is_empty()
            && self.attentions.is_empty()
            && self.states.is_empty()
    }

    /// Returns the next dropout of the pass. Every dropout has a number, even with rate 0, so other
    /// rates do not change the random numbers.
    fn next_dropout(&mut self, rate: f32) -> Option<Dropout> {
        let site = self.dropouts.of_model;
        self.dropouts.of_model += 1;
        (rate > 0.0).then_some(Dropout { rate, seed: self.seed, site, step: self.step })
    }

    /// Returns the next dropout of `count` adapters' inputs. The other adapters have the sites that
    /// follow.
    fn next_adapter_dropout(&mut self, count: usize) -> Dropout {
        let site = ADAPTER_SITES + self.dropouts.of_adapters;
        self.dropouts.of_adapters += count as u32;
        Dropout { rate: self.rates.adapters, seed: self.seed, site, step: self.step }
    }

    /// Returns the input of a linear layer. The preceding layer must be the last one on the tape.
    fn input(&self, backend: &mut B, x: Input<B::Rows>) -> B::Rows {
        let mut y = match x {
            Input::Saved(x) => return x,
            Input::Before => B::Rows::default(),
        };
        if let Some(BeforeActivation { activation, z }) =
            self.linears.last().and_then(|before| before.z.as_ref())
        {
            backend.activation(z, *activation, &mut y);
        }
        y
    }

    /// Pops the last linear layer. Returns the gradient with respect to its input and adds to the
    /// gradients of weight and bias, unless the weight is frozen. `dy` is replaced by the gradient
    /// before the activation.
    pub(in crate::train) fn linear_backward(
        &mut self,
        backend: &mut B,
        weight: &B::Matrix,
        dweight: &mut MatrixGradient<B>,
        dbias: &mut B::Rows,
        dy: &mut B::Rows,
    ) -> B::Rows {
        let SavedLinear { x, z, dropout, adapter_dropout } = self.linears.pop().unwrap_or_default();
        if let Some(BeforeActivation { activation, z }) = &z {
            backend.activation_backward(z, *activation, dy);
        }
        let mut dx = B::Rows::default();
        backend.linear_backward_input(dy, weight, &mut dx);
        let is_frozen = dweight.is_frozen && dweight.adapters.is_none();
        if !self.options.inputs_alone && !is_frozen {
            let x = self.input(backend, x);
            match &mut dweight.adapters {
                Some(adapters) => adapters.backward(backend, &x, dy, adapter_dropout, &mut dx),
                None => backend.linear_backward_weight(&x, dy, &mut dweight.whole, dbias),
            }
        }
        if let Some(dropout) = &dropout {
            backend.dropout(&mut dx, dropout);
        }
        dx
    }

    /// [`Tape::linear_backward`] for a frozen weight without activation, with `rows` rows. Adds to
    /// the gradient of the bias only.
    pub(in crate::train) fn frozen_linear_backward(
        &mut self,
        backend: &mut B,
        weight: &B::Matrix,
        rows: usize,
        dbias: &mut B::Rows,
        dy: &B::Rows,
    ) -> B::Rows {
        self.linears.pop();
        if !self.options.inputs_alone {
            // Adds every row of dy to the single row of dbias.
            backend.gather_backward(dy, &vec![0; rows], dbias);
        }
        let mut dx = B::Rows::default();
        backend.linear_backward_input(dy, weight, &mut dx);
        dx
    }

    /// Pops the last norm, which must have a residual. Returns the gradients with respect to its
    /// inputs.
    pub(in crate::train) fn add_norm_backward(
        &mut self,
        backend: &mut B,
        norm: &Norm<B::Vector>,
        gradients: &mut Norm<B::Rows>,
        dy: &B::Rows,
    ) -> AddNormGradients<B> {
        let SavedNorm { normalized, inverse, dropout } = self.norms.pop().unwrap_or_default();
        let mut dresidual = B::Rows::default();
        let Norm { weight, bias, .. } = gradients;
        backend.norm_backward(dy, &normalized, &inverse, norm, &mut dresidual, weight, bias);
        let mut dx = copy(backend, &dresidual);
        if let Some(dropout) = &dropout {
            backend.dropout(&mut dx, dropout);
        }
        AddNormGradients { dx, dresidual }
    }

    /// Pops the last norm, which must have no residual. Returns the gradient with respect to its
    /// input. Its dropout, if any, comes after the norm: the embeddings' dropout.
    pub(in crate::train) fn norm_backward(
        &mut self,
        backend: &mut B,
        norm: &Norm<B::Vector>,
        gradients: &mut Norm<B::Rows>,
        dy: &mut B::Rows,
    ) -> B::Rows {
        let SavedNorm { normalized, inverse, dropout } = self.norms.pop().unwrap_or_default();
        if let Some(dropout) = &dropout {
            backend.dropout(dy, dropout);
        }
        let mut dx = B::Rows::default();
        let Norm { weight, bias, .. } = gradients;
        backend.norm_backward(dy, &normalized, &inverse, norm, &mut dx, weight, bias);
        dx
    }

    /// Pops the last attention. Returns the gradient with respect to queries, keys and values.
    pub(in crate::train) fn attention_backward(
        &mut self,
        backend: &mut B,
        batch: &B::Batch,
        heads: usize,
        dy: &B::Rows,
    ) -> B::Rows {
        let SavedAttention { qkv, y, log_sums, dropout, .. } =
            self.attentions.pop().unwrap_or_default();
        let (dropout, mut dqkv) = (dropout.as_ref(), B::Rows::default());
        backend.attention_backward(&qkv, batch, heads, dropout, &y, &log_sums, dy, &mut dqkv);
        dqkv
    }
}

impl<B: Train> Tape<B> {
    /// Pops the last attention with relative positions. `of` describes it, without the positions.
    /// Returns the gradients with respect to its inputs.
    pub(in crate::train) fn attention_disentangled_backward(
        &mut self,
        backend: &mut B,
        batch: &B::Batch,
        heads: usize,
        of: Disentangled<'_, B::Rows>,
        dy: &B::Rows,
    ) -> DisentangledGradients<B> {
        let SavedAttention { qkv, positions, dropout, .. } =
            self.attentions.pop().unwrap_or_default();
        let has_terms = of.keys.is_some() || of.queries.is_some();
        let of = Disentangled { positions: has_terms.then_some(&positions), ..of };
        let (mut dqkv, mut dpositions) = Default::default();
        let dropout = dropout.as_ref();
        backend.attention_disentangled_backward(
            &qkv,
            batch,
            heads,
            &of,
            dropout,
            dy,
            &mut dqkv,
            &mut dpositions,
        );
        DisentangledGradients { dqkv, dpositions }
    }
}

/// Returns a copy of x: the identity activation writes what it reads.
pub(in crate::train) fn copy<B: Train>(backend: &mut B, x: &B::Rows) -> B::Rows {
    let mut y = B::Rows::default();
    backend.activation(x, Activation::Identity, &mut y);
    y
}
