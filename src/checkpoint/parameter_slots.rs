//! Slots for the parameters of a checkpoint while it is loaded.

use super::shares::Share;
use crate::backend::{Precision, Processor};
use crate::model::{Layout, ParameterSpec, RowOrder, Size, Visitor};
use crate::{Error, Result};

/// The destination of a tensor: rows of a slot.
#[derive(Clone, Copy)]
pub(super) struct TensorTarget {
    pub(super) slot: usize,
    pub(super) first_row: usize,
    pub(super) rows: usize,
    pub(super) order: RowOrder,
    /// How the tensor's rows lie in these rows.
    pub(super) layout: Layout,
    pub(super) filled: bool,
}

impl TensorTarget {
    /// Writes whole rows of the tensor, beginning at its row `row`, to their places in `slot`.
    pub(super) fn write<B: Processor>(
        &self,
        backend: &mut B,
        slot: &mut ParameterSlot<B>,
        row: usize,
        values: &[f32],
    ) {
        // without the feature, every tensor is in plain order, and this code stays out of the binary
        let order = if cfg!(feature = "families") { self.order } else { RowOrder::Plain };
        match order {
            RowOrder::Taps { groups, .. } if groups > 1 => {
                let cols = self.order.cols(slot.cols);
                for (row, values) in (row..).zip(values.chunks(cols)) {
                    let mut whole = vec![0.0; slot.cols];
                    whole[row * groups / self.rows * cols..][..cols].copy_from_slice(values);
                    slot.write(backend, self.first_row + row, &whole);
                }
            }
            RowOrder::Plain | RowOrder::Taps { .. } => {
                slot.write(backend, self.first_row + row, values);
            }
            RowOrder::ByHeads { .. } => {
                for (row, values) in (row..).zip(values.chunks(slot.cols)) {
                    let row = self.order.row(row, self.rows);
                    slot.write(backend, self.first_row + row, values);
                }
            }
        }
    }
}

/// A parameter that is being loaded. It is allocated when its first tensor arrives. A vector
/// usually has one column.
pub(super) struct ParameterSlot<B: Processor> {
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Whether the parameter has no tensor and stays zero.
    pub(super) is_zeros: bool,
    pub(super) kind: Kind<B>,
    /// Whether an adapter changes the parameter.
    pub(super) is_changed: bool,
    /// Whether the parameter was loaded for another encoder.
    pub(super) is_shared: bool,
}

pub(super) enum Kind<B: Processor> {
    Matrix(Option<(B::Matrix, Precision)>),
    Vector(Option<B::Vector>),
    /// Kept in the memory of the host, row-major.
    #[cfg(feature = "families")]
    Host(Option<Vec<f32>>),
}

impl<B: Processor> ParameterSlot<B> {
    #[cfg(feature = "families")]
    pub(super) fn host(spec: &ParameterSpec) -> Self {
        Self { kind: Kind::Host(None), ..Self::vector(spec) }
    }

    pub(super) fn matrix(spec: &ParameterSpec) -> Self {
        Self { kind: Kind::Matrix(None), ..Self::vector(spec) }
    }

    pub(super) fn vector(spec: &ParameterSpec) -> Self {
        let is_zeros = spec.tensors.is_empty();
        let (rows, cols, kind) = (spec.rows, spec.cols, Kind::Vector(None));
        Self { rows, cols, is_zeros, kind, is_changed: false, is_shared: false }
    }

