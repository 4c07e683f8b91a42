//! A run: its steps, its evaluations, and the state to resume from.
//!
//! - [`training_loop`]: the steps of a run, one after another
//! - [`selection`]: the best evaluation of a run
//! - [`early_stopping`]: the best evaluation, and when to stop
//! - [`state`]: the parameters of a model in training, and the state to resume from
//! - [`resume`]: the optimizer's state as tensors of a file
//! - [`save`]: `config.json` and safetensors of a trained model
//! - `save_adapter`: trained adapters as files of PEFT

pub mod early_stopping;
pub mod resume;
pub mod save;
mod save_adapter;
pub mod selection;
pub mod state;
pub mod training_loop;
