//! Which sink the bytes of a tensor go to: its parameter, an adapter, the scales of a matrix, or
//! nowhere.

use super::adapters::{Side, adapted};
use super::file::Sink;
use super::header::{Tensor, bad_tensor};
use super::loader::Loader;
use super::parameter_slots::{Kind, TensorTarget};
use super::plan::{Plan, SCALE_SUFFIX};
use super::rows::{Rows, Stored};
use crate::backend::{Precision, Processor};
use crate::{Error, Result};

/// Parameters of at most this many bytes are allocated at once.
const TRUSTED: usize = 1 << 20;

impl<B: Processor> Loader<B> {
    /// Chooses the destination of a tensor and allocates its memory.
    pub(super) fn sink(&mut self, backend: &mut B, file: &str, tensor: &Tensor) -> Result<Sink> {
        let name = self.canonical(&tensor.name);
        let Some(plan) = &self.plan else { return Ok(Sink::Skip) };
        // if an earlier file had this tensor, the earlier one is kept
        let scaled = name.strip_suffix(SCALE_SUFFIX).unwrap_or(&name);
        if plan.targets.get(scaled).is_some_and(|target| target.filled) {
            return Ok(Sink::Skip);
        }
        if let Some(of) =
            name.strip_suffix(SCALE_SUFFIX).filter(|_| plan.wants(&self.matrix_of(&tensor.name)))
        {
            return scales_sink(plan, of, tensor).map_err(|what| misfit(file, tensor, &what));
        }
        if let Some((of, side)) = adapted(&tensor.name) {
            return self
                .factor_sink(plan, &name, &self.canonical(&of), side, tensor)
                .map_err(|what| misfit(file, tensor, &what));
        }
        let Some(&target) = plan.targets.get(&name) else { return Ok(Sink::Skip) };
        let stored = self.stored_as(&name, target, file, tensor)?;
        self.rows_sink(backend, target, stored)
    }

    /// Returns the sink of an adapter's factor: a tensor named `name`, one side of the adapter of
    /// the matrix `of`.
    ///
    /// # Errors
    /// A description of the fault, for a message about the tensor.
    fn factor_sink(
        &self,
        plan: &Plan,
        name: &str,
        of: &str,
        side: Side,
        tensor: &Tensor,
    ) -> core::result::Result<Sink, String> {
        let Some(target) = plan.targets.get(of) else { return Ok(Sink::Skip) };
        let slot = &self.slots[target.slot];
        if target.filled || !matches!(slot.kind, Kind::Matrix(_)) {
            return Err(format!("must come before \"{of}\", a matrix that it adapts"));
        }
        let [rows, cols] = target.layout.tensor_shape(target.rows, slot.cols);
        let Some(rank) = side.rank(&tensor.shape, rows, cols) else {
            return Err(format!(
                "has shape {:?}, no factor of a matrix {:?}",
                tensor.shape,
                [rows, cols]
            ));
        };
        let scales = self.scales.iter().find(|(of, _)| of == name).map(|(_, scales)| scales.len());
        let stored = stored(tensor, true, scales == Some(tensor.shape[0]))?;
        Ok(Sink::Factor { of: of.to_owned(), side, rank, stored, bytes: Vec::new() })
    }

    /// Compares a tensor with its parameter. Returns how its elements are stored.
    fn stored_as(
        &self,
        name: &str,
        target: TensorTarget,
        file: &str,
        tensor: &Tensor,
    ) -> Result<Stored> {
        let misfit = |what: String| misfit(file, tensor, &what);
        self.adapters.check(name).map_err(misfit)?;
        let slot = &self.slots[target.slot];
        let expected = slot.file_shape(&target);
        if tensor.shape != expected {
            let found = &tensor.shape;
            let what = format_args!(" has shape {found:?}, config.json makes it {expected:?}");
            let details = bad_tensor(file, &tensor.name, what);
            let shapes = details.values(format_args!("{expected:?}"), format_args!("{found:?}"));
            return Err(shapes.error());
        }
        let is_matrix = matches!(slot.kind, Kind::Matrix(_));
        stored(tensor, is_matrix, self.scales.iter().any(|(of, _)| of == name)).map_err(misfit)
    }

    /// Returns the sink of a parameter's rows. Allocates the parameter if it is small; a large one
    /// waits until a share of its bytes has arrived.
    fn rows_sink(&mut self, backend: &mut B, target: TensorTarget, stored: Stored) -> Result<Sink> {
        let rows = Rows::new(target, stored);
        #[cfg(feature = "families")]
        if self.dry.is_some() {
            return Ok(Sink::Rows(rows));
        }
        let slot = &mut self.slots[target.slot];
        let precision = self.options.precision.unwrap_or(stored.precision());
        // `None` is too large to address: allocating at once fails before any of the bytes arrive
        let at_once = slot.claim(precision).is_none_or(|claim| claim <= TRUSTED);
        if slot.is_allocated() || at_once {
            slot.allocate(backend, precision)?;
            return Ok(Sink::Rows(rows));
        }
        Ok(Sink::Early { rows, precision, bytes: Vec::new() })
    }
}

/// Returns the error about a tensor that its parameter cannot take.
fn misfit(file: &str, tensor: &Tensor, what: &str) -> Error {
    bad_tensor(file, &tensor.name, format_args!(" {what}")).error()
}

/// Returns the sink of the row scales of the int8 matrix `of`.
///
/// # Errors
/// A description of the fault, for a message about the tensor.
fn scales_sink(plan: &Plan, of: &str, tensor: &Tensor) -> core::result::Result<Sink, String> {
    let count = tensor.shape.iter().product::<usize>();
    // the number of rows of an adapter's factor is known only when the factor arrives
    let rows =
        plan.targets.get(of).map_or(count, |target| target.layout.tensor_shape(target.rows, 1)[0]);
    match Stored::floats(tensor.dtype) {
        Some(stored) if count == rows => Ok(Sink::Scales { stored, bytes: Vec::new() }),
        _ => Err(format!(
            "is {} {:?}, expected the scales of {rows} rows in F64, F32, F16 or BF16",
            tensor.dtype, tensor.shape
        )),
    }
}

/// Returns how a tensor's elements are stored.
///
/// # Errors
/// A description of the fault, for a message about the tensor. int8 is supported only for matrices
/// whose scales were read before.
fn stored(
    tensor: &Tensor,
    is_matrix: bool,
    has_scales: bool,
) -> core::result::Result<Stored, String> {
    match tensor.dtype {
        "I8" if is_matrix && has_scales => Ok(Stored::As(Precision::I8)),
        "I8" if is_matrix => Err(format!(
            "is int8: its row scales, \"{}{SCALE_SUFFIX}\", must come before it",
            tensor.name
        )),
        other => Stored::floats(other)
            .ok_or_else(|| format!("is {other}, expected F64, F32, F16, BF16 or I8")),
    }
}
