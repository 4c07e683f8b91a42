//! Weights in 8 bits: each row turned (see [`crate::rotate`]) and rounded to 127 steps either way
//! of its own size.

use std::array::from_fn;
use std::hint::black_box;

use bytemuck::cast;

use crate::OutOfMemory;
use crate::aligned::Aligned;
use crate::integer::I32x4;
use crate::math::ONES;
use crate::matrix::{PANEL, zeros};
use crate::rotate::{GAIN, rotate};
use crate::simd::F32x4;

/// Four columns of four rows, a row's columns side by side. They are columns n, n + 4, n + 8 and
/// n + 12 of sixteen, as those come out of four vectors without a shuffle.
pub(crate) type Group = [i8; 16];

/// The greatest magnitude of a rounded number.
const STEPS: f32 = 127.0;

/// A weight matrix in panels of [`PANEL`] rows. What is missing of the last panel and of the last
/// sixteen columns are zeros.
#[derive(Debug)]
pub(crate) struct Int8 {
    /// Of all panels the first four rows, and of all the last four, so that there are two streams
    /// to read (see [`crate::matrix`]): `[panels, columns / 4]`.
    halves: [Aligned<Group>; 2],
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
    /// Its first four rows, and its last.
    pub(crate) halves: [&'a [Group]; 2],
    /// Of each row, what one step is.
    pub(crate) scales: &'a [[f32; 4]; 2],
    /// Of each row, -128 times the sum of its numbers.
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    pub(crate) offsets: &'a [[i32; 4]; 2],
}

impl Int8 {
    pub(crate) fn zeros(rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let (panels, groups) = (rows.div_ceil(PANEL), groups(cols));
        let all = panels.checked_mul(groups).ok_or(OutOfMemory { rows, cols })?;
        Ok(Self {
            halves: [Aligned::zeros(all, rows, cols)?, Aligned::zeros(all, rows, cols)?],
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
        let vectors = turned.as_chunks::<4>().0.as_chunks::<4>().0;
        let steps = Steps::of(vectors);
        let (rounding, by) = (Rounding::to_bytes(false), F32x4::splat(steps.inverse));
        let mut sum = 0;
        let groups = &mut self.halves[lane / 4][panel * self.groups..][..self.groups];
        for (groups, vectors) in groups.as_chunks_mut::<4>().0.iter_mut().zip(vectors) {
            let bytes: [[i8; 4]; 4] = cast(rounding.bytes(vectors, by).to_array());
            for (group, bytes) in groups.iter_mut().zip(bytes) {
                group.as_chunks_mut::<4>().0[lane % 4] = bytes;
                sum += bytes.iter().map(|&byte| i32::from(byte)).sum::<i32>();
            }
        }
        self.scales[panel][lane / 4][lane % 4] = steps.one;
        self.offsets[panel][lane / 4][lane % 4] = -128 * sum;
    }

    /// Adds one row to `sum`, using `scratch` to turn it back.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32], scratch: &mut Aligned<f32>) {
        let (panel, lane) = (row / PANEL, row % PANEL);
        let scale = self.scales[panel][lane / 4][lane % 4];
        scratch.resize(self.groups * 4);
        let groups = &self.halves[lane / 4][panel * self.groups..][..self.groups];
        let vectors = scratch.as_chunks_mut::<4>().0.as_chunks_mut::<4>().0;
        for (vectors, groups) in vectors.iter_mut().zip(groups.as_chunks::<4>().0) {
            let groups = groups.each_ref().map(|group| group.as_chunks::<4>().0[lane % 4]);
            for (n, vector) in vectors.iter_mut().enumerate() {
                *vector = groups.map(|bytes| f32::from(bytes[n]) * (scale / GAIN));
            }
        }
        let values = &mut scratch[..sum.len()];
        rotate(values);
        for (sum, value) in sum.iter_mut().zip(values) {
            *sum += *value;
        }
    }

    pub(crate) fn panel(&self, panel: usize) -> Panel<'_> {
        Panel {
            halves: self.halves.each_ref().map(|half| &half[panel * self.groups..][..self.groups]),
            scales: &self.scales[panel],
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            offsets: &self.offsets[panel],
        }
    }

    pub(crate) fn groups(&self) -> usize {
        self.groups
    }
}

/// Groups of a row.
fn groups(cols: usize) -> usize {
    cols.div_ceil(16) * 4
}

/// Steps from 0 to the greatest number of a turned row.
pub(crate) struct Steps {
    /// One of them, in numbers of the row before it was turned.
    pub(crate) one: f32,
    /// How many of them a number of the turned row is.
    pub(crate) inverse: f32,
}

impl Steps {
    pub(crate) fn of(row: &[[[f32; 4]; 4]]) -> Self {
        // side by side, as each waits for the one before
        let (mut most, mut least) = ([F32x4::ZERO; 4], [F32x4::ZERO; 4]);
        for vectors in row {
            for ((most, least), vector) in most.iter_mut().zip(&mut least).zip(vectors) {
                let vector = F32x4::load(vector);
                (*most, *least) = (most.max(vector), least.min(vector));
            }
        }
        let [a, b, c, d] = from_fn(|n| most[n].max(F32x4::ZERO - least[n]));
        let one = a.max(b).max(c.max(d)).greatest() / STEPS;
        Self { one: one / GAIN, inverse: if one > 0.0 { 1.0 / one } else { 0.0 } }
    }
}

/// What rounds numbers to integers and puts these together: of four vectors, the four numbers in
/// each lane. (V8 would make constants anew at each use; that these are such it does not see.)
#[derive(Clone, Copy)]
pub(crate) struct Rounding {
    /// [`ONES`], or more.
    ones: f32,
    flip: i32,
}

impl Rounding {
    /// To bytes, `unsigned`: with 128 added.
    pub(crate) fn to_bytes(unsigned: bool) -> Self {
        // what is left of four sums beside their last bytes, which are 128 and more too large
        let rest = 0x0b40_0000;
        let flip = if unsigned { rest } else { rest ^ i32::from_ne_bytes([0x80; 4]) };
        black_box(Self { ones: ONES + 128.0, flip })
    }

    /// To words.
    pub(crate) fn to_words() -> Self {
        black_box(Self { ones: ONES, flip: 0 })
    }

    /// The bits of sums that end in the numbers times `by`, rounded.
    #[inline(always)]
    fn sums(self, vectors: &[[f32; 4]; 4], by: F32x4) -> [I32x4; 4] {
        let ones = F32x4::splat(self.ones);
        vectors.each_ref().map(|vector| I32x4::of_bits(F32x4::load(vector) * by + ones))
    }

    #[inline(always)]
    pub(crate) fn bytes(self, vectors: &[[f32; 4]; 4], by: F32x4) -> I32x4 {
        let [a, b, c, d] = self.sums(vectors, by);
        let together = a ^ (b << 8) ^ (c << 16) ^ (d << 24);
        together ^ I32x4::splat(self.flip)
    }

    #[inline(always)]
    pub(crate) fn words(self, vectors: &[[f32; 4]; 4], by: F32x4) -> [[i16; 8]; 4] {
        let [a, b, c, d] = self.sums(vectors, by);
        let [even, odd] = [I32x4::low_halves(a, b), I32x4::low_halves(c, d)];
        let [[a, b], [c, d]] = I32x4::alternate(even, odd).map(I32x4::halves);
        [a, b, c, d].map(|words| cast(words.to_array()))
    }
}
