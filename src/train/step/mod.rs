//! One step of training.
//!
//! - [`trainer`]: a model in training, with steps and losses
//! - `tape`: the values that a forward pass stores
//! - `state_cache`: the stored outputs of a frozen encoder
//! - `backward`: encoder and heads in reverse
//! - [`loss`]: labels and losses
//! - `similarity`: losses of embeddings
//! - `gradients`: gradients of the trained parts
//! - `optimizer`: from gradients to the next parameters
//! - [`schedule`]: the learning rate of each step and layer
//! - [`dropout`]: the rates of config.json
//! - `freeze`: which parts are not trained
//! - [`lora`]: which matrices have low-rank adapters, and `low_rank`: their factors
//! - `distillation`: losses with another model's outputs as targets
//! - [`replacement`]: masked tokens replaced by another model's predictions

pub(in crate::train) mod backward;
pub(in crate::train) mod distillation;
pub mod dropout;
pub(in crate::train) mod freeze;
pub(in crate::train) mod gradients;
pub mod lora;
pub mod loss;
pub(in crate::train) mod low_rank;
pub(in crate::train) mod optimizer;
pub mod replacement;
pub mod schedule;
pub(in crate::train) mod similarity;
pub(in crate::train) mod state_cache;
pub(in crate::train) mod tape;
pub mod trainer;
