// y = activation(z), element by element. One invocation per group.

struct Params {
    /// groups of four
    count: u32,
    /// columns of a row
    width: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [count]
@group(0) @binding(2) var<storage, read> z: array<vec4<f32>>; // [count]

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
    let activated = vec4<f32>(activate(value.x), activate(value.y), activate(value.z), activate(value.w));
    // Padding columns stay 0: some activations, e.g. sigmoid, do not map 0 to 0.
    let first = 4u * (at % ((params.width + 3u) / 4u));
    let in_row = vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.width);
    y[at] = select(vec4<f32>(), activated, in_row);
}
