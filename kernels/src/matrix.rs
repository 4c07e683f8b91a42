//! Weight matrices packed for the product's tile, which reads two rows side by side: even rows and
//! odd rows lie apart, so that it reads two streams of memory, each from front to back. Processors
//! fetch two from afar faster than one (three times, where it was measured).

use std::array::from_fn;
use std::fmt;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

use crate::aligned::Aligned;
use crate::int8::Int8;
use crate::threads::even;

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
/// Columns of a block at most, so that panel and tile share 32 kB of first-level cache.
pub(crate) const COLUMNS: usize = 512;

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

/// A weight matrix `[rows, cols]`.
#[derive(Debug)]
pub struct Matrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    data: Data,
}

#[derive(Debug)]
enum Data {
    F32(Halves<f32>),
    F16(Halves<u16>),
    Bf16(Halves<u16>),
    I8(Int8),
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn zeros(rows: usize, cols: usize, precision: Precision) -> Result<Self, OutOfMemory> {
        let data = match precision {
            Precision::F32 => Data::F32(Halves::zeros(rows, cols)?),
            Precision::F16 => Data::F16(Halves::zeros(rows, cols)?),
            Precision::Bf16 => Data::Bf16(Halves::zeros(rows, cols)?),
            Precision::I8 => Data::I8(Int8::zeros(rows, cols)?),
        };
        Ok(Self { rows, cols, data })
    }

    /// Stores whole rows from `first_row` on, each `cols` long.
    pub fn write(&mut self, first_row: usize, values: &[f32]) {
        for (row, values) in (first_row..self.rows).zip(values.chunks_exact(self.cols)) {
            match &mut self.data {
                Data::F32(data) => data.write(row, values, |v| v),
                Data::F16(data) => data.write(row, values, |v| f16::from_f32(v).to_bits()),
                Data::Bf16(data) => data.write(row, values, |v| bf16::from_f32(v).to_bits()),
                Data::I8(data) => data.write(row, values),
            }
        }
    }

    /// Adds one row to `sum`; rows of 8 bits are turned back in `scratch`.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32], scratch: &mut Aligned<f32>) {
        match &self.data {
            Data::F32(data) => data.add_row(row, sum, |v| v),
            Data::F16(data) => data.add_row(row, sum, |v| f16::from_bits(v).to_f32()),
            Data::Bf16(data) => data.add_row(row, sum, |v| bf16::from_bits(v).to_f32()),
            Data::I8(data) => data.add_row(row, sum, scratch),
        }
    }

    /// The vectors of a block of columns, of a panel's rows, as f32: in place, or widened into
    /// `scratch`.
    #[inline]
    pub(crate) fn panel<'a>(
        &'a self,
        panel: usize,
        block: &Range<usize>,
        scratch: &'a mut Aligned<[f32; VECTOR]>,
    ) -> [&'a [[f32; VECTOR]]; PANEL] {
        let rows: [_; PANEL] = from_fn(|row| panel * PANEL + row);
        let each = block.len();
        match &self.data {
            Data::F32(data) => return rows.map(|row| data.part(row, block)),
            Data::F16(data) => data.widen(rows, block, scratch, widen_f16),
            Data::Bf16(data) => {
                data.widen(rows, block, scratch, |v| f32::from_bits(u32::from(v) << 16));
            }
            Data::I8(_) => scratch.resize(each * PANEL),
        }
        from_fn(|row| &scratch[row * each..][..each])
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

/// Even rows and odd rows. In either half lies one block of columns after the other, in each row
/// after row; the last panel and the last vectors are filled up with zeros.
#[derive(Debug)]
struct Halves<T> {
    halves: [Aligned<[T; VECTOR]>; 2],
    /// Rows of a half.
    rows: usize,
    cols: usize,
}

impl<T: Pod> Halves<T> {
    fn zeros(rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let lack = OutOfMemory { rows, cols };
        let each = rows.div_ceil(PANEL) * (PANEL / 2);
        let len = each.checked_mul(cols.div_ceil(VECTOR)).ok_or(lack)?;
        let half = || Aligned::zeros(len, rows, cols);
        Ok(Self { halves: [half()?, half()?], rows: each, cols })
    }

    fn write(&mut self, row: usize, values: &[f32], to: impl Fn(f32) -> T) {
        for block in blocks(self.cols) {
            let values = values[block.start * VECTOR..].chunks(VECTOR);
            let place = self.place(row, &block);
            for (place, values) in self.halves[row % 2][place].iter_mut().zip(values) {
                for (place, &value) in place.iter_mut().zip(values) {
                    *place = to(value);
                }
            }
        }
    }

    fn add_row(&self, row: usize, sum: &mut [f32], to: impl Fn(T) -> f32) {
        for block in blocks(self.cols) {
            let sums = sum[block.start * VECTOR..].chunks_mut(VECTOR);
            for (sums, vector) in sums.zip(self.part(row, &block)) {
                for (sum, &value) in sums.iter_mut().zip(vector) {
                    *sum += to(value);
                }
            }
        }
    }

    /// A block of some rows as f32, a row after the other.
    fn widen(
        &self,
        rows: [usize; PANEL],
        block: &Range<usize>,
        to: &mut Aligned<[f32; VECTOR]>,
        widen: impl Fn(T) -> f32,
    ) {
        to.resize(PANEL * block.len());
        let vectors = rows.into_iter().flat_map(|row| self.part(row, block));
        for (to, vector) in to.iter_mut().zip(vectors) {
            *to = vector.map(&widen);
        }
    }

    fn part(&self, row: usize, block: &Range<usize>) -> &[[T; VECTOR]] {
        &self.halves[row % 2][self.place(row, block)]
    }

    /// Where in its half a block of a row is.
    fn place(&self, row: usize, block: &Range<usize>) -> Range<usize> {
        let start = self.rows * block.start + row / 2 * block.len();
        start..start + block.len()
    }
}

/// The blocks of as many columns, as even as can be, counted in vectors.
pub(crate) fn blocks(cols: usize) -> impl Iterator<Item = Range<usize>> {
    let (vectors, blocks) = (cols.div_ceil(VECTOR), cols.div_ceil(COLUMNS));
    (0..blocks).map(move |block| even(vectors, blocks, block))
}

/// Zeroed memory, or an error in place of an abort.
pub(crate) fn zeros<T: Clone + Zeroable>(
    len: usize,
    rows: usize,
    cols: usize,
) -> Result<Vec<T>, OutOfMemory> {
    let mut data = Vec::new();
    data.try_reserve_exact(len).map_err(|_| OutOfMemory { rows, cols })?;
    data.resize(len, T::zeroed());
    Ok(data)
}
