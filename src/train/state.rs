//! What a run goes on from: parameters, the optimiser's moments, and how far it is; and each of them by its name in
//! a checkpoint.

use std::ops::DerefMut;

use super::optimizer::Entry;
use super::selection::Selection;
use super::trainer::Trainer;
use crate::backend::Processor;
use crate::backend::train::{Parameter, ParameterOn, Train};
use crate::model::{Leaf, ParameterSpec};
use crate::{Error, Result};

/// A tensor on the host, under its parameter's name in a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTensor {
    /// As Hugging Face's classes with a head write it.
    pub name: String,
    /// A matrix's rows and columns, or a vector's length.
    pub shape: Vec<usize>,
    /// Row-major.
    pub values: Vec<f32>,
}

/// A run between two steps: with the same arguments and data another trainer of the model goes on with the very
/// numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// All parameters.
    pub parameters: Vec<NamedTensor>,
    /// AdamW's mean of gradients, of the parameters that have one.
    pub first_moments: Vec<NamedTensor>,
    /// AdamW's mean of the gradients' squares, of the same.
    pub second_moments: Vec<NamedTensor>,
    /// Steps taken.
    pub steps: u32,
    /// Forward passes, by which dropout differs.
    pub passes: u32,
    /// What the run's evaluations have said.
    pub selection: Selection,
}

pub(super) type Spec = Leaf<ParameterSpec, ParameterSpec>;

impl<B: Train + Processor> Trainer<B> {
    /// The parameters as they are. Errors as [`Backend::read`](crate::backend::Backend::read), and `BadInput` while
    /// somebody changes them.
    pub async fn parameters(&self) -> Result<Vec<NamedTensor>> {
        let engine = self.model.engine();
        let mut device = engine.lock().await;
        self.read_parameters(&mut device.backend, |_| true).await
    }

