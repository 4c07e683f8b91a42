//! The activation functions that few models use, over four lanes, and their derivatives.

use super::{F32x4, Math};

/// e^x beyond this x changes no result below: tanh(log(1 + e^x)) is 1 within half a unit in the last place.
const MISH_END: f32 = 20.0;

/// Mean and standard deviation of [`Math::laplace`], as transformers writes them.
#[allow(clippy::approx_constant, reason = "the digits of transformers")]
const LAPLACE: [f32; 2] = [0.707_107, 0.282_095];

/// The slope of [`Math::leaky_relu`] below 0: PyTorch's default.
const LEAK: f32 = 0.01;

/// log(1 + u) = 2s · Σ s²ⁿ / (2n + 1) with s = u / (2 + u). The coefficients of s², from the highest power on; for
/// 0 ≤ u ≤ 1 the first term left out is 1.4e-8 of the sum.
const LOG: [f32; 7] = [1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0];

impl Math {
    /// x · sigmoid(1.702 x)
    #[inline(always)]
    pub(crate) fn quick_gelu(self, x: F32x4) -> F32x4 {
        x / (one() + self.exp(x * F32x4::splat(-1.702)))
    }

    /// With s = sigmoid(1.702 x): s · (1 + 1.702 x · (1 - s)).
    #[inline(always)]
    pub(crate) fn quick_gelu_derivative(self, x: F32x4) -> F32x4 {
        let scaled = x * F32x4::splat(1.702);
        let s = self.sigmoid(scaled);
        s * scaled.mul_add(one() - s, one())
    }

    /// GELU, clipped to [-10, 10]; GELU itself is never below -0.17.
    #[inline(always)]
    pub(crate) fn clipped_gelu(self, x: F32x4) -> F32x4 {
        self.gelu(x).min(F32x4::splat(10.0))
    }

    /// GELU's, or 0 from the clip on.
    #[inline(always)]
    pub(crate) fn clipped_gelu_derivative(self, x: F32x4) -> F32x4 {
        self.gelu_derivative(x).where_positive(F32x4::splat(10.0) - self.gelu(x))
    }

    /// x · min(max(x + 3, 0), 6) / 6
    #[inline(always)]
    pub(crate) fn hard_swish(self, x: F32x4) -> F32x4 {
        x * self.relu6(x + F32x4::splat(3.0)) * F32x4::splat(1.0 / 6.0)
    }

    /// 0 up to -3, x / 3 + 1 / 2, 1 from 3 on.
    #[inline(always)]
    pub(crate) fn hard_swish_derivative(self, x: F32x4) -> F32x4 {
        let three = F32x4::splat(3.0);
        let inner = x.mul_add(F32x4::splat(1.0 / 3.0), F32x4::splat(0.5));
        let below = three - x;
        inner.where_positive(x + three).where_positive(below) + one() - one().where_positive(below)
    }

    /// (1 + erf((x - mean) / (deviation · √2))) / 2
    #[inline(always)]
    pub(crate) fn laplace(self, x: F32x4) -> F32x4 {
        self.normal(standard(x))
    }

    /// The normal distribution's density.
    #[inline(always)]
    pub(crate) fn laplace_derivative(self, x: F32x4) -> F32x4 {
        self.density(standard(x)) * F32x4::splat(1.0 / LAPLACE[1])
    }

    /// x, or 0.01 x below 0.
    #[inline(always)]
    pub(crate) fn leaky_relu(self, x: F32x4) -> F32x4 {
        x.max(x * F32x4::splat(LEAK))
    }

    /// 1 above 0, else 0.01.
    #[inline(always)]
    pub(crate) fn leaky_relu_derivative(self, x: F32x4) -> F32x4 {
        F32x4::splat(1.0 - LEAK).where_positive(x) + F32x4::splat(LEAK)
    }

    /// x · tanh(log(1 + e^x))
    #[inline(always)]
    pub(crate) fn mish(self, x: F32x4) -> F32x4 {
        let n = self.mish_ratio(x);
        x * n / (n + F32x4::splat(2.0))
    }

    /// With t = tanh(log(1 + e^x)): t + x · (1 - t²) · sigmoid(x).
    #[inline(always)]
    pub(crate) fn mish_derivative(self, x: F32x4) -> F32x4 {
        let n = self.mish_ratio(x);
        let rest = F32x4::splat(2.0) / (n + F32x4::splat(2.0)); // 1 - t
        let t = n / (n + F32x4::splat(2.0));
        t + x * rest * (one() + t) * self.sigmoid(x)
    }

    /// n = e^x · (e^x + 2), so that tanh(log(1 + e^x)) = n / (n + 2).
    #[inline(always)]
    fn mish_ratio(self, x: F32x4) -> F32x4 {
        let e = self.exp(x.min(F32x4::splat(MISH_END)));
        e * (e + F32x4::splat(2.0))
    }

    /// max(x, 0)²
    #[inline(always)]
    pub(crate) fn relu_squared(self, x: F32x4) -> F32x4 {
        let x = x.max(F32x4::ZERO);
        x * x
    }

    /// 2 · max(x, 0)
    #[inline(always)]
    pub(crate) fn relu_squared_derivative(self, x: F32x4) -> F32x4 {
        let x = x.max(F32x4::ZERO);
        x + x
    }

    /// min(max(x, 0), 6)
    #[inline(always)]
    pub(crate) fn relu6(self, x: F32x4) -> F32x4 {
        x.max(F32x4::ZERO).min(F32x4::splat(6.0))
    }

    /// 1 between 0 and 6, else 0.
    #[inline(always)]
    pub(crate) fn relu6_derivative(self, x: F32x4) -> F32x4 {
        one().where_positive(x).where_positive(F32x4::splat(6.0) - x)
    }

    /// With s = sigmoid(x): s · (1 - s).
    #[inline(always)]
    pub(crate) fn sigmoid_derivative(self, x: F32x4) -> F32x4 {
        let s = self.sigmoid(x);
        s * (one() - s)
    }

    /// √log(1 + e^x)
    #[inline(always)]
    pub(crate) fn sqrt_softplus(self, x: F32x4) -> F32x4 {
        // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
        let positive = x.max(F32x4::ZERO);
        let u = self.exp(x - positive - positive);
        let s = u / (u + F32x4::splat(2.0));
        let square = s * s;
        let log = LOG.iter().fold(F32x4::ZERO, |sum, &c| sum.mul_add(square, F32x4::splat(c)));
        (positive + (s + s) * log).sqrt()
    }

    /// sigmoid(x) / (2 · √log(1 + e^x))
    #[inline(always)]
    pub(crate) fn sqrt_softplus_derivative(self, x: F32x4) -> F32x4 {
        let root = self.sqrt_softplus(x);
        self.sigmoid(x) / (root + root)
    }
}

#[inline(always)]
fn one() -> F32x4 {
    F32x4::splat(1.0)
}

/// Laplace's x in deviations from its mean.
#[inline(always)]
fn standard(x: F32x4) -> F32x4 {
    let [mean, deviation] = LAPLACE;
    (x - F32x4::splat(mean)) * F32x4::splat(1.0 / deviation)
}
