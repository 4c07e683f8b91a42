//! The optimizer's state as the tensors of a file. Parameters are handled one at a time, so the
//! host holds the state of a single parameter only.

use crate::error::fault;
use serde::{Deserialize, Serialize};

use super::early_stopping::EarlyStopping;
use super::selection::{Best, Selection};
use super::state::{NamedTensor, Spec, names_of, no_parameter, stack, tensor_shape, unstack};
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::train::metrics::evaluate::names;
use crate::train::step::trainer::Trainer;
use crate::{Error, ErrorKind, Result};

/// Suffixes of a parameter's name for its moments. PyTorch uses these names for AdamW's means of
/// gradients and of squared gradients.
const SUFFIXES: [&str; 2] = [".exp_avg", ".exp_avg_sq"];

/// Suffix of a parameter's name for its values at the best evaluation.
const BEST: &str = ".best";

/// Progress of a run: `trainer_state.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// Number of steps taken, with transformers' name.
    pub global_step: u32,
    /// Number of forward passes. Each has its own dropout.
    pub passes: u32,
    /// As [`Selection::evaluated_at`].
    pub evaluated_at: u32,
    /// As [`Selection::stopping`].
    pub stopping: Option<EarlyStopping>,
    /// Metrics of the best evaluation, if its parameters are among the tensors. NaN is stored as
    /// null.
    pub best: Option<Vec<(String, Option<f64>)>>,
    /// With low-rank adapters: the modules that are trained as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules_to_save: Vec<String>,
}

impl<B: Train + Processor> Trainer<B> {
    /// Returns the progress of the run.
    pub fn run_state(&self) -> RunState {
        let Selection { stopping, evaluated_at, best } = &self.selection;
        let number = |value: f64| Some(value).filter(|value| value.is_finite());
        let named = |&(name, value): &(&str, f64)| (name.to_owned(), number(value));
        RunState {
            global_step: self.optimizer.steps,
            passes: self.passes,
            evaluated_at: *evaluated_at,
            stopping: stopping.clone(),
            best: best.as_ref().map(|best| best.metrics.iter().map(named).collect()),
            modules_to_save: self.lora.iter().flat_map(|(_, plan)| plan.saved.clone()).collect(),
        }
    }

    /// Returns names and shapes of the tensors of [`Trainer::moments`], in order.
    pub fn moment_tensors(&self) -> Vec<(String, Vec<usize>)> {
        let mut tensors = Vec::new();
        let in_model = self.model_parameters();
        for (place, (spec, moments)) in self.specs.iter().zip(&self.optimizer.moments).enumerate() {
            if place >= in_model {
                tensors.extend(names_of(spec).map(|name| (name.to_owned(), tensor_shape(spec))));
            }
            for suffix in SUFFIXES.iter().filter(|_| moments.is_some()) {
                for name in names_of(spec) {
                    tensors.push((format!("{name}{suffix}"), tensor_shape(spec)));
                }
            }
            let best = self.best_of(spec);
            tensors.extend(
                best.map(|tensor| (format!("{}{BEST}", tensor.name), tensor.shape.clone())),
            );
        }
        tensors
    }

    /// Returns a parameter's tensors at the best evaluation, if they are kept.
    fn best_of<'a>(&'a self, spec: &'a Spec) -> impl Iterator<Item = &'a NamedTensor> {
        let kept = self.selection.best.iter().flat_map(|best| &best.parameters);
        kept.filter(|kept| names_of(spec).any(|own| own == kept.name))
    }

    /// Returns the state of one parameter besides its values in the model: the values of an
    /// adapter's factor, AdamW's moments, if it has taken a step, and the values at the best
    /// evaluation, if they are kept. A frozen parameter has no state. Errors: as
    /// [`Trainer::parameter`].
    pub async fn moments(&mut self, index: usize) -> Result<Vec<NamedTensor>> {
        let entry = self.specs.get(index).zip(self.optimizer.moments.get(index));
        let Some((spec, moments)) = entry else {
            return Err(no_parameter(index));
        };
        let mut all = match index >= self.model_parameters() {
            true => self.parameter(index).await?,
            false => Vec::new(),
        };
        let mut device = self.model.engine().lock().await;
        let read = match moments {
            Some([first, second]) => device.backend.read(&[first, second]).await?,
            None => Vec::new(),
        };
        for (values, suffix) in read.iter().zip(SUFFIXES) {
            let mut tensors = Vec::new();
            unstack(spec, values, &mut tensors);
            tensors.iter_mut().for_each(|tensor| tensor.name.push_str(suffix));
            all.append(&mut tensors);
        }
        let best = self.best_of(spec).cloned();
        all.extend(
            best.map(|tensor| NamedTensor { name: format!("{}{BEST}", tensor.name), ..tensor }),
        );
        Ok(all)
    }
}

/// Reads an optimizer's state, tensor by tensor.
#[derive(Debug, Default)]
pub struct Resuming {
    /// Moments of a parameter that is still incomplete.
    waiting: Vec<NamedTensor>,
    /// Parameters of the best evaluation.
    best: Vec<NamedTensor>,
    /// Factors of adapters.
    factors: Vec<NamedTensor>,
}

