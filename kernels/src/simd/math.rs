//! exp and the activation functions on four lanes.

use std::f32::consts::LOG2_E;
use std::hint::black_box;

use super::F32x4;

/// Magic bias for rounding, 1.5 · 2^23. The lowest bit of x + bias is worth 1, so the sum holds x
/// rounded to an integer in its lowest bits. Valid for |x| < 2^22.
pub(crate) const MAGIC_BIAS: f32 = 12_582_912.0;

/// Constants of the functions. Polynomials begin with the coefficient of the highest power.
struct Constants {
    half: f32,
    one: f32,
    two: f32,
    log2_e: f32,
    /// Exponents of the least and the greatest normal power of two.
    exponents: [f32; 2],
    /// [`MAGIC_BIAS`] + 127: the lowest bits of a sum are then the exponent of a float.
    magic_bias: f32,
    /// Polynomial for 2^x, |x| ≤ 0.5, with a relative error of 2e-9.
    exp2: [f32; 7],
    /// From this x on, erf(x / √2) is 1 within 4e-8.
    erf_end: f32,
    /// erf(x / √2) / 2x as a ratio of two polynomials of x². The error of the normal distribution's
    /// Φ(x) - 0.5 is 2e-8.
    erf: [[f32; 6]; 2],
    /// √(2 / π) · (1 + 0.044715 x²) as a polynomial of x² (Hendrycks and Gimpel 2016).
    gelu_tanh: [f32; 2],
    /// Density of the normal distribution at 0, 1 / √(2π), and -log2(e) / 2.
    density: [f32; 2],
    /// Derivative of x times `gelu_tanh`, as a polynomial of x².
    gelu_tanh_derivative: [f32; 2],
}

static CONSTANTS: Constants = Constants {
    half: 0.5,
    one: 1.0,
    two: 2.0,
    log2_e: LOG2_E,
    exponents: [-126.0, 127.0],
    magic_bias: MAGIC_BIAS + 127.0,
    exp2: [
        1.534_581_2e-4,
        1.339_993_1e-3,
        9.618_489e-3,
        5.550_328_6e-2,
        2.402_264_6e-1,
        std::f32::consts::LN_2,
        1.0,
    ],
    erf_end: 5.515_4,
    erf: [
        [
            2.213_157_7e-8,
            6.538_054_5e-6,
            1.839_273e-4,
            4.768_023_3e-3,
            3.524_707_3e-2,
            3.989_419_6e-1,
        ],
        [1.193_488_7e-6, 7.895_426e-5, 1.968_441_5e-3, 2.945_864_6e-2, 2.550_147_8e-1, 1.0],
    ],
    gelu_tanh: [0.035_677_408, 0.797_884_6],
    density: [0.398_942_3, -0.5 * LOG2_E],
    gelu_tanh_derivative: [0.107_032_225, 0.797_884_6],
};

/// The functions. They read their constants from memory, which takes one instruction each. If V8
/// sees that a vector is constant, it builds it with three instructions at each use.
#[derive(Clone, Copy)]
pub(crate) struct Math(&'static Constants);

impl Math {
    /// Returns the functions. Call it outside of loops.
    pub(crate) fn new() -> Self {
        Self(black_box(&CONSTANTS))
    }

    /// Returns 2^x for x ≤ 127, with a relative error of 1e-7. Results below 2^-126 become 2^-126.
    #[inline(always)]
    pub(crate) fn exp2(self, x: F32x4) -> F32x4 {
        let x = x.max(F32x4::splat(self.0.exponents[0]));
        let bias = F32x4::splat(self.0.magic_bias);
        let shifted = x + bias;
        polynomial(x - (shifted - bias), &self.0.exp2) * shifted.low_bits_as_exponent()
    }

    /// Returns e^x, at most 2^127.
    #[inline(always)]
    pub(crate) fn exp(self, x: F32x4) -> F32x4 {
        let x = x * F32x4::splat(self.0.log2_e);
        self.exp2(x.min(F32x4::splat(self.0.exponents[1])))
    }

    #[inline(always)]
    pub(crate) fn tanh(self, x: F32x4) -> F32x4 {
        let one = F32x4::splat(self.0.one);
        one - F32x4::splat(self.0.two) / (self.exp(x + x) + one)
    }

    /// Returns Φ(x), the cumulative distribution function of the normal distribution.
    #[inline(always)]
    pub(super) fn normal(self, x: F32x4) -> F32x4 {
        let end = F32x4::splat(self.0.erf_end);
        let inner = x.min(end).max(F32x4::ZERO - end);
        let square = inner * inner;
        let [above, below] = &self.0.erf;
        let half_erf = inner * polynomial(square, above) / polynomial(square, below);
        half_erf + F32x4::splat(self.0.half)
    }

    #[inline(always)]
    pub(crate) fn gelu(self, x: F32x4) -> F32x4 {
        x * self.normal(x)
    }

    /// Returns Φ(x) + x · Φ'(x).
    #[inline(always)]
    pub(crate) fn gelu_derivative(self, x: F32x4) -> F32x4 {
        x.mul_add(self.density(x), self.normal(x))
    }

    /// Φ'(x), the normal distribution's density.
    #[inline(always)]
    pub(super) fn density(self, x: F32x4) -> F32x4 {
        let [peak, exponent] = self.0.density.map(F32x4::splat);
        peak * self.exp2(x * x * exponent)
    }

    #[inline(always)]
    pub(crate) fn gelu_tanh(self, x: F32x4) -> F32x4 {
        let half = x * F32x4::splat(self.0.half);
        half.mul_add(self.tanh(x * polynomial(x * x, &self.0.gelu_tanh)), half)
    }

    /// Returns (1 + t) / 2 + x / 2 · (1 - t²) · u'(x), where t = tanh(u(x)).
    #[inline(always)]
    pub(crate) fn gelu_tanh_derivative(self, x: F32x4) -> F32x4 {
        let [half, one] = [self.0.half, self.0.one].map(F32x4::splat);
        let square = x * x;
        let t = self.tanh(x * polynomial(square, &self.0.gelu_tanh));
        let inner = polynomial(square, &self.0.gelu_tanh_derivative);
        half * (one + t + x * (one - t * t) * inner)
    }

    #[inline(always)]
    pub(crate) fn tanh_derivative(self, x: F32x4) -> F32x4 {
        let t = self.tanh(x);
        F32x4::splat(self.0.one) - t * t
    }

    /// Returns s · (1 + x · (1 - s)), where s = sigmoid(x).
    #[inline(always)]
    pub(crate) fn silu_derivative(self, x: F32x4) -> F32x4 {
        let (one, s) = (F32x4::splat(self.0.one), self.sigmoid(x));
        s * x.mul_add(one - s, one)
    }

    /// Returns 1 / (1 + e^-x).
    #[inline(always)]
    pub(crate) fn sigmoid(self, x: F32x4) -> F32x4 {
        let one = F32x4::splat(self.0.one);
        one / (one + self.exp(F32x4::ZERO - x))
    }

    #[inline(always)]
    pub(crate) fn silu(self, x: F32x4) -> F32x4 {
        x / (F32x4::splat(self.0.one) + self.exp(F32x4::ZERO - x))
    }
}

/// Evaluates a polynomial by Horner's scheme.
#[inline(always)]
fn polynomial<const N: usize>(x: F32x4, coefficients: &[f32; N]) -> F32x4 {
    let [highest, others @ ..] = &coefficients[..] else { return F32x4::ZERO };
    others.iter().fold(F32x4::splat(*highest), |sum, &c| sum.mul_add(x, F32x4::splat(c)))
}
