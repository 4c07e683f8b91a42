//! The AdamW optimizer.

use crate::gemm::Matrix;
use crate::simd::F32x4;
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Rows of a matrix per work item.
pub(super) const ROWS: usize = 16;

/// Numbers of a vector per work item.
pub(super) const NUMBERS: usize = 1 << 12;

/// Settings of one AdamW step (Loshchilov and Hutter 2019), with the same arithmetic as PyTorch:
///
/// ```text
/// p = p · (1 - rate · weight_decay)
/// m = β1 · m + (1 - β1) · g
/// v = β2 · v + (1 - β2) · g²
/// p = p - rate / (1 - β1^step) · m / (√(v / (1 - β2^step)) + epsilon)
/// ```
///
/// g is the gradient, m and v are the moving averages of g and g². Dividing by 1 - β^step corrects their start at 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamW {
    /// Learning rate.
    pub rate: f32,
    /// Decay rate of the first moment, β1.
    pub beta1: f32,
    /// Decay rate of the second moment, β2.
    pub beta2: f32,
    /// Added to the square root in the denominator.
    pub epsilon: f32,
    /// Fraction of the parameter that a step with rate 1 removes.
    pub weight_decay: f32,
    /// Number of the step; the first is 1.
    pub step: u32,
}

/// A parameter that an optimizer updates in place.
#[derive(Debug)]
pub enum Parameter<'a> {
    /// `[rows, cols]` in f32; its gradient and moments have the same shape.
    Matrix(&'a mut Matrix),
    /// `[len]`; its gradient and moments are `[1, len]`.
    Vector(&'a mut [f32]),
}

/// Moving averages of a parameter's gradient.
#[derive(Debug)]
pub struct Moments<'a> {
    /// Moving average of the gradient.
    pub first: &'a mut Rows,
    /// Moving average of the squared gradient.
    pub second: &'a mut Rows,
}

/// Performs one AdamW step with the gradient multiplied by `factor`.
pub fn adamw(
    parameter: Parameter<'_>,
    gradient: &Rows,
    moments: Moments<'_>,
    step: &AdamW,
    factor: f32,
    workspace: &mut Workspace,
) {
    let update = Update::new(step, factor);
    let (cols, threads) = (gradient.cols, &mut workspace.threads);
    let (first, second) = (&mut moments.first.data, &mut moments.second.data);
    match parameter {
        Parameter::Matrix(matrix) => {
            let moments = first.chunks_mut(ROWS * cols).zip(second.chunks_mut(ROWS * cols));
            let bands = matrix.bands_mut(ROWS).zip(moments);
            parallel_items(threads, bands, &|_, (mut band, (first, second))| {
                for (row, at) in band.rows.clone().zip((0..).step_by(cols)) {
                    band.for_row(row, |columns, numbers| {
                        let own = at + columns.start..at + columns.end;
                        let gradient = &gradient.data[row * cols..][columns];
                        update.apply(numbers, gradient, &mut first[own.clone()], &mut second[own]);
                    });
                }
            });
        }
        Parameter::Vector(vector) => {
            let parts = vector.chunks_mut(NUMBERS).zip(gradient.data.chunks(NUMBERS));
            let moments = first.chunks_mut(NUMBERS).zip(second.chunks_mut(NUMBERS));
            parallel_items(threads, parts.zip(moments), &|_,
                                                          (
                (numbers, gradient),
                (first, second),
            )| {
                update.apply(numbers, gradient, first, second);
            });
        }
    }
}

/// Factors of a step that are the same for every element.
struct Update {
    keep: f32,
    gradient: f32,
    first: [f32; 2],
    second: [f32; 2],
    rate: f32,
    inverse_root: f32,
    epsilon: f32,
}

impl Update {
    fn new(step: &AdamW, gradient: f32) -> Self {
        // Powers of β near 1 lose digits in f32, so the factors are computed in f64, as in PyTorch.
        let (rate, beta1, beta2) =
            (f64::from(step.rate), f64::from(step.beta1), f64::from(step.beta2));
        let exponent = f64::from(step.step);
        Self {
            keep: (1.0 - rate * f64::from(step.weight_decay)) as f32,
            gradient,
            first: [step.beta1, (1.0 - beta1) as f32],
            second: [step.beta2, (1.0 - beta2) as f32],
            rate: (rate / (1.0 - beta1.powf(exponent))) as f32,
            inverse_root: (1.0 / (1.0 - beta2.powf(exponent)).sqrt()) as f32,
            epsilon: step.epsilon,
        }
    }

    /// Updates numbers and moments. Vectors are written out: see [`super::norm`].
    fn apply(&self, numbers: &mut [f32], gradient: &[f32], first: &mut [f32], second: &mut [f32]) {
        let (ps, p_rest) = numbers.as_chunks_mut::<4>();
        let (gs, g_rest) = gradient.as_chunks::<4>();
        let (ms, m_rest) = first.as_chunks_mut::<4>();
        let (vs, v_rest) = second.as_chunks_mut::<4>();
        for ((p, g), (m, v)) in ps.iter_mut().zip(gs).zip(ms.iter_mut().zip(vs)) {
            self.update(p, g, m, v);
        }
        for ((p, g), (m, v)) in p_rest.iter_mut().zip(g_rest).zip(m_rest.iter_mut().zip(v_rest)) {
            let (mut last_p, mut last_m, mut last_v) = ([*p; 4], [*m; 4], [*v; 4]);
            self.update(&mut last_p, &[*g; 4], &mut last_m, &mut last_v);
            (*p, *m, *v) = (last_p[0], last_m[0], last_v[0]);
        }
    }

    /// Updates four numbers and their moments.
    #[inline(always)]
    fn update(&self, p: &mut [f32; 4], g: &[f32; 4], m: &mut [f32; 4], v: &mut [f32; 4]) {
        let of = F32x4::splat;
        let g = F32x4::load(g) * of(self.gradient);
        let first = F32x4::load(m) * of(self.first[0]) + g * of(self.first[1]);
        let second = F32x4::load(v) * of(self.second[0]) + g * g * of(self.second[1]);
        let root = second.sqrt() * of(self.inverse_root) + of(self.epsilon);
        (F32x4::load(p) * of(self.keep) - of(self.rate) * first / root).store(p);
        first.store(m);
        second.store(v);
    }
}
