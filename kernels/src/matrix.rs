//! Weight matrices packed for the product's tile: rows two by two, and of two rows vector by vector,
//! so that the tile reads them from front to back.

use std::array::from_fn;
use std::fmt;
use std::ops::Range;

use half::{bf16, f16};

use crate::dot::PAIRS;
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

/// Rows that are multiplied at a time: as many as make two vectors of results.
pub(crate) const PANEL: usize = 8;
/// Columns of a vector.
pub(crate) const VECTOR: usize = 4;
/// A vector of each of two rows.
pub(crate) type Pair<T> = [[T; VECTOR]; 2];

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

/// A weight matrix `[rows, cols]`. Element (r, c) is in pair `r / 2 · ⌈cols / 4⌉ + c / 4`, there at
/// (r % 2, c % 4); the last panel and the last vectors are filled up with zeros.
#[derive(Debug)]
pub struct Matrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    data: Data,
}

#[derive(Debug)]
enum Data {
    F32(Vec<Pair<f32>>),
    F16(Vec<Pair<u16>>),
    Bf16(Vec<Pair<u16>>),
    I8(Int8),
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn zeros(rows: usize, cols: usize, precision: Precision) -> Result<Self, OutOfMemory> {
        let pairs = (rows.div_ceil(PANEL) * PANEL / 2).checked_mul(cols.div_ceil(VECTOR));
        let pairs = pairs.ok_or(OutOfMemory { rows, cols })?;
        let data = match precision {
            Precision::F32 => Data::F32(zeros(pairs, rows, cols)?),
            Precision::F16 => Data::F16(zeros(pairs, rows, cols)?),
            Precision::Bf16 => Data::Bf16(zeros(pairs, rows, cols)?),
            Precision::I8 => Data::I8(Int8::zeros(rows, cols)?),
        };
        Ok(Self { rows, cols, data })
    }

    /// Stores whole rows from `first_row` on, each `cols` long.
    pub fn write(&mut self, first_row: usize, values: &[f32]) {
        let vectors = self.vectors();
        for (row, values) in (first_row..self.rows).zip(values.chunks_exact(self.cols)) {
            let span = row / 2 * vectors..(row / 2 + 1) * vectors;
            match &mut self.data {
                Data::F32(data) => scatter(&mut data[span], row % 2, values, |v| v),
                Data::F16(data) => {
                    scatter(&mut data[span], row % 2, values, |v| f16::from_f32(v).to_bits());
                }
                Data::Bf16(data) => {
                    scatter(&mut data[span], row % 2, values, |v| bf16::from_f32(v).to_bits());
                }
                Data::I8(data) => data.write(row, values),
            }
        }
    }

    /// Adds one row to `sum`; rows of 8 bits are turned back in `scratch`.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32], scratch: &mut Vec<f32>) {
        let vectors = self.vectors();
        let span = row / 2 * vectors..(row / 2 + 1) * vectors;
        match &self.data {
            Data::F32(data) => gather(&data[span], row % 2, sum, |v| v),
            Data::F16(data) => gather(&data[span], row % 2, sum, |v| f16::from_bits(v).to_f32()),
            Data::Bf16(data) => gather(&data[span], row % 2, sum, |v| bf16::from_bits(v).to_f32()),
            Data::I8(data) => data.add_row(row, sum, scratch),
        }
    }

    /// Vectors `of` of a panel's pairs as f32: in place, or widened into `scratch`.
    #[inline]
    pub(crate) fn panel<'a>(
        &'a self,
        panel: usize,
        of: Range<usize>,
        scratch: &'a mut Vec<Pair<f32>>,
    ) -> [&'a [Pair<f32>]; PAIRS] {
        let vectors = self.vectors();
        let spans: [_; PAIRS] = from_fn(|pair| {
            let start = (panel * PAIRS + pair) * vectors;
            start + of.start..start + of.end
        });
        scratch.clear();
        match &self.data {
            Data::F32(data) => return spans.map(|span| &data[span]),
            Data::F16(data) => {
                let pairs = spans.into_iter().flat_map(|span| &data[span]);
                scratch.extend(pairs.map(|pair| pair.map(|vector| vector.map(widen_f16))));
            }
            Data::Bf16(data) => {
                let widen = |v| f32::from_bits(u32::from(v) << 16);
                let pairs = spans.into_iter().flat_map(|span| &data[span]);
                scratch.extend(pairs.map(|pair| pair.map(|vector| vector.map(widen))));
            }
            Data::I8(_) => {}
        }
        let each = scratch.len() / PAIRS;
        from_fn(|pair| &scratch[pair * each..][..each])
    }

    /// The matrix, where it is in 8 bits.
    pub(crate) fn int8(&self) -> Option<&Int8> {
        match &self.data {
            Data::I8(data) => Some(data),
            _ => None,
        }
    }

    /// Vectors of a row.
    pub(crate) fn vectors(&self) -> usize {
        self.cols.div_ceil(VECTOR)
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

fn scatter<T>(pairs: &mut [Pair<T>], row: usize, values: &[f32], to: impl Fn(f32) -> T) {
    for (pair, values) in pairs.iter_mut().zip(values.chunks(VECTOR)) {
        for (place, &value) in pair[row].iter_mut().zip(values) {
            *place = to(value);
        }
    }
}

fn gather<T: Copy>(pairs: &[Pair<T>], row: usize, sum: &mut [f32], to: impl Fn(T) -> f32) {
    for (sums, pair) in sum.chunks_mut(VECTOR).zip(pairs) {
        for (sum, &value) in sums.iter_mut().zip(&pair[row]) {
            *sum += to(value);
        }
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
