// The activation functions that few models use, numbered as the variants of Activation in
// kernels/src/ops/activation.rs.

/// Returns the activations that activate() does not handle; x for any other number.
fn other_activation(x: f32) -> f32 {
    switch (ACTIVATION) {
        case 6u: { // quick GELU
            return x / (1.0 + exp(min(-1.702 * x, 80.0)));
        }
        case 7u: { // GELU, clipped above only: GELU is never below -0.17
            return min(0.5 * x * (1.0 + erf(x * 0.70710678)), 10.0);
        }
        case 8u: { // hard swish
            return x * clamp(x + 3.0, 0.0, 6.0) / 6.0;
        }
        case 9u: { // Laplace: mean 0.707107 and deviation 0.282095, with the digits of transformers
            return 0.5 * (1.0 + erf((x - 0.707107) * 2.5066261));
        }
        case 10u: { // leaky ReLU
            return max(x, 0.01 * x);
        }
        case 11u: { // mish: tanh(log(1 + e^x)) = n / (n + 2)
            let e = exp(min(x, 20.0));
            let n = e * (e + 2.0);
            return x * n / (n + 2.0);
        }
        case 12u: { // ReLU squared
            let positive = max(x, 0.0);
            return positive * positive;
        }
        case 13u: { // ReLU6
            return clamp(x, 0.0, 6.0);
        }
        case 14u: { // sigmoid
            return sigmoid(x);
        }
        case 15u: { // square root of softplus
            return sqrt(softplus(x));
        }
        default: {
            return x;
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    return 1.0 / (1.0 + exp(min(-x, 80.0)));
}

/// Returns log(1 + e^x), by the series of log(1 + u) in s = u / (2 + u). WGSL's own log is inexact near 1.
fn softplus(x: f32) -> f32 {
    let u = exp(-min(abs(x), 80.0));
    let s = u / (u + 2.0);
    let z = s * s;
    let log = (((((z / 13.0 + 0.090909091) * z + 0.11111111) * z + 0.14285714) * z + 0.2) * z + 0.33333333) * z + 1.0;
    return max(x, 0.0) + 2.0 * s * log;
}

/// Returns the derivative of other_activation().
fn other_derivative(x: f32) -> f32 {
    switch (ACTIVATION) {
        case 6u: { // quick GELU
            let s = sigmoid(1.702 * x);
            return s * (1.0 + 1.702 * x * (1.0 - s));
        }
        case 7u: { // GELU, clipped
            let normal = 0.5 * (1.0 + erf(x * 0.70710678));
            return select(0.0, normal + x * 0.39894228 * exp(-0.5 * min(x * x, 160.0)), x * normal < 10.0);
        }
        case 8u: { // hard swish
            return select(select(0.0, x / 3.0 + 0.5, x > -3.0), 1.0, x >= 3.0);
        }
        case 9u: { // Laplace
            let z = (x - 0.707107) * 3.5449051;
            return 1.4142136 * exp(-0.5 * min(z * z, 160.0));
        }
        case 10u: { // leaky ReLU
            return select(0.01, 1.0, x > 0.0);
        }
        case 11u: { // mish
            let e = exp(min(x, 20.0));
            let n = e * (e + 2.0);
            let tanh = n / (n + 2.0);
            return tanh + x * (2.0 / (n + 2.0)) * (1.0 + tanh) * sigmoid(x);
        }
        case 12u: { // ReLU squared
            return 2.0 * max(x, 0.0);
        }
        case 13u: { // ReLU6
            return select(0.0, 1.0, x > 0.0 && x < 6.0);
        }
        case 14u: { // sigmoid
            let s = sigmoid(x);
            return s * (1.0 - s);
        }
        case 15u: { // square root of softplus
            return sigmoid(x) / (2.0 * sqrt(softplus(x)));
        }
        default: {
            return 1.0;
        }
    }
}
