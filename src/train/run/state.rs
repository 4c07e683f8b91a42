//! The state of a run: parameters, the optimizer's moments and the progress. Each tensor has its
//! name in a checkpoint.

use crate::error::fault;
use std::ops::{DerefMut, Range};
use std::rc::Rc;

use super::selection::Selection;
use crate::backend::Processor;
use crate::backend::train::{Parameter, ParameterOn, Train};
use crate::model::{Leaf, ParameterSpec};
use crate::train::step::low_rank::LowRank;
use crate::train::step::optimizer::Entry;
use crate::train::step::trainer::{Trainer, merge};
use crate::{Error, ErrorKind, Result};

/// A tensor on the host, with the name of its parameter in a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTensor {
    /// Name in checkpoints of Hugging Face's classes with a head.
    pub name: String,
    /// Rows and columns of a matrix, or the length of a vector.
    pub shape: Vec<usize>,
    /// Values, row-major.
    pub values: Vec<f32>,
}

/// The state of a run between two steps. Another trainer of the same model, with the same arguments
/// and data, continues from it with exactly the same numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingState {
    /// All parameters.
    pub parameters: Vec<NamedTensor>,
    /// AdamW's means of gradients, for the parameters that have one.
    pub first_moments: Vec<NamedTensor>,
    /// AdamW's means of squared gradients, for the same parameters.
    pub second_moments: Vec<NamedTensor>,
    /// Number of steps taken.
    pub steps: u32,
    /// Number of forward passes. Each has its own dropout.
    pub passes: u32,
    /// Results of the run's evaluations.
    pub selection: Selection,
}

pub(in crate::train) type Spec = Leaf<ParameterSpec, ParameterSpec>;

impl<B: Train + Processor> Trainer<B> {
    /// Returns the current parameters. Errors: as [`Backend::read`](crate::backend::Backend::read),
    /// and `BadInput` while they are being changed.
    pub async fn parameters(&self) -> Result<Vec<NamedTensor>> {
        let engine = self.model.engine();
        let mut device = engine.lock().await;
        self.read_parameters(&mut device.backend, |_| true).await
    }

    /// Returns the trained parameters. Errors: as [`Trainer::parameters`].
    pub(in crate::train) async fn trained_parameters(&self) -> Result<Vec<NamedTensor>> {
        let engine = self.model.engine();
        let mut device = engine.lock().await;
        self.read_parameters(&mut device.backend, |entry| !entry.frozen).await
    }

    #[allow(clippy::await_holding_refcell_ref, reason = "who has the device locked is alone")]
    async fn read_parameters(
        &self,
        backend: &mut B,
        is_wanted: impl Fn(&Entry) -> bool,
    ) -> Result<Vec<NamedTensor>> {
        let (encoder, head) = (self.model.engine().encoder(), self.model.head());
        let leaves = encoder.leaves().into_iter().chain(head.leaves());
        let leaves = leaves.chain(self.factors());
        let mut tensors = Vec::new();
        let specs = self.specs.iter().zip(&self.optimizer.entries);
        for ((spec, _), leaf) in specs.zip(leaves).filter(|((_, entry), _)| is_wanted(entry)) {
            let values = match leaf {
                Leaf::Matrix(matrix) => backend.read_matrix(matrix).await?,
                Leaf::Vector(vector) => backend.read_vector(vector).await?,
            };
            unstack(spec, &values, &mut tensors);
        }
        Ok(tensors)
    }

    /// Returns the factors of the adapters, in order.
    fn factors(&self) -> impl Iterator<Item = Leaf<&B::Matrix, &B::Vector>> {
        self.gradients.adapters().flat_map(LowRank::factors).map(|(factor, _)| Leaf::Matrix(factor))
    }

    /// Returns names and shapes of the tensors of the model's parameters, in the order of
    /// [`Trainer::parameter`].
    pub fn tensors(&self) -> impl Iterator<Item = (&str, Vec<usize>)> {
        let specs = self.specs.iter().take(self.model_parameters());
        specs.flat_map(|spec| names_of(spec).map(|name| (name, tensor_shape(spec))))
    }

