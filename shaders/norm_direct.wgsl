// LayerNorm in place, of x or of x + residual, on an adapter that is a program: a row is one
// invocation's. On SwiftShader and llvmpipe norm.wgsl's barriers take several times as long.

const THREADS = 8u;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = flat(workgroup, grid) * THREADS + index;
    if (row >= params.rows) {
        return;
    }
    let groups = (params.width + 3u) / 4u;
    let first = row * groups;

    var sum = vec4<f32>();
    for (var g = 0u; g < groups; g++) {
        sum += added(first + g);
    }
    let mean = dot(sum, vec4<f32>(1.0)) / f32(params.width);

    var squares = vec4<f32>();
    for (var g = 0u; g < groups; g++) {
        squares += square(x[first + g] - mean, g);
    }
    let inverse = inverse_deviation(dot(squares, vec4<f32>(1.0)));
    for (var g = 0u; g < groups; g++) {
        finish(first, g, mean, inverse);
    }
}
