//! Stochastic gradient descent.

use super::adamw::{NUMBERS, Parameter, ROWS};
use super::elementwise::update_slice;
use crate::simd::F32x4;
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Computes p = p - rate · (factor · gradient + weight_decay · p).
pub fn sgd(
    parameter: Parameter<'_>,
    gradient: &Rows,
    rate: f32,
    weight_decay: f32,
    factor: f32,
    workspace: &mut Workspace,
) {
    let (cols, threads) = (gradient.cols, &mut workspace.threads);
    let [rate, factor, weight_decay] = [rate, factor, weight_decay].map(F32x4::splat);
    let update = |numbers: &mut [f32], gradient: &[f32]| {
        update_slice(gradient, numbers, |g, p| p - rate * (factor * g + weight_decay * p));
    };
    match parameter {
        Parameter::Matrix(matrix) => {
            parallel_items(threads, matrix.bands_mut(ROWS), &|_, mut band| {
                for row in band.rows.clone() {
                    let gradient = &gradient.data[row * cols..][..cols];
                    band.for_row(row, |columns, numbers| update(numbers, &gradient[columns]));
                }
            });
        }
        Parameter::Vector(vector) => {
            let parts = vector.chunks_mut(NUMBERS).zip(gradient.data.chunks(NUMBERS));
            parallel_items(threads, parts, &|_, (numbers, gradient)| update(numbers, gradient));
        }
    }
}
