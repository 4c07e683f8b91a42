//! Training: from a user's rows to the batches of a run, the model backwards over the kernels of
//! [`Train`](crate::backend::train::Train), and from a run's answers to its metrics.
//!
//! The model:
//!
//! - [`trainer`]: a model in training: steps and losses      [`state`]: its parameters, and all from which it goes on
//! - [`resume`]: the optimiser's state as a file's tensors, one by one
//! - [`run`]: the steps of a run, one after the other      [`selection`]: the best of its evaluations
//! - [`dropout`]: the rates of config.json
//! - `tape`: what a forward pass keeps      `states`: what a head reads of a frozen encoder      `backward`: encoder and heads in reverse
//! - [`loss`]: labels, and what a head's outputs lose by them
//! - `freeze`: what stays as it is      `gradients`: of all that does not
//! - `similarity`: the losses of embeddings      [`evaluate`]: a model's loss and metrics over rows
//! - `optimizer`: from gradients to the next parameters
//! - [`explain`]: what each token of a text adds to an answer
//!
//! The data, where nothing knows a device:
//!
//! - [`arguments`]: the options of a run, under Hugging Face's names
//! - [`rows`]: what a row of each task is, checked and encoded before the first step: an [`Example`]
//! - [`dataset`]: a task's rows, read and checked, with what evaluation needs of them
//! - [`padded`]: a batch of ids and labels as a caller has it
//! - [`pairs`]: documents packed into pre-training's pairs
//! - [`batches`]: which rows each step takes, and a place in the data from which a run goes on
//! - [`masking`]: tokens hidden anew each time they are seen
//! - [`replacement`]: tokens that another model puts in the place of masked ones
//! - [`schedule`]: the learning rate of each step and layer
//! - [`metrics`]: what evaluation says
//! - [`early_stopping`]: the best evaluation, and when a run ends before its time
//! - [`random`]: the random numbers of all of these, by counting
//! - [`save`]: `config.json` and safetensors of what was trained
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
