// y = activation(x · weightᵀ + bias) for one to four rows, for which reading the weights dominates. LANES
// invocations share an output and read neighbouring groups of its weights.

/// If true, x has a single row: a matrix-vector product.
override ONE_ROW: bool = false;
/// Invocations per output, 8 or 32.
override LANES: u32 = 8u;

@group(0) @binding(1) var<storage, read_write> y: array<f32>; // [rows, outputs in whole groups]
@group(0) @binding(5) var<storage, read> bias: array<f32>; // [outputs]

var<workgroup> parts: array<vec4<f32>, 64>; // [outputs, LANES], one component per row

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let number = workgroup_index(workgroup, grid);
    let output = number * (64u / LANES) + index / LANES;
    prepare_x(0u, 4u, index, 64u, number == 0u);
    // Rows beyond the last repeat it.
    let last = params.rows - 1u;
    let row_of = min(vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(last));
    var sums = vec4<f32>();
    if (output < params.count) {
        for (var g = index % LANES; g < params.groups; g += LANES) {
            let w = weight(output, output * params.groups + g);
            if (ONE_ROW) {
                sums.x += dot(x_at(0u, g), w);
            } else {
                let rows = mat4x4<f32>(x_at(row_of.x, g), x_at(row_of.y, g), x_at(row_of.z, g), x_at(row_of.w, g));
                sums += w * rows;
            }
        }
    }
    parts[index] = sums;
    workgroupBarrier();
    let stride = (params.outputs + 3u) / 4u * 4u;
    let column = params.first + output;
    // The first invocations of an output each write one row. Columns from `count` to the stride become 0.
    if (index % LANES >= params.rows || column >= stride) {
        return;
    }
    let row = index % LANES;
    var value = 0.0;
    if (output < params.count) {
        for (var lane = 0u; lane < LANES; lane++) {
            value += parts[index - row + lane][row];
        }
        value = activate(value + bias[column]);
    }
    y[row * stride + column] = value;
}
