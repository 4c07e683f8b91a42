// Neighbours of each token side by side, so that a convolution is one linear layer. One invocation per group of y.

@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of width · taps]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let groups = (params.width * params.taps + 3u) / 4u;
    if (at >= params.rows * groups) {
        return;
    }
    let row = at / groups;
    var value = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        let to = 4u * (at % groups) + i;
        if (to < params.width * params.taps) {
            let key = neighbour(row, to % params.taps);
            let source = to / params.taps;
            if (key < params.rows) {
                value[i] = x[key * ((params.width + 3u) / 4u) + source / 4u][source % 4u];
            }
        }
    }
    y[at] = value;
}
