//! One operation a file, each under the name of its shader in `shaders/`.

mod activation;
mod attention;
mod embed;
mod gather;
mod linear;
mod norm;
mod top_k;

pub use activation::Activation;
pub(crate) use activation::activate;
pub(crate) use attention::AttentionBuffers;
pub use attention::attention;
pub use embed::{Table, embed};
pub use gather::gather;
pub use linear::linear;
pub use norm::{add_norm, norm};
pub use top_k::{top_indices, top_k};
