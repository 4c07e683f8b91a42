//! What a forward pass does with each of its operations: inference computes and forgets, training also keeps what
//! the gradients need. Which operations there are, and in which order, is said in [`super::encoder`] and
//! [`super::heads`] alone.

use crate::backend::{Activation, Backend, Embeddings, Linear, Norm};

/// Which residual of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residual {
    /// Around attention.
    Attention,
    /// Around the feed-forward.
    FeedForward,
}

/// The operations of a forward pass; shapes as in [`Backend`].
pub trait Pass<B: Backend> {
    /// The layer that runs as this number begins, from this state. Training: what of the layers before need not be
    /// kept can go.
    fn begin_layer(&mut self, _backend: &mut B, _number: usize, _state: &B::Rows) {}
    /// As [`Backend::embed`]. Training: then dropout.
    fn embed(
        &mut self,
        backend: &mut B,
        tables: &Embeddings<B::Matrix, B::Vector>,
        batch: &B::Batch,
        y: &mut B::Rows,
    );
    /// As [`Linear::run`].
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
    /// As [`Linear::run`], the layer being a head's dense one over first tokens. Training: of x after dropout.
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
    /// As [`Linear::run`], the layer being a head's last. Training: of x after dropout.
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
    /// y = x · weightᵀ + bias, of a weight that may be the word table.
    fn decode(
        &mut self,
        backend: &mut B,
        x: &B::Rows,
        weight: &B::Matrix,
        bias: &B::Vector,
        y: &mut B::Rows,
    );
    /// As [`Backend::attention`]. Training: with dropout over the probabilities.
    fn attention(
        &mut self,
        backend: &mut B,
        qkv: &B::Rows,
        batch: &B::Batch,
        heads: usize,
        y: &mut B::Rows,
        probabilities: Option<&mut B::Rows>,
    );
    /// x = norm(x + residual). Training: of x after dropout.
    fn add_norm(
        &mut self,
        backend: &mut B,
        x: &mut B::Rows,
        residual: (Residual, &B::Rows),
        norm: &Norm<B::Vector>,
    );
    /// x = norm(x).
    fn norm(&mut self, backend: &mut B, x: &mut B::Rows, norm: &Norm<B::Vector>);
}

/// The pass that keeps nothing: each operation is the device's own.
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
    fn add_norm(
        &mut self,
        backend: &mut B,
        x: &mut B::Rows,
        (_, residual): (Residual, &B::Rows),
        norm: &Norm<B::Vector>,
    ) {
        backend.add_norm(x, residual, norm);
    }

    #[inline(always)]
    fn norm(&mut self, backend: &mut B, x: &mut B::Rows, norm: &Norm<B::Vector>) {
        backend.norm(x, norm);
    }
}
