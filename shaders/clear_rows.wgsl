// Sets rows to 0. One invocation per group.

struct Params {
    /// rows to clear
    rows: u32,
    /// groups of a row
    groups: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> x: array<vec4<f32>>; // [any, groups]
@group(0) @binding(2) var<storage, read> list: array<u32>; // [rows]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at < params.rows * params.groups) {
        x[list[at / params.groups] * params.groups + at % params.groups] = vec4<f32>();
    }
}
