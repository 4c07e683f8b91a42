//! A trial of the kernels before they are trusted: some GPUs and drivers compute wrongly, above all
//! in few bits, and say nothing.

use super::{Gpu, Matrix, Rows};
use crate::backend::{Activation, Backend, Norm, Precision};
use crate::batch::{Batch, Sequence};
use crate::ranking::top_k;
use crate::{Error, Result};

/// The precisions of weights with their names and the error of a layer that rounding explains.
const TRIED: [(Precision, &str, f32); 4] = [
    (Precision::I8, "q8", 1e-2),
    (Precision::F16, "fp16", 4e-3),
    (Precision::Bf16, "bf16", 4e-3),
    (Precision::F32, "fp32", 1e-3),
];
/// Inputs of the layer tried: three blocks and a piece.
const INPUTS: usize = 100;
const OUTPUTS: usize = 70;
/// Rows and the side of tiles: one kernel takes one to four rows, another more, by tiles.
const LAYERS: [(usize, usize); 3] = [(3, 32), (37, 32), (37, 64)];
/// Tokens that attention is tried with: a block of queries and keys, and a piece.
const LENGTH: usize = 19;
const HEADS: usize = 4;
/// How many of a row's best are asked for.
const BEST: usize = 3;
/// The error of all else.
const TOLERANCE: f32 = 1e-3;

impl Gpu {
    /// Tries layers with the precisions of the matrices made so far, and what comes between layers,
    /// against the same in f32 on the CPU. Arithmetic in few bits that is wrong is replaced by that
    /// of 32; [`Gpu::note`] says so.
    ///
    /// # Errors
    /// `Unsupported` where that is wrong, too; `DeviceLost`.
    pub async fn trial(&mut self) -> Result<()> {
        for (precision, name, tolerance) in TRIED {
            if !self.low.used.contains(&precision) {
                continue;
            }
            if precision == Precision::I8 && !self.low.int8 && self.device.dot_is_slow {
                let note = "this GPU multiplies floats faster than q8: computing in fp32";
                self.low.note = Some(note.to_owned());
            }
            let mut error = self.error(precision).await?;
            let low = match precision {
                Precision::I8 => Some(&mut self.low.int8),
                Precision::F16 => Some(&mut self.low.half),
                _ => None,
            };
            if error > tolerance && low.is_some_and(std::mem::take) {
                self.low.note = Some(format!(
                    "this GPU computes {name} wrongly (error {}): computing in fp32",
                    thousandths(error)
                ));
                error = self.error(precision).await?;
            }
            check(name, error, tolerance)?;
        }
        self.try_others().await
    }

    /// What of the arithmetic in few bits is not used, and why.
    pub fn note(&self) -> Option<&str> {
        self.low.note.as_deref()
    }

    /// Has the kernels of the trial compiled.
    pub(super) fn rehearse_trial(&mut self) -> Result<()> {
        for (precision, ..) in TRIED {
            if self.low.used.contains(&precision) {
                let weight = self.matrix(OUTPUTS, INPUTS, precision)?;
                self.layers(&weight)?;
            }
        }
        self.others()?;
        Ok(())
    }

    /// The greatest error of layers, in units of Σ |x · w|.
    async fn error(&mut self, precision: Precision) -> Result<f32> {
        let weights = numbers(OUTPUTS * INPUTS, 1);
        let mut weight = self.matrix(OUTPUTS, INPUTS, precision)?;
        self.write(&mut weight, 0, &weights);
        let made = self.layers(&weight)?;
        let got = self.read(&made.each_ref().map(|(_, y)| y)).await?;
        let errors = LAYERS.iter().zip(&got);
        let errors =
            errors.map(|((rows, _), got)| farthest(got, &numbers(rows * INPUTS, 2), &weights));
        Ok(errors.fold(0.0, f32::max))
    }

    /// Calls the layer in every way: what it was given and results.
    fn layers(&mut self, weight: &Matrix) -> Result<[(Rows, Rows); 3]> {
        let bias = self.vector(OUTPUTS)?;
        let mut made = LAYERS.map(|(rows, _)| (self.given(rows, INPUTS, 2), Rows::default()));
        for ((x, y), (_, side)) in made.iter_mut().zip(LAYERS) {
            self.side = Some(side);
            self.linear(x, weight, &bias, Activation::Identity, y);
        }
        self.side = None;
        Ok(made)
    }

    /// Tries what comes between layers, each against the CPU's of what it was given.
    async fn try_others(&mut self) -> Result<()> {
        let [_, x, y, best] = self.others()?;
        let got = self.read(&[&x, &y, &best]).await?;
        let [x, y, best] = [&got[0], &got[1], &got[2]];
        check("LayerNorm", apart(x, &normed(3 * HEADS * self.head)), TOLERANCE)?;
        check("attention", apart(y, &attended(x, self.head)), TOLERANCE)?;
        check("the best scores", apart(best, &ranked(y, HEADS * self.head)), TOLERANCE)
    }

