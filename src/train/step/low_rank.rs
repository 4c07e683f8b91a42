//! The factors of low-rank adapters on a device. The model's matrix holds W + scale · B · A, so
//! that passes of inference need no adapter; the base matrix W is kept beside it.

use super::lora::{AdapterSpec, Initialization, LoraOptions, ParameterAdapters};
use super::tape::copy;
use crate::Result;
use crate::backend::train::{Dropout, Parameter, ParameterOn, Train};
use crate::backend::{Activation, Precision};
use crate::model::{Layout, Leaf, ParameterSpec, RowOrder, TensorName};
use crate::random::{normals, uniforms};

/// The adapters of one matrix `[rows, columns]`.
pub(in crate::train) struct LowRank<B: Train> {
    scale: f32,
    rank: usize,
    rows: usize,
    /// The base's matrix times -1, `[rows, columns]`.
    negative_base: B::Rows,
    pub(in crate::train) parts: Vec<Factors<B>>,
    /// Biases of 0 for products without one: `[rank]`.
    no_bias: B::Vector,
}

/// The factors of an adapter and their gradients.
pub(in crate::train) struct Factors<B: Train> {
    /// Rows of the matrix.
    outputs: std::ops::Range<usize>,
    /// `lora_A`, `[rank, columns]`.
    pub(in crate::train) right: B::Matrix,
    /// `lora_B`, `[outputs, rank]`.
    pub(in crate::train) left: B::Matrix,
    pub(in crate::train) dright: B::Rows,
    pub(in crate::train) dleft: B::Rows,
    /// Gradients of the biases that the factors do not have, which the kernels require: `[1, rank]`
    /// and `[1, outputs]`. Never read.
    unused: [B::Rows; 2],
    /// Biases of 0 for the product with `lora_B`: `[outputs]`.
    no_bias: B::Vector,
}

/// Returns the factors' descriptions, `lora_A` before `lora_B` for each adapter.
pub(in crate::train) fn factor_specs(
    adapters: &ParameterAdapters,
    rank: usize,
    columns: usize,
) -> Vec<Leaf<ParameterSpec, ParameterSpec>> {
    let spec = |part: &AdapterSpec, factor: &str, rows, cols| {
        let tensor = TensorName {
            canonical: format!("{}.{factor}.weight", part.canonical),
            checkpoint: format!("{}.{factor}.weight", part.module),
            layout: Layout::Plain,
        };
        let order = RowOrder::Plain;
        Leaf::Matrix(ParameterSpec { tensors: vec![tensor], rows, cols, decays: true, order })
    };
    let both = adapters.parts.iter().flat_map(|part| {
        let right = spec(part, "lora_A", rank, columns);
        [right, spec(part, "lora_B", part.outputs.len(), rank)]
    });
    both.collect()
}

