// y = y + x, or y = x.

/// If true, x is added to y; if false, x replaces y.
override ADD: bool = true;

@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [count]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [count]

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
    if (ADD) {
        y[at] += x[at];
    } else {
        y[at] = x[at];
    }
}
