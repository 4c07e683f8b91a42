//! CPU kernels for BERT: matrix products in f32 and int8, attention, LayerNorm, embeddings, gather
//! and top-k. They know nothing of BERT's layers, of files or of JavaScript.
//!
//! - `ops`: one operation a file, under the name of its GPU shader; these are the public functions
//! - `gemm`: y = x · Wᵀ by packed panels and register tiles, in f32 and in int8
//! - `quant`: weights and activations in 8 bits, after a rotation that spreads outliers
//! - `philox`: random numbers by counter, for dropout
//! - `simd`: vectors of 4 × f32, 4 × i32 and 8 × i16
//! - [`threads`]: the thread pool, and the only `unsafe`
//!
//! They are a crate of their own because cargo sets the optimisation level by crate: these kernels
//! are compiled for speed, everything else for size. For the same reason no public function here
//! is generic or inlined: it would be compiled where it is called.
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

#![cfg_attr(target_feature = "atomics", feature(stdarch_wasm_atomic_wait))]

mod gemm;
mod ops;
mod philox;
mod quant;
mod simd;
pub mod threads;

pub use gemm::{Matrix, OutOfMemory, Precision, add_product};
pub use ops::{
    Activation, AdamW, AttentionKept, CrossEntropy, Dropout, IGNORED, MAX_DISTANCE, Moments,
    NormForward, NormGradients, Parameter, QUERY_SUM_MAX, Relative, Table, activation,
    activation_backward, adamw, add, add_norm, attention, attention_backward, attention_forward,
    attention_relative, binary_cross_entropy, bucket, cross_entropy, cross_entropy_of_groups,
    dropout, embed, embed_backward, embed_sum, gate, gather, gather_backward, linear,
    linear_backward_input, linear_backward_weight, mean_pool, mean_pool_backward, mean_square,
    norm, norm_backward, norm_forward, residual_norm, rotary, score_rows, score_rows_f32, sgd,
    sum_of_squares, top_indices, top_k,
};
pub use philox::philox4x32;
pub use simd::NAME as SIMD;

use std::ops::Range;

use simd::Aligned;

/// Activations `[rows, cols]`, row-major f32.
#[derive(Debug, Default)]
pub struct Rows {
    /// `rows · cols` numbers.
    pub data: Vec<f32>,
    /// Rows: one a token.
    pub rows: usize,
    /// Columns: features of a token.
    pub cols: usize,
}

impl Rows {
    /// Sets the shape to `[rows, cols]`. The numbers are unspecified until they are overwritten.
    ///
    /// # Errors
    /// [`OutOfMemory`] where they do not fit in memory; shape and numbers are then unchanged.
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

/// The rows of a batch that are one sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// Its rows; the first is the token that heads for whole texts read.
    pub rows: Range<usize>,
    /// The rows its tokens attend to: all of `rows`, but for a first token that is masked.
    pub keys: Range<usize>,
}

/// Buffers that kernels reuse from call to call, one set a thread. Their number is the number of
/// threads that kernels share their work among.
#[derive(Debug)]
pub struct Workspace {
    /// Rows of x packed for the tiles of a linear layer.
    packed: Aligned<f32>,
    /// Panels of an operand of a linear layer's gradient.
    panels: Aligned<f32>,
    threads: Vec<ThreadWorkspace>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
struct ThreadWorkspace {
    /// A panel of weights widened to f32.
    panel: Aligned<[f32; gemm::LANES]>,
    /// A row to be quantized, or that was dequantized.
    row: Aligned<f32>,
    attention: ops::AttentionBuffers,
    attention_backward: ops::AttentionBackwardBuffers,
}

impl Workspace {
    /// For up to `threads` threads, the caller's included; fewer where no more can be had.
    pub fn new(threads: usize) -> Self {
        let threads = threads::ensure_workers(threads);
        Self {
            packed: Aligned::default(),
            panels: Aligned::default(),
            threads: (0..threads).map(|_| ThreadWorkspace::default()).collect(),
        }
    }

    /// Number of threads, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new(1)
    }
}