impl<B: Train> LowRank<B> {
    /// Creates the adapters of `weight`, which has the shape of `spec`.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(in crate::train) fn new(
        backend: &mut B,
        weight: &B::Matrix,
        spec: &ParameterSpec,
        adapters: &ParameterAdapters,
        options: &LoraOptions,
        seed: u64,
    ) -> Result<Self> {
        let (rank, columns) = (options.r, spec.cols);
        let all: Vec<u32> = (0..spec.rows as u32).collect();
        let mut negative_base = backend.zeros(spec.rows, spec.cols)?;
        backend.lookup(weight, &all, &mut negative_base);
        backend.scale_rows(&mut negative_base, &vec![-1.0; spec.rows]);
        let mut parts = Vec::new();
        for part in &adapters.parts {
            let outputs = part.outputs.clone();
            let mut right = backend.matrix(rank, columns, Precision::F32)?;
            let left = backend.matrix(outputs.len(), rank, Precision::F32)?;
            let values = initial(options, seed, &part.module, columns);
            backend.write(&mut right, 0, &values);
            let dright = backend.zeros(rank, columns)?;
            let dleft = backend.zeros(outputs.len(), rank)?;
            let unused = [backend.zeros(1, rank)?, backend.zeros(1, outputs.len())?];
            let no_bias = backend.vector(outputs.len())?;
            parts.push(Factors { outputs, right, left, dright, dleft, unused, no_bias });
        }
        let (scale, no_bias) = (options.scale(), backend.vector(rank)?);
        Ok(Self { scale, rank, rows: spec.rows, negative_base, parts, no_bias })
    }

    /// Returns the base's matrix times -1.
    pub(in crate::train) fn negative_base(&self) -> &B::Rows {
        &self.negative_base
    }

    /// Sets the gradients to 0.
    pub(in crate::train) fn clear(&mut self, backend: &mut B) {
        for Factors { dright, dleft, unused, .. } in &mut self.parts {
            [dright, dleft].into_iter().chain(unused).for_each(|rows| backend.clear(rows));
        }
    }

    /// Adds scale · (dropout(x) - x) · (B · A)ᵀ to y = x · (W + scale · B · A)ᵀ, with x
    /// `[tokens, columns]` and y `[tokens, rows]`. Each adapter has its own mask: `first` is the
    /// dropout of the first one.
    pub(in crate::train) fn drop_inputs(
        &self,
        backend: &mut B,
        x: &B::Rows,
        first: Dropout,
        y: &mut B::Rows,
    ) {
        for (n, Factors { outputs, right, left, no_bias, .. }) in self.parts.iter().enumerate() {
            let dropped = dropped(backend, x, first, n);
            let [mut inner, mut contained, mut sum] = Default::default();
            backend.linear(&dropped, right, &self.no_bias, Activation::Identity, &mut inner);
            backend.linear(x, right, &self.no_bias, Activation::Identity, &mut contained);
            subtract(backend, &mut contained, &mut inner);
            scale(backend, &mut inner, self.scale);
            backend.linear(&inner, left, no_bias, Activation::Identity, &mut sum);
            if outputs.len() == self.rows {
                backend.add(&sum, y);
                continue;
            }
            let [mut own, mut begun, mut whole] = Default::default();
            backend.columns([y, y], [outputs.clone(), 0..0], &mut own);
            backend.add(&own, &mut sum);
            backend.columns([y, &sum], [0..outputs.start, 0..outputs.len()], &mut begun);
            backend.columns([&begun, y], [0..outputs.end, outputs.end..self.rows], &mut whole);
            *y = whole;
        }
    }

    /// Adds to the gradients of the factors, divided by the scale, for
    /// y = x · (W + scale · B · A)ᵀ with x `[tokens, columns]` and dy `[tokens, rows]`. After
    /// [`LowRank::drop_inputs`] with the dropout `first`, also adds to the gradient with respect to
    /// x, `dx`, which must be dy · (W + scale · B · A).
    pub(in crate::train) fn backward(
        &mut self,
        backend: &mut B,
        x: &B::Rows,
        dy: &B::Rows,
        first: Option<Dropout>,
        dx: &mut B::Rows,
    ) {
        for (n, part) in self.parts.iter_mut().enumerate() {
            let Factors { outputs, right, left, dright, dleft, unused, .. } = part;
            let [unused_right, unused_left] = unused;
            let mut part = B::Rows::default();
            let dy = match outputs.len() == self.rows {
                true => dy,
                false => {
                    backend.columns([dy, dy], [outputs.clone(), 0..0], &mut part);
                    &part
                }
            };
            let dropped = first.map(|first| dropped(backend, x, first, n));
            let input = dropped.as_ref().unwrap_or(x);
            let [mut inner, mut dinner] = [B::Rows::default(), B::Rows::default()];
            backend.linear(input, right, &self.no_bias, Activation::Identity, &mut inner);
            backend.linear_backward_weight(&inner, dy, dleft, unused_left);
            backend.linear_backward_input(dy, left, &mut dinner);
            backend.linear_backward_weight(input, &dinner, dright, unused_right);
            if let Some(first) = first {
                let mut contained = B::Rows::default();
                scale(backend, &mut dinner, self.scale);
                backend.linear_backward_input(&dinner, right, &mut contained);
                let dropped = self::dropped(backend, &contained, first, n);
                subtract(backend, &mut contained, dx);
                backend.add(&dropped, dx);
            }
        }
    }

    /// Multiplies the gradients by the scale. Must be called once, after the last
    /// [`LowRank::backward`] of a step.
    pub(in crate::train) fn scale_gradients(&mut self, backend: &mut B) {
        for Factors { outputs, dright, dleft, .. } in &mut self.parts {
            backend.scale_rows(dright, &vec![self.scale; self.rank]);
            backend.scale_rows(dleft, &vec![self.scale; outputs.len()]);
        }
    }

    /// Writes W + scale · B · A to `weight`. The result depends on W and the factors only, so a
    /// resumed run has the same bits.
    pub(in crate::train) fn merge(&self, backend: &mut B, weight: &mut B::Matrix) {
        let all: Vec<u32> = (0..self.rows as u32).collect();
        let mut negative = B::Rows::default();
        backend.gather(&self.negative_base, &all, &mut negative);
        for Factors { outputs, right, left, .. } in &self.parts {
            let [mut left_rows, mut product] = [B::Rows::default(), B::Rows::default()];
            let rows: Vec<u32> = (0..outputs.len() as u32).collect();
            backend.lookup(left, &rows, &mut left_rows);
            backend.scale_rows(&mut left_rows, &vec![-self.scale; rows.len()]);
            backend.linear_backward_input(&left_rows, right, &mut product);
            let rows: Vec<u32> = (outputs.start as u32..outputs.end as u32).collect();
            backend.gather_backward(&product, &rows, &mut negative);
        }
        self.assign(backend, &negative, weight);
    }

    /// Writes `-negative` to a matrix. Gradient descent does it on every device: p - 1 · (0 + p) is
    /// exactly 0, and 0 - 1 · negative is exact as well.
    fn assign(&self, backend: &mut B, negative: &B::Rows, weight: &mut B::Matrix) {
        let all: Vec<u32> = (0..self.rows as u32).collect();
        let mut zeros = B::Rows::default();
        backend.gather(negative, &all, &mut zeros);
        backend.clear(&mut zeros);
        backend.sgd(Parameter::Matrix(weight), &zeros, 1.0, 1.0, None);
        backend.sgd(Parameter::Matrix(weight), negative, 1.0, 0.0, None);
    }

    /// Returns the factors with their gradients, in the order of [`factor_specs`].
    pub(in crate::train) fn factors_mut(
        &mut self,
    ) -> impl Iterator<Item = (ParameterOn<'_, B>, &B::Rows)> {
        self.parts.iter_mut().flat_map(|Factors { right, left, dright, dleft, .. }| {
            [(Parameter::Matrix(right), &*dright), (Parameter::Matrix(left), &*dleft)]
        })
    }

    /// Returns the factors, in the order of [`factor_specs`].
    pub(in crate::train) fn factors(&self) -> impl Iterator<Item = (&B::Matrix, &B::Rows)> {
        let parts = self.parts.iter();
        parts.flat_map(|part| [(&part.right, &part.dright), (&part.left, &part.dleft)])
    }
}

