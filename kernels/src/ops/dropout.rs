//! Dropout (Srivastava et al. 2014). The mask is a function of known numbers, so it is computed
//! again where it is needed and is never stored.

use std::array::from_fn;

use crate::philox::philox_lanes;
use crate::simd::{F32x4, U32x4};
use crate::threads::parallel_rows;
use crate::{Rows, Workspace};

/// Rows per work item.
const BAND: usize = 8;

/// Settings of one dropout: an element becomes 0 with probability `rate`; otherwise it is
/// multiplied by 1 / (1 - rate).
///
/// The choice depends only on the fields and on the element's position, through Philox 4x32-10
/// (Salmon et al. 2011). Every device and every recomputed pass therefore has the same mask.
///
/// ```text
/// key     = [low half of seed, high half of seed]
/// counter = [column / 4, row, site, step]
/// word    = philox(counter, key)[column % 4]
/// The element becomes 0 if word < round(rate · 2^32).
/// ```
///
/// In attention the row is `token's row · heads + head`. The column is the row of the key, counted
/// from the first row of its sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// Probability of 0, at least 0 and less than 1.
    pub rate: f32,
    /// Seed of the run.
    pub seed: u64,
    /// Number of the dropout layer within the model.
    pub site: u32,
    /// Number of the forward pass within the run.
    pub step: u32,
}

impl Dropout {
    /// Returns the factor of elements that stay.
    fn scale(&self) -> f32 {
        1.0 / (1.0 - self.rate)
    }

    /// Returns the smallest word with which an element stays.
    fn threshold(&self) -> u32 {
        (f64::from(self.rate) * 2.0_f64.powi(32)).round() as u32
    }

    /// Returns the factor, 0 or [`Self::scale`], of four columns of a row, beginning at column `4 ·
    /// group`. It computes four groups and rows side by side: the array index is the column, the
    /// lane is the group and row.
    #[inline(always)]
    pub(super) fn factors(&self, group: U32x4, row: U32x4) -> [F32x4; 4] {
        let key = [self.seed as u32, (self.seed >> 32) as u32];
        let counter = [group, row, U32x4::splat(self.site), U32x4::splat(self.step)];
        let (threshold, scale) = (self.threshold(), self.scale());
        philox_lanes(counter, key).map(|words| words.where_at_least(threshold, scale))
    }
}

/// Computes x = dropout(x). The gradient with respect to x is the same function of the gradient
/// with respect to the result.
pub fn dropout(x: &mut Rows, dropout: &Dropout, workspace: &mut Workspace) {
    let (cols, bands) = (x.cols, x.rows.div_ceil(BAND));
    parallel_rows(&mut workspace.threads, &mut x.data, cols, bands, &|_, first, rows| {
        for (n, row) in rows.chunks_exact_mut(cols).enumerate() {
            drop_row(row, (first + n) as u32, dropout);
        }
    });
}

/// Drops elements of one row, in four groups of four columns at a time.
fn drop_row(row: &mut [f32], number: u32, dropout: &Dropout) {
    for (at, numbers) in row.chunks_mut(16).enumerate() {
        let groups = U32x4::load(from_fn(|lane| (4 * at + lane) as u32));
        let factors = F32x4::transpose(dropout.factors(groups, U32x4::splat(number)));
        let factors = factors.map(F32x4::to_array);
        for (x, factor) in numbers.iter_mut().zip(factors.as_flattened()) {
            *x *= factor;
        }
    }
}
