//! A checkpoint's safetensors, and how they become a model's parameters.

mod choice;
mod file;
mod header;
mod index;
mod loader;
mod plan;
mod rows;
mod slots;

pub use loader::{Loaded, LoadedEncoder, Loader, Options, Part};
