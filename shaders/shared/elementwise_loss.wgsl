// A loss that is the mean over all elements of the logits. The logits are replaced by their gradient. One invocation
// per group. The kernel defines `loss_and_gradient`.

struct Params {
    /// rows of logits
    rows: u32,
    /// columns of logits
    cols: u32,
    /// 1 / number of elements
    inverse: f32,
    /// factor of the gradient
    scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> logits: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read_write> losses: array<f32>; // [rows, groups]
@group(0) @binding(3) var<storage, read> targets: array<f32>; // [rows, cols]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let groups = (params.cols + 3u) / 4u;
    if (at >= params.rows * groups) {
        return;
    }
    let first = at % groups * 4u;
    let logit = logits[at];
    var loss = 0.0;
    var gradient = vec4<f32>();
    for (var i = 0u; i < 4u && first + i < params.cols; i++) {
        let both = loss_and_gradient(logit[i], targets[at / groups * params.cols + first + i]);
        loss += both.x;
        gradient[i] = params.scale * params.inverse * both.y;
    }
    logits[at] = gradient;
    losses[at] = params.inverse * loss;
}
