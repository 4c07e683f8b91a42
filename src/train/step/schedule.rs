//! The learning rate of each step, as in transformers' `get_scheduler`, and of each layer.

use serde::Deserialize;

use crate::train::arguments::TrainingArguments;

/// How the learning rate changes over a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchedulerType {
    /// Rises during the warm-up, then falls linearly to 0.
    #[default]
    Linear,
    /// Rises during the warm-up, then falls to 0 along half a cosine wave.
    Cosine,
    /// Constant, without warm-up.
    Constant,
    /// Rises during the warm-up, then stays constant.
    ConstantWithWarmup,
}

/// The learning rate of each step of a run.
///
/// ```
/// use webert::train::arguments::TrainingArguments;
/// use webert::train::step::schedule::Schedule;
///
/// let arguments = TrainingArguments { learning_rate: 8.0, warmup_steps: 2, ..Default::default() };
/// let schedule = Schedule::new(&arguments, 6);
/// let rates: Vec<f64> = (0..6).map(|step| schedule.rate(step)).collect();
/// assert_eq!(rates, [0.0, 4.0, 8.0, 6.0, 4.0, 2.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    kind: SchedulerType,
    learning_rate: f64,
    /// Number of steps during which the rate rises.
    warmup: usize,
    /// Number of steps of the whole run.
    steps: usize,
}

impl Schedule {
    /// Creates the schedule of a run with this number of steps. `warmup_steps` takes precedence
    /// over `warmup_ratio` if it is not 0.
    pub fn new(arguments: &TrainingArguments, steps: usize) -> Self {
        let warmup = match arguments.warmup_steps {
            0 => (steps as f64 * arguments.warmup_ratio).ceil() as usize,
            steps => steps,
        };
        let TrainingArguments { learning_rate, lr_scheduler_type: kind, .. } = *arguments;
        Self { kind, learning_rate, warmup, steps }
    }

    /// Returns the learning rate of a step. The first step is step 0.
    pub fn rate(&self, step: usize) -> f64 {
        self.learning_rate * self.share(step)
    }

    /// Returns the rate as a share of the largest rate.
    fn share(&self, step: usize) -> f64 {
        if self.kind == SchedulerType::Constant {
            return 1.0;
        }
        if step < self.warmup {
            return step as f64 / self.warmup as f64;
        }
        let length = self.steps.saturating_sub(self.warmup).max(1) as f64;
        match self.kind {
            SchedulerType::Linear => self.steps.saturating_sub(step) as f64 / length,
            SchedulerType::Cosine => {
                let done = (step - self.warmup) as f64 / length;
                (0.5 * (1.0 + (std::f64::consts::PI * done).cos())).max(0.0)
            }
            SchedulerType::Constant | SchedulerType::ConstantWithWarmup => 1.0,
        }
    }
}

/// Depth of a parameter, for `layer_lr_decay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The embedding tables, their norm and their projection.
    Embeddings,
    /// A layer of the encoder. The first layer is 0.
    Layer(usize),
    /// The pooler and the head.
    Head,
}

/// Returns the factor of a parameter's learning rate: d^k, with k = 0 for the head, 1 for the last
/// of `layers` layers and `layers` + 1 for the embeddings.
///
/// ```
/// use webert::train::step::schedule::{Depth, rate_factor};
///
/// assert_eq!(rate_factor(0.5, 2, Depth::Head), 1.0);
/// assert_eq!(rate_factor(0.5, 2, Depth::Layer(1)), 0.5);
/// assert_eq!(rate_factor(0.5, 2, Depth::Embeddings), 0.125);
/// ```
pub fn rate_factor(layer_lr_decay: f64, layers: usize, depth: Depth) -> f64 {
    let above = match depth {
        Depth::Head => 0,
        Depth::Layer(layer) => layers.saturating_sub(layer),
        Depth::Embeddings => layers + 1,
    };
    layer_lr_decay.powi(above as i32)
}
