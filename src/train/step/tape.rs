//! The tape of a forward pass in training. Each operation of [`Pass`] pushes the values that its
//! gradient needs, and the gradient pops them in reverse order.

use super::dropout::DropoutRates;
use super::gradients::MatrixGradient;
use crate::backend::train::{Dropout, Train};
use crate::backend::{Activation, Backend, Disentangled, Embeddings, Linear, Norm};
use crate::model::pass::{Pass, Residual};

/// Values stored by a forward pass, in the order of its operations. Each gradient pops the values
/// of its operation, so the backward pass must run in exactly the reverse order.
pub(in crate::train) struct Tape<B: Train> {
    rates: DropoutRates,
    seed: u64,
    /// Number of the forward pass within the run.
    step: u32,
    /// Number of dropouts so far in this pass.
    dropouts: u32,
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

/// The input of a layer.
struct SavedState<B: Backend> {
    /// `[rows, hidden]`
    state: B::Rows,
    /// Number of dropouts before the layer.
    dropouts: u32,
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
}

/// The saved input of a linear layer.
enum Input<R> {
    Saved(R),
    /// The output of the preceding linear layer, recomputed from its values before the activation.
    Before,
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
        Self { x: Input::Saved(B::Rows::default()), z: None, dropout: None }
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
            dropouts: 0,
            options,
            linears: Vec::new(),
            norms: Vec::new(),
            attentions: Vec::new(),
            before_layers: BeforeLayers::default(),
            states: Vec::new(),
        }
    }

    /// Pops the input of a layer, if the layer must be recomputed. The count of dropouts is
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
        let site = self.dropouts;
        self.dropouts += 1;
        (rate > 0.0).then_some(Dropout { rate, seed: self.seed, site, step: self.step })
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
        let z = linear(backend, layer, &x, y);
        let x = if self.options.inputs_alone { B::Rows::default() } else { x };
        self.linears.push(SavedLinear { x: Input::Saved(x), z, dropout });
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
        let dropout = self.next_dropout(rate);
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
        self.norms.push(SavedNorm { normalized, inverse, dropout });
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
        let SavedLinear { x, z, dropout } = self.linears.pop().unwrap_or_default();
        if let Some(BeforeActivation { activation, z }) = &z {
            backend.activation_backward(z, *activation, dy);
        }
        let is_frozen = dweight.is_frozen && dweight.adapters.is_none();
        if !self.options.inputs_alone && !is_frozen {
            let x = self.input(backend, x);
            match &mut dweight.adapters {
                Some(adapters) => adapters.backward(backend, &x, dy),
                None => backend.linear_backward_weight(&x, dy, &mut dweight.whole, dbias),
            }
        }
        let mut dx = B::Rows::default();
        backend.linear_backward_input(dy, weight, &mut dx);
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

impl<B: Train> Pass<B> for Tape<B> {
    fn begin_layer(&mut self, backend: &mut B, number: usize, state: &B::Rows) {
        let TapeOptions { first_layer, states_alone, .. } = self.options;
        let first_layer = first_layer.unwrap_or(0);
        if number == 0 {
            self.before_layers =
                BeforeLayers { linears: self.linears.len(), norms: self.norms.len() };
        }
        // Values of earlier layers are recomputed later or never needed, so they are dropped here.
        if states_alone || number <= first_layer {
            self.linears.truncate(self.before_layers.linears);
            self.norms.truncate(self.before_layers.norms);
            self.attentions.clear();
        }
        if states_alone && number >= first_layer {
            let state = copy(backend, state);
            self.states.push(SavedState { state, dropouts: self.dropouts });
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
        let dropout = self.next_dropout(self.rates.embeddings);
        if let Some(dropout) = &dropout {
            backend.dropout(y, dropout);
        }
        if let Some(saved) = self.norms.last_mut() {
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
        let z = linear(backend, LinearRef::new(outer), wide, y);
        self.linears.push(SavedLinear { x: Input::Before, z, dropout: None });
    }

    fn pool(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, x, self.rates.pooler, y);
    }

    fn classify(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, x, self.rates.head, y);
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
        let dropout = self.next_dropout(self.rates.attention);
        let qkv = copy(backend, qkv);
        let mut log_sums = B::Rows::default();
        backend.attention_forward(&qkv, batch, heads, dropout.as_ref(), y, &mut log_sums);
        let y = copy(backend, y);
        let positions = B::Rows::default();
        self.attentions.push(SavedAttention { qkv, y, log_sums, dropout, positions });
    }

    fn project_positions(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.dropped_linear(backend, layer, x, self.rates.positions, y);
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
        let dropout = self.next_dropout(self.rates.attention);
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
        self.attentions.push(SavedAttention {
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
            Residual::Attention => self.rates.attention_output,
            Residual::FeedForward => self.rates.output,
        };
        let dropout = self.next_dropout(rate);
        self.save_norm(backend, x, Some(residual), norm, dropout);
    }

    fn norm(&mut self, backend: &mut B, x: &mut B::Rows, norm: &Norm<B::Vector>) {
        self.save_norm(backend, x, None, norm, None);
    }
}

/// Computes y = activation(x · weightᵀ + bias). Returns the values before the activation, unless
/// it is the identity.
fn linear<B: Train>(
    backend: &mut B,
    LinearRef { weight, bias, activation }: LinearRef<'_, B>,
    x: &B::Rows,
    y: &mut B::Rows,
) -> Option<BeforeActivation<B>> {
    if activation == Activation::Identity {
        backend.linear(x, weight, bias, activation, y);
        return None;
    }
    let mut z = B::Rows::default();
    backend.linear(x, weight, bias, Activation::Identity, &mut z);
    backend.activation(&z, activation, y);
    Some(BeforeActivation { activation, z })
}

/// Returns a copy of x: the identity activation writes what it reads.
fn copy<B: Train>(backend: &mut B, x: &B::Rows) -> B::Rows {
    let mut y = B::Rows::default();
    backend.activation(x, Activation::Identity, &mut y);
    y
}