    pub(super) fn allocate(&mut self, backend: &mut B, precision: Precision) -> Result<()> {
        match &mut self.kind {
            Kind::Matrix(matrix @ None) => {
                *matrix = Some((backend.matrix(self.rows, self.cols, precision)?, precision));
            }
            Kind::Vector(vector @ None) => *vector = Some(backend.vector(self.rows * self.cols)?),
            #[cfg(feature = "families")]
            Kind::Host(values @ None) => *values = Some(zeros(self.rows, self.cols)?),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn is_allocated(&self) -> bool {
        match &self.kind {
            Kind::Matrix(matrix) => matrix.is_some(),
            Kind::Vector(vector) => vector.is_some(),
            #[cfg(feature = "families")]
            Kind::Host(values) => values.is_some(),
        }
    }

    /// Returns the bytes of memory that [`Self::allocate`] needs; `None` if they cannot be
    /// addressed.
    pub(super) fn claim(&self, precision: Precision) -> Option<usize> {
        // an upper bound with scales and padding of rows; narrower precisions need less
        let cols = self.cols.checked_next_multiple_of(32)?.checked_add(8)?;
        self.rows.checked_mul(cols)?.checked_mul(4)?;
        Some(self.bytes_in(precision))
    }

    /// Returns the shape of a tensor in the file.
    pub(super) fn file_shape(&self, target: &TensorTarget) -> Vec<usize> {
        let &TensorTarget { rows, order, layout, .. } = target;
        let mut shape = match self.kind {
            Kind::Vector(_) if self.cols == 1 => vec![layout.tensor_shape(rows, 1)[0]],
            #[cfg(feature = "families")]
            Kind::Host(_) if self.cols == 1 => vec![rows],
            _ if layout == Layout::Plain => order.shape(rows, self.cols),
            _ => layout.file_shape(rows, self.cols),
        };
        if matches!(self.kind, Kind::Vector(_)) && matches!(layout, Layout::Groups(_)) {
            shape.push(1);
        }
        shape
    }

    /// Returns an empty slot of the same shape.
    pub(super) fn empty(&self) -> Self {
        let kind = match self.kind {
            Kind::Matrix(_) => Kind::Matrix(None),
            Kind::Vector(_) => Kind::Vector(None),
            #[cfg(feature = "families")]
            Kind::Host(_) => Kind::Host(None),
        };
        Self { kind, is_shared: false, ..*self }
    }

    fn bytes_in(&self, precision: Precision) -> usize {
        match self.kind {
            Kind::Matrix(_) => B::matrix_bytes(self.rows, self.cols, precision),
            Kind::Vector(_) => B::vector_bytes(self.rows * self.cols),
            #[cfg(feature = "families")]
            Kind::Host(_) => self.rows * self.cols * size_of::<f32>(),
        }
    }

    /// Returns the number of parameters and their memory on the device.
    pub(super) fn size(&self) -> Size {
        let bytes = match self.kind {
            Kind::Matrix(Some((_, precision))) => self.bytes_in(precision),
            Kind::Matrix(None) => 0,
            #[cfg(feature = "families")]
            Kind::Host(_) => self.bytes_in(Precision::F32),
            Kind::Vector(_) => self.bytes_in(Precision::F32),
        };
        let parameters = if self.is_zeros { 0 } else { self.rows * self.cols };
        Size { parameters, bytes, shared_bytes: if self.is_shared { bytes } else { 0 } }
    }

    pub(super) fn write(&mut self, backend: &mut B, first_row: usize, values: &[f32]) {
        match &mut self.kind {
            Kind::Matrix(Some((matrix, _))) => backend.write(matrix, first_row, values),
            Kind::Vector(Some(vector)) => {
                backend.write_vector(vector, first_row * self.cols, values);
            }
            #[cfg(feature = "families")]
            Kind::Host(Some(all)) => {
                all[first_row * self.cols..][..values.len()].copy_from_slice(values);
            }
            _ => {}
        }
    }
}

/// Takes filled slots by number and adds up their sizes.
pub(super) struct Take<B: Processor> {
    slots: Vec<Option<ParameterSlot<B>>>,
    pub(super) size: Size,
    /// The matrices taken so far that no adapter changes.
    pub(super) shares: Vec<Share<B>>,
}

impl<B: Processor> Take<B> {
    pub(super) fn new(slots: Vec<ParameterSlot<B>>) -> Self {
        let slots = slots.into_iter().map(Some).collect();
        Self { slots, size: Size::default(), shares: Vec::new() }
    }

    fn slot(&mut self, number: usize) -> Option<Kind<B>> {
        let slot = self.slots.get_mut(number)?.take()?;
        self.size = self.size + slot.size();
        if let (false, Kind::Matrix(Some((matrix, precision)))) = (slot.is_changed, &slot.kind) {
            let (rows, matrix, precision) = (slot.rows, B::share(matrix), *precision);
            self.shares.push(Share { slot: number, rows, matrix, precision });
        }
        Some(slot.kind)
    }

    /// Returns the values of a slot on the host.
    #[cfg(feature = "families")]
    pub(super) fn host(&mut self, number: usize) -> Result<Vec<f32>> {
        match self.slot(number) {
            Some(Kind::Host(Some(values))) => Ok(values),
            _ => Err(never_came()),
        }
    }
}

impl<B: Processor> Visitor<&usize, &usize> for Take<B> {
    type Matrix = B::Matrix;
    type Vector = B::Vector;

    fn matrix(&mut self, number: &usize) -> Result<B::Matrix> {
        match self.slot(*number) {
            Some(Kind::Matrix(Some((matrix, _)))) => Ok(matrix),
            _ => Err(never_came()),
        }
    }

    fn vector(&mut self, number: &usize) -> Result<B::Vector> {
        match self.slot(*number) {
            Some(Kind::Vector(Some(vector))) => Ok(vector),
            _ => Err(never_came()),
        }
    }
}

/// Returns `[rows, cols]` zeros.
#[cfg(feature = "families")]
fn zeros(rows: usize, cols: usize) -> Result<Vec<f32>> {
    let mut values = Vec::new();
    values
        .try_reserve_exact(rows * cols)
        .map_err(|_| Error::OutOfMemory(format!("no memory for weights of {rows} × {cols}")))?;
    values.resize(rows * cols, 0.0);
    Ok(values)
}

fn never_came() -> Error {
    Error::BadWeights("a parameter has no tensors".into())
}