impl Resuming {
    /// Takes a tensor of the file. When all moments of a parameter have arrived, they are copied to
    /// the device.
    ///
    /// # Errors
    /// `BadInput` for a tensor that the model does not have or that has another shape.
    /// `OutOfMemory`.
    pub fn push<B: Train + Processor>(
        &mut self,
        trainer: &mut Trainer<B>,
        tensor: NamedTensor,
    ) -> Result<()> {
        let name = tensor.name.clone();
        let of_factors = trainer.specs.iter().skip(trainer.model_parameters());
        if let Some(spec) =
            of_factors.into_iter().find(|spec| names_of(spec).any(|own| own == name))
        {
            check_shape(&tensor, &tensor_shape(spec))?;
            self.factors.push(tensor);
            return Ok(());
        }
        let suffixes = [SUFFIXES[0], SUFFIXES[1], BEST];
        let is_of = |spec: &Spec| {
            names_of(spec)
                .any(|own| suffixes.iter().any(|suffix| name.strip_suffix(suffix) == Some(own)))
        };
        let index = trainer.specs.iter().position(is_of);
        let Some(index) = index.filter(|&index| !trainer.optimizer.entries[index].frozen) else {
            return Err(fault!(
                BadInput,
                "saved state: {name} is not trained here. The state belongs to another model or to other frozen layers.",
                item = "saved state: {name}",
            ));
        };
        let spec = &trainer.specs[index];
        if let Some(own) = name.strip_suffix(BEST) {
            check_shape(&tensor, &tensor_shape(spec))?;
            self.best.push(NamedTensor { name: own.to_owned(), ..tensor });
            return Ok(());
        }
        self.waiting.push(tensor);
        let mut stacks = Vec::new();
        for suffix in SUFFIXES {
            let named = self.waiting.iter().filter_map(|tensor| {
                let name = tensor.name.strip_suffix(suffix)?.to_owned();
                Some(NamedTensor { name, ..tensor.clone() })
            });
            let Some(values) = stack(spec, &named.collect::<Vec<_>>())? else { return Ok(()) };
            stacks.push(values);
        }
        let rows = trainer.optimizer.entries[index].shape[0];
        let mut moments = [B::Rows::default(), B::Rows::default()];
        let model = std::rc::Rc::clone(trainer.model());
        let Some(mut backend) = model.engine().backend() else {
            return Err(Error::BadInput("the model is in use".into()));
        };
        for (values, to) in stacks.iter().zip(&mut moments) {
            backend.put(values, rows, to)?;
        }
        trainer.optimizer.moments[index] = Some(moments);
        self.waiting.clear();
        Ok(())
    }

    /// Ends the file. The run continues from `state`.
    ///
    /// # Errors
    /// `BadInput` if the file had the moments of some parameters only.
    pub fn finish<B: Train + Processor>(
        self,
        trainer: &mut Trainer<B>,
        state: RunState,
    ) -> Result<()> {
        let entries = trainer.optimizer.entries.iter().zip(&trainer.optimizer.moments);
        let found: Vec<bool> =
            entries.filter(|(entry, _)| !entry.frozen).map(|(_, m)| m.is_some()).collect();
        if !self.waiting.is_empty() || (found.contains(&true) && found.contains(&false)) {
            return Err(fault!(
                BadInput,
                "saved state: the moments of some parameters are missing",
                item = "saved state",
            ));
        }
        let trained = trainer.optimizer.entries.iter().zip(&trainer.specs);
        let trained = trained.filter(|(entry, _)| !entry.frozen);
        let count: usize = trained.map(|(_, spec)| names_of(spec).count()).sum();
        if self.best.len() != state.best.as_ref().map_or(0, |_| count) {
            return Err(fault!(
                BadInput,
                "saved state: the parameters of the best evaluation are missing",
                item = "saved state",
            ));
        }
        let factors = trainer.specs.len() - trainer.model_parameters();
        if self.factors.len() != factors {
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("saved state"),
                format_args!("{factors} factors of adapters"),
                format_args!("{}", self.factors.len()),
            ));
        }
        trainer.write_parameters(&self.factors)?;
        let metrics = state.best.map(|best| best.into_iter().map(metric).collect::<Result<_>>());
        let parameters = self.best;
        let best = metrics.transpose()?.map(|metrics| Best { metrics, parameters });
        let RunState { global_step, passes, evaluated_at, stopping, .. } = state;
        trainer.selection = Selection { stopping, evaluated_at, best };
        (trainer.optimizer.steps, trainer.passes) = (global_step, passes);
        Ok(())
    }
}

/// Returns a metric with its static name.
pub(crate) fn metric((name, value): (String, Option<f64>)) -> Result<(&'static str, f64)> {
    match names::named(&name) {
        Some(name) => Ok((name, value.unwrap_or(f64::NAN))),
        None => Err(fault!(
            BadInput,
            "saved state: unknown metric \"{name}\"",
            item = "saved state",
            found = "metric \"{name}\"",
        )),
    }
}

fn check_shape(tensor: &NamedTensor, expected: &[usize]) -> Result<()> {
    let NamedTensor { name, shape, values } = tensor;
    if shape != expected || values.len() != expected.iter().product::<usize>() {
        return Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("saved state: {name}"),
            format_args!("shape {expected:?}"),
            format_args!("{shape:?}"),
        ));
    }
    Ok(())
}
