//! The rows of a tensor, from the file's bytes to the backend.

use super::adapters::Adapter;
use super::parameter_slots::{ParameterSlot, TensorTarget};
use crate::backend::{Precision, Processor};
use crate::model::Layout;
use half::{bf16, f16};

/// The number of floats that are converted at a time.
const BLOCK: usize = 16 * 1024;

/// How a file stores a tensor's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    /// 64-bit floats. They are rounded to 32 bits.
    F64,
    /// A precision that matrices can also have.
    As(Precision),
}

impl Stored {
    /// Returns the storage of a float dtype of safetensors; `None` for integers and for dtypes that
    /// weights do not use.
    pub(super) fn floats(dtype: &str) -> Option<Self> {
        match dtype {
            "F64" => Some(Self::F64),
            "F32" => Some(Self::As(Precision::F32)),
            "F16" => Some(Self::As(Precision::F16)),
            "BF16" => Some(Self::As(Precision::Bf16)),
            _ => None,
        }
    }

    /// Returns the precision that keeps the numbers best.
    pub(super) fn precision(self) -> Precision {
        match self {
            Self::F64 => Precision::F32,
            Self::As(precision) => precision,
        }
    }
}

/// A tensor that arrives in pieces of any size. Only whole rows are written.
#[derive(Clone)]
pub(super) struct Rows {
    target: TensorTarget,
    stored: Stored,
    /// The next row to write.
    row: usize,
    /// The first bytes of an incomplete row.
    carry: Vec<u8>,
    /// The whole parameter, if the tensor is transposed.
    #[cfg(feature = "families")]
    whole: Vec<f32>,
}

impl Rows {
    pub(super) fn new(target: TensorTarget, stored: Stored) -> Self {
        Self {
            target,
            stored,
            row: 0,
            carry: Vec::new(),
            #[cfg(feature = "families")]
            whole: Vec::new(),
        }
    }

    /// Allocates the memory of a transposed tensor, whose first row of the parameter is complete
    /// only with its last bytes.
    #[cfg(feature = "families")]
    pub(super) fn prepare<B: Processor>(&mut self, slot: &ParameterSlot<B>) -> crate::Result<()> {
        let is_transposed = matches!(self.target.layout, Layout::Transposed { .. });
        if is_transposed && self.whole.is_empty() {
            let count = self.target.rows * slot.cols;
            self.whole.try_reserve_exact(count).map_err(|_| {
                crate::Error::OutOfMemory(format!("no memory for a transposed matrix of {count}"))
            })?;
            self.whole.resize(count, 0.0);
        }
        Ok(())
    }

    /// Returns the slot of the rows.
    pub(super) fn slot(&self) -> usize {
        self.target.slot
    }

    /// Writes to `slot` each row that `bytes` complete, and keeps the bytes of an incomplete row.
    /// `scales` are the scales of int8 rows. `adapter` is added to the rows.
    ///
    /// # Errors
    /// The number of a row with NaN or infinity. In int8, such a row would become plausible
    /// numbers.
    pub(super) fn push<B: Processor>(
        &mut self,
        backend: &mut B,
        slot: &mut ParameterSlot<B>,
        scales: &[f32],
        adapter: Option<Adapter<'_>>,
        mut bytes: &[u8],
    ) -> Result<(), usize> {
        let cols = match self.target.layout {
            Layout::Plain => self.target.order.cols(slot.cols),
            layout => layout.tensor_shape(self.target.rows, slot.cols)[1],
        };
        let row_bytes = cols * element_bytes(self.stored);
        let mut values = Vec::new();
        let mut write = |rows: &mut Self, whole: &[u8]| {
            values.clear();
            decode(rows.stored, whole, &mut values);
            rows.scale(cols, scales, &mut values);
            if let Some(adapter) = &adapter {
                adapter.add_to(rows.row, &mut values);
            }
            if !all_finite(&values) {
                let finite = values.chunks(cols).take_while(|values| all_finite(values)).count();
                return Err(rows.row + finite);
            }
            rows.write(backend, slot, cols, &values);
            rows.row += whole.len() / row_bytes;
            Ok(())
        };
        if !self.carry.is_empty() {
            take(&mut bytes, &mut self.carry, row_bytes);
            if self.carry.len() < row_bytes {
                return Ok(());
            }
            let mut carry = std::mem::take(&mut self.carry);
            write(self, &carry)?;
            carry.clear();
            self.carry = carry;
        }
        let whole = bytes.len() - bytes.len() % row_bytes;
        let (whole, rest) = bytes.split_at(whole);
        let block_rows = (BLOCK / cols).max(1);
        for block in whole.chunks(block_rows * row_bytes) {
            write(self, block)?;
        }
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    /// Multiplies int8 rows by their scales.
    fn scale(&self, cols: usize, scales: &[f32], values: &mut [f32]) {
        if self.stored == Stored::As(Precision::I8) {
            for (values, scale) in values.chunks_mut(cols).zip(scales.iter().skip(self.row)) {
                values.iter_mut().for_each(|value| *value *= scale);
            }
        }
    }

    /// Writes the next rows, of `cols` columns in the file, to their places in `slot`.
    fn write<B: Processor>(
        &mut self,
        backend: &mut B,
        slot: &mut ParameterSlot<B>,
        cols: usize,
        values: &[f32],
    ) {
        let target = self.target;
        if !cfg!(feature = "families") || target.layout == Layout::Plain {
            return target.write(backend, slot, self.row, values);
        }
        let shape = [target.rows, slot.cols];
        for (row, values) in (self.row..).zip(values.chunks(cols)) {
            let mut write = |to, values: &[f32]| slot.write(backend, target.first_row + to, values);
            target.layout.place(shape, row, values, &mut write);
            #[cfg(feature = "families")]
            target.layout.transpose(shape, row, values, &mut self.whole, &mut write);
        }
    }
}

/// Moves bytes from the front of `from` until `to` has `length`.
pub(super) fn take(from: &mut &[u8], to: &mut Vec<u8>, length: usize) {
    let (now, later) = from.split_at(from.len().min(length - to.len()));
    to.extend_from_slice(now);
    *from = later;
}

/// Returns whether all values are finite. There can be hundreds of millions of values, so the loop
/// has no branches.
pub(super) fn all_finite(values: &[f32]) -> bool {
    values.iter().fold(true, |finite, value| finite & value.is_finite())
}

/// Returns the bytes of an element in the file.
fn element_bytes(stored: Stored) -> usize {
    match stored {
        Stored::F64 => 8,
        Stored::As(Precision::F32) => 4,
        Stored::As(Precision::F16 | Precision::Bf16) => 2,
        Stored::As(Precision::I8) => 1,
    }
}

/// Appends little-endian elements as f32. int8 is not scaled.
pub(super) fn decode(stored: Stored, bytes: &[u8], values: &mut Vec<f32>) {
    match stored {
        Stored::F64 => {
            values.extend(bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b) as f32));
        }
        Stored::As(Precision::F16) => {
            values.extend(bytes.as_chunks::<2>().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()));
        }
        Stored::As(Precision::Bf16) => {
            values
                .extend(bytes.as_chunks::<2>().0.iter().map(|b| bf16::from_le_bytes(*b).to_f32()));
        }
        Stored::As(Precision::I8) => values.extend(bytes.iter().map(|&b| f32::from(b as i8))),
        Stored::As(Precision::F32) => {
            values.extend(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)));
        }
    }
}
