// Depthwise convolution: each column has a kernel of its own. One invocation per group of y.

@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of width]
@group(0) @binding(4) var<storage, read> weights: array<f32>; // [width, taps]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let groups = (params.width + 3u) / 4u;
    if (at >= params.rows * groups) {
        return;
    }
    let row = at / groups;
    let first = at % groups * 4u;
    var sum = vec4<f32>();
    for (var tap = 0u; tap < params.taps; tap++) {
        let source = neighbour(row, tap);
        if (source < params.rows) {
            let value = x[source * groups + first / 4u];
            for (var i = 0u; i < 4u && first + i < params.width; i++) {
                sum[i] += weights[(first + i) * params.taps + tap] * value[i];
            }
        }
    }
    y[at] = sum;
}
