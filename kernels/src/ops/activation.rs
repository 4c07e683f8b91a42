//! Activation functions applied after a linear layer.

use crate::simd::{F32x4, Math};

/// An activation function, applied element by element. Shaders identify it by its position in this
/// enum, starting at 0; keep shaders/shared/activation.wgsl and
/// shaders/shared/activation_families.wgsl in the same order.
///
/// Φ is the cumulative distribution function of the standard normal distribution:
///
/// ```text
/// Gelu(x)     = x · Φ(x) = x/2 · (1 + erf(x / √2))
/// GeluTanh(x) = x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))
/// Silu(x)     = x / (1 + e^-x)
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x
    Identity,
    /// Exact GELU, computed with the error function (Hendrycks and Gimpel 2016).
    Gelu,
    /// GELU in its tanh approximation (Hendrycks and Gimpel 2016).
    GeluTanh,
    /// max(x, 0)
    Relu,
    /// x · sigmoid(x), also called Swish.
    Silu,
    /// tanh(x)
    Tanh,
    /// x · sigmoid(1.702 x)
    #[cfg(feature = "families")]
    QuickGelu,
    /// `Gelu`, clipped to [-10, 10].
    #[cfg(feature = "families")]
    ClippedGelu,
    /// x · min(max(x + 3, 0), 6) / 6
    #[cfg(feature = "families")]
    HardSwish,
    /// The normal distribution of mean √½ and variance 1 / (4π), in transformers' six digits (Ma et al. 2022).
    #[cfg(feature = "families")]
    Laplace,
    /// x, or 0.01 x below 0.
    #[cfg(feature = "families")]
    LeakyRelu,
    /// x · tanh(log(1 + e^x)) (Misra 2019)
    #[cfg(feature = "families")]
    Mish,
    /// max(x, 0)²
    #[cfg(feature = "families")]
    ReluSquared,
    /// min(max(x, 0), 6)
    #[cfg(feature = "families")]
    Relu6,
    /// 1 / (1 + e^-x)
    #[cfg(feature = "families")]
    Sigmoid,
    /// √log(1 + e^x)
    #[cfg(feature = "families")]
    SqrtSoftplus,
}

impl Activation {
    /// Every activation of this build, by its number.
    pub const ALL: &[Self] = &[
        Self::Identity,
        Self::Gelu,
        Self::GeluTanh,
        Self::Relu,
        Self::Silu,
        Self::Tanh,
        #[cfg(feature = "families")]
        Self::QuickGelu,
        #[cfg(feature = "families")]
        Self::ClippedGelu,
        #[cfg(feature = "families")]
        Self::HardSwish,
        #[cfg(feature = "families")]
        Self::Laplace,
        #[cfg(feature = "families")]
        Self::LeakyRelu,
        #[cfg(feature = "families")]
        Self::Mish,
        #[cfg(feature = "families")]
        Self::ReluSquared,
        #[cfg(feature = "families")]
        Self::Relu6,
        #[cfg(feature = "families")]
        Self::Sigmoid,
        #[cfg(feature = "families")]
        Self::SqrtSoftplus,
    ];
}

/// Replaces each x by `activation`(x).
pub(crate) fn activate(activation: Activation, vectors: &mut [[f32; 4]]) {
    let math = Math::new();
    match activation {
        Activation::Identity => {}
        Activation::Gelu => for_each(vectors, |x| math.gelu(x)),
        Activation::GeluTanh => for_each(vectors, |x| math.gelu_tanh(x)),
        Activation::Relu => for_each(vectors, |x| x.max(F32x4::ZERO)),
        Activation::Silu => for_each(vectors, |x| math.silu(x)),
        Activation::Tanh => for_each(vectors, |x| math.tanh(x)),
        #[cfg(feature = "families")]
        Activation::QuickGelu => for_each(vectors, |x| math.quick_gelu(x)),
        #[cfg(feature = "families")]
        Activation::ClippedGelu => for_each(vectors, |x| math.clipped_gelu(x)),
        #[cfg(feature = "families")]
        Activation::HardSwish => for_each(vectors, |x| math.hard_swish(x)),
        #[cfg(feature = "families")]
        Activation::Laplace => for_each(vectors, |x| math.laplace(x)),
        #[cfg(feature = "families")]
        Activation::LeakyRelu => for_each(vectors, |x| math.leaky_relu(x)),
        #[cfg(feature = "families")]
        Activation::Mish => for_each(vectors, |x| math.mish(x)),
        #[cfg(feature = "families")]
        Activation::ReluSquared => for_each(vectors, |x| math.relu_squared(x)),
        #[cfg(feature = "families")]
        Activation::Relu6 => for_each(vectors, |x| math.relu6(x)),
        #[cfg(feature = "families")]
        Activation::Sigmoid => for_each(vectors, |x| math.sigmoid(x)),
        #[cfg(feature = "families")]
        Activation::SqrtSoftplus => for_each(vectors, |x| math.sqrt_softplus(x)),
    }
}

/// Applies [`activate`] to a row of any length.
pub(super) fn activate_row(activation: Activation, row: &mut [f32]) {
    let (vectors, rest) = row.as_chunks_mut::<4>();
    activate(activation, vectors);
    // The last 1 to 3 elements are padded to a whole vector, so that they take the same code path
    // and round alike.
    let mut last = [[0.0; 4]];
    last[0][..rest.len()].copy_from_slice(rest);
    activate(activation, &mut last);
    rest.copy_from_slice(&last[0][..rest.len()]);
}

#[inline(always)]
fn for_each(vectors: &mut [[f32; 4]], f: impl Fn(F32x4) -> F32x4) {
    for vector in vectors {
        f(F32x4::load(vector)).store(vector);
    }
}
