//! Training: from rows to batches, the model's gradients over the kernels of
//! [`Train`](crate::backend::train::Train), optimizer steps, and metrics.
//!
//! - [`arguments`]: the options of a run, with Hugging Face's names
//! - [`data`]: rows, checked and encoded, and the batches of each step; independent of the device
//! - [`step`]: one step: forward pass, loss, gradients, optimizer
//! - [`run`]: the steps of a run, its evaluations, and the state to resume from
//! - [`metrics`]: accuracy, F1, correlation and other scores, and a model's loss and metrics over rows
//! - [`explain`]: how much each token of a text adds to a result

pub mod arguments;
pub mod data;
pub mod explain;
pub mod metrics;
pub mod run;
pub mod step;
