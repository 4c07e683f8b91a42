// y and bias of kernels whose invocations compute four neighbouring columns.

@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of outputs]
@group(0) @binding(5) var<storage, read> bias: array<vec4<f32>>; // [groups of outputs]

/// Stores four neighbouring sums of a row; `column` counts from the first column of these weights.
fn store(row: u32, column: u32, sums: vec4<f32>) {
    if (row >= params.rows || column >= params.count) {
        return;
    }
    let to = (params.first + column) / 4u;
    var value = sums + bias[to];
    value = vec4<f32>(activate(value.x), activate(value.y), activate(value.z), activate(value.w));
    let in_part = vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.count);
    y[row * ((params.outputs + 3u) / 4u) + to] = select(vec4<f32>(), value, in_part);
}