    /// Those that are trained. Errors as [`Trainer::parameters`].
    pub(super) async fn trained_parameters(&self) -> Result<Vec<NamedTensor>> {
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

    /// Names and shapes of all parameters' tensors, in the order of [`Trainer::parameter`].
    pub fn tensors(&self) -> impl Iterator<Item = (&str, Vec<usize>)> {
        self.specs.iter().flat_map(|spec| {
            let names = spec_of(spec).tensors.iter().map(|tensor| tensor.checkpoint.as_str());
            names.map(|name| (name, tensor_shape(spec)))
        })
    }

    /// How many parameters there are.
    pub fn parameter_count(&self) -> usize {
        self.specs.len()
    }

    /// Whether a parameter is trained: the others stay as they are.
    pub fn is_trained(&self, index: usize) -> bool {
        self.optimizer.entries.get(index).is_some_and(|entry| !entry.frozen)
    }

    /// The tensors of one of the parameters as it is, so that not all have to be held. Errors as
    /// [`Trainer::parameters`]; `BadInput` for one that there is not.
    #[allow(clippy::await_holding_refcell_ref, reason = "who has the device locked is alone")]
    pub async fn parameter(&self, index: usize) -> Result<Vec<NamedTensor>> {
        let engine = self.model.engine();
        let mut device = engine.lock().await;
        let (encoder, head) = (engine.encoder(), self.model.head());
        let leaf = encoder.leaves().into_iter().chain(head.leaves()).nth(index);
        let Some((spec, leaf)) = self.specs.get(index).zip(leaf) else {
            return Err(Error::BadInput(format!("there is no parameter {index}")));
        };
        let values = match leaf {
            Leaf::Matrix(matrix) => device.backend.read_matrix(matrix).await?,
            Leaf::Vector(vector) => device.backend.read_vector(vector).await?,
        };
        let mut tensors = Vec::new();
        unstack(spec, &values, &mut tensors);
        Ok(tensors)
    }

    /// The gradients of the last step, before clipping, of what is trained. Errors as
    /// [`Backend::read`](crate::backend::Backend::read).
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

    /// All that a run goes on from. Errors as [`Trainer::parameters`].
    pub async fn state(&mut self) -> Result<State> {
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
        Ok(State { parameters, first_moments, second_moments, steps, passes, selection })
    }

    /// Begins a run of its own with the parameters as they are: the optimiser forgets the steps taken.
    pub fn begin(&mut self) {
        self.optimizer.moments.iter_mut().for_each(|moments| *moments = None);
        (self.optimizer.steps, self.passes) = (0, 0);
        self.selection = Selection::default();
    }

    /// Goes on from a state of this model.
    ///
    /// # Errors
    /// `BadInput` naming the tensor that is missing or of another shape, or during a pass of the engine: nothing has
    /// changed then. `OutOfMemory`.
    pub fn resume(&mut self, state: &State) -> Result<()> {
        let stacks = |tensors: &[NamedTensor]| {
            self.specs.iter().map(|spec| stack(spec, tensors)).collect::<Result<Vec<_>>>()
        };
        let parameters = stacks(&state.parameters)?;
        let (first, second) = (stacks(&state.first_moments)?, stacks(&state.second_moments)?);
        for (spec, values) in self.specs.iter().zip(&parameters) {
            if values.is_none() {
                let name = &spec_of(spec).tensors[0].checkpoint;
                return Err(Error::BadInput(format!("the state has no {name}")));
            }
        }
        let moments = self.put_moments(first, second)?;
        self.write(parameters)?;
        self.optimizer.moments = moments;
        (self.optimizer.steps, self.passes) = (state.steps, state.passes);
        self.selection = state.selection.clone();
        Ok(())
    }

    /// Copies moments to the device, those of each parameter that has both.
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

    /// Gives the model those of its parameters that are among the tensors. Errors as [`Trainer::resume`].
    pub(super) fn write_parameters(&self, tensors: &[NamedTensor]) -> Result<()> {
        let values = self.specs.iter().map(|spec| stack(spec, tensors));
        self.write(values.collect::<Result<_>>()?)
    }

    /// Writes values over the parameters that have them. The encoder counts as changed where it has some.
    fn write(&self, values: Vec<Option<Vec<f32>>>) -> Result<()> {
        let mut backend = self.backend()?;
        let mut head = self.model.head_mut()?;
        let head = head.leaves_mut();
        let (of_encoder, of_head) = values.split_at(values.len() - head.len());
        if of_encoder.iter().any(Option::is_some) {
            let mut encoder = self.model.engine().encoder_mut()?;
            write_leaves(&mut *backend, encoder.leaves_mut(), of_encoder);
        }
        write_leaves(&mut *backend, head, of_head);
        Ok(())
    }

    /// The device.
    ///
    /// # Errors
    /// `BadInput` during a pass.
    fn backend(&self) -> Result<impl DerefMut<Target = B>> {
        let in_use = || Error::BadInput("the model is in use".into());
        self.model.engine().backend().ok_or_else(in_use)
    }
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

pub(super) fn spec_of(spec: &Spec) -> &ParameterSpec {
    let (Leaf::Matrix(spec) | Leaf::Vector(spec)) = spec;
    spec
}

/// The shape of each tensor that a parameter is stacked from.
pub(super) fn tensor_shape(spec: &Spec) -> Vec<usize> {
    match spec {
        Leaf::Matrix(spec) => vec![spec.tensor_rows(), spec.cols],
        Leaf::Vector(spec) => vec![spec.tensor_rows()],
    }
}

/// A parameter's numbers as the tensors that it is stacked from.
pub(super) fn unstack(spec: &Spec, values: &[f32], tensors: &mut Vec<NamedTensor>) {
    let shape = tensor_shape(spec);
    let parts = values.chunks_exact(shape.iter().product::<usize>().max(1));
    for (tensor, values) in spec_of(spec).tensors.iter().zip(parts) {
        let (name, values) = (tensor.checkpoint.clone(), values.to_vec());
        tensors.push(NamedTensor { name, shape: shape.clone(), values });
    }
}

/// A parameter's numbers from the tensors that it is stacked from; `None` where one is missing.
pub(super) fn stack(spec: &Spec, tensors: &[NamedTensor]) -> Result<Option<Vec<f32>>> {
    let shape = tensor_shape(spec);
    let mut values = Vec::new();
    for name in spec_of(spec).tensors.iter().map(|tensor| &tensor.checkpoint) {
        let Some(tensor) = tensors.iter().find(|tensor| tensor.name == *name) else {
            return Ok(None);
        };
        if tensor.shape != shape || tensor.values.len() != shape.iter().product::<usize>() {
            let found = &tensor.shape;
            return Err(Error::BadInput(format!(
                "the state's {name} is {found:?}, expected {shape:?}"
            )));
        }
        values.extend_from_slice(&tensor.values);
    }
    Ok(Some(values))
}