/// Returns dropout(x) for adapter `n` of a matrix, whose first adapter has the dropout `first`.
fn dropped<B: Train>(backend: &mut B, x: &B::Rows, first: Dropout, n: usize) -> B::Rows {
    let mut dropped = copy(backend, x);
    backend.dropout(&mut dropped, &Dropout { site: first.site + n as u32, ..first });
    dropped
}

/// Computes x = factor · x.
fn scale<B: Train>(backend: &mut B, x: &mut B::Rows, factor: f32) {
    let rows = B::row_count(x);
    backend.scale_rows(x, &vec![factor; rows]);
}

/// Computes y = y - x, and x = -x.
fn subtract<B: Train>(backend: &mut B, x: &mut B::Rows, y: &mut B::Rows) {
    scale(backend, x, -1.0);
    backend.add(x, y);
}

/// Returns the initial values of `lora_A`.
fn initial(options: &LoraOptions, seed: u64, module: &str, columns: usize) -> Vec<f32> {
    let (name, count) = (format!("{module}.lora_A.weight"), options.r * columns);
    match options.init_lora_weights {
        Initialization::Kaiming => {
            uniforms(seed, &name, 1.0 / (columns as f64).sqrt()).take(count).collect()
        }
        Initialization::Gaussian => {
            normals(seed, &name, 1.0 / options.r as f64).take(count).collect()
        }
    }
}
