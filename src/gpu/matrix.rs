//! Weight matrices as the shaders read them: row by row, each filled up with zeros to whole groups
//! of four columns.

use std::borrow::Cow;

use half::{bf16, f16};
use wgpu::{Buffer, BufferUsages};

use super::device::Device;
use crate::backend::Precision;
use crate::{Error, Result};

/// A weight matrix `[rows, cols]` in the device's memory.
pub struct Matrix {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) precision: Precision,
    pub(super) values: Buffer,
    /// int8 only: one a row.
    pub(super) scales: Option<Buffer>,
}

/// Columns in groups of four.
pub(super) fn groups(cols: usize) -> usize {
    cols.div_ceil(4)
}

/// Bytes of a group.
fn group_bytes(precision: Precision) -> usize {
    match precision {
        Precision::F32 => 16,
        Precision::F16 | Precision::Bf16 => 8,
        Precision::I8 => 4,
    }
}

impl Matrix {
    pub(super) fn zeros(
        device: &mut Device,
        rows: usize,
        cols: usize,
        precision: Precision,
    ) -> Result<Self> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let bytes = rows as u64 * (groups(cols) * group_bytes(precision)) as u64;
        let most = device.most_bytes();
        if bytes > most {
            return Err(Error::Unsupported(format!(
                "a weight matrix of {rows} × {cols} takes {} MB and this GPU's kernels reach {} MB: \
                 load the model with a smaller dtype, or on the CPU",
                bytes >> 20,
                most >> 20
            )));
        }
        let values = device.buffer(bytes.max(16), usage);
        let scales =
            (precision == Precision::I8).then(|| device.buffer((rows as u64 * 4).max(16), usage));
        Ok(Self { rows, cols, precision, values, scales })
    }

    /// Stores whole rows from `first_row` on, each `cols` long.
    pub(super) fn write(&self, device: &mut Device, first_row: usize, values: &[f32]) {
        let cols = self.cols;
        let row_bytes = groups(cols) * group_bytes(self.precision);
        let offset = (first_row * row_bytes) as u64;
        let mut scales = Vec::new();
        let bytes: Cow<'_, [u8]> = match self.precision {
            Precision::F32 if cols.is_multiple_of(4) => Cow::Borrowed(bytemuck::cast_slice(values)),
            Precision::F32 => filled(values, cols, row_bytes, |v| v.to_le_bytes()),
            Precision::F16 => filled(values, cols, row_bytes, |v| f16::from_f32(v).to_le_bytes()),
            Precision::Bf16 => filled(values, cols, row_bytes, |v| bf16::from_f32(v).to_le_bytes()),
            Precision::I8 => {
                scales.extend(values.chunks_exact(cols).map(scale));
                let mut integers = values.to_vec();
                for (row, scale) in integers.chunks_exact_mut(cols).zip(&scales) {
                    let inverse = if *scale > 0.0 { 1.0 / scale } else { 0.0 };
                    row.iter_mut().for_each(|v| *v = (*v * inverse).round());
                }
                filled(&integers, cols, row_bytes, |v| (v as i8).to_le_bytes())
            }
        };
        device.write(&self.values, offset, &bytes);
        if let Some(buffer) = &self.scales {
            device.write(buffer, first_row as u64 * 4, bytemuck::cast_slice(&scales));
        }
    }

    /// The matrix at the bindings of weight_*.wgsl.
    pub(super) fn bindings(&self) -> impl Iterator<Item = (u32, &Buffer)> {
        std::iter::once((3, &self.values)).chain(self.scales.iter().map(|scales| (4, scales)))
    }
}

/// A row's greatest magnitude is 127 steps.
fn scale(row: &[f32]) -> f32 {
    row.iter().fold(0.0_f32, |max, v| max.max(v.abs())) / 127.0
}

/// Rows of elements as bytes, each row filled up to `row_bytes`.
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
