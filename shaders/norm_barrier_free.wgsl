// LayerNorm on a software adapter, without barriers, one invocation per row. On SwiftShader and llvmpipe, norm.wgsl
// with its barriers takes several times as long.

const THREADS = 8u;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = workgroup_index(workgroup, grid) * THREADS + index;
    if (row >= params.rows) {
        return;
    }
    let groups = (params.width + 3u) / 4u;
    let first = row * groups;

    var sum = vec4<f32>();
    for (var g = 0u; g < groups; g++) {
        sum += add_residual(first + g);
    }
    let mean = mean_of(dot(sum, vec4<f32>(1.0)));

    var squares = vec4<f32>();
    for (var g = 0u; g < groups; g++) {
        squares += square(x[first + g] - mean, g);
    }
    let inverse = inverse_deviation(dot(squares, vec4<f32>(1.0)));
    for (var g = 0u; g < groups; g++) {
        normalise(first, g, mean, inverse);
    }
}
