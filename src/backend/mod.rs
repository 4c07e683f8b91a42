//! The interface of a device: the kernels that it implements. Rows are tokens; the sequences of a
//! batch follow each other. Shapes are checked when weights load and when a batch is packed, so
//! kernels do not check them. A kernel call may only be recorded: results are computed by
//! [`Backend::read`] at the latest, which also reports the failure of an earlier kernel, e.g. a
//! lack of memory.

#[cfg(any(feature = "cpu", all(feature = "gpu", feature = "train")))]
pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
mod processor;
pub mod train;

pub use processor::Processor;
pub use webert_kernels::{Activation, Distances, NormKind, Precision, Rotation};

use std::ops::Range;

use crate::Result;
use crate::batch::Batch;

/// Approximate rows per forward pass on a CPU: with 512 rows of a base model, the activations stay
/// in the second-level cache. Software adapters use it as well, because they run on the CPU.
pub(crate) const CACHED_ROWS: usize = 512;

/// A linear layer: y = activation(x · weightᵀ + bias).
#[derive(Debug)]
pub struct Linear<M, V> {
    /// `[outputs, inputs]`
    pub weight: M,
    /// `[outputs]`
    pub bias: V,
    /// Applied to each element.
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

/// A norm over a row, with scale and shift.
#[derive(Debug)]
pub struct Norm<V> {
    /// `[width]`
    pub weight: V,
    /// `[width]`
    pub bias: V,
    /// Added to the variance, inside the root.
    pub eps: f32,
    /// LayerNorm in most families.
    pub kind: NormKind,
}

/// The embedding tables. A token's first vector is the sum of one row of each.
#[derive(Debug)]
pub struct Embeddings<M, V> {
    /// `[vocabulary, width]`
    pub word: M,
    /// `[positions, width]`. `None` if positions enter through attention only.
    pub position: Option<M>,
    /// `[types, width]`. `None` if the model has no token types.
    pub token_type: Option<M>,
    /// `[types, width]`: task types, 0 for every token. `None` if the model has none.
    pub task_type: Option<M>,
    /// Applied to the sum.
    pub norm: Option<Norm<V>>,
}

impl<M, V> Embeddings<M, V> {
    /// Word embeddings alone. A model with more than these sets the other fields.
    pub fn new(word: M) -> Self {
        Self { word, position: None, token_type: None, task_type: None, norm: None }
    }
}

/// How attention scores depend on the distance of two tokens: see [`Batch::columns`].
#[derive(Debug)]
pub struct Relative<'a, V> {
    /// Greatest distance of a key that is attended to. `None`: no limit.
    pub reach: Option<usize>,
    /// Bias added to the scores by distance, `[buckets, heads]`: see [`webert_kernels::bucket`].
    pub bias: Option<&'a V>,
    /// Vectors of distances, `[2 · positions - 1, head_dim]`, and whether keys are multiplied as well as
    /// queries: see [`webert_kernels::DistanceVectors`]. Not together with a bias.
    pub distances: Option<(&'a V, bool)>,
}

/// How attention scores depend on relative positions: see [`webert_kernels::Disentangled`].
#[derive(Debug)]
pub struct Disentangled<'a, R> {
    /// Projections of rows of the table of relative positions, `[rows, cols]`. `None`: scores
    /// depend on contents only.
    pub positions: Option<&'a R>,
    /// Row of the table that is the first row of `positions`.
    pub first: usize,
    /// The row of the table for each distance.
    pub distances: Distances,
    /// First column of positions as keys, if queries are compared with them.
    pub keys: Option<usize>,
    /// First column of positions as queries, if keys are compared with them.
    pub queries: Option<usize>,
    /// Multiplies the width of a head under the root of the scale.
    pub factor: usize,
}

/// A device that runs the kernels.
#[allow(async_fn_in_trait, reason = "the futures stay on one thread, as JavaScript's do")]
pub trait Backend {
    /// A weight matrix `[rows, cols]` in the layout and precision that the kernels read.
    type Matrix;
    /// A weight vector, f32.
    type Vector;
    /// Activations, f32 `[rows, cols]`. The kernel that writes them sets their shape.
    type Rows: Default;
    /// A batch on the device.
    type Batch;

    /// Returns a matrix of zeros.
    ///
    /// # Errors
    /// `OutOfMemory`, or `Unsupported` if the size exceeds a limit of the device.
    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Self::Matrix>;
    /// Returns a vector of zeros. Errors: as [`Backend::matrix`].
    fn vector(&mut self, len: usize) -> Result<Self::Vector>;
    /// Stores whole rows of a matrix, starting at `first_row`; `values` is row-major.
    fn write(&mut self, matrix: &mut Self::Matrix, first_row: usize, values: &[f32]);
    /// Stores elements of a vector, starting at `first`.
    fn write_vector(&mut self, vector: &mut Self::Vector, first: usize, values: &[f32]);
    /// Copies a batch to the device.
    fn upload(&mut self, batch: Batch) -> Result<Self::Batch>;

