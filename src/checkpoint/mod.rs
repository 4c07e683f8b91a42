//! A checkpoint's safetensors, and how they become a model's parameters.

mod adapters;
mod choice;
mod file;
mod header;
mod index;
#[cfg(feature = "train")]
mod initialize;
mod loader;
mod plan;
mod rows;
mod slots;

#[cfg(feature = "train")]
pub use initialize::Initialize;
pub use loader::{Loaded, LoadedEncoder, Loader, Options, Part};
