//! Weight matrices in 8 bits. Each row is rotated, quantized with a scale of its own, and packed
//! for the micro-kernels.

use bytemuck::cast;

use super::rotate::{ROTATION_GAIN, rotate};
use super::{Quantizer, Scale};
use crate::OutOfMemory;
use crate::gemm::{NR, zeros};
use crate::simd::{Aligned, F32x4};

/// Four columns of four rows, `[row, column]`. The columns are n, n + 4, n + 8 and n + 12 of
/// sixteen, because four vectors narrow to this order without a shuffle.
pub(crate) type Group = [i8; 16];

/// A weight matrix in panels of [`NR`] rows. The last panel and the last sixteen columns are padded
/// with zeros.
#[derive(Debug)]
pub(crate) struct QuantizedMatrix {
    /// The first four rows of every panel, and the last four: two streams of memory to read (see
    /// gemm/matrix.rs). Each is `[panels, columns / 4]`.
    halves: [Aligned<Group>; 2],
    /// Groups per panel.
    groups: usize,
    /// Scale of each row, `[panels, NR]`.
    scales: Vec<[[f32; 4]; 2]>,
    /// -128 · the sum of each row's numbers, `[panels, NR]`. It cancels the 128 that is added to x.
    offsets: Vec<[[i32; 4]; 2]>,
}

/// [`NR`] rows of weights.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a> {
    /// Its first four and its last four rows.
    pub(crate) halves: [&'a [Group]; 2],
    /// Scale of each row.
    pub(crate) scales: &'a [[f32; 4]; 2],
    /// -128 · the sum of each row's numbers.
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    pub(crate) offsets: &'a [[i32; 4]; 2],
}

impl QuantizedMatrix {
    /// Returns a matrix of zeros.
    pub(crate) fn zeros(rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let (panels, groups) = (rows.div_ceil(NR), groups(cols));
        let all = panels.checked_mul(groups).ok_or(OutOfMemory { rows, cols })?;
        Ok(Self {
            halves: [Aligned::zeros(all, rows, cols)?, Aligned::zeros(all, rows, cols)?],
            groups,
            scales: zeros(panels, rows, cols)?,
            offsets: zeros(panels, rows, cols)?,
        })
    }

    /// Returns the bytes of a matrix `[rows, cols]`, including scales and offsets.
    pub(crate) fn bytes(rows: usize, cols: usize) -> usize {
        rows * (cols + 8)
    }

    /// Rotates and quantizes one row.
    pub(crate) fn write(&mut self, row: usize, values: &[f32]) {
        let (panel, lane) = (row / NR, row % NR);
        let mut rotated = values.to_vec();
        rotate(&mut rotated);
        rotated.resize(self.groups * 4, 0.0);
        let vectors = rotated.as_chunks::<4>().0.as_chunks::<4>().0;
        let scale = Scale::of(vectors);
        let (quantizer, inverse) = (Quantizer::to_i8(false), F32x4::splat(scale.inverse));
        let mut sum = 0;
        let groups = &mut self.halves[lane / 4][panel * self.groups..][..self.groups];
        for (groups, vectors) in groups.as_chunks_mut::<4>().0.iter_mut().zip(vectors) {
            let bytes: [[i8; 4]; 4] = cast(quantizer.to_bytes(vectors, inverse).to_array());
            for (group, bytes) in groups.iter_mut().zip(bytes) {
                group.as_chunks_mut::<4>().0[lane % 4] = bytes;
                sum += bytes.iter().map(|&byte| i32::from(byte)).sum::<i32>();
            }
        }
        self.scales[panel][lane / 4][lane % 4] = scale.scale;
        self.offsets[panel][lane / 4][lane % 4] = -128 * sum;
    }

    /// Adds one row to `sum`. Dequantizes it and rotates it back in `buffer`.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32], buffer: &mut Aligned<f32>) {
        let (panel, lane) = (row / NR, row % NR);
        let scale = self.scales[panel][lane / 4][lane % 4];
        buffer.resize(self.groups * 4);
        let groups = &self.halves[lane / 4][panel * self.groups..][..self.groups];
        let vectors = buffer.as_chunks_mut::<4>().0.as_chunks_mut::<4>().0;
        for (vectors, groups) in vectors.iter_mut().zip(groups.as_chunks::<4>().0) {
            let groups = groups.each_ref().map(|group| group.as_chunks::<4>().0[lane % 4]);
            for (n, vector) in vectors.iter_mut().enumerate() {
                *vector = groups.map(|bytes| f32::from(bytes[n]) * (scale / ROTATION_GAIN));
            }
        }
        let values = &mut buffer[..sum.len()];
        rotate(values);
        for (sum, value) in sum.iter_mut().zip(values) {
            *sum += *value;
        }
    }

    /// Returns panel number `panel`.
    pub(crate) fn panel(&self, panel: usize) -> Panel<'_> {
        Panel {
            halves: self.halves.each_ref().map(|half| &half[panel * self.groups..][..self.groups]),
            scales: &self.scales[panel],
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            offsets: &self.offsets[panel],
        }
    }

    /// Returns the number of groups per panel.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }
}

/// Returns the number of groups that `cols` columns fill.
fn groups(cols: usize) -> usize {
    cols.div_ceil(16) * 4
}
