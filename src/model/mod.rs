//! The model, for every family and every device: the declaration of its parameters, and the forward
//! pass over them. Encoder and heads are separate, so that several heads can share one encoder.

mod bottleneck;
mod describe;
pub(crate) mod disentangled;
pub mod encoder;
#[cfg(feature = "families")]
mod gliner;
pub mod heads;
mod names;
mod parameters;
pub mod pass;
mod span;
mod spec;
mod spelling;
mod walk;
mod words;

pub use describe::{describe_encoder, describe_head, describe_new_head};
#[cfg(feature = "families")]
pub use gliner::{GlinerHead, describe_gliner};
pub(crate) use names::canonical;
#[cfg(feature = "train")]
pub(crate) use names::has_pooler;
pub(crate) use names::{available_heads, output_layer, tied_names};
#[cfg(feature = "families")]
pub(crate) use names::{decoder_weight, weight_of_bias};
pub use parameters::{
    Bottleneck, Convolution, Encoder, EncoderOn, FeedForward, Head, HeadOn, Layer, MaskedLm,
    Normed, RelativeTable, Size, SpanConvolution,
};
pub use spec::{Layout, ParameterSpec, RowOrder, TensorName};
pub use walk::{Leaf, Visitor};
