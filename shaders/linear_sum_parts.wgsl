// y = activation(bias + the sum of the parts), after linear.wgsl with IN_PARTS. An invocation computes one group.

override PARTS: u32 = 2u;

@group(0) @binding(2) var<storage, read> parts: array<vec4<f32>>; // [PARTS, rows, groups of outputs]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let groups = (params.outputs + 3u) / 4u;
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at >= params.rows * groups) {
        return;
    }
    var sum = vec4<f32>();
    for (var part = 0u; part < PARTS; part++) {
        sum += parts[part * params.rows * groups + at];
    }
    store(at / groups, at % groups * 4u, sum);
}
