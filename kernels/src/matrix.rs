//! Weight matrices packed for the product's tile: panels of [`PANEL`] rows, and within a panel
//! column by column, so that the tile reads it from front to back.

use std::fmt;

use half::{bf16, f16};

use crate::int8::Int8;

/// How a matrix is kept in memory. But for int8, arithmetic is f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// IEEE half floats.
    F16,
    /// bfloat16.
    Bf16,
    /// 8-bit integers with one f32 scale a row, multiplied as such.
    I8,
}

/// Rows of a panel: two vectors of four lanes.
pub(crate) const PANEL: usize = 8;

impl Precision {
    /// Bytes of a matrix kept so, its scales included.
    pub fn bytes(self, rows: usize, cols: usize) -> usize {
        match self {
            Self::F32 => rows * cols * 4,
            Self::F16 | Self::Bf16 => rows * cols * 2,
            Self::I8 => Int8::bytes(rows, cols),
        }
    }
}

/// No memory for a matrix of this size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Rows asked for.
    pub rows: usize,
    /// Columns asked for.
    pub cols: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no memory for a weight matrix of {} × {}", self.rows, self.cols)
    }
}

impl std::error::Error for OutOfMemory {}

/// A weight matrix `[rows, cols]`. Element (r, c) is at `(r / 8 · cols + c) · 8 + r % 8`; the last
/// panel is filled up with zeros.
#[derive(Debug)]
pub struct Matrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    data: Data,
}

#[derive(Debug)]
enum Data {
    F32(Vec<[f32; PANEL]>),
    F16(Vec<[u16; PANEL]>),
    Bf16(Vec<[u16; PANEL]>),
    I8(Int8),
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn zeros(rows: usize, cols: usize, precision: Precision) -> Result<Self, OutOfMemory> {
        let panels = rows.div_ceil(PANEL);
        let groups = panels.checked_mul(cols).ok_or(OutOfMemory { rows, cols })?;
        let data = match precision {
            Precision::F32 => Data::F32(zeros(groups, rows, cols)?),
            Precision::F16 => Data::F16(zeros(groups, rows, cols)?),
            Precision::Bf16 => Data::Bf16(zeros(groups, rows, cols)?),
            Precision::I8 => Data::I8(Int8::zeros(rows, cols)?),
        };
        Ok(Self { rows, cols, data })
    }

    /// Stores whole rows from `first_row` on, each `cols` long.
    pub fn write(&mut self, first_row: usize, values: &[f32]) {
        let cols = self.cols;
        for (row, values) in (first_row..self.rows).zip(values.chunks_exact(cols)) {
            let (panel, lane) = (row / PANEL, row % PANEL);
            let span = panel * cols..(panel + 1) * cols;
            match &mut self.data {
                Data::F32(data) => scatter(&mut data[span], lane, values, |v| v),
                Data::F16(data) => {
                    scatter(&mut data[span], lane, values, |v| f16::from_f32(v).to_bits());
                }
                Data::Bf16(data) => {
                    scatter(&mut data[span], lane, values, |v| bf16::from_f32(v).to_bits());
                }
                Data::I8(data) => data.write(row, values),
            }
        }
    }

    /// Adds one row to `sum`; rows of 8 bits are turned back in `scratch`.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32], scratch: &mut Vec<f32>) {
        let (panel, lane) = (row / PANEL, row % PANEL);
        let span = panel * self.cols..(panel + 1) * self.cols;
        match &self.data {
            Data::F32(data) => gather(&data[span], lane, sum, |v| v),
            Data::F16(data) => gather(&data[span], lane, sum, |v| f16::from_bits(v).to_f32()),
            Data::Bf16(data) => gather(&data[span], lane, sum, |v| bf16::from_bits(v).to_f32()),
            Data::I8(data) => data.add_row(row, sum, scratch),
        }
    }

    /// Columns `from..to` of a panel as f32: in place, or widened into `scratch`.
    #[inline]
    pub(crate) fn panel<'a>(
        &'a self,
        panel: usize,
        from: usize,
        to: usize,
        scratch: &'a mut Vec<[f32; PANEL]>,
    ) -> &'a [[f32; PANEL]] {
        let span = panel * self.cols + from..panel * self.cols + to;
        scratch.clear();
        match &self.data {
            Data::F32(data) => return &data[span],
            Data::F16(data) => scratch.extend(data[span].iter().map(|group| group.map(widen_f16))),
            Data::Bf16(data) => {
                scratch.extend(
                    data[span]
                        .iter()
                        .map(|group| group.map(|v| f32::from_bits(u32::from(v) << 16))),
                );
            }
            Data::I8(_) => {}
        }
        scratch
    }

    /// The matrix, where it is in 8 bits.
    pub(crate) fn int8(&self) -> Option<&Int8> {
        match &self.data {
            Data::I8(data) => Some(data),
            _ => None,
        }
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
}

/// A half float without branches, so that lanes run side by side: the exponent is rebased by a
/// multiplication, which normalises subnormals, too. Infinities and NaN, which no weight is, come
/// out as large numbers.
#[inline(always)]
fn widen_f16(half: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(half & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(magnitude.to_bits() | u32::from(half & 0x8000) << 16)
}

fn scatter<T>(panel: &mut [[T; PANEL]], lane: usize, values: &[f32], to: impl Fn(f32) -> T) {
    for (group, &value) in panel.iter_mut().zip(values) {
        group[lane] = to(value);
    }
}

fn gather<T: Copy>(panel: &[[T; PANEL]], lane: usize, sum: &mut [f32], to: impl Fn(T) -> f32) {
    for (sum, group) in sum.iter_mut().zip(panel) {
        *sum += to(group[lane]);
    }
}

/// Zeroed memory, or an error in place of an abort.
pub(crate) fn zeros<T: Clone + bytemuck::Zeroable>(
    len: usize,
    rows: usize,
    cols: usize,
) -> Result<Vec<T>, OutOfMemory> {
    let mut data = Vec::new();
    data.try_reserve_exact(len).map_err(|_| OutOfMemory { rows, cols })?;
    data.resize(len, T::zeroed());
    Ok(data)
}
