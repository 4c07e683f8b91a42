//! From gradients to the next parameters: AdamW or plain gradient descent.

use std::iter;
use std::ops::Range;

use super::schedule::{Depth, rate_factor};
use crate::backend::train::{AdamW, Clip, ParameterOn, Train};
use crate::model::{Leaf, ParameterSpec};
use crate::train::arguments::{Optimizer as Kind, TrainingArguments};
use crate::{Error, Result};

/// What the optimizer knows about a parameter.
#[derive(Debug, Clone)]
pub(in crate::train) struct Entry {
    /// Rows and columns of its gradient and moments.
    pub(in crate::train) shape: [usize; 2],
    decays: bool,
    depth: Depth,
    /// True if the parameter is not trained.
    pub(in crate::train) frozen: bool,
    /// Columns of a bias that no tensor of the file has. They stay 0.
    pub(in crate::train) absent: Vec<Range<usize>>,
}

impl Entry {
    pub(in crate::train) fn new(
        leaf: Leaf<&ParameterSpec, &ParameterSpec>,
        depth: Depth,
        frozen: bool,
    ) -> Self {
        let (shape, spec) = match leaf {
            Leaf::Matrix(spec) => ([spec.rows, spec.cols], spec),
            Leaf::Vector(spec) => ([1, spec.rows], spec),
        };
        let absent = if shape[0] == 1 { absent(spec) } else { Vec::new() };
        Self { shape, decays: spec.decays, depth, frozen, absent }
    }
}

impl Entry {
    /// Returns the entry of a factor of this parameter's adapter.
    pub(in crate::train) fn of_factor(&self, factor: &Leaf<ParameterSpec, ParameterSpec>) -> Self {
        let (Leaf::Matrix(spec) | Leaf::Vector(spec)) = factor;
        Self::new(Leaf::Matrix(spec), self.depth, false)
    }
}

/// Returns the parts of a vector that no tensor of the file has.
fn absent(spec: &ParameterSpec) -> Vec<Range<usize>> {
    let length = spec.tensor_rows();
    match spec.tensors.len() {
        0 => iter::once(0..spec.rows).collect(),
        _ => {
            let parts = (0..).zip(&spec.tensors).filter(|(_, name)| name.checkpoint.is_empty());
            parts.map(|(part, _)| part * length..(part + 1) * length).collect()
        }
    }
}

/// The optimizer's state for each parameter.
pub(in crate::train) struct Optimizer<B: Train> {
    pub(in crate::train) entries: Vec<Entry>,
    /// Means of gradients and of their squares. `None` before AdamW's first step.
    pub(in crate::train) moments: Vec<Option<[B::Rows; 2]>>,
    /// Sum of the squares of all gradients in the last step, `[1, 1]`.
    pub(in crate::train) squares: B::Rows,
    /// Number of steps taken.
    pub(in crate::train) steps: u32,
    layers: usize,
}

impl<B: Train> Optimizer<B> {
    /// Creates the state for these parameters of a model with `layers` layers.
    ///
    /// # Errors
    /// As [`Train::zeros`].
    pub(in crate::train) fn new(
        backend: &mut B,
        entries: Vec<Entry>,
        layers: usize,
    ) -> Result<Self> {
        let moments = entries.iter().map(|_| None).collect();
        Ok(Self { entries, moments, squares: backend.zeros(1, 1)?, steps: 0, layers })
    }

    /// Adds parameters.
    pub(in crate::train) fn extend(&mut self, entries: Vec<Entry>) {
        self.moments.extend(entries.iter().map(|_| None));
        self.entries.extend(entries);
    }

    /// Allocates the moments for a step in advance, so that a step cannot fail half-way. Returns
    /// the places of the new moments.
    ///
    /// # Errors
    /// `OutOfMemory`, naming the bytes. No moment is allocated then.
    pub(in crate::train) fn reserve(
        &mut self,
        backend: &mut B,
        arguments: &TrainingArguments,
    ) -> Result<Vec<usize>> {
        if arguments.optim == Kind::Sgd {
            return Ok(Vec::new());
        }
        // All allocations come first, so that a failure keeps none of them.
        let (mut made, mut numbers) = (Vec::new(), 0);
        let entries = self.entries.iter().zip(&self.moments).enumerate();
        for (place, (entry, _)) in entries.filter(|(_, (e, m))| !e.frozen && m.is_none()) {
            let [rows, cols] = entry.shape;
            numbers += rows * cols;
            made.push((place, [rows, cols].map(|_| backend.zeros(rows, cols))));
        }
        let mut moments = Vec::new();
        for (place, [first, second]) in made {
            let error = |_| no_room_for_moments(2 * numbers * size_of::<f32>());
            moments.push((place, [first.map_err(error)?, second.map_err(error)?]));
        }
        let places = moments.iter().map(|(place, _)| *place).collect();
        moments.into_iter().for_each(|(place, pair)| self.moments[place] = Some(pair));
        Ok(places)
    }

