// Multiplies each row of x by a factor. One invocation per group of x.

struct Params {
    /// rows of x
    rows: u32,
    /// groups of a row
    groups: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> x: array<vec4<f32>>; // [rows, groups]
/// The bits of each row's factor.
@group(0) @binding(2) var<storage, read> list: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at < params.rows * params.groups) {
        x[at] *= bitcast<f32>(list[at / params.groups]);
    }
}
