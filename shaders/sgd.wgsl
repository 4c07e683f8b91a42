// p = p - rate · (gradient + weight_decay · p). One invocation per group of a parameter.

struct Params {
    /// groups in this part of the parameter
    count: u32,
    /// index of this part's first group in the gradient
    first: u32,
    /// learning rate
    rate: f32,
    /// share of the parameter that is added to its gradient
    weight_decay: f32,
    /// largest norm of all gradients together that is not clipped
    max_norm: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> parameter: array<vec4<f32>>; // [count]
@group(0) @binding(2) var<storage, read> gradients: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    // If the norm is not finite, the parameters stay unchanged.
    if (at >= params.count || !is_finite()) {
        return;
    }
    let value = parameter[at];
    let gradient = clip_factor() * gradients[params.first + at];
    parameter[at] = value - params.rate * (gradient + params.weight_decay * value);
}
