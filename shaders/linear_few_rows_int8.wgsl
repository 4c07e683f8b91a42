// y = activation(x · weightᵀ + bias) for one to four rows in 8-bit integers. Eight invocations share four outputs; each
// reads every eighth block of their weights.

/// Rows: 1 to 4.
override ROWS: u32 = 1u;
const LANES = 8u;

var<workgroup> parts: array<vec4<f32>, 256>; // [4 rows, 8, LANES], one component per output

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let number = workgroup_index(workgroup, grid);
    let output = 4u * (number * 8u + index / LANES);
    prepare_x(0u, 4u, index, 64u, number == 0u);
    let blocks = (params.groups + 7u) / 8u;
    // Columns beyond the last repeat it.
    let columns = min(vec4<u32>(output) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.count - 1u)) * blocks;
    var sums = mat4x4<f32>();
    for (var b = index % LANES; b < blocks; b += LANES) {
        let w = array(weight_block(columns.x + b), weight_block(columns.y + b), weight_block(columns.z + b), weight_block(columns.w + b));
        let scales = vec4<f32>(w[0].scale, w[1].scale, w[2].scale, w[3].scale) / 16129.0; // 127²: both operands count 127ths
        for (var row = 0u; row < ROWS; row++) {
            let x = quantized_block(row, b);
            let half = dots(vec4<i32>(), x.groups[0], w[0].groups[0], w[1].groups[0], w[2].groups[0], w[3].groups[0]);
            let products = dots(half, x.groups[1], w[0].groups[1], w[1].groups[1], w[2].groups[1], w[3].groups[1]);
            sums[row] += x.scale * scales * vec4<f32>(products);
        }
    }
    for (var row = 0u; row < ROWS; row++) {
        parts[64u * row + index] = sums[row];
    }
    workgroupBarrier();
    let row = index % LANES;
    if (row >= ROWS || output >= params.count) {
        return;
    }
    var sum = vec4<f32>();
    for (var lane = 0u; lane < LANES; lane++) {
        sum += parts[64u * row + index - row + lane];
    }
    store(row, output, sum);
}
