//! Dropout. Its mask is a function of numbers that the caller knows, so it is made again wherever it is needed and
//! kept nowhere.

use std::array::from_fn;

use crate::philox::philox_lanes;
use crate::simd::{F32x4, U32x4};
use crate::threads::parallel_rows;
use crate::{Rows, Workspace};

/// Rows of a band of work.
const BAND: usize = 8;

/// Dropout: an element stays, multiplied by 1 / (1 - rate), or becomes 0 with probability `rate`. Which ones is a
/// function of the numbers here and of the element's place alone (Philox 4x32-10, Salmon et al. 2011), so that
/// every device, and a pass that is computed again, has the same mask: the key is the seed's low and high half,
/// the counter `[column / 4, row, site, step]`, and the element takes word `column % 4` of the block; it becomes 0
/// where that word is less than round(rate · 2^32). In attention the row is `token's row · heads + head` and the
/// column the key's row, counted from the first row of its sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// Probability, 0 or more and less than 1.
    pub rate: f32,
    /// Of the run.
    pub seed: u64,
    /// Which of the model's dropouts it is.
    pub site: u32,
    /// Which forward pass of the run.
    pub step: u32,
}

impl Dropout {
    /// What elements that stay are multiplied by.
    fn scale(&self) -> f32 {
        1.0 / (1.0 - self.rate)
    }

    /// The least word with which an element stays.
    fn threshold(&self) -> u32 {
        (f64::from(self.rate) * 2.0_f64.powi(32)).round() as u32
    }

    /// The factors, 0 or [`Self::scale`], of the four columns from `4 · group` on of a row, four groups and rows side
    /// by side: of each of the four columns, a lane a group and row.
    #[inline(always)]
    pub(super) fn factors(&self, group: U32x4, row: U32x4) -> [F32x4; 4] {
        let key = [self.seed as u32, (self.seed >> 32) as u32];
        let counter = [group, row, U32x4::splat(self.site), U32x4::splat(self.step)];
        let (threshold, scale) = (self.threshold(), self.scale());
        philox_lanes(counter, key).map(|words| words.where_at_least(threshold, scale))
    }
}

/// x = dropout(x). The gradient by x is the same function of the gradient by the result.
pub fn dropout(x: &mut Rows, dropout: &Dropout, workspace: &mut Workspace) {
    let (cols, bands) = (x.cols, x.rows.div_ceil(BAND));
    parallel_rows(&mut workspace.threads, &mut x.data, cols, bands, &|_, first, rows| {
        for (n, row) in rows.chunks_exact_mut(cols).enumerate() {
            drop_row(row, (first + n) as u32, dropout);
        }
    });
}

/// Four groups of four columns at a time.
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
