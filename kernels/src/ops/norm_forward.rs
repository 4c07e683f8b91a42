//! LayerNorm for training: keeps what the gradient needs.

use super::norm::{Normalized, add};
use crate::threads::parallel_items;
use crate::{OutOfMemory, Rows, Workspace};

/// Rows per work item: about 2 µs of work.
const BAND: usize = 4;

/// Results of [`norm_forward`].
#[derive(Debug)]
pub struct NormForward<'a> {
    /// Normalized, scaled and shifted rows, `[rows, width]`.
    pub y: &'a mut Rows,
    /// Rows before scale and shift, `[rows, width]`.
    pub normalized: &'a mut Rows,
    /// 1 / √(variance + eps) of each row, `[rows, 1]`.
    pub inverse: &'a mut Rows,
}

/// Applies LayerNorm to x + residual. `x` and `residual` are `[rows, width]`; `weight` and `bias`
/// are `[width]`.
///
/// # Errors
/// Returns [`OutOfMemory`] if a result does not fit in memory.
pub fn norm_forward(
    x: &Rows,
    residual: Option<&Rows>,
    weight: &[f32],
    bias: &[f32],
    eps: f32,
    to: NormForward<'_>,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    let NormForward { y, normalized, inverse } = to;
    let cols = x.cols;
    y.shape(x.rows, cols)?;
    normalized.shape(x.rows, cols)?;
    inverse.shape(x.rows, 1)?;
    let bands = y.data.chunks_mut(BAND * cols).zip(normalized.data.chunks_mut(BAND * cols));
    let bands = bands.zip(inverse.data.chunks_mut(BAND)).enumerate();
    parallel_items(&mut workspace.threads, bands, &|_, (band, ((y, normalized), inverse))| {
        let first = band * BAND * cols;
        normalized.copy_from_slice(&x.data[first..][..normalized.len()]);
        if let Some(residual) = residual {
            add(normalized, &residual.data[first..][..normalized.len()]);
        }
        let rows = normalized.chunks_exact_mut(cols).zip(y.chunks_exact_mut(cols));
        for ((normalized, y), inverse) in rows.zip(inverse) {
            let row = Normalized::of(normalized, eps);
            *inverse = row.inverse;
            for ((x, y), (weight, bias)) in
                normalized.iter_mut().zip(y).zip(weight.iter().zip(bias))
            {
                *x = (*x - row.mean) * row.inverse;
                *y = *x * weight + bias;
            }
        }
    });
    Ok(())
}
