//! The parameters of a model. The structs are generic over a matrix `M` and a vector `V`: values on a
//! device, descriptions ([`ParameterSpec`](super::ParameterSpec)), or places while a checkpoint
//! loads. `walk` visits every parameter.

use crate::backend::{Backend, Embeddings, Linear, Norm};
use crate::config::HeadKind;

/// The parameters of an encoder.
#[derive(Debug)]
pub struct Encoder<M, V> {
    /// Input tables.
    pub embeddings: Embeddings<M, V>,
    /// Projection from the width of the tables to the width of the encoder, if they differ.
    pub projection: Option<Linear<M, V>>,
    /// Bias of attention scores by distance, shared by all layers: `[buckets, heads]`.
    pub relative_bias: Option<V>,
    /// Table of relative positions, `[2 · span, hidden]`, with its norm.
    pub relative: Option<RelativeTable<M, V>>,
    /// Convolution over the embeddings, added to the output of the first layer.
    pub convolution: Option<Convolution<M, V>>,
    /// RoFormer's sines and cosines of rotary positions: `[positions, head_dim]`.
    pub rotary_table: Option<V>,
    /// Norm in front of the first layer, if norms come first.
    pub first_norm: Option<Norm<V>>,
    /// The layers: one per executed layer, or fewer if several executed layers share one (ALBERT).
    pub layers: Vec<Layer<M, V>>,
    /// Number of executed layers.
    pub depth: usize,
}

/// A table of relative positions.
#[derive(Debug)]
pub struct RelativeTable<M, V> {
    /// `[2 · span, hidden]`
    pub table: M,
    /// Applied to each row.
    pub norm: Option<Norm<V>>,
}

/// A convolution over tokens with a residual.
#[derive(Debug)]
pub struct Convolution<M, V> {
    /// `[hidden, hidden · taps]`: all taps of a channel side by side.
    pub linear: Linear<M, V>,
    /// Applied to the sum of result and residual.
    pub norm: Norm<V>,
}

/// An encoder on a backend.
pub type EncoderOn<B> = Encoder<<B as Backend>::Matrix, <B as Backend>::Vector>;

/// One transformer layer.
#[derive(Debug)]
pub struct Layer<M, V> {
    /// Queries, keys and values in one product: `[3 · hidden, hidden]`.
    pub qkv: Linear<M, V>,
    /// Projections of relative positions: as queries, as keys, or both in one product. `None`: the
    /// model has none, or `qkv` projects them.
    pub positions: Option<Linear<M, V>>,
    /// Vectors of distances in attention: `[2 · positions - 1, head_dim]`.
    pub distances: Option<V>,
    /// Output of attention: `[hidden, hidden]`.
    pub attention_output: Linear<M, V>,
    /// Norm over attention's residual.
    pub attention_norm: Norm<V>,
    /// `[intermediate, hidden]`
    pub intermediate: Linear<M, V>,
    /// `[hidden, intermediate]`
    pub output: Linear<M, V>,
    /// Norm over the feed-forward's residual.
    pub output_norm: Norm<V>,
    /// The linear layers between the state and a narrower layer.
    pub bottleneck: Option<Bottleneck<M, V>>,
    /// Feed-forwards before the last one.
    pub feed_forwards: Vec<FeedForward<M, V>>,
    /// The convolution beside attention.
    pub span: Option<SpanConvolution<M, V>>,
}

/// The linear layers between the state and a narrower layer, each with its norm.
#[derive(Debug)]
pub struct Bottleneck<M, V> {
    /// Input of the layer: `[width, hidden]`.
    pub input: Normed<M, V>,
    /// Input of queries and keys, if they have one of their own: `[width, hidden]`.
    pub attention: Option<Normed<M, V>>,
    /// Values, if they read the whole state: `[width, hidden]`. The layer's `qkv` then has queries
    /// and keys only.
    pub value: Option<Linear<M, V>>,
    /// Output of the layer, `[hidden, width]`. Its norm is over the residual.
    pub output: Normed<M, V>,
}

/// A linear layer and the norm after it.
#[derive(Debug)]
pub struct Normed<M, V> {
    /// The linear layer.
    pub linear: Linear<M, V>,
    /// The norm.
    pub norm: Norm<V>,
}

/// A feed-forward with a residual.
#[derive(Debug)]
pub struct FeedForward<M, V> {
    /// `[intermediate, width]`
    pub intermediate: Linear<M, V>,
    /// `[width, intermediate]`
    pub output: Linear<M, V>,
    /// Norm over the residual.
    pub norm: Norm<V>,
}

/// The span-based convolution of ConvBERT. It is as wide as attention.
#[derive(Debug)]
pub struct SpanConvolution<M, V> {
    /// Depthwise convolution of the state: `[hidden, taps]`.
    pub depthwise: V,
    /// Its results as keys of spans: `[width, hidden]`.
    pub pointwise: Linear<M, V>,
    /// Kernels from products of keys of spans and queries: `[heads · taps, width]`.
    pub kernel: Linear<M, V>,
    /// The values that are convolved: `[width, hidden]`.
    pub value: Linear<M, V>,
}

/// The parameters of a head. Its kind decides which fields are present.
#[derive(Debug)]
pub struct Head<M, V> {
    /// Kind of head.
    pub kind: HeadKind,
    /// Dense layer over first tokens: `[hidden, hidden]`.
    pub pooler: Option<Linear<M, V>>,
    /// Scores of the vocabulary.
    pub masked_lm: Option<MaskedLm<M, V>>,
    /// Dense layer over each token, before the output: `[hidden, hidden]`.
    pub dense: Option<Linear<M, V>>,
    /// Norm after `pooler` or `dense`, before the output.
    pub norm: Option<Norm<V>>,
    /// Last linear layer, over the pooled first token or over each token: `[outputs, hidden]`.
    pub output: Option<Linear<M, V>>,
}

/// A head on a backend.
pub type HeadOn<B> = Head<<B as Backend>::Matrix, <B as Backend>::Vector>;

/// The masked language model head: transform, norm, decoder. EuroBERT has a decoder alone.
#[derive(Debug)]
pub struct MaskedLm<M, V> {
    /// `[embedding, hidden]`
    pub transform: Option<Linear<M, V>>,
    /// Norm over the transformed rows.
    pub norm: Option<Norm<V>>,
    /// `[vocabulary, embedding]`. `None`: the encoder's word table is used.
    pub decoder: Option<M>,
    /// MobileBERT: the decoder's other columns, `[vocabulary, hidden - embedding]`. Its bias is 0.
    pub wider: Option<Linear<M, V>>,
    /// Columns of the word table and of `wider`.
    pub widths: [usize; 2],
    /// `[vocabulary]`
    pub bias: V,
}

/// Size of parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of parameters.
    pub parameters: usize,
    /// Memory on the device, in bytes.
    pub bytes: usize,
    /// Part of `bytes` that was loaded for another encoder.
    pub shared_bytes: usize,
}

impl std::ops::Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            parameters: self.parameters + other.parameters,
            bytes: self.bytes + other.bytes,
            shared_bytes: self.shared_bytes + other.shared_bytes,
        }
    }
}
