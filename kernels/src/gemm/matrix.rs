//! Weight matrices, packed for the micro-kernels.
//!
//! Even and odd rows lie in two separate streams, because a micro-kernel reads two rows side by
//! side. It then reads each stream from front to back. The prefetcher of the measured processor
//! follows two streams three times faster than one.

use std::array::from_fn;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

use super::{KC, LANES, NR, pack};
use crate::quant::QuantizedMatrix;
use crate::simd::{Aligned, F32x4};
use crate::threads::even_part;

/// Number format of a matrix in memory. Arithmetic is in f32, except for int8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// IEEE half floats.
    F16,
    /// bfloat16.
    Bf16,
    /// 8-bit integers with one f32 scale per row, multiplied as integers.
    I8,
}

impl Precision {
    /// Returns the bytes of a matrix `[rows, cols]` in this precision, including scales.
    pub fn bytes(self, rows: usize, cols: usize) -> usize {
        match self {
            Self::F32 => rows * cols * 4,
            Self::F16 | Self::Bf16 => rows * cols * 2,
            Self::I8 => QuantizedMatrix::bytes(rows, cols),
        }
    }
}

/// A matrix does not fit in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Requested rows.
    pub rows: usize,
    /// Requested columns.
    pub cols: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "out of memory for a matrix of {} × {} numbers", self.rows, self.cols)
    }
}

impl std::error::Error for OutOfMemory {}

/// A weight matrix `[rows, cols]` in one of the precisions.
#[derive(Debug)]
pub struct Matrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    /// Several matrices may share the numbers. They can be changed while only one has them.
    data: Arc<Data>,
}

#[derive(Debug)]
enum Data {
    F32(PackedRows<f32>),
    F16(PackedRows<u16>),
    Bf16(PackedRows<u16>),
    I8(QuantizedMatrix),
}

impl Matrix {
    /// Returns a matrix of zeros.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the matrix does not fit in memory.
    pub fn zeros(rows: usize, cols: usize, precision: Precision) -> Result<Self, OutOfMemory> {
        let data = match precision {
            Precision::F32 => Data::F32(PackedRows::zeros(rows, cols)?),
            Precision::F16 => Data::F16(PackedRows::zeros(rows, cols)?),
            Precision::Bf16 => Data::Bf16(PackedRows::zeros(rows, cols)?),
            Precision::I8 => Data::I8(QuantizedMatrix::zeros(rows, cols)?),
        };
        Ok(Self { rows, cols, data: Arc::new(data) })
    }

    /// Returns a matrix with the same numbers in the same memory. Neither of the two can be written
    /// while both exist.
    pub fn share(&self) -> Self {
        Self { rows: self.rows, cols: self.cols, data: Arc::clone(&self.data) }
    }

    /// Stores whole rows, beginning at row `first_row`, and converts them to the precision of the
    /// matrix. `values` is `[any, cols]`. Rows beyond the last row of the matrix are ignored. A
    /// matrix with shared numbers is not changed.
    pub fn write(&mut self, first_row: usize, values: &[f32]) {
        let Some(data) = Arc::get_mut(&mut self.data) else { return };
        for (row, values) in (first_row..self.rows).zip(values.chunks_exact(self.cols)) {
            match data {
                Data::F32(data) => data.write(row, values, |v| v),
                Data::F16(data) => data.write(row, values, |v| f16::from_f32(v).to_bits()),
                Data::Bf16(data) => data.write(row, values, |v| bf16::from_f32(v).to_bits()),
                Data::I8(data) => data.write(row, values),
            }
        }
    }

