// One AdamW step (Loshchilov and Hutter 2019), in place. One invocation per group of a parameter.

struct Params {
    /// groups in this part of the parameter
    count: u32,
    /// index of this part's first group in the gradient and the moments
    first: u32,
    /// decay of the first moment
    beta1: f32,
    /// decay of the second moment
    beta2: f32,
    /// 1 - learning rate · weight decay
    decay: f32,
    /// learning rate / (1 - beta1^step)
    step_size: f32,
    /// 1 / √(1 - beta2^step)
    root_scale: f32,
    /// added to the root
    epsilon: f32,
    /// largest norm of all gradients together that is not clipped
    max_norm: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> parameter: array<vec4<f32>>; // [count]
@group(0) @binding(2) var<storage, read> gradients: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> first_moments: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> second_moments: array<vec4<f32>>;

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
    let i = params.first + at;
    let gradient = clip_factor() * gradients[i];
    let first = params.beta1 * first_moments[i] + (1.0 - params.beta1) * gradient;
    let second = params.beta2 * second_moments[i] + (1.0 - params.beta2) * gradient * gradient;
    first_moments[i] = first;
    second_moments[i] = second;
    // A minimum above 0 avoids 0 / 0 in the padding columns if epsilon is 0.
    let root = max(params.root_scale * sqrt(second) + params.epsilon, vec4<f32>(1e-30));
    parameter[at] = params.decay * parameter[at] - params.step_size * first / root;
}