    /// Returns the number of parameters, including the factors of adapters.
    pub fn parameter_count(&self) -> usize {
        self.specs.len()
    }

    /// Returns the number of the model's parameters. The factors of adapters follow them.
    pub fn model_parameters(&self) -> usize {
        self.specs.len() - self.factors().count()
    }

    /// Returns true if a parameter is trained, and false if it is frozen.
    pub fn is_trained(&self, index: usize) -> bool {
        self.optimizer.entries.get(index).is_some_and(|entry| !entry.frozen)
    }

    /// Returns the tensors of one parameter, so that a caller need not hold all of them. Errors: as
    /// [`Trainer::parameters`], and `BadInput` for an index out of range.
    #[allow(clippy::await_holding_refcell_ref, reason = "who has the device locked is alone")]
    pub async fn parameter(&self, index: usize) -> Result<Vec<NamedTensor>> {
        let engine = self.model.engine();
        let mut device = engine.lock().await;
        let (encoder, head) = (engine.encoder(), self.model.head());
        let leaf =
            encoder.leaves().into_iter().chain(head.leaves()).chain(self.factors()).nth(index);
        let Some((spec, leaf)) = self.specs.get(index).zip(leaf) else {
            return Err(no_parameter(index));
        };
        let values = match leaf {
            Leaf::Matrix(matrix) => device.backend.read_matrix(matrix).await?,
            Leaf::Vector(vector) => device.backend.read_vector(vector).await?,
        };
        let mut tensors = Vec::new();
        unstack(spec, &values, &mut tensors);
        Ok(tensors)
    }

    /// Like [`Trainer::parameter`], before the adapters were added to it.
    ///
    /// # Errors
    /// As [`Trainer::parameter`].
    pub async fn base_parameter(&self, index: usize) -> Result<Vec<NamedTensor>> {
        let gradient = self.gradients.matrices().into_iter().nth(index).flatten();
        let adapters = gradient.and_then(|gradient| gradient.adapters.as_ref());
        let (Some(adapters), Some(spec)) = (adapters, self.specs.get(index)) else {
            return self.parameter(index).await;
        };
        let mut device = self.model.engine().lock().await;
        let negative = device.backend.read(&[adapters.negative_base()]).await?.concat();
        let values: Vec<f32> = negative.iter().map(|value| -value).collect();
        let mut tensors = Vec::new();
        unstack(spec, &values, &mut tensors);
        Ok(tensors)
    }

    /// Returns the gradients of the last step, before clipping, for the trained parameters. Errors:
    /// as [`Backend::read`](crate::backend::Backend::read).
    pub async fn gradients(&mut self) -> Result<Vec<NamedTensor>> {
        let mut device = self.model.engine().lock().await;
        let mut tensors = Vec::new();
        let entries = self.specs.iter().zip(&self.optimizer.entries);
        for ((spec, entry), gradient) in entries.zip(self.gradients.leaves()) {
            if !entry.frozen {
                let values = device.backend.read(&[gradient]).await?.concat();
                unstack(spec, &values, &mut tensors);
            }
        }
        Ok(tensors)
    }

    /// Returns the whole state of the run. Errors: as [`Trainer::parameters`].
    pub async fn state(&mut self) -> Result<TrainingState> {
        let mut device = self.model.engine().lock().await;
        let parameters = self.read_parameters(&mut device.backend, |_| true).await?;
        let [mut first_moments, mut second_moments] = [Vec::new(), Vec::new()];
        for (spec, moments) in self.specs.iter().zip(&self.optimizer.moments) {
            let Some([first, second]) = moments else { continue };
            let read = device.backend.read(&[first, second]).await?;
            unstack(spec, &read[0], &mut first_moments);
            unstack(spec, &read[1], &mut second_moments);
        }
        let (steps, passes) = (self.optimizer.steps, self.passes);
        let selection = self.selection.clone();
        Ok(TrainingState { parameters, first_moments, second_moments, steps, passes, selection })
    }

