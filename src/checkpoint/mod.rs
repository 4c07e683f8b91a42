//! Loads a checkpoint's tensor files into the parameters of a model.

mod adapters;
mod choose_head;
#[cfg(feature = "families")]
mod dry_run;
#[cfg(feature = "families")]
mod fault;
mod feed;
mod file;
pub(crate) mod header;
mod index;
#[cfg(feature = "train")]
mod initialize;
mod loaded;
mod loader;
#[cfg(feature = "families")]
mod onnx;
mod options;
#[cfg(feature = "families")]
mod other_formats;
mod parameter_slots;
#[cfg(feature = "families")]
mod peft;
mod plan;
#[cfg(feature = "families")]
mod pytorch;
mod rows;
mod shares;
mod sinks;

#[cfg(feature = "train")]
pub use initialize::Initialize;
pub use loaded::{Loaded, LoadedEncoder};
pub use loader::Loader;
pub use options::{LoadOptions, Part};
#[cfg(feature = "families")]
pub use pytorch::to_safetensors;
pub use shares::Share;
