//! The GPU as a device for models.

use super::matrix::{groups, matrix_bytes};
use super::{Gpu, GpuMatrix};
use crate::Result;
use crate::backend::{CACHED_ROWS, Precision, Processor};

/// Number of rows that keeps a large GPU busy.
const MAX_ROWS: u64 = 4096;
/// Multiplications per pass: about a second on a small GPU. A call can be cancelled between two
/// passes.
const PASS_PRODUCTS: u64 = 100_000_000_000;
/// Seconds of a pass on a GPU that was measured.
const PASS_SECONDS: f64 = 0.2;

impl Processor for Gpu {
    const NAME: &'static str = "webgpu";
    const SIMD: &'static str = "none";
    const PRECISION: Option<Precision> = None;
    const COMPILES: bool = true;
    const KEEPS_ACTIVATIONS: bool = false;

    fn matrix_bytes(rows: usize, cols: usize, precision: Precision) -> usize {
        matrix_bytes(rows, cols, precision)
    }

    fn vector_bytes(len: usize) -> usize {
        16 * groups(len)
    }

    fn share(matrix: &GpuMatrix) -> GpuMatrix {
        matrix.clone()
    }

    fn pass_rows(&self, products: u64) -> usize {
        if self.is_software() { CACHED_ROWS } else { rows(products, self.measured_rate()) }
    }

    fn set_threads(&mut self, threads: usize) -> usize {
        threads.min(1)
    }

    fn begin_warm_up(&mut self) {
        self.begin_warm_up();
    }

    fn end_warm_up(&mut self) -> Result<()> {
        self.end_warm_up()
    }

    async fn settle(&mut self) -> Result<()> {
        self.settle().await
    }

    fn postpone(&mut self, times_defaults: bool) {
        self.postpone(times_defaults);
    }

    async fn improve(&mut self) -> Result<bool> {
        self.improve().await
    }

    fn note(&self) -> Option<&str> {
        self.note()
    }

    fn kernels(&self) -> Option<String> {
        Some(self.kernels())
    }

    fn restore(&mut self, kernels: &str) {
        self.restore(kernels);
    }

    fn is_lost(&self) -> bool {
        self.is_lost()
    }

    fn has_refused(&self) -> bool {
        self.has_refused()
    }
}

/// Returns the rows per pass on a GPU that is not a software adapter and computes `rate`
/// multiply-adds per second; 0 if that is not known.
fn rows(products: u64, rate: f64) -> usize {
    let most = PASS_PRODUCTS.max((PASS_SECONDS * rate) as u64);
    ((most / products.max(1)).min(MAX_ROWS) as usize).max(CACHED_ROWS)
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn a_pass_has_as_many_rows_as_its_multiplications_allow() {
        for (products, rate, expected) in [
            (1, 0.0, 4096),
            (10_616_832, 0.0, 4096),
            (84_934_656, 0.0, 1177),
            (84_934_656, 1e11, 1177),
            (84_934_656, 1e12, 2354),
            (84_934_656, 1e13, 4096),
            (1 << 40, 0.0, 512),
        ] {
            assert_eq!(rows(products, rate), expected);
        }
    }
}
