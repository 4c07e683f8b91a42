//! A checkpoint's files of tensors, and how they become a model's parameters.

mod adapters;
mod choice;
mod file;
mod header;
mod index;
#[cfg(feature = "train")]
mod initialize;
mod loader;
mod plan;
#[cfg(feature = "families")]
mod pytorch;
mod rows;
mod slots;
#[cfg(feature = "families")]
mod torch_file;

#[cfg(feature = "train")]
pub use initialize::Initialize;
pub use loader::{Loaded, LoadedEncoder, Loader, Options, Part};
#[cfg(feature = "families")]
pub use pytorch::to_safetensors;