    /// A residual, LayerNorm of it and more, attention over that, and the best scores of the result.
    fn others(&mut self) -> Result<[Rows; 4]> {
        let cols = 3 * HEADS * self.head;
        let [residual, mut x] = [3, 4].map(|seed| self.given(LENGTH, cols, seed));
        let (mut y, mut best) = (Rows::default(), Rows::default());
        let mut norm = Norm { weight: self.vector(cols)?, bias: self.vector(cols)?, eps: 0.0 };
        if !self.rehearsing {
            self.write_vector(&mut norm.weight, 0, &vec![1.0; cols]);
        }
        self.add_norm(&mut x, &residual, &norm);
        let sequences = vec![Sequence { rows: 0..LENGTH, keys: 0..LENGTH }];
        let [ids, types, positions] = [(); 3].map(|()| vec![0; LENGTH]);
        let batch = self.upload(Batch { ids, types, positions, sequences })?;
        self.attention(&x, &batch, HEADS, &mut y, None);
        self.top(&y, BEST, &mut best);
        Ok([residual, x, y, best])
    }

    /// Numbers `[rows, cols]`, whole groups. They come before all that is recorded, so nothing must
    /// have been recorded since the last read: it might use the same memory.
    fn given(&mut self, rows: usize, cols: usize, seed: usize) -> Rows {
        let mut x = Rows::default();
        let buffer = self.shape(&mut x, rows, cols);
        if !self.rehearsing {
            self.device.write(&buffer, 0, bytemuck::cast_slice(&numbers(rows * cols, seed)));
        }
        x
    }
}

fn check(name: &str, error: f32, tolerance: f32) -> Result<()> {
    if error <= tolerance {
        return Ok(());
    }
    let (error, tolerance) = (thousandths(error), thousandths(tolerance));
    Err(Error::Unsupported(format!(
        "this GPU computes {name} wrongly: error {error}, expected {tolerance}"
    )))
}

/// A number for a message. Formatting floats would be 17 kB of WebAssembly for this alone.
fn thousandths(number: f32) -> String {
    format!("{}/1000", (1e3 * number).round() as u16)
}

/// Numbers between -1 and 1 that look random; but those of a layer's first row are all as large as
/// their block allows once they are turned, so that sums come to their limits.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    let of = |n: usize| {
        if n < INPUTS {
            return if n % 32 < 4 { 1.0 } else { 0.0 };
        }
        ((n + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0
    };
    (0..count).map(of).collect()
}

/// The greatest difference of `got` from x · weightᵀ, in units of Σ |x · w|.
fn farthest(got: &[f32], x: &[f32], weights: &[f32]) -> f32 {
    let mut most = 0.0_f32;
    for (x, got) in x.chunks_exact(INPUTS).zip(got.chunks_exact(OUTPUTS)) {
        for (w, got) in weights.chunks_exact(INPUTS).zip(got) {
            let products = x.iter().zip(w).map(|(x, w)| x * w);
            let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
            most = most.max(finite((got - sum).abs() / size));
        }
    }
    most
}

/// The greatest difference.
fn apart(got: &[f32], want: &[f32]) -> f32 {
    let errors = got.iter().zip(want).map(|(got, want)| finite((got - want).abs()));
    errors.fold(0.0, f32::max)
}

/// An error that compares.
fn finite(error: f32) -> f32 {
    if error.is_nan() { f32::INFINITY } else { error }
}

/// LayerNorm of the sums that [`Gpu::others`] makes.
fn normed(cols: usize) -> Vec<f32> {
    let [residual, x] = [3, 4].map(|seed| numbers(LENGTH * cols, seed));
    let mut sums: Vec<f32> = x.iter().zip(&residual).map(|(x, r)| x + r).collect();
    for row in sums.chunks_exact_mut(cols) {
        let mean = row.iter().sum::<f32>() / cols as f32;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / cols as f32;
        row.iter_mut().for_each(|v| *v = (*v - mean) / variance.sqrt());
    }
    sums
}

/// Attention over rows of queries, keys and values.
fn attended(x: &[f32], head: usize) -> Vec<f32> {
    let width = HEADS * head;
    let part = |row, which, number| &x[(3 * row + which) * width + number * head..][..head];
    let mut y = vec![0.0; LENGTH * width];
    for (n, y) in y.chunks_exact_mut(head).enumerate() {
        let (row, number) = (n / HEADS, n % HEADS);
        let share = |key| {
            let pairs = part(row, 0, number).iter().zip(part(key, 1, number));
            (pairs.map(|(q, k)| q * k).sum::<f32>() / (head as f32).sqrt()).exp()
        };
        let shares: Vec<f32> = (0..LENGTH).map(share).collect();
        let total: f32 = shares.iter().sum();
        for (key, share) in shares.iter().enumerate() {
            let values = y.iter_mut().zip(part(key, 2, number));
            values.for_each(|(y, value)| *y += share / total * value);
        }
    }
    y
}

/// What [`Backend::top`] makes of rows.
fn ranked(x: &[f32], cols: usize) -> Vec<f32> {
    let row = |row: &[f32]| {
        let best = top_k(row, BEST);
        let sum = row.iter().map(|score| (score - row[best[0]]).exp()).sum::<f32>();
        let scores = best.iter().map(|&n| row[n]);
        let places = best.iter().map(|&n| n as f32);
        std::iter::once(sum).chain(scores).chain(places).collect::<Vec<_>>()
    };
    x.chunks_exact(cols).flat_map(row).collect()
}
