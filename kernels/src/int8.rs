//! Weights in 8 bits: each row turned (see [`crate::rotate`]) and rounded to 127 steps either way
//! of its own size.

use crate::OutOfMemory;
use crate::integer::I32x4;
use crate::matrix::{PANEL, zeros};
use crate::rotate::{GAIN, rotate};
use crate::simd::F32x4;

/// Four columns of a panel's rows: two vectors of four rows, a row's columns side by side.
pub(crate) type Group = [[i8; 16]; 2];

/// The greatest magnitude of a rounded number.
const STEPS: f32 = 127.0;

/// A weight matrix in panels of [`PANEL`] rows, each `[columns / 4]` of [`Group`]. What is missing
/// of the last panel and of the last group are zeros.
#[derive(Debug)]
pub(crate) struct Int8 {
    values: Vec<Group>,
    /// Groups of a panel.
    groups: usize,
    /// Of each row, what one step is.
    scales: Vec<[[f32; 4]; 2]>,
    /// Of each row, -128 times the sum of its numbers.
    offsets: Vec<[[i32; 4]; 2]>,
}

/// Eight rows of weights.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a> {
    pub(crate) groups: &'a [Group],
    /// Of each row, what one step is.
    pub(crate) scales: &'a [[f32; 4]; 2],
    /// Of each row, -128 times the sum of its numbers.
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    pub(crate) offsets: &'a [[i32; 4]; 2],
}

impl Int8 {
    pub(crate) fn zeros(rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let (panels, groups) = (rows.div_ceil(PANEL), cols.div_ceil(4));
        let all = panels.checked_mul(groups).ok_or(OutOfMemory { rows, cols })?;
        Ok(Self {
            values: zeros(all, rows, cols)?,
            groups,
            scales: zeros(panels, rows, cols)?,
            offsets: zeros(panels, rows, cols)?,
        })
    }

    /// Bytes of a matrix.
    pub(crate) fn bytes(rows: usize, cols: usize) -> usize {
        rows * (cols + 8)
    }

    pub(crate) fn write(&mut self, row: usize, values: &[f32]) {
        let (panel, lane) = (row / PANEL, row % PANEL);
        let mut turned = values.to_vec();
        rotate(&mut turned);
        turned.resize(self.groups * 4, 0.0);
        let steps = Steps::of(&turned);
        let by = F32x4::splat(steps.inverse);
        let mut sum = 0;
        let groups = &mut self.values[panel * self.groups..][..self.groups];
        for (group, values) in groups.iter_mut().zip(turned.as_chunks::<4>().0) {
            let bytes = I32x4::round(F32x4::load(values) * by).to_bytes();
            group[lane / 4].as_chunks_mut::<4>().0[lane % 4] = bytes;
            sum += bytes.iter().map(|&byte| i32::from(byte)).sum::<i32>();
        }
        self.scales[panel][lane / 4][lane % 4] = steps.one;
        self.offsets[panel][lane / 4][lane % 4] = -128 * sum;
    }

    /// Adds one row to `sum`, using `scratch` to turn it back.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32], scratch: &mut Vec<f32>) {
        let (panel, lane) = (row / PANEL, row % PANEL);
        let scale = self.scales[panel][lane / 4][lane % 4];
        scratch.clear();
        for group in &self.values[panel * self.groups..][..self.groups] {
            let bytes = group[lane / 4].as_chunks::<4>().0[lane % 4];
            scratch.extend(bytes.map(|byte| f32::from(byte) * (scale / GAIN)));
        }
        scratch.truncate(sum.len());
        rotate(scratch);
        for (sum, value) in sum.iter_mut().zip(scratch) {
            *sum += *value;
        }
    }

    pub(crate) fn panel(&self, panel: usize) -> Panel<'_> {
        Panel {
            groups: &self.values[panel * self.groups..][..self.groups],
            scales: &self.scales[panel],
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            offsets: &self.offsets[panel],
        }
    }

    pub(crate) fn groups(&self) -> usize {
        self.groups
    }
}

/// Steps from 0 to the greatest number of a turned row.
pub(crate) struct Steps {
    /// One of them, in numbers of the row before it was turned.
    pub(crate) one: f32,
    /// How many of them a number of the turned row is.
    pub(crate) inverse: f32,
}

impl Steps {
    /// `row` has whole vectors.
    pub(crate) fn of(row: &[f32]) -> Self {
        let (fours, rest) = row.as_chunks::<4>().0.as_chunks::<4>();
        // side by side, as each waits for the one before
        let mut most = [F32x4::ZERO; 4];
        for four in fours {
            for (most, vector) in most.iter_mut().zip(four) {
                *most = most.max(F32x4::load(vector).abs());
            }
        }
        let [a, b, c, d] = most;
        let rest = rest.iter().fold(a, |most, vector| most.max(F32x4::load(vector).abs()));
        let one = rest.max(b).max(c.max(d)).greatest() / STEPS;
        Self { one: one / GAIN, inverse: if one > 0.0 { 1.0 / one } else { 0.0 } }
    }
}
