// dy = dy · activation'(z), element by element, in place.

@group(0) @binding(1) var<storage, read_write> dy: array<vec4<f32>>; // [count]
@group(0) @binding(2) var<storage, read> z: array<vec4<f32>>; // [count]

fn derivative(x: f32) -> f32 {
    switch (ACTIVATION) {
        case 1u: { // GELU, x · Φ(x): Φ(x) + x · φ(x)
            return 0.5 * (1.0 + erf(x * 0.70710678)) + x * 0.39894228 * exp(-0.5 * min(x * x, 160.0));
        }
        case 2u: { // GELU by tanh
            let tanh = safe_tanh(x * (0.79788456 + 0.035677408 * x * x));
            let inner = 0.79788456 + 0.107032224 * x * x;
            return 0.5 * (1.0 + tanh) + 0.5 * (1.0 - tanh * tanh) * x * inner;
        }
        case 3u: { // ReLU
            return select(0.0, 1.0, x > 0.0);
        }
        case 4u: { // SiLU
            let sigmoid = 1.0 / (1.0 + exp(min(-x, 80.0)));
            return sigmoid * (1.0 + x * (1.0 - sigmoid));
        }
        case 5u: {
            let tanh = safe_tanh(x);
            return 1.0 - tanh * tanh;
        }
        default: {
            return other_derivative(x);
        }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at >= params.count) {
        return;
    }
    let value = z[at];
    dy[at] *= vec4<f32>(derivative(value.x), derivative(value.y), derivative(value.z), derivative(value.w));
}
