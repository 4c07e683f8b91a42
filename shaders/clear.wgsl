// y = 0. This is a kernel because a copy or a clear by the command encoder would end the compute pass.

@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [count]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at < params.count) {
        y[at] = vec4<f32>();
    }
}
