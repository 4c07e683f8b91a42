//! Training: from rows to batches, the model's gradients over the kernels of
//! [`Train`](crate::backend::train::Train), optimizer steps, and metrics.
//!
//! The model:
//!
//! - [`trainer`]: a model in training, with steps and losses
//! - [`state`]: its parameters, and the state to resume from
//! - [`resume`]: the optimizer's state as tensors of a file
//! - [`run`]: the steps of a run, one after another
//! - [`selection`]: the best evaluation of a run
//! - [`dropout`]: the rates of config.json
//! - `tape`: the values a forward pass stores
//! - `states`: the stored outputs of a frozen encoder
//! - `backward`: encoder and heads in reverse
//! - [`loss`]: labels and losses
//! - `freeze`: which parts are not trained
//! - `gradients`: gradients of the trained parts
//! - `similarity`: losses of embeddings
//! - [`evaluate`]: loss and metrics over rows
//! - `optimizer`: from gradients to the next parameters
//! - [`explain`]: how much each token of a text adds to a result
//!
//! The data, independent of the device:
//!
//! - [`arguments`]: the options of a run, with Hugging Face's names
//! - [`rows`]: the rows of each task, checked and encoded before the first step into [`Example`]s
//! - [`dataset`]: all rows of a task, with the references for evaluation
//! - [`padded`]: batches of ids and labels as callers pass them
//! - [`pairs`]: documents packed into the pairs of pre-training
//! - [`batches`]: the rows of each step, and the place to resume from
//! - [`masking`]: tokens masked anew each time they are seen
//! - [`replacement`]: masked tokens replaced by another model's predictions
//! - [`schedule`]: the learning rate of each step and layer
//! - [`metrics`]: accuracy, F1, correlation and other scores
//! - [`early_stopping`]: the best evaluation, and when to stop
//! - [`random`]: counter-based random numbers for all of these
//! - [`save`]: `config.json` and safetensors of a trained model
//!
//! [`Example`]: rows::Example

pub mod arguments;
mod backward;
pub mod batches;
pub mod dataset;
pub mod dropout;
pub mod early_stopping;
pub mod evaluate;
pub mod explain;
mod freeze;
mod gradients;
pub mod loss;
pub mod masking;
pub mod metrics;
mod optimizer;
pub mod padded;
pub mod pairs;
pub mod random;
pub mod replacement;
pub mod resume;
pub mod rows;
pub mod run;
pub mod save;
pub mod schedule;
pub mod selection;
mod similarity;
pub mod state;
mod states;
mod tape;
pub mod trainer;