    /// Forgets the state of earlier steps, except the parameters, so that the next run is a new one.
    pub fn reset(&mut self) {
        self.optimizer.moments.iter_mut().for_each(|moments| *moments = None);
        (self.optimizer.steps, self.passes) = (0, 0);
        self.selection = Selection::default();
    }

    /// Continues from a state of this model. Adapted matrices keep their base's values; their
    /// factors are part of the state.
    ///
    /// # Errors
    /// `BadInput`, naming a tensor that is missing or has another shape, or during a pass of the
    /// engine; nothing changes then. `OutOfMemory`.
    pub fn resume(&mut self, state: &TrainingState) -> Result<()> {
        let stacks = |tensors: &[NamedTensor]| {
            self.specs.iter().map(|spec| stack(spec, tensors)).collect::<Result<Vec<_>>>()
        };
        let parameters = stacks(&state.parameters)?;
        let (first, second) = (stacks(&state.first_moments)?, stacks(&state.second_moments)?);
        for (spec, values) in self.specs.iter().zip(&parameters) {
            if values.is_none() {
                let name = names_of(spec).next().unwrap_or_default();
                return Err(fault!(
                    BadInput,
                    "saved state: {name} is missing",
                    item = "saved state: {name}",
                ));
            }
        }
        // Checks and copies that can fail come first, so that an error leaves the model unchanged.
        let moments = self.put_moments(first, second)?;
        self.write(parameters)?;
        self.optimizer.moments = moments;
        (self.optimizer.steps, self.passes) = (state.steps, state.passes);
        self.selection = state.selection.clone();
        Ok(())
    }

    /// Copies moments to the device, for each parameter that has both.
    fn put_moments(
        &self,
        first: Vec<Option<Vec<f32>>>,
        second: Vec<Option<Vec<f32>>>,
    ) -> Result<Vec<Option<[B::Rows; 2]>>> {
        let mut backend = self.backend()?;
        let entries = self.optimizer.entries.iter().zip(first.into_iter().zip(second));
        let mut moments = Vec::new();
        for (entry, pair) in entries {
            moments.push(match pair {
                (Some(first), Some(second)) if !entry.frozen => {
                    let mut rows = [B::Rows::default(), B::Rows::default()];
                    backend.put(&first, entry.shape[0], &mut rows[0])?;
                    backend.put(&second, entry.shape[0], &mut rows[1])?;
                    Some(rows)
                }
                _ => None,
            });
        }
        Ok(moments)
    }

    /// Writes the parameters that are among the tensors. Errors: as [`Trainer::resume`].
    pub(in crate::train) fn write_parameters(&mut self, tensors: &[NamedTensor]) -> Result<()> {
        let values = self.specs.iter().map(|spec| stack(spec, tensors));
        self.write(values.collect::<Result<_>>()?)
    }

    /// Writes the parameters that have values. If one of them belongs to the encoder, the encoder
    /// counts as changed.
    fn write(&mut self, values: Vec<Option<Vec<f32>>>) -> Result<()> {
        let model = Rc::clone(&self.model);
        let in_use = || Error::BadInput("the model is in use".into());
        let mut backend = model.engine().backend().ok_or_else(in_use)?;
        let mut head = model.head_mut()?;
        let (of_model, of_factors) = values.split_at(self.model_parameters());
        let (of_encoder, of_head) = of_model.split_at(of_model.len() - head.leaves_mut().len());
        write_leaves(&mut *backend, head.leaves_mut(), of_head);
        if of_encoder.iter().chain(of_factors).any(Option::is_some) {
            let mut encoder = model.engine().encoder_mut()?;
            write_leaves(&mut *backend, encoder.leaves_mut(), of_encoder);
            write_leaves(&mut *backend, self.gradients.split_factors().1, of_factors);
            merge(&mut *backend, &mut self.gradients, &mut encoder, &mut head);
        }
        Ok(())
    }

    /// Returns the device.
    ///
    /// # Errors
    /// `BadInput` during a pass of the engine.
    fn backend(&self) -> Result<impl DerefMut<Target = B>> {
        let in_use = || Error::BadInput("the model is in use".into());
        self.model.engine().backend().ok_or_else(in_use)
    }
}

