//! The activation functions that follow a linear layer.

use crate::simd::{F32x4, Math};

/// What follows a matrix product, element by element. Shaders know them by their number, in this
/// order from 0 (shaders/shared/activation.wgsl).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x
    Identity,
    /// x · Φ(x), with the error function.
    Gelu,
    /// GELU by its tanh approximation (Hendrycks and Gimpel 2016).
    GeluTanh,
    /// max(x, 0)
    Relu,
    /// x · sigmoid(x)
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

/// As [`activate`], of a row of any length.
pub(super) fn activate_row(activation: Activation, row: &mut [f32]) {
    let (vectors, rest) = row.as_chunks_mut::<4>();
    activate(activation, vectors);
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
