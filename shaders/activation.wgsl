// y = activation(z), element by element.

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
    // Padding columns stay 0, because every activation maps 0 to 0.
    y[at] = vec4<f32>(activate(value.x), activate(value.y), activate(value.z), activate(value.w));
}