pub(super) fn no_parameter(index: usize) -> Error {
    fault!(BadInput, "there is no parameter {index}", item = "parameter {index}")
}

fn write_leaves<B: Train>(
    backend: &mut B,
    leaves: Vec<ParameterOn<'_, B>>,
    values: &[Option<Vec<f32>>],
) {
    for (leaf, values) in leaves.into_iter().zip(values) {
        match (leaf, values) {
            (Parameter::Matrix(matrix), Some(values)) => backend.write(matrix, 0, values),
            (Parameter::Vector(vector), Some(values)) => backend.write_vector(vector, 0, values),
            (_, None) => {}
        }
    }
}

pub(in crate::train) fn spec_of(spec: &Spec) -> &ParameterSpec {
    let (Leaf::Matrix(spec) | Leaf::Vector(spec)) = spec;
    spec
}

/// Returns the names of the tensors that a parameter is stacked from, without those that the file
/// does not have.
pub(in crate::train) fn names_of(spec: &Spec) -> impl Iterator<Item = &str> {
    let names = spec_of(spec).tensors.iter().map(|tensor| tensor.checkpoint.as_str());
    names.filter(|name| !name.is_empty())
}

/// Returns the shape of each tensor that a parameter is stacked from.
pub(in crate::train) fn tensor_shape(spec: &Spec) -> Vec<usize> {
    match spec {
        Leaf::Matrix(spec) => vec![spec.tensor_rows(), spec.cols],
        Leaf::Vector(spec) => vec![spec.tensor_rows()],
    }
}

/// Splits a parameter's values into the tensors that it is stacked from.
pub(in crate::train) fn unstack(spec: &Spec, values: &[f32], tensors: &mut Vec<NamedTensor>) {
    let shape = tensor_shape(spec);
    let parts = values.chunks_exact(shape.iter().product::<usize>().max(1));
    let parts = spec_of(spec).tensors.iter().zip(parts);
    for (tensor, values) in parts.filter(|(tensor, _)| !tensor.checkpoint.is_empty()) {
        let rows = places(spec).flat_map(|row| &values[row]).copied();
        let (name, values) = (tensor.checkpoint.clone(), rows.collect());
        tensors.push(NamedTensor { name, shape: shape.clone(), values });
    }
}

/// Returns where the parameter has each row of a tensor, in the order of the file.
fn places(spec: &Spec) -> impl Iterator<Item = Range<usize>> {
    let (order, shape) = (spec_of(spec).order, tensor_shape(spec));
    let (rows, cols) = (shape[0], shape.get(1).copied().unwrap_or(1));
    (0..rows).map(move |row| {
        let row = order.row(row, rows);
        row * cols..(row + 1) * cols
    })
}

/// Returns a parameter's values, stacked from its tensors, or `None` if one is missing.
pub(in crate::train) fn stack(spec: &Spec, tensors: &[NamedTensor]) -> Result<Option<Vec<f32>>> {
    let shape = tensor_shape(spec);
    let length = shape.iter().product::<usize>();
    let mut values = vec![0.0; length * spec_of(spec).tensors.len()];
    let parts = values.chunks_exact_mut(length.max(1)).zip(&spec_of(spec).tensors);
    let parts = parts.map(|(part, tensor)| (part, &tensor.checkpoint));
    for (to, name) in parts.filter(|(_, name)| !name.is_empty()) {
        let Some(tensor) = tensors.iter().find(|tensor| tensor.name == *name) else {
            return Ok(None);
        };
        if tensor.shape != shape || tensor.values.len() != length {
            let found = &tensor.shape;
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("saved state: {name}"),
                format_args!("shape {shape:?}"),
                format_args!("{found:?}"),
            ));
        }
        for (place, values) in places(spec).zip(tensor.values.chunks(length / shape[0].max(1))) {
            to[place].copy_from_slice(values);
        }
    }
    Ok(Some(values))
}
