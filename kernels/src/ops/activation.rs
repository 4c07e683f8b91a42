//! Activation functions applied after a linear layer.

use crate::simd::{F32x4, Math};

/// An activation function, applied element by element. Shaders identify it by its position in this
/// enum, starting at 0; keep shaders/shared/activation.wgsl in the same order.
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
