//! exp, erf and tanh over four lanes, and the activations made of them.

use crate::simd::F32x4;

/// What follows a matrix product, element by element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x
    Identity,
    /// x · Φ(x), with the error function.
    Gelu,
    /// GELU by its tanh approximation.
    GeluTanh,
    /// max(x, 0)
    Relu,
    /// x · sigmoid(x)
    Silu,
    /// tanh(x)
    Tanh,
}

/// e^x, to about 1e-7 of itself; 0 or the greatest float's neighbourhood beyond f32's range.
#[inline(always)]
pub(crate) fn exp(x: F32x4) -> F32x4 {
    let x = x.max(F32x4::splat(-87.0)).min(F32x4::splat(88.0));
    // 1.5 · 2^23: the sum's last bit counts ones, so that it rounds, and holds n in its last bits
    let magic = F32x4::splat(12_582_912.0);
    let shifted = x.mul_add(F32x4::splat(std::f32::consts::LOG2_E), magic);
    let n = shifted - magic;
    // ln 2 in two parts, so that n · ln 2 is exact where it matters (Cody and Waite)
    let r = n.mul_add(F32x4::splat(-0.693_359_4), x);
    let r = n.mul_add(F32x4::splat(2.121_944_4e-4), r);
    // Taylor's series to r^7: |r| ≤ ln 2 / 2 leaves 5e-9
    let terms = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    polynomial(r, 1.0 / 5040.0, &terms) * shifted.exp2_of_last_bits()
}

/// The error function, to 5e-7. Rational in x², fitted to |x| ≤ 3.9 with a greatest error of 2e-8;
/// beyond, erf is 1 within 4e-8.
#[inline(always)]
#[allow(clippy::approx_constant, reason = "a fitted coefficient near 2 / √π, not 2 / √π")]
fn erf(x: F32x4) -> F32x4 {
    #[expect(clippy::approx_constant, reason = "fitted, and near 2 / √π for that reason")]
    const ABOVE: [f32; 5] =
        [2.874_570_5e-4, 3.836_873_5e-3, 5.296_690_8e-2, 0.191_940_96, 1.128_379];
    const BELOW: [f32; 5] = [1.181_733_6e-3, 1.510_919_8e-2, 0.114_758_18, 0.503_435, 1.0];
    let x = x.max(F32x4::splat(-3.9)).min(F32x4::splat(3.9));
    let z = x * x;
    x * polynomial(z, 2.050_385_5e-6, &ABOVE) / polynomial(z, 3.823_071_5e-5, &BELOW)
}

#[inline(always)]
fn tanh(x: F32x4) -> F32x4 {
    let one = F32x4::splat(1.0);
    one - F32x4::splat(2.0) / (exp(x + x) + one)
}

/// Horner's scheme from the highest coefficient down.
#[inline(always)]
fn polynomial(x: F32x4, highest: f32, others: &[f32]) -> F32x4 {
    others.iter().fold(F32x4::splat(highest), |sum, &c| sum.mul_add(x, F32x4::splat(c)))
}

/// One activation over four lanes.
#[inline(always)]
pub(crate) fn activate(activation: Activation, x: F32x4) -> F32x4 {
    let half = F32x4::splat(0.5);
    match activation {
        Activation::Identity => x,
        Activation::Gelu => {
            let h = x * half;
            h.mul_add(erf(x * F32x4::splat(std::f32::consts::FRAC_1_SQRT_2)), h)
        }
        Activation::GeluTanh => {
            // sqrt(2 / π) · (x + 0.044715 x³): Hendrycks and Gimpel 2016
            let inner = (x * x).mul_add(F32x4::splat(0.035_677_408), F32x4::splat(0.797_884_6)) * x;
            let h = x * half;
            h.mul_add(tanh(inner), h)
        }
        Activation::Relu => x.max(F32x4::ZERO),
        Activation::Silu => x / (F32x4::splat(1.0) + exp(F32x4::ZERO - x)),
        Activation::Tanh => tanh(x),
    }
}

/// Σ exp(x - greatest), as a softmax over `row` needs it.
pub fn exp_sum(row: &[f32], greatest: f32) -> f32 {
    let shift = F32x4::splat(greatest);
    let part = |group: &[f32; 4]| exp(F32x4::load(group) - shift);
    // a vocabulary is too long for one sum in f32
    let mut total = 0.0;
    for some in row.chunks(256) {
        let (groups, rest) = some.as_chunks();
        let sum = groups.iter().fold(F32x4::ZERO, |sum, group| sum + part(group)).sum();
        total += f64::from(sum);
        for &x in rest {
            let mut last = [0.0; 4];
            part(&[x; 4]).store(&mut last);
            total += f64::from(last[0]);
        }
    }
    total as f32
}
