//! From rows to batches. Nothing here depends on a device.
//!
//! - [`rows`]: the rows of each task, checked and encoded before the first step into [`Example`]s
//! - [`dataset`]: all rows of a task, with the references for evaluation
//! - [`padded`]: batches of ids and labels as callers pass them
//! - [`pairs`]: documents packed into the pairs of pre-training
//! - [`batches`]: the rows of each step, and the place to resume from
//! - [`masking`]: tokens masked anew each time they are seen
//!
//! [`Example`]: rows::Example

pub mod batches;
pub mod dataset;
pub mod masking;
pub mod padded;
pub mod pairs;
pub mod rows;
