//! The operations of a forward pass. Inference only computes; training also stores the values that
//! gradients need. [`super::encoder`] and [`super::heads`] define which operations run, and in
//! which order.

use crate::backend::{Activation, Backend, Disentangled, Embeddings, Linear, Norm};

/// A residual connection of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residual {
    /// Around attention.
    Attention,
    /// Around the feed-forward.
    FeedForward,
}

/// The operations of a forward pass. Shapes are as in [`Backend`].
pub trait Pass<B: Backend> {
    /// Called before each layer, with its number and its input. Training may discard values of
    /// earlier layers.
    fn begin_layer(&mut self, _backend: &mut B, _number: usize, _state: &B::Rows) {}
    /// [`Backend::embed`]. In training followed by dropout.
    fn embed(
        &mut self,
        backend: &mut B,
        tables: &Embeddings<B::Matrix, B::Vector>,
        batch: &B::Batch,
        y: &mut B::Rows,
    );
    /// [`Linear::run`].
    fn linear(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    );
    /// A feed-forward: `wide` = `inner`(x), y = `outer`(wide).
    #[inline(always)]
    fn feed_forward(
        &mut self,
        backend: &mut B,
        [inner, outer]: [&Linear<B::Matrix, B::Vector>; 2],
        x: &B::Rows,
        wide: &mut B::Rows,
        y: &mut B::Rows,
    ) {
        self.linear(backend, inner, x, wide);
        self.linear(backend, outer, wide, y);
    }
    /// [`Linear::run`] for a head's dense layer over first tokens. In training with dropout of x.
    #[inline(always)]
    fn pool(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.linear(backend, layer, x, y);
    }
    /// [`Linear::run`] for a head's last layer. In training with dropout of x.
    #[inline(always)]
    fn classify(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.linear(backend, layer, x, y);
    }
    /// y = x · weightᵀ + bias. The weight may be the word table.
    fn decode(
        &mut self,
        backend: &mut B,
        x: &B::Rows,
        weight: &B::Matrix,
        bias: &B::Vector,
        y: &mut B::Rows,
    );
    /// [`Backend::attention`]. In training with dropout of the probabilities.
    fn attention(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        y: &mut B::Rows,
        probabilities: Option<&mut B::Rows>,
    );
    /// [`Linear::run`] for a layer's projections of relative positions. In training with dropout of
    /// x.
    #[inline(always)]
    fn project_positions(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        self.linear(backend, layer, x, y);
    }
    /// [`Backend::attention_disentangled`]. In training with dropout of the probabilities.
    #[allow(clippy::too_many_arguments, reason = "as in Backend")]
    fn attention_disentangled(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        disentangled: &Disentangled<'_, B::Rows>,
        y: &mut B::Rows,
        probabilities: Option<&mut B::Rows>,
    );
    /// x = norm(x + residual). In training with dropout of x, at the rate of this place.
    fn add_norm(
        &mut self,
        backend: &mut B,
        x: &mut B::Rows,
        place: Residual,
        residual: &B::Rows,
        norm: &Norm<B::Vector>,
    );
    /// x = norm(x).
    fn norm(&mut self, backend: &mut B, x: &mut B::Rows, norm: &Norm<B::Vector>);
}

/// The forward pass of inference: each operation is the device's own, and nothing is stored.
#[derive(Debug, Clone, Copy)]
pub struct Inference;

impl<B: Backend> Pass<B> for Inference {
    #[inline(always)]
    fn embed(
        &mut self,
        backend: &mut B,
        tables: &Embeddings<B::Matrix, B::Vector>,
        batch: &B::Batch,
        y: &mut B::Rows,
    ) {
        backend.embed(tables, batch, y);
    }

    #[inline(always)]
    fn linear(
        &mut self,
        backend: &mut B,
        layer: &Linear<B::Matrix, B::Vector>,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        layer.run(backend, x, y);
    }

    #[inline(always)]
    fn decode(
        &mut self,
        backend: &mut B,
        x: &B::Rows,
        weight: &B::Matrix,
        bias: &B::Vector,
        y: &mut B::Rows,
    ) {
        backend.linear(x, weight, bias, Activation::Identity, y);
    }

    #[inline(always)]
    fn attention(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        y: &mut B::Rows,
        probabilities: Option<&mut B::Rows>,
    ) {
        backend.attention(qkv, batch, heads, y, probabilities);
    }

    #[inline(always)]
    fn attention_disentangled(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        disentangled: &Disentangled<'_, B::Rows>,
        y: &mut B::Rows,
        probabilities: Option<&mut B::Rows>,
    ) {
        backend.attention_disentangled(qkv, batch, heads, disentangled, y, probabilities);
    }

    #[inline(always)]
    fn add_norm(
        &mut self,
        backend: &mut B,
        x: &mut B::Rows,
        _place: Residual,
        residual: &B::Rows,
        norm: &Norm<B::Vector>,
    ) {
        backend.add_norm(x, residual, norm);
    }

    #[inline(always)]
    fn norm(&mut self, backend: &mut B, x: &mut B::Rows, norm: &Norm<B::Vector>) {
        backend.norm(x, norm);
    }
}
