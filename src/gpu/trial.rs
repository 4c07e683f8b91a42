//! A trial of the arithmetic in few bits before it is trusted: some GPUs and drivers compute it
//! wrongly, and say nothing.

use super::{Gpu, Matrix, Rows};
use crate::backend::{Activation, Backend, Precision};
use crate::{Error, Result};

/// The precisions that are tried.
const TRIED: [Precision; 2] = [Precision::I8, Precision::F16];
/// Inputs of the layer tried: three blocks and a piece.
const INPUTS: usize = 100;
const OUTPUTS: usize = 70;
/// Rows: one kernel takes one to four, another more.
const ROWS: [usize; 2] = [3, 37];

impl Gpu {
    /// Tries the layers with the precisions of the matrices made so far against the same in f32 on
    /// the CPU. Arithmetic that is wrong is replaced by that of 32 bits; [`Gpu::note`] says so.
    ///
    /// # Errors
    /// `Unsupported` where that is wrong, too; `DeviceLost`.
    pub async fn trial(&mut self) -> Result<()> {
        for precision in TRIED {
            let tolerance = if precision == Precision::I8 { 1e-2 } else { 4e-3 };
            if !self.low.used.contains(&precision) {
                continue;
            }
            let mut error = self.error(precision).await?;
            let name = if precision == Precision::I8 { "q8" } else { "fp16" };
            let low = match precision {
                Precision::I8 => &mut self.low.int8,
                _ => &mut self.low.half,
            };
            if error > tolerance && std::mem::take(low) {
                self.low.note = Some(format!(
                    "this GPU computes {name} wrongly (error {}): computing in fp32",
                    thousandths(error)
                ));
                error = self.error(precision).await?;
            }
            if error > tolerance {
                return Err(Error::Unsupported(format!(
                    "this GPU computes {name} wrongly: error {}, expected {}",
                    thousandths(error),
                    thousandths(tolerance)
                )));
            }
        }
        Ok(())
    }

    /// What did not stand the trial.
    pub fn note(&self) -> Option<&str> {
        self.low.note.as_deref()
    }

    /// Has the kernels of the trial compiled.
    pub(super) fn rehearse_trial(&mut self) -> Result<()> {
        for precision in TRIED {
            if self.low.used.contains(&precision) {
                let weight = self.matrix(OUTPUTS, INPUTS, precision)?;
                for rows in ROWS {
                    let mut x = Rows::default();
                    self.shape(&mut x, rows, INPUTS);
                    self.try_layer(&weight, &x)?;
                }
            }
        }
        Ok(())
    }

    /// The greatest error of a layer, in units of Σ |x · w|.
    async fn error(&mut self, precision: Precision) -> Result<f32> {
        let weights = numbers(OUTPUTS, 1);
        let mut weight = self.matrix(OUTPUTS, INPUTS, precision)?;
        self.write(&mut weight, 0, &weights);
        // what is written comes before all that is recorded: into memory that nothing else uses
        let mut xs = [Rows::default(), Rows::default()];
        for (x, rows) in xs.iter_mut().zip(ROWS) {
            let buffer = self.shape(x, rows, INPUTS);
            self.device.write(&buffer, 0, bytemuck::cast_slice(&numbers(rows, 2)));
        }
        let ys = [self.try_layer(&weight, &xs[0])?, self.try_layer(&weight, &xs[1])?];
        let got = self.read(&[&ys[0], &ys[1]]).await?;
        let errors =
            ROWS.iter().zip(&got).map(|(&rows, got)| farthest(got, &numbers(rows, 2), &weights));
        Ok(errors.fold(0.0, f32::max))
    }

    fn try_layer(&mut self, weight: &Matrix, x: &Rows) -> Result<Rows> {
        let bias = self.vector(OUTPUTS)?;
        let mut y = Rows::default();
        self.linear(x, weight, &bias, Activation::Identity, &mut y);
        Ok(y)
    }
}

/// A number for a message. Formatting floats would be 17 kB of WebAssembly for this alone.
fn thousandths(number: f32) -> String {
    format!("{}/1000", (1e3 * number).round() as u16)
}

/// Rows of numbers between -1 and 1 that look random; but those of the first are all as large as
/// their block allows once they are turned, so that sums come to their limits.
fn numbers(rows: usize, seed: usize) -> Vec<f32> {
    let of = |n: usize| {
        if n < INPUTS {
            return if n % 32 < 4 { 1.0 } else { 0.0 };
        }
        ((n + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0
    };
    (0..rows * INPUTS).map(of).collect()
}

/// The greatest difference of `got` from x · weightᵀ, in units of Σ |x · w|.
fn farthest(got: &[f32], x: &[f32], weights: &[f32]) -> f32 {
    let mut most = 0.0_f32;
    for (x, got) in x.chunks_exact(INPUTS).zip(got.chunks_exact(OUTPUTS)) {
        for (w, got) in weights.chunks_exact(INPUTS).zip(got) {
            let products = x.iter().zip(w).map(|(x, w)| x * w);
            let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
            let error = (got - sum).abs() / size;
            most = most.max(if error.is_nan() { f32::INFINITY } else { error });
        }
    }
    most
}
