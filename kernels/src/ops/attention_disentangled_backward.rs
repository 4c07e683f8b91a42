//! Gradient of disentangled attention, for one head and one query at a time.
//!
//! Probabilities are computed again, so no matrix of all queries by all keys exists. P are the
//! probabilities, M the dropout factors, S the scores, α their scale, and r the row of positions for
//! a query and a key:
//!
//! ```text
//! dP[q, k] = M[q, k] · (dy[q] · V[k])          dV[k]  = Σq P[q, k] · M[q, k] · dy[q]
//! dS[q, k] = P[q, k] · (dP[q, k] - Σk P · dP)
//! dQ[q]  = α Σk dS[q, k] · (K[k] + PK[r])      dK[k]  = α Σq dS[q, k] · (Q[q] + PQ[r])
//! dPK[r] = α Σ dS[q, k] · Q[q]                 dPQ[r] = α Σ dS[q, k] · K[k], over all pairs of row r
//! ```

use std::ops::Range;

use super::attention_disentangled::{Disentangled, PositionRows};
use super::dropout::Dropout;
use crate::simd::{F32x4, U32x4};
use crate::threads::parallel_rows;
use crate::{OutOfMemory, Rows, Sequence, Workspace};

/// Inputs of [`super::attention_disentangled`] that the gradient needs.
#[derive(Debug, Clone, Copy)]
pub struct DisentangledKept<'a> {
    /// Queries, keys and values, `[rows, 3 · width]`.
    pub qkv: &'a Rows,
    /// The sequences of the batch.
    pub sequences: &'a [Sequence],
    /// Number of heads.
    pub heads: usize,
    /// How scores depend on relative positions.
    pub of: Disentangled<'a>,
    /// Dropout of the forward pass.
    pub dropout: Option<&'a Dropout>,
}

/// Computes `dqkv`, `[rows, 3 · width]`, and `dpositions`, with the shape of the positions, from `dy`,
/// `[rows, width]`, the gradient with respect to the result. The result of a masked row depends on
/// values only.
///
/// # Errors
/// Returns [`OutOfMemory`] if a result does not fit in memory.
pub fn attention_disentangled_backward(
    kept: DisentangledKept<'_>,
    dy: &Rows,
    dqkv: &mut Rows,
    dpositions: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let DisentangledKept { qkv, sequences, heads, of, .. } = kept;
    let width = qkv.cols / 3;
    let dim = width / heads;
    dqkv.shape(qkv.rows, qkv.cols)?;
    dpositions.shape(of.positions.rows, of.positions.cols)?;
    dpositions.data.fill(0.0);
    let rows = PositionRows::new(sequences, &of);
    // For each head: dQ, dK and dV of all rows, then dPQ and dPK of all positions.
    let parts = [qkv.rows, qkv.rows, qkv.rows, of.positions.rows, of.positions.rows];
    let mut by_head = Rows::default();
    by_head.shape(heads, parts.iter().sum::<usize>() * dim)?;
    by_head.data.fill(0.0);
    let (cols, threads) = (by_head.cols, &mut workspace.threads);
    parallel_rows(threads, &mut by_head.data, cols, heads, &|_, first, to| {
        for (head, to) in (first..).zip(to.chunks_exact_mut(cols)) {
            let mut rest = to;
            let gradients = parts.map(|rows| {
                let (part, others) = std::mem::take(&mut rest).split_at_mut(rows * dim);
                rest = others;
                part
            });
            let (mut gradients, rows) = (Gradients(gradients), &rows);
            let operands = Operands { kept, dy, rows, head, dim };
            for (number, sequence) in sequences.iter().enumerate() {
                gradients.add_sequence(operands, number, sequence);
            }
        }
    });
    for (head, from) in by_head.data.chunks_exact(cols).enumerate() {
        let (of_qkv, of_positions) = from.split_at(3 * qkv.rows * dim);
        for (part, from) in of_qkv.chunks_exact(qkv.rows * dim).enumerate() {
            store(from, dim, part * width + head * dim, dqkv);
        }
        let (queries, keys) = of_positions.split_at(of.positions.rows * dim);
        for (from, first) in [(queries, of.queries), (keys, of.keys)] {
            if let Some(first) = first {
                store(from, dim, first + head * dim, dpositions);
            }
        }
    }
    Ok(())
}

/// Copies rows of `dim` numbers to columns of `to`, beginning at column `first`.
fn store(from: &[f32], dim: usize, first: usize, to: &mut Rows) {
    let cols = to.cols;
    for (to, from) in to.data.chunks_exact_mut(cols).zip(from.chunks_exact(dim)) {
        to[first..first + dim].copy_from_slice(from);
    }
}

/// The operands of one head.
#[derive(Clone, Copy)]
struct Operands<'a> {
    kept: DisentangledKept<'a>,
    dy: &'a Rows,
    rows: &'a PositionRows,
    /// Number of the head.
    head: usize,
    /// Columns of the head.
    dim: usize,
}

