//! The activations of a linear layer.

use super::*;

/// The error function, by a series whose terms all have the same sign.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, 0.0);
    for n in 0..200 {
        sum += term;
        term *= 2.0 * x * x / f64::from(2 * n + 3);
    }
    2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp() * sum
}

pub(super) fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Gelu => 0.5 * x * (1.0 + erf(x / 2.0_f64.sqrt())),
        Activation::GeluTanh => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            0.5 * x * (1.0 + inner.tanh())
        }
        Activation::Relu => x.max(0.0),
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
        #[cfg(feature = "families")]
        other => activate_other(other, x),
    }
}

#[cfg(feature = "families")]
fn activate_other(activation: Activation, x: f64) -> f64 {
    let softplus = x.max(0.0) + (-x.abs()).exp().ln_1p();
    match activation {
        Activation::QuickGelu => x / (1.0 + (-1.702 * x).exp()),
        Activation::ClippedGelu => activate(Activation::Gelu, x).clamp(-10.0, 10.0),
        Activation::HardSwish => x * (x + 3.0).clamp(0.0, 6.0) / 6.0,
        Activation::Laplace => {
            #[allow(clippy::approx_constant, reason = "the digits of transformers")]
            let (mean, deviation) = (0.707_107, 0.282_095);
            0.5 * (1.0 + erf((x - mean) / (deviation * std::f64::consts::SQRT_2)))
        }
        Activation::LeakyRelu if x < 0.0 => 0.01 * x,
        Activation::Mish => x * softplus.tanh(),
        Activation::ReluSquared => x.max(0.0).powi(2),
        Activation::Relu6 => x.clamp(0.0, 6.0),
        Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::SqrtSoftplus => softplus.sqrt(),
        _ => x,
    }
}

/// Returns the largest error of each activation over ±12, by name.
pub(crate) fn activation<B: Backend>(b: &mut B) -> Vec<(String, f64)> {
    let points: Vec<f32> = (-6000..=6000).map(|n| n as f32 / 500.0).collect();
    let (x, _) = rows(b, &mut Random(1), 2, 4, (0.0, 1.0));
    // 0 · x + point
    let (weight, _) = matrix(b, &vec![0.0; 4 * points.len()], 4, Precision::F32);
    let bias = vector(b, &points);
    let error = |activation| {
        let mut y = B::Rows::default();
        b.linear(&x, &weight, &bias, activation, &mut y);
        let want: Table = points.iter().map(|&x| activate(activation, x.into())).collect();
        let got = read(b, &y);
        (
            format!("{activation:?}"),
            greatest(&got, &want.repeat(2), |n| want[n % want.len()].abs().max(1.0)),
        )
    };
    Activation::ALL.iter().copied().map(error).collect()
}
