// x = dropout(x), in place. One invocation per group: its four columns share a block of random numbers.

struct Params {
    /// rows of x
    rows: u32,
    /// groups of a row
    groups: u32,
    /// lower and upper half of the run's seed
    seed_low: u32,
    seed_high: u32,
    /// number of this dropout within the model
    site: u32,
    /// number of the forward pass within the run
    step: u32,
    /// an element becomes 0 if its random number is below this
    threshold: u32,
    /// factor of the elements that are kept
    scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> x: array<vec4<f32>>; // [rows, groups]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at >= params.rows * params.groups) {
        return;
    }
    let counter = vec4<u32>(at % params.groups, at / params.groups, params.site, params.step);
    let random = philox(counter, vec2<u32>(params.seed_low, params.seed_high));
    x[at] = select(params.scale * x[at], vec4<f32>(), random < vec4<u32>(params.threshold));
}
