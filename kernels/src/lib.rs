//! The CPU kernels: matrix product, attention, LayerNorm. They know nothing of BERT's layers, of
//! files or of JavaScript.
//!
//! They are a crate of their own because cargo sets the optimisation level by crate: these few
//! hundred lines are compiled for speed, everything else for size. For the same reason no public
//! function here is generic or inlined: it would be compiled where it is called.

#![cfg_attr(target_feature = "atomics", feature(stdarch_wasm_atomic_wait))]

mod aligned;
mod attention;
mod dot;
mod embed;
mod factor;
mod int8;
mod integer;
mod linear;
mod linear_int8;
mod math;
mod matrix;
mod norm;
mod rotate;
mod simd;
mod strassen;
pub mod threads;
mod tile;

pub use attention::attention;
pub use embed::{Table, embed};
pub use linear::linear;
pub use math::{Activation, exp_sum};
pub use matrix::{Matrix, OutOfMemory, Precision};
pub use norm::{add_norm, norm};
pub use simd::NAME as SIMD;

use std::ops::Range;

use aligned::Aligned;

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
    ///
    /// # Errors
    /// Where there is no memory for it. The rows are then as they were.
    pub fn shape(&mut self, rows: usize, cols: usize) -> Result<(), OutOfMemory> {
        let lack = OutOfMemory { rows, cols };
        let len = rows.checked_mul(cols).ok_or(lack)?;
        self.data.try_reserve_exact(len.saturating_sub(self.data.len())).map_err(|_| lack)?;
        self.data.resize(len, 0.0);
        self.rows = rows;
        self.cols = cols;
        Ok(())
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

/// Buffers that kernels reuse from call to call, and the threads that share their work.
#[derive(Debug)]
pub struct Scratch {
    /// Rows packed for the tiles of a linear layer.
    packed: Aligned<f32>,
    threads: Vec<OneThread>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
struct OneThread {
    /// A panel of weights widened to f32.
    panel: Aligned<[f32; matrix::VECTOR]>,
    /// A row on its way to 8 bits or back.
    row: Aligned<f32>,
    attention: attention::Scratch,
}

impl Scratch {
    /// For kernels that share their work among up to `threads` threads, the caller's included.
    pub fn new(threads: usize) -> Self {
        let team = threads::team(threads);
        Self {
            packed: Aligned::default(),
            threads: (0..team).map(|_| OneThread::default()).collect(),
        }
    }

    /// How many threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new(1)
    }
}
