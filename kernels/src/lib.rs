//! CPU kernels for BERT: matrix products in f32 and int8, attention, LayerNorm, embeddings, gather
//! and top-k. They do not depend on BERT's layers, on files or on JavaScript.
//!
//! - `ops`: the public functions, one operation per file, named like its GPU shader
//! - `gemm`: y = x · Wᵀ with packed panels and register tiles, in f32 and int8
//! - `quant`: weights and activations in 8 bits, after a rotation that spreads outliers
//! - `philox`: counter-based random numbers for dropout
//! - `simd`: vectors of 4 × f32, 4 × i32 and 8 × i16
//! - [`threads`]: the thread pool, and the only `unsafe`
//!
//! The kernels are a separate crate because cargo sets the optimisation level per crate: kernels
//! are compiled for speed, everything else for size. No public function here is generic or inlined,
//! because such functions are compiled in the calling crate.
//!
//! # Example
//!
//! ```
//! use webert_kernels::{Activation, Matrix, Precision, Rows, Workspace, linear};
//!
//! # fn main() -> Result<(), webert_kernels::OutOfMemory> {
//! let mut weight = Matrix::zeros(3, 2, Precision::F32)?; // [outputs, inputs]
//! weight.write(0, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
//! let bias = [0.0, 0.0, 10.0];
//! let x = Rows { data: vec![2.0, -3.0], rows: 1, cols: 2 }; // one token
//! let mut y = Rows::default();
//! linear(&x, &weight, &bias, Activation::Relu, &mut y, &mut Workspace::default())?;
//! assert_eq!((y.rows, y.cols), (1, 3));
//! assert_eq!(y.data, [2.0, 0.0, 9.0]);
//! # Ok(())
//! # }
//! ```

#![deny(clippy::too_many_lines)] // clippy.toml has the limit
#![cfg_attr(target_feature = "atomics", feature(stdarch_wasm_atomic_wait))]

mod gemm;
mod ops;
mod philox;
mod quant;
mod simd;
pub mod threads;

pub use gemm::{Matrix, OutOfMemory, Precision, add_product};
pub use ops::{
    Activation, AdamW, AttentionKept, CrossEntropy, Disentangled, DisentangledKept,
    DistanceVectors, Distances, Dropout, IGNORED, MAX_DISTANCE, Moments, NormForward,
    NormGradients, NormKind, Parameter, QUERY_SUM_MAX, Relative, Rotation, Table, activation,
    activation_backward, adamw, add, add_norm, attention, attention_backward,
    attention_disentangled, attention_disentangled_backward, attention_forward, attention_relative,
    binary_cross_entropy, bucket, columns, cross_entropy, cross_entropy_of_groups, depthwise,
    divergence, dropout, embed, embed_backward, embed_sum, gate, gather, gather_backward, linear,
    linear_backward_input, linear_backward_weight, mean_pool, mean_pool_backward, mean_square,
    norm, norm_backward, norm_forward, norm_of_kind, residual_norm, rotary, scale_rows, score_rows,
    score_rows_f32, sgd, span_convolution, sum_of_squares, top_indices, top_k, unfold,
};
pub use philox::philox4x32;
pub use simd::NAME as SIMD;
#[cfg(feature = "simulation")]
pub use threads::simulation;

use std::ops::Range;

use simd::Aligned;

/// Activations `[rows, cols]`, row-major f32.
#[derive(Debug, Default)]
pub struct Rows {
    /// `rows · cols` numbers.
    pub data: Vec<f32>,
    /// Number of rows; e.g. one per token.
    pub rows: usize,
    /// Number of columns; e.g. features of a token.
    pub cols: usize,
}

impl Rows {
    /// Sets the shape to `[rows, cols]`. The numbers are unspecified until they are overwritten.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the numbers do not fit in memory. Shape and numbers are then
    /// unchanged.
    pub fn shape(&mut self, rows: usize, cols: usize) -> Result<(), OutOfMemory> {
        let out_of_memory = OutOfMemory { rows, cols };
        let len = rows.checked_mul(cols).ok_or(out_of_memory)?;
        let more = len.saturating_sub(self.data.len());
        self.data.try_reserve_exact(more).map_err(|_| out_of_memory)?;
        self.data.resize(len, 0.0);
        self.rows = rows;
        self.cols = cols;
        Ok(())
    }
}

/// Rows of a batch that form one sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// All rows of the sequence. The first is the token that heads for whole texts read.
    pub rows: Range<usize>,
    /// Rows that its tokens attend to: all of `rows`, except a first token that is masked.
    pub keys: Range<usize>,
}

/// Buffers that kernels reuse in every call, one set per thread. The number of sets is the number
/// of threads among which kernels share their work.
#[derive(Debug)]
pub struct Workspace {
    /// Rows of x packed for the tiles of a linear layer.
    packed: Aligned<f32>,
    /// Panels of one operand in the gradients of a linear layer.
    panels: Aligned<f32>,
    threads: Vec<ThreadWorkspace>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
struct ThreadWorkspace {
    /// A panel of weights widened to f32.
    panel: Aligned<[f32; gemm::LANES]>,
    /// A row before quantization, or a dequantized row.
    row: Aligned<f32>,
    attention: ops::AttentionBuffers,
    attention_backward: ops::AttentionBackwardBuffers,
    disentangled: ops::DisentangledBuffers,
}

impl Workspace {
    /// Returns buffers for at most `threads` threads, including the caller. There are fewer if no
    /// more threads can be started.
    pub fn new(threads: usize) -> Self {
        let threads = threads::ensure_workers(threads);
        Self {
            packed: Aligned::default(),
            panels: Aligned::default(),
            threads: (0..threads).map(|_| ThreadWorkspace::default()).collect(),
        }
    }

    /// Returns the number of threads, including the caller.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new(1)
    }
}