    /// Adds one row to `sum`. `buffer` holds the dequantized row if the precision is int8.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32], buffer: &mut Aligned<f32>) {
        match &*self.data {
            Data::F32(data) => data.add_row(row, sum, |v| v),
            Data::F16(data) => data.add_row(row, sum, |v| f16::from_bits(v).to_f32()),
            Data::Bf16(data) => data.add_row(row, sum, |v| bf16::from_bits(v).to_f32()),
            Data::I8(data) => data.add_row(row, sum, buffer),
        }
    }

    /// Returns the vectors of a block of columns for each row of a panel, as f32. They are returned
    /// in place or widened into `buffer`.
    #[inline]
    pub(crate) fn panel<'a>(
        &'a self,
        panel: usize,
        block: &Range<usize>,
        buffer: &'a mut Aligned<[f32; LANES]>,
    ) -> [&'a [[f32; LANES]]; NR] {
        let rows: [_; NR] = from_fn(|row| panel * NR + row);
        let each = block.len();
        match &*self.data {
            Data::F32(data) => return rows.map(|row| data.part(row, block)),
            Data::F16(data) => data.widen(rows, block, buffer, widen_f16),
            Data::Bf16(data) => {
                data.widen(rows, block, buffer, |v| f32::from_bits(u32::from(v) << 16));
            }
            // Quantized matrices have kernels of their own, so nobody reads this panel.
            Data::I8(_) => buffer.resize(each * NR),
        }
        from_fn(|row| &buffer[row * each..][..each])
    }

    /// Packs a block of rows, counted in vectors, by [`pack::transposed_panels`]. Writes zeros if
    /// the precision is not f32.
    pub(crate) fn transpose_panels(
        &self,
        panels: Range<usize>,
        block: &Range<usize>,
        packed: &mut [[f32; LANES]],
    ) {
        match &*self.data {
            Data::F32(data) => data.transpose_panels(panels, block, packed),
            _ => packed.fill([0.0; LANES]),
        }
    }

    /// Cuts the matrix into bands of `height` rows, which must be even. Returns no bands if the
    /// precision is not f32, or if the numbers are shared.
    pub(crate) fn bands_mut(&mut self, height: usize) -> impl Iterator<Item = MatrixBand<'_>> {
        let bands = match Arc::get_mut(&mut self.data) {
            Some(Data::F32(data)) => Some(data.bands_mut(self.rows, height)),
            _ => None,
        };
        bands.into_iter().flatten()
    }

    /// Returns the precision of the matrix in memory.
    pub fn precision(&self) -> Precision {
        match *self.data {
            Data::F32(_) => Precision::F32,
            Data::F16(_) => Precision::F16,
            Data::Bf16(_) => Precision::Bf16,
            Data::I8(_) => Precision::I8,
        }
    }

    /// Copies one row to `values`, `[cols]`.
    pub fn read_row(&self, row: usize, values: &mut [f32]) {
        values.fill(0.0);
        self.add_row(row, values, &mut Aligned::default());
    }

    /// Returns the quantized matrix if the precision is int8.
    pub(crate) fn int8(&self) -> Option<&QuantizedMatrix> {
        match &*self.data {
            Data::I8(data) => Some(data),
            _ => None,
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
}

/// Converts f16 to f32 without branches, so that the compiler can vectorise it. A multiplication
/// rebases the exponent, which also normalises subnormals. Infinities and NaN become large numbers;
/// weights contain neither.
#[inline(always)]
fn widen_f16(half: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(half & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(magnitude.to_bits() | u32::from(half & 0x8000) << 16)
}

/// Even and odd rows as two streams. A stream holds one block of columns after the other, and a
/// block holds one row after the other. The last panel and the last vector of each row are padded
/// with zeros.
#[derive(Debug)]
struct PackedRows<T> {
    streams: [Aligned<[T; LANES]>; 2],
    /// Rows of a stream.
    rows: usize,
    cols: usize,
}

impl<T: Pod> PackedRows<T> {
    fn zeros(rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { rows, cols };
        let each = rows.div_ceil(NR) * (NR / 2);
        let len = each.checked_mul(cols.div_ceil(LANES)).ok_or(out_of_memory)?;
        let stream = || Aligned::zeros(len, rows, cols);
        Ok(Self { streams: [stream()?, stream()?], rows: each, cols })
    }

    fn write(&mut self, row: usize, values: &[f32], to: impl Fn(f32) -> T) {
        for block in blocks(self.cols) {
            let values = values[block.start * LANES..].chunks(LANES);
            let place = self.place(row, &block);
            for (place, values) in self.streams[row % 2][place].iter_mut().zip(values) {
                for (place, &value) in place.iter_mut().zip(values) {
                    *place = to(value);
                }
            }
        }
    }

    fn add_row(&self, row: usize, sum: &mut [f32], to: impl Fn(T) -> f32) {
        for block in blocks(self.cols) {
            let sums = sum[block.start * LANES..].chunks_mut(LANES);
            for (sums, vector) in sums.zip(self.part(row, &block)) {
                for (sum, &value) in sums.iter_mut().zip(vector) {
                    *sum += to(value);
                }
            }
        }
    }

    /// Converts a block of columns of some rows to f32, one row after the other.
    fn widen(
        &self,
        rows: [usize; NR],
        block: &Range<usize>,
        to: &mut Aligned<[f32; LANES]>,
        widen: impl Fn(T) -> f32,
    ) {
        to.resize(NR * block.len());
        let vectors = rows.into_iter().flat_map(|row| self.part(row, block));
        for (to, vector) in to.iter_mut().zip(vectors) {
            *to = vector.map(&widen);
        }
    }

    fn part(&self, row: usize, block: &Range<usize>) -> &[[T; LANES]] {
        &self.streams[row % 2][self.place(row, block)]
    }

    /// Returns the position of a row's block within its stream.
    fn place(&self, row: usize, block: &Range<usize>) -> Range<usize> {
        let start = self.rows * block.start + row / 2 * block.len();
        start..start + block.len()
    }
}

impl PackedRows<f32> {
    fn transpose_panels(
        &self,
        panels: Range<usize>,
        block: &Range<usize>,
        packed: &mut [[f32; LANES]],
    ) {
        // For each vector of a row: its place in the stream of row 0, and the distance to the row
        // after next.
        let places: Vec<_> = (2 * panels.start..2 * panels.end)
            .map(|vector| {
                let of = blocks(self.cols).find(|block| block.contains(&vector))?;
                Some((self.rows * of.start + vector - of.start, of.len()))
            })
            .collect();
        let [even, odd] = &self.streams;
        let first = block.start * (LANES / 2);
        pack::transposed_panels(panels.len(), block.len(), packed, |n, vector| {
            let Some((start, stride)) = places[n] else { return [F32x4::ZERO; LANES] };
            let at = start + (first + vector * (LANES / 2)) * stride;
            let load = |of: &[[f32; LANES]], at: usize| F32x4::load(&of[at]);
            [load(even, at), load(odd, at), load(even, at + stride), load(odd, at + stride)]
        });
    }

    /// Returns bands lazily: a list of all bands would take memory that grows with the rows.
    fn bands_mut(
        &mut self,
        rows: usize,
        height: usize,
    ) -> impl Iterator<Item = MatrixBand<'_>> + use<'_> {
        let (cols, each) = (self.cols, self.rows);
        let mut parts = Vec::new();
        for stream in &mut self.streams {
            let mut rest: &mut [[f32; LANES]] = stream;
            for block in blocks(cols) {
                let (own, others) = rest.split_at_mut(each * block.len());
                rest = others;
                parts.push(own.chunks_mut(height / 2 * block.len()));
            }
        }
        (0..rows.div_ceil(height)).map(move |band| MatrixBand {
            rows: band * height..rows.min((band + 1) * height),
            cols,
            parts: parts.iter_mut().filter_map(Iterator::next).collect(),
        })
    }
}

/// Some rows of a packed f32 matrix.
#[derive(Debug)]
pub(crate) struct MatrixBand<'a> {
    /// Row numbers; the first is even.
    pub(crate) rows: Range<usize>,
    cols: usize,
    /// Blocks of columns of the even rows, then of the odd rows.
    parts: Vec<&'a mut [[f32; LANES]]>,
}

impl MatrixBand<'_> {
    /// Calls `each` with the columns of every block and the numbers of matrix row `row` in that
    /// block.
    #[inline(always)]
    pub(crate) fn for_row(&mut self, row: usize, mut each: impl FnMut(Range<usize>, &mut [f32])) {
        let (parts, row) = (self.parts.len() / 2, row - self.rows.start);
        for (part, block) in self.parts[row % 2 * parts..].iter_mut().zip(blocks(self.cols)) {
            let columns = block.start * LANES..self.cols.min(block.end * LANES);
            let vectors = &mut part[row / 2 * block.len()..][..block.len()];
            each(columns.clone(), &mut vectors.as_flattened_mut()[..columns.len()]);
        }
    }
}

/// Splits `cols` columns into blocks of at most [`KC`] columns, as equal as possible. Blocks are
/// counted in vectors.
pub(crate) fn blocks(cols: usize) -> impl Iterator<Item = Range<usize>> {
    let (vectors, blocks) = (cols.div_ceil(LANES), cols.div_ceil(KC));
    (0..blocks).map(move |block| even_part(vectors, blocks, block))
}

/// Returns `len` zeros, or an error rather than an abort if memory is short. The error names a
/// matrix of `rows` and `cols`.
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