    /// y = norm(word\[id\] + position\[p\] + token_type\[t\]), one row per token of the batch.
    fn embed(
        &mut self,
        tables: &Embeddings<Self::Matrix, Self::Vector>,
        batch: &Self::Batch,
        y: &mut Self::Rows,
    );
    /// y = word\[id\] + position\[p\] + token_type\[t\], without LayerNorm.
    fn embed_sum(
        &mut self,
        tables: &Embeddings<Self::Matrix, Self::Vector>,
        batch: &Self::Batch,
        y: &mut Self::Rows,
    );
    /// y = the given rows of a table, in that order.
    fn lookup(&mut self, table: &Self::Matrix, rows: &[u32], y: &mut Self::Rows);
    /// y = activation(x · weightᵀ + bias).
    fn linear(
        &mut self,
        x: &Self::Rows,
        weight: &Self::Matrix,
        bias: &Self::Vector,
        activation: Activation,
        y: &mut Self::Rows,
    );
    /// Scaled dot-product attention. Each row attends to the keys of its own sequence. `qkv` is
    /// `[rows, 3 · width]`: queries, keys, values, each with its heads side by side. `y` is
    /// `[rows, width]`. `probabilities`, if given, becomes one long column: `[heads, rows, keys]`
    /// for each sequence in turn.
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
    /// [`Backend::attention`] with scores that depend on the distance of query and key. Keys
    /// further away than `relative.reach` are not attended to, and `relative.bias` is added. The
    /// cost grows with the reach, not with the length of the sequence.
    fn attention_relative(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        relative: &Relative<'_, Self::Vector>,
        y: &mut Self::Rows,
        probabilities: Option<&mut Self::Rows>,
    );
    /// [`Backend::attention`] with scores that compare contents with relative positions. A row that
    /// is no key of its sequence is masked: its result is the mean of the values of all tokens,
    /// masked ones included.
    #[allow(clippy::too_many_arguments, reason = "as attention_relative")]
    fn attention_disentangled(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        disentangled: &Disentangled<'_, Self::Rows>,
        y: &mut Self::Rows,
        probabilities: Option<&mut Self::Rows>,
    );
    /// y = each row's neighbours, `[rows, cols · taps]`: column c · taps + t is column c of the key
    /// that is t - taps / 2 positions after the row in its sequence, or 0 if there is none. If
    /// `masked`, tokens that are no keys count as well.
    fn unfold(
        &mut self,
        x: &Self::Rows,
        batch: &Self::Batch,
        taps: usize,
        masked: bool,
        y: &mut Self::Rows,
    );
    /// y = a depthwise convolution of x, `[rows, cols]`, with `weights` `[cols, taps]`: see
    /// [`webert_kernels::depthwise`].
    fn depthwise(
        &mut self,
        x: &Self::Rows,
        weights: &Self::Vector,
        batch: &Self::Batch,
        y: &mut Self::Rows,
    );
    /// y = a convolution of x, `[rows, cols]`, with the `kernels` of each row,
    /// `[rows, heads · taps]`: see [`webert_kernels::span_convolution`].
    fn span_convolution(
        &mut self,
        x: &Self::Rows,
        kernels: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        y: &mut Self::Rows,
    );
    /// y = some columns of the first rows beside some columns of the second, `[rows, columns of both
    /// ranges]`.
    fn columns(&mut self, x: [&Self::Rows; 2], ranges: [Range<usize>; 2], y: &mut Self::Rows);
    /// y += x.
    fn add(&mut self, x: &Self::Rows, y: &mut Self::Rows);
    /// Sets the given rows of x to 0.
    fn clear_rows(&mut self, x: &mut Self::Rows, rows: &[u32]);
    /// Rotates the queries and keys of `qkv`, which has the layout of [`Backend::attention`]. In
    /// each head the i-th pair of columns is rotated by the token's position · theta^(-2i /
    /// head_dim), or by the angle of `table`, which has the sines and then the cosines of each
    /// position, `[positions, head_dim]`.
    fn rotary(
        &mut self,
        qkv: &mut Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        rotation: &Rotation,
        table: Option<&Self::Vector>,
    );
    /// y = activation(a) · b for each element, with a and b the halves of each row of x.
    fn gate(&mut self, x: &Self::Rows, activation: Activation, y: &mut Self::Rows);
    /// residual += x, then x = norm(residual).
    fn residual_norm(
        &mut self,
        x: &mut Self::Rows,
        residual: &mut Self::Rows,
        norm: &Norm<Self::Vector>,
    );
    /// Multiplies each row of x by one of `factors`, `[rows]`.
    fn scale_rows(&mut self, x: &mut Self::Rows, factors: &[f32]);
    /// y = the mean of the rows of each sequence's keys, `[sequences, width]`.
    fn mean(&mut self, x: &Self::Rows, batch: &Self::Batch, y: &mut Self::Rows);
    /// y = the given rows of x, in that order.
    fn gather(&mut self, x: &Self::Rows, rows: &[u32], y: &mut Self::Rows);
    /// Returns the sum of a softmax over each row of x and its k largest numbers, so that x itself
    /// need not be read. y is `[rows, 1 + 2k]`: Σ exp(x - maximum), the k largest numbers in
    /// descending order, and their columns. Among equal numbers the lower column comes first. k
    /// must be from 1 to x.cols.
    fn top(&mut self, x: &Self::Rows, k: usize, y: &mut Self::Rows);
    /// Computes the recorded calls and copies these results to the host, row-major.
    ///
    /// # Errors
    /// `DeviceLost`, `OutOfMemory`, `Unsupported` if a recorded call exceeds a limit of the device.
    async fn read(&mut self, rows: &[&Self::Rows]) -> Result<Vec<Vec<f32>>>;
}
