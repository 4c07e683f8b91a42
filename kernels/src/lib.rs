//! The CPU kernels: matrix product, attention, LayerNorm. They know nothing of BERT's layers, of
//! files or of JavaScript.
//!
//! They are a crate of their own because cargo sets the optimisation level by crate: these few
//! hundred lines are compiled for speed, everything else for size. For the same reason no public
//! function here is generic or inlined: it would be compiled where it is called.

mod attention;
mod linear;
mod math;
mod matrix;
mod norm;
mod simd;
mod tile;

pub use attention::attention;
pub use linear::linear;
pub use math::Activation;
pub use matrix::{Matrix, OutOfMemory, Precision};
pub use norm::{add_norm, norm};
pub use simd::NAME as SIMD;

use std::ops::Range;

/// Activations `[rows, cols]`, row-major.
#[derive(Debug, Default)]
pub struct Rows {
    /// `rows · cols` numbers.
    pub data: Vec<f32>,
    /// Rows: tokens.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
}

impl Rows {
    /// Gives the rows a shape; what they hold is left to be overwritten.
    pub fn shape(&mut self, rows: usize, cols: usize) {
        self.data.resize(rows * cols, 0.0);
        self.rows = rows;
        self.cols = cols;
    }
}

/// Where one sequence lies among the rows of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// Its rows; the first is the token that heads for whole texts read.
    pub rows: Range<usize>,
    /// The rows its tokens attend to: all of `rows`, but for a first token that is masked.
    pub keys: Range<usize>,
}

/// Buffers that kernels reuse from call to call.
#[derive(Debug, Default)]
pub struct Scratch {
    linear: linear::Scratch,
    attention: attention::Scratch,
}
