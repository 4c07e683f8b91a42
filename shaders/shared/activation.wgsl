// The activation functions, numbered as the variants of Activation in kernels/src/ops/activation.rs.

override ACTIVATION: u32 = 0u;

/// Returns the error function, to within 5e-7. Rational in x², fitted to |x| ≤ 3.9; beyond that, erf is 1 to within
/// 4e-8.
fn erf(x: f32) -> f32 {
    let c = clamp(x, -3.9, 3.9);
    let z = c * c;
    let numerator = ((((2.0503855e-6 * z + 2.8745705e-4) * z + 3.8368735e-3) * z + 5.2966908e-2) * z
        + 0.19194096) * z + 1.128379;
    let denominator = ((((3.8230715e-5 * z + 1.1817336e-3) * z + 1.5109198e-2) * z + 0.11475818) * z
        + 0.503435) * z + 1.0;
    return c * numerator / denominator;
}

/// Returns tanh(x). The built-in tanh of some devices is NaN if exp overflows.
fn safe_tanh(x: f32) -> f32 {
    return 1.0 - 2.0 / (exp(2.0 * clamp(x, -20.0, 20.0)) + 1.0);
}

fn activate(x: f32) -> f32 {
    switch (ACTIVATION) {
        case 1u: { // GELU
            return 0.5 * x * (1.0 + erf(x * 0.70710678));
        }
        case 2u: { // GELU by tanh: Hendrycks and Gimpel 2016
            return 0.5 * x * (1.0 + safe_tanh(x * (0.79788456 + 0.035677408 * x * x)));
        }
        case 3u: { // ReLU
            return max(x, 0.0);
        }
        case 4u: { // SiLU
            return x / (1.0 + exp(min(-x, 80.0)));
        }
        case 5u: {
            return safe_tanh(x);
        }
        default: {
            return other_activation(x);
        }
    }
}