impl<'a> Operands<'a> {
    /// Returns the queries (`part` 0), keys (1) or values (2) of a row.
    fn part(&self, row: usize, part: usize) -> &'a [f32] {
        let qkv = self.kept.qkv;
        &qkv.data[row * qkv.cols + part * qkv.cols / 3 + self.head * self.dim..][..self.dim]
    }

    /// Returns a row of positions, whose columns begin at `first`.
    fn position(&self, row: usize, first: usize) -> &'a [f32] {
        let positions = self.kept.of.positions;
        &positions.data[row * positions.cols + first + self.head * self.dim..][..self.dim]
    }

    /// Returns the gradient of a row of the result.
    fn dy(&self, row: usize) -> &'a [f32] {
        &self.dy.data[row * self.dy.cols + self.head * self.dim..][..self.dim]
    }

    /// Returns the scale of the scores.
    fn scale(&self) -> f32 {
        1.0 / ((self.kept.of.factor * self.dim) as f32).sqrt()
    }

    /// Returns the row of positions for a query and a key, given by their rows; 0 if scores do not
    /// depend on positions.
    fn row(&self, query: usize, key: usize) -> usize {
        let of = &self.kept.of;
        if of.keys.is_none() && of.queries.is_none() {
            return 0;
        }
        self.rows.row(i64::from(of.columns[query]) - i64::from(of.columns[key]))
    }

    /// Writes the probabilities of a query to `to`, `[keys]`, before dropout.
    fn probabilities(&self, query: usize, keys: &Range<usize>, to: &mut [f32]) {
        let (scale, q, of) = (self.scale(), self.part(query, 0), &self.kept.of);
        for (to, key) in to.iter_mut().zip(keys.clone()) {
            let (k, row) = (self.part(key, 1), self.row(query, key));
            let mut score = dot(q, k);
            score += of.keys.map_or(0.0, |first| dot(q, self.position(row, first)));
            score += of.queries.map_or(0.0, |first| dot(k, self.position(row, first)));
            *to = score * scale;
        }
        let most = to.iter().fold(f32::NEG_INFINITY, |most, &score| most.max(score));
        to.iter_mut().for_each(|score| *score = (*score - most).exp());
        let sum: f32 = to.iter().sum();
        to.iter_mut().for_each(|score| *score /= sum);
    }

    /// Writes the dropout factors of a query's probabilities to `to`, `[keys]`.
    fn factors(&self, query: usize, sequence: &Sequence, to: &mut [f32]) {
        let Some(dropout) = self.kept.dropout else { return to.fill(1.0) };
        // Philox makes the factors of four columns at a time, and columns count from the first row
        // of the sequence.
        let start = sequence.keys.start - sequence.rows.start;
        let row = U32x4::splat((query * self.kept.heads + self.head) as u32);
        let (mut group, mut four) = (u32::MAX, [0.0; 4]);
        for (column, to) in (start..).zip(to) {
            if (column / 4) as u32 != group {
                group = (column / 4) as u32;
                four = dropout.factors(U32x4::splat(group), row).map(|four| four.to_array()[0]);
            }
            *to = four[column % 4];
        }
    }
}

/// The gradients of one head: dQ, dK, dV, dPQ and dPK, each with `dim` columns.
struct Gradients<'a>([&'a mut [f32]; 5]);

impl Gradients<'_> {
    fn row(&mut self, part: usize, row: usize, dim: usize) -> &mut [f32] {
        &mut self.0[part][row * dim..][..dim]
    }

    /// Adds the gradients of a sequence.
    fn add_sequence(&mut self, of: Operands<'_>, number: usize, sequence: &Sequence) {
        let Sequence { rows, keys } = sequence;
        let [mut shares, mut factors, mut products] = [(); 3].map(|()| vec![0.0; keys.len()]);
        let masked = of.kept.of.masked.get(number).copied().unwrap_or_default().max(1);
        for query in rows.clone() {
            let dy = of.dy(query);
            if !keys.contains(&query) {
                let total = keys.len() as f32 + masked as f32;
                keys.clone().for_each(|key| add(self.row(2, key, of.dim), 1.0 / total, dy));
                add(self.row(2, query, of.dim), masked as f32 / total, dy);
                continue;
            }
            of.probabilities(query, keys, &mut shares);
            of.factors(query, sequence, &mut factors);
            let mut total = 0.0;
            for (n, key) in keys.clone().enumerate() {
                add(self.row(2, key, of.dim), shares[n] * factors[n], dy);
                products[n] = factors[n] * dot(dy, of.part(key, 2));
                total += shares[n] * products[n];
            }
            for (n, key) in keys.clone().enumerate() {
                let dscore = of.scale() * shares[n] * (products[n] - total);
                self.add_pair(of, query, key, dscore);
            }
        }
    }

    /// Adds the gradients of the score of a query and a key.
    fn add_pair(&mut self, of: Operands<'_>, query: usize, key: usize, dscore: f32) {
        let (q, k, row, dim) = (of.part(query, 0), of.part(key, 1), of.row(query, key), of.dim);
        add(self.row(0, query, dim), dscore, k);
        add(self.row(1, key, dim), dscore, q);
        if let Some(first) = of.kept.of.queries {
            add(self.row(1, key, dim), dscore, of.position(row, first));
            add(self.row(3, row, dim), dscore, k);
        }
        if let Some(first) = of.kept.of.keys {
            add(self.row(0, query, dim), dscore, of.position(row, first));
            add(self.row(4, row, dim), dscore, q);
        }
    }
}

/// Returns the sum of the products of two rows.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks(), b.as_chunks());
    let sums = a
        .iter()
        .zip(b)
        .fold(F32x4::ZERO, |sums, (a, b)| F32x4::load(a).mul_add(F32x4::load(b), sums));
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.to_array().iter().sum::<f32>() + rest
}

/// Adds `factor` · `from` to `to`.
fn add(to: &mut [f32], factor: f32, from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}
