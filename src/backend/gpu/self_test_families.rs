//! The self-test of the kernels of families other than BERT, for models that use them.

use super::Gpu;
use super::GpuRows;
use super::choice::{Op, Shape};
use super::self_test::{
    HEADS, LENGTH, TOLERANCE, attended, check, difference, normed, numbers, sums,
};
use crate::backend::{Activation, Backend, Norm, NormKind, Relative, Rotation};
use crate::batch::{Batch, Sequence};
use crate::{Error, Result};

/// Reach of the tested attention: less than the length, more than a tile of four keys.
const REACH: usize = 6;
const THETA: f32 = 100.0;
const BUCKETS: usize = 8;
/// Size of the tested bias: buckets times heads.
const BIASES: usize = BUCKETS * HEADS;

/// Recorded results. Each is computed from the one before.
struct Recorded {
    /// Sums of two inputs.
    residual: GpuRows,
    /// LayerNorm of the sums.
    normed: GpuRows,
    /// The normalized rows as queries, keys and values, after rotation.
    turned: GpuRows,
    /// Attention over the rotated rows.
    attended: GpuRows,
    /// The gate of the rotated rows.
    gated: GpuRows,
}

impl Gpu {
    /// Compiles the kernels of the test, if a model uses any of them.
    pub(super) fn warm_up_families(&mut self) -> Result<()> {
        if self.tables.used {
            self.record_families()?;
        }
        Ok(())
    }

    /// Compares the kernels with naive code, each for the GPU's input. Errors: as
    /// [`Gpu::self_test`].
    pub(super) async fn test_families(&mut self) -> Result<()> {
        if !self.tables.used {
            return Ok(());
        }
        while let Some(wrong) = self.families_failure().await? {
            // The self-test of attention has judged all variants without positions.
            let variant = self.variant((Op::Attention, Shape::Medium));
            self.judge(Op::Attention, variant, Err(wrong))?;
            if !self.is_possible(Op::Attention) {
                check("attention by distance", f32::INFINITY, TOLERANCE)?;
            }
        }
        Ok(())
    }

    /// Compares the kernels once. Returns why attention is wrong, if it is. Errors: `Unsupported`
    /// if another kernel is wrong.
    async fn families_failure(&mut self) -> Result<Option<Error>> {
        let made = self.record_families()?;
        let wanted = [&made.residual, &made.normed, &made.turned, &made.attended, &made.gated];
        let got = self.read(&wanted).await?;
        let [residual, norms, turned, attention, gated] = got.as_slice() else { return Ok(None) };
        let cols = 3 * HEADS * self.head_dim;
        check("sums of layers", difference(residual, &sums([5, 6], cols)), TOLERANCE)?;
        check("LayerNorm of a copy", difference(norms, &normed(residual, cols)), TOLERANCE)?;
        let want = turns(norms, self.head_dim);
        check("rotary positions", difference(turned, &want), TOLERANCE)?;
        let want = by_distance(turned, self.head_dim, self.tables.biased);
        let wrong = check("attention by distance", difference(attention, &want), TOLERANCE);
        check("the gate", difference(gated, &gates(turned, cols)), TOLERANCE)?;
        Ok(wrong.err())
    }

    fn record_families(&mut self) -> Result<Recorded> {
        let cols = 3 * HEADS * self.head_dim;
        let [mut residual, mut normed] = [5, 6].map(|seed| self.input(LENGTH, cols, seed));
        let mut norm = Norm {
            weight: self.vector(cols)?,
            bias: self.vector(cols)?,
            eps: 0.0,
            kind: NormKind::Layer,
        };
        let mut bias = self.vector(BIASES)?;
        if !self.warming_up {
            self.write_vector(&mut norm.weight, 0, &vec![1.0; cols]);
            self.write_vector(&mut bias, 0, &numbers(BIASES, 200));
        }
        let [ids, types] = [(); 2].map(|()| vec![0; LENGTH]);
        let columns: Vec<u32> = (0..LENGTH as u32).collect();
        let sequences = vec![Sequence { rows: 0..LENGTH, keys: 0..LENGTH }];
        let positions = columns.clone();
        let batch =
            self.upload(Batch { ids, types, positions, columns, sequences, ..Batch::default() })?;
        self.residual_norm(&mut normed, &mut residual, &norm);
        let rows: Vec<u32> = (0..LENGTH as u32).collect();
        let [mut turned, mut attended, mut gated] = [(); 3].map(|()| GpuRows::default());
        self.gather(&normed, &rows, &mut turned);
        let rotation = Rotation { theta: THETA, interleaved: false, values: false };
        self.rotary(&mut turned, &batch, HEADS, &rotation, None);
        let bias = self.tables.biased.then_some(&bias);
        let relative = Relative { reach: Some(REACH), bias, distances: None };
        self.attention_relative(&turned, &batch, HEADS, &relative, &mut attended, None);
        self.gate(&turned, Activation::Relu, &mut gated);
        Ok(Recorded { residual, normed, turned, attended, gated })
    }
}

fn turns(x: &[f32], head_dim: usize) -> Vec<f32> {
    let (mut y, half) = (x.to_vec(), head_dim / 2);
    for (position, row) in y.chunks_exact_mut(3 * HEADS * head_dim).enumerate() {
        for head in row[..2 * HEADS * head_dim].chunks_exact_mut(head_dim) {
            for i in 0..half {
                let frequency = THETA.powf(-(i as f32) / half as f32);
                let (sine, cosine) = (position as f32 * frequency).sin_cos();
                let (a, b) = (head[i], head[half + i]);
                (head[i], head[half + i]) = (a * cosine - b * sine, b * cosine + a * sine);
            }
        }
    }
    y
}

/// Returns attention within [`REACH`], with a bias by distance if `biased`.
fn by_distance(x: &[f32], head_dim: usize, biased: bool) -> Vec<f32> {
    let biases = numbers(BIASES, 200);
    let near = |row: usize| row.saturating_sub(REACH)..LENGTH.min(row + REACH + 1);
    let bias = |row: usize, key: usize, head: usize| {
        let bucket = webert_kernels::bucket(key as i64 - row as i64, BUCKETS);
        if biased { biases[bucket * HEADS + head] } else { 0.0 }
    };
    attended(x, head_dim, near, bias)
}

fn gates(x: &[f32], cols: usize) -> Vec<f32> {
    let gate = |row: &[f32]| {
        let (a, b) = row.split_at(cols / 2);
        a.iter().zip(b).map(|(a, b)| a.max(0.0) * b).collect::<Vec<_>>()
    };
    x.chunks_exact(cols).flat_map(gate).collect()
}
