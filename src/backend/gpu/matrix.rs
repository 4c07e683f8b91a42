//! Weight matrices in the layout of the shaders: row by row, each row padded with zeros to whole
//! groups of four columns (int8: to whole blocks of 32). A matrix too large for one buffer is split
//! into parts.

use std::borrow::Cow;

use half::{bf16, f16};
use wgpu::Buffer;

use super::device::Device;
use crate::backend::Precision;
use crate::{Error, Result};

/// Columns per int8 block. A block has one scale.
pub(super) const BLOCK: usize = 32;
/// The rows of a part are a multiple of this: the column count of linear.wgsl's widest tile. A
/// workgroup then computes columns of one part only.
const PART_ROWS: u64 = 64;

/// A weight matrix `[rows, cols]` in the device's memory. A clone has the same memory.
#[derive(Clone)]
pub struct GpuMatrix {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) precision: Precision,
    pub(super) parts: Vec<MatrixPart>,
}

/// Rows of a matrix that share a buffer.
#[derive(Clone)]
pub(super) struct MatrixPart {
    /// First row.
    pub(super) first: usize,
    /// Number of rows.
    pub(super) rows: usize,
    pub(super) values: Buffer,
    /// Scales of int8 blocks, one per [`BLOCK`] columns; `None` for other precisions.
    pub(super) scales: Option<Buffer>,
}

/// Returns the number of groups of four that hold `cols` columns.
pub(super) fn groups(cols: usize) -> usize {
    cols.div_ceil(4)
}

/// Returns the number of bytes per row.
fn row_bytes(cols: usize, precision: Precision) -> usize {
    match precision {
        Precision::F32 => 16 * groups(cols),
        Precision::F16 | Precision::Bf16 => 8 * groups(cols),
        Precision::I8 => cols.next_multiple_of(BLOCK),
    }
}

/// Returns the number of bytes of a matrix, including its scales.
pub(super) fn matrix_bytes(rows: usize, cols: usize, precision: Precision) -> usize {
    let values = rows * row_bytes(cols, precision);
    if precision == Precision::I8 { values + values / BLOCK * 4 } else { values }
}

impl GpuMatrix {
    /// Creates a matrix of zeros in buffers of at most `max_bytes`. A placeholder has no memory for
    /// values.
    pub(super) fn zeros(
        device: &mut Device,
        max_bytes: u64,
        [rows, cols]: [usize; 2],
        precision: Precision,
        placeholder: bool,
    ) -> Result<Self> {
        let usage = super::WEIGHTS;
        let each = (row_bytes(cols, precision) as u64).max(1);
        let fit = max_bytes / each;
        let fit = if fit >= rows as u64 { rows as u64 } else { fit / PART_ROWS * PART_ROWS };
        if fit == 0 && rows > 0 {
            return Err(Error::Unsupported(format!(
                "weight matrix of {rows} × {cols}: expected at most {1} kB per {PART_ROWS} rows on \
                 this GPU, got {0} kB",
                (PART_ROWS * each) >> 10,
                max_bytes >> 10
            )));
        }
        let part = |first: usize| {
            let rows = (rows - first).min(fit as usize);
            let bytes = if placeholder { 0 } else { rows as u64 * each };
            let values = device.buffer(bytes.max(16), usage);
            let scales = (precision == Precision::I8)
                .then(|| device.buffer((bytes / BLOCK as u64 * 4).max(16), usage));
            MatrixPart { first, rows, values, scales }
        };
        let parts = (0..rows.max(1)).step_by((fit as usize).max(1)).map(part).collect();
        Ok(Self { rows, cols, precision, parts })
    }

    /// Stores whole rows, starting at `first_row`, each `cols` long.
    pub(super) fn write(&self, device: &mut Device, first_row: usize, values: &[f32]) {
        let cols = self.cols.max(1);
        let end = first_row + values.len() / cols;
        for part in &self.parts {
            let (from, to) = (first_row.max(part.first), end.min(part.first + part.rows));
            if from < to {
                let values = &values[(from - first_row) * cols..(to - first_row) * cols];
                self.write_part(device, part, from - part.first, values);
            }
        }
    }

    fn write_part(&self, device: &mut Device, part: &MatrixPart, first_row: usize, values: &[f32]) {
        let cols = self.cols;
        let row_bytes = row_bytes(cols, self.precision);
        let bytes: Cow<'_, [u8]> = match self.precision {
            Precision::F32 if cols.is_multiple_of(4) => Cow::Borrowed(bytemuck::cast_slice(values)),
            Precision::F32 => filled(values, cols, row_bytes, |v| v.to_le_bytes()),
            Precision::F16 => filled(values, cols, row_bytes, |v| f16::from_f32(v).to_le_bytes()),
            Precision::Bf16 => filled(values, cols, row_bytes, |v| bf16::from_f32(v).to_le_bytes()),
            Precision::I8 => {
                let mut scales = Vec::with_capacity(values.len() / BLOCK + 1);
                let mut bytes = Vec::with_capacity(values.len() / cols * row_bytes);
                for row in values.chunks_exact(cols) {
                    row.chunks(BLOCK).for_each(|block| scales.push(quantize(block, &mut bytes)));
                }
                if let Some(buffer) = &part.scales {
                    let offset = (first_row * row_bytes / BLOCK * 4) as u64;
                    device.write(buffer, offset, bytemuck::cast_slice(&scales));
                }
                Cow::Owned(bytes)
            }
        };
        device.write(&part.values, (first_row * row_bytes) as u64, &bytes);
    }
}

impl MatrixPart {
    /// Returns the buffers at the bindings of weight_*.wgsl.
    pub(super) fn bindings(&self) -> impl Iterator<Item = (u32, &Buffer)> {
        std::iter::once((3, &self.values)).chain(self.scales.iter().map(|scales| (4, scales)))
    }
}

/// Appends a block, rotated and quantized as in shared/quantize.wgsl. Returns its scale: the value
/// that 127 stands for.
fn quantize(block: &[f32], bytes: &mut Vec<u8>) -> f32 {
    let mut rotated = [0.0; BLOCK];
    rotated[..block.len()].copy_from_slice(block);
    // A fast Walsh-Hadamard transform over the eight groups of four columns.
    for half in [4, 8, 16] {
        for at in (0..BLOCK).filter(|at| at & half == 0) {
            let (a, b) = (rotated[at], rotated[at + half]);
            (rotated[at], rotated[at + half]) = (a + b, a - b);
        }
    }
    let max_abs = rotated.iter().fold(0.0_f32, |max, v| max.max(v.abs()));
    let inverse = if max_abs > 0.0 { 127.0 / max_abs } else { 0.0 };
    bytes.extend(rotated.map(|v| (v * inverse).round() as i8 as u8));
    // The transform multiplies lengths by √8, for weights and activations. Dividing once by 8
    // undoes both.
    max_abs / 8.0
}

/// Converts rows to bytes, each row padded to `row_bytes`.
fn filled<const N: usize>(
    values: &[f32],
    cols: usize,
    row_bytes: usize,
    to: impl Fn(f32) -> [u8; N],
) -> Cow<'static, [u8]> {
    let mut bytes = Vec::with_capacity(values.len() / cols.max(1) * row_bytes);
    for row in values.chunks_exact(cols) {
        let end = bytes.len() + row_bytes;
        row.iter().for_each(|&v| bytes.extend_from_slice(&to(v)));
        bytes.resize(end, 0);
    }
    Cow::Owned(bytes)
}
