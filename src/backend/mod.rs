//! The interface of a device: the few BERT-shaped kernels that it implements. Rows are tokens, all
//! sequences of a batch end to end. Shapes are checked when weights load and a batch is packed, so
//! kernels cannot fail; a call may only be recorded, nothing need be computed before [`Backend::read`].

#[cfg(any(feature = "cpu", all(feature = "gpu", feature = "train")))]
pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
mod processor;
pub mod train;

pub use processor::Processor;
pub use webert_kernels::{Activation, Precision};

use crate::Result;
use crate::batch::Batch;

/// Rows of one forward pass on a CPU, about: with 512 rows of a base model the activations stay in the
/// second-level cache. Also of a program on the CPU that plays a GPU.
pub(crate) const CACHED_ROWS: usize = 512;

/// y = activation(x · weightᵀ + bias).
#[derive(Debug)]
pub struct Linear<M, V> {
    /// `[outputs, inputs]`
    pub weight: M,
    /// `[outputs]`
    pub bias: V,
    /// Element by element.
    pub activation: Activation,
}

impl<M, V> Linear<M, V> {
    /// Runs the layer.
    pub fn run<B: Backend<Matrix = M, Vector = V>>(
        &self,
        backend: &mut B,
        x: &B::Rows,
        y: &mut B::Rows,
    ) {
        backend.linear(x, &self.weight, &self.bias, self.activation, y);
    }
}

/// LayerNorm over a row: scale and shift after normalising.
#[derive(Debug)]
pub struct Norm<V> {
    /// `[width]`
    pub weight: V,
    /// `[width]`
    pub bias: V,
    /// Added to the variance, inside the root.
    pub eps: f32,
}

/// The tables a token's first vector is summed from.
#[derive(Debug)]
pub struct Embeddings<M, V> {
    /// `[vocabulary, width]`
    pub word: M,
    /// `[positions, width]`; `None`: attention alone knows of positions.
    pub position: Option<M>,
    /// `[types, width]`
    pub token_type: Option<M>,
    /// Over the sum.
    pub norm: Norm<V>,
}

/// What scores of attention know of where tokens stand: see [`Batch::columns`].
#[derive(Debug)]
pub struct Relative<'a, V> {
    /// The greatest distance of a key that is attended to; `None`: any.
    pub reach: Option<usize>,
    /// What is added to the scores by distance, `[buckets, heads]`: see [`webert_kernels::bucket`].
    pub bias: Option<&'a V>,
}

/// A device that runs the kernels.
#[allow(async_fn_in_trait, reason = "the futures stay on one thread, as JavaScript's do")]
pub trait Backend {
    /// A weight matrix `[rows, cols]` in the layout and precision the kernels read.
    type Matrix;
    /// A weight vector, f32.
    type Vector;
    /// Activations, f32 `[rows, cols]`. The kernel that writes them gives them their shape.
    type Rows: Default;
    /// A batch on the device.
    type Batch;

    /// A matrix of zeros.
    ///
    /// # Errors
    /// `OutOfMemory`, or `Unsupported` where the device has a limit below this size.
    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Self::Matrix>;
    /// A vector of zeros. Errors as [`Backend::matrix`].
    fn vector(&mut self, len: usize) -> Result<Self::Vector>;
    /// Stores whole rows of a matrix from `first_row` on; `values` is row-major.
    fn write(&mut self, matrix: &mut Self::Matrix, first_row: usize, values: &[f32]);
    /// Stores a vector's elements from `first` on.
    fn write_vector(&mut self, vector: &mut Self::Vector, first: usize, values: &[f32]);
    /// Copies a batch to the device.
    fn upload(&mut self, batch: Batch) -> Result<Self::Batch>;

    /// y = norm(word\[id\] + position\[p\] + token_type\[t\]), a row for each token of the batch.
    fn embed(
        &mut self,
        tables: &Embeddings<Self::Matrix, Self::Vector>,
        batch: &Self::Batch,
        y: &mut Self::Rows,
    );
    /// y = activation(x · weightᵀ + bias).
    fn linear(
        &mut self,
        x: &Self::Rows,
        weight: &Self::Matrix,
        bias: &Self::Vector,
        activation: Activation,
        y: &mut Self::Rows,
    );
    /// Scaled dot-product attention: each row attends to the keys of its own sequence.
    /// `qkv` is `[rows, 3 · width]` (queries, keys, values; in each, heads side by side), `y` is
    /// `[rows, width]`. `probabilities`, where given, becomes one long column: for each sequence
    /// in turn `[heads, rows, keys]`.
    fn attention(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        y: &mut Self::Rows,
        probabilities: Option<&mut Self::Rows>,
    );
    /// x = norm(x + residual).
    fn add_norm(&mut self, x: &mut Self::Rows, residual: &Self::Rows, norm: &Norm<Self::Vector>);
    /// x = norm(x).
    fn norm(&mut self, x: &mut Self::Rows, norm: &Norm<Self::Vector>);
    /// As [`Backend::attention`], with scores that depend on the columns of query and key: keys further away than
    /// `relative.reach` are not attended to, and `relative.bias` is added. The work grows with the reach, not with
    /// the sequence.
    fn attention_relative(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        relative: &Relative<'_, Self::Vector>,
        y: &mut Self::Rows,
        probabilities: Option<&mut Self::Rows>,
    );
    /// Turns the queries and keys of `qkv`, as [`Backend::attention`] takes them: of each head the pairs of columns
    /// (i, i + head_dim / 2), by the token's position · theta^(-2i / head_dim).
    fn rotary(&mut self, qkv: &mut Self::Rows, batch: &Self::Batch, heads: usize, theta: f32);
    /// y = activation(a) · b, element by element, of the halves a and b of each row of x.
    fn gate(&mut self, x: &Self::Rows, activation: Activation, y: &mut Self::Rows);
    /// residual += x, then x = norm(residual).
    fn residual_norm(
        &mut self,
        x: &mut Self::Rows,
        residual: &mut Self::Rows,
        norm: &Norm<Self::Vector>,
    );
    /// The mean of the rows of each sequence's keys: y is `[sequences, width]`.
    fn mean(&mut self, x: &Self::Rows, batch: &Self::Batch, y: &mut Self::Rows);
    /// The chosen rows of x, in that order.
    fn gather(&mut self, x: &Self::Rows, rows: &[u32], y: &mut Self::Rows);
    /// What a softmax over each row of x needs and its k greatest numbers, so that x itself need
    /// not be read: y is `[rows, 1 + 2k]`, with Σ exp(x - greatest), the k greatest, greatest first
    /// and of equals the first, and the columns they are in. k is 1 at least and x.cols at most.
    fn top(&mut self, x: &Self::Rows, k: usize, y: &mut Self::Rows);
    /// Computes what was recorded and copies these results to the host, row-major.
    ///
    /// # Errors
    /// `DeviceLost`, `OutOfMemory`.
    async fn read(&mut self, rows: &[&Self::Rows]) -> Result<Vec<Vec<f32>>>;
}
