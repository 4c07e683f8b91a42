// Gradient of LayerNorm with respect to its input. With g = dy · scale and n = normalized: dx = (g - mean(g) - n ·
// mean(g · n)) / deviation. One workgroup per row. The gradients of scale and shift are computed by column_sums.wgsl.

struct Params {
    /// rows of dy
    rows: u32,
    /// columns of dy
    width: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> dx: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read> dy: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(3) var<storage, read> normalized: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(4) var<storage, read> inverses: array<vec4<f32>>; // [rows, 1]
@group(0) @binding(5) var<storage, read> scale: array<vec4<f32>>; // [groups]

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = workgroup_index(workgroup, grid);
    if (row >= params.rows) {
        return;
    }
    let groups = (params.width + 3u) / 4u;
    let first = row * groups;
    var sum = 0.0;
    var product = 0.0;
    for (var g = index; g < groups; g += THREADS) {
        let gradient = dy[first + g] * scale[g];
        sum += dot(gradient, vec4<f32>(1.0));
        product += dot(gradient, normalized[first + g]);
    }
    let mean = reduce(index, sum, false) / f32(params.width);
    let mean_product = reduce(index, product, false) / f32(params.width);
    for (var g = index; g < groups; g += THREADS) {
        let value = inverses[row].x * (dy[first + g] * scale[g] - mean - normalized[first + g] * mean_product);
        let in_row = vec4<u32>(4u * g) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.width);
        dx[first + g] = select(vec4<f32>(), value, in_row);
    }
}