    /// Frees the moments that [`Optimizer::reserve`] allocated. Returns their size in bytes.
    pub(in crate::train) fn forget(&mut self, places: &[usize]) -> usize {
        let numbers = |place: &usize| self.entries[*place].shape.iter().product::<usize>();
        let numbers: usize = places.iter().map(numbers).sum();
        places.iter().for_each(|&place| self.moments[place] = None);
        2 * numbers * size_of::<f32>()
    }

    /// Updates the parameters by the gradients, both in the order of the entries. Leading frozen
    /// parameters may be omitted. If the sum of the gradients' squares is not finite, nothing
    /// changes.
    ///
    /// # Errors
    /// As [`Optimizer::reserve`].
    pub(in crate::train) fn step(
        &mut self,
        backend: &mut B,
        parameters: Vec<ParameterOn<'_, B>>,
        gradients: &[&B::Rows],
        arguments: &TrainingArguments,
        rate: f64,
    ) -> Result<()> {
        self.reserve(backend, arguments)?;
        backend.clear(&mut self.squares);
        for (entry, gradient) in self.entries.iter().zip(gradients) {
            if !entry.frozen {
                backend.sum_of_squares(gradient, &mut self.squares);
            }
        }
        let max_norm = match arguments.max_grad_norm {
            // 0 disables clipping, but gradients that are not finite must still change nothing.
            0.0 => f32::INFINITY,
            norm => norm as f32,
        };
        let clip = Clip { squares: &self.squares, max_norm };
        let left_out = self.entries.len() - parameters.len();
        let states = self.entries.iter().zip(&mut self.moments).zip(gradients).skip(left_out);
        for (parameter, ((entry, moments), gradient)) in parameters.into_iter().zip(states) {
            if entry.frozen {
                continue;
            }
            let rate = rate * rate_factor(arguments.layer_lr_decay, self.layers, entry.depth);
            let how = adamw(arguments, rate, entry.decays, self.steps + 1);
            if arguments.optim == Kind::Sgd {
                backend.sgd(parameter, gradient, how.rate, how.weight_decay, Some(&clip));
                continue;
            }
            if let Some([first, second]) = moments {
                backend.adamw(parameter, gradient, first, second, &how, Some(&clip));
            }
        }
        Ok(())
    }
}

/// Returns the error for a lack of memory for moments.
pub(in crate::train) fn no_room_for_moments(bytes: usize) -> Error {
    Error::OutOfMemory(format!("no memory for AdamW's moments: {bytes} bytes"))
}

fn adamw(arguments: &TrainingArguments, rate: f64, decays: bool, step: u32) -> AdamW {
    AdamW {
        rate: rate as f32,
        beta1: arguments.adam_beta1 as f32,
        beta2: arguments.adam_beta2 as f32,
        epsilon: arguments.adam_epsilon as f32,
        weight_decay: if decays { arguments.weight_decay as f32 } else { 0.0 },
        step,
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{Depth, Entry, Leaf, Optimizer, ParameterSpec, TrainingArguments};
    use crate::backend::cpu::Cpu;
    use crate::model::RowOrder;

    #[test]
    fn moments_are_of_what_is_trained_and_can_be_given_back() {
        let spec = |rows, cols| ParameterSpec {
            tensors: Vec::new(),
            rows,
            cols,
            decays: false,
            order: RowOrder::Plain,
        };
        let (matrix, vector) = (spec(3, 5), spec(7, 1));
        let entries = vec![
            Entry::new(Leaf::Matrix(&matrix), Depth::Layer(0), true),
            Entry::new(Leaf::Matrix(&matrix), Depth::Layer(1), false),
            Entry::new(Leaf::Vector(&vector), Depth::Head, false),
        ];
        let (mut cpu, arguments) = (Cpu::default(), TrainingArguments::default());
        let mut optimizer = Optimizer::new(&mut cpu, entries, 2).unwrap();
        let new = optimizer.reserve(&mut cpu, &arguments).unwrap();
        assert_eq!(new, [1, 2]);
        assert!(optimizer.reserve(&mut cpu, &arguments).unwrap().is_empty());
        // two numbers of four bytes per parameter
        assert_eq!(optimizer.forget(&new), 2 * 4 * (3 * 5 + 7));
        assert_eq!(optimizer.reserve(&mut cpu, &arguments).unwrap(), new);
    }
}
