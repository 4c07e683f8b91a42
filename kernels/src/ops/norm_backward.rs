//! Gradients of LayerNorm.
//!
//! g = dy · weight, x is the normalized row, and inverse = 1 / √(variance + eps):
//!
//! ```text
//! dx      = inverse · (g - mean(g) - x · mean(g · x))
//! dweight = Σ over rows of dy · x
//! dbias   = Σ over rows of dy
//! ```

use super::elementwise::update_slice;
use crate::simd::F32x4;
use crate::threads::{parallel_items, parallel_rows};
use crate::{OutOfMemory, Rows, Workspace};

/// Rows per work item: about 2 µs of work.
const BAND: usize = 4;

/// Columns per work item in the gradients of weight and bias.
const COLUMNS: usize = 32;

/// Gradients of a norm's parameters, `[1, width]` each.
#[derive(Debug)]
pub struct NormGradients<'a> {
    /// Gradient of the scale.
    pub weight: &'a mut Rows,
    /// Gradient of the shift.
    pub bias: &'a mut Rows,
}

/// Writes the gradient of the norm's input to `dx`, `[rows, width]`, and adds to `gradients`.
/// `normalized` and `inverse` come from [`super::norm_forward`]; `weight` is the norm's scale.
/// # Errors
pub fn norm_backward(
    dy: &Rows,
    normalized: &Rows,
    inverse: &Rows,
    weight: &[f32],
    dx: &mut Rows,
    gradients: NormGradients<'_>,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let cols = dy.cols;
    dx.shape(dy.rows, cols)?;
    let bands = dy.rows.div_ceil(BAND);
    parallel_rows(&mut workspace.threads, &mut dx.data, cols, bands, &|_, first, dx| {
        for (n, dx) in dx.chunks_exact_mut(cols).enumerate() {
            let row = (first + n) * cols..(first + n + 1) * cols;
            let (dy, normalized) = (&dy.data[row.clone()], &normalized.data[row]);
            input_gradient(dy, normalized, inverse.data[first + n], weight, dx);
        }
    });
    let of_columns = gradients.weight.data.chunks_mut(COLUMNS);
    let of_columns = of_columns.zip(gradients.bias.data.chunks_mut(COLUMNS)).enumerate();
    parallel_items(&mut workspace.threads, of_columns, &|_, (n, (weight, bias))| {
        let columns = n * COLUMNS..n * COLUMNS + weight.len();
        let (mut sums, mut products) = ([[0.0; COLUMNS]; 2], [0.0; COLUMNS]);
        let [of_weight, of_bias] = &mut sums;
        for (dy, normalized) in dy.data.chunks_exact(cols).zip(normalized.data.chunks_exact(cols)) {
            let (dy, normalized) = (&dy[columns.clone()], &normalized[columns.clone()]);
            products[..dy.len()].copy_from_slice(dy);
            let products = &mut products[..dy.len()];
            update_slice(normalized, products, |x, dy| dy * x);
            update_slice(products, &mut of_weight[..dy.len()], |product, sum| sum + product);
            update_slice(dy, &mut of_bias[..dy.len()], |dy, sum| sum + dy);
        }
        for ((weight, bias), (dw, db)) in
            weight.iter_mut().zip(bias).zip(of_weight.iter().zip(of_bias))
        {
            *weight += *dw;
            *bias += *db;
        }
    });
    Ok(())
}

/// Computes one row of dx; see the formula above.
fn input_gradient(dy: &[f32], normalized: &[f32], inverse: f32, weight: &[f32], dx: &mut [f32]) {
    dx.copy_from_slice(dy);
    update_slice(weight, dx, |weight, dy| dy * weight);
    let (mean, product) = means(dx, normalized);
    let [inverse, mean, product] = [inverse, mean, product].map(F32x4::splat);
    update_slice(normalized, dx, |x, g| inverse * (g - mean - x * product));
}

/// Returns the means of g and of g · x.
fn means(g: &[f32], x: &[f32]) -> (f32, f32) {
    let ((gs, g_rest), (xs, x_rest)) = (g.as_chunks::<4>(), x.as_chunks::<4>());
    let mut sums = [F32x4::ZERO; 2];
    for (g, x) in gs.iter().zip(xs) {
        let (g, x) = (F32x4::load(g), F32x4::load(x));
        sums = [sums[0] + g, g.mul_add(x, sums[1])];
    }
    let [mut sum, mut product] = sums.map(F32x4::sum);
    for (g, x) in g_rest.iter().zip(x_rest) {
        sum += g;
        product += g * x;
    }
    let width = g.len() as f32;
    (sum / width, product / width)
}
