// Shared by the kernels of attention's gradient: reads the gradient of the result and writes the gradient of qkv.

@group(0) @binding(1) var<storage, read_write> dqkv: array<f32>; // [rows, stride]
@group(0) @binding(4) var<storage, read> dy: array<vec4<f32>>; // [rows, width in whole groups]
@group(0) @binding(5) var<storage, read> log_sums: array<f32>; // [rows, heads in whole groups]
@group(0) @binding(6) var<storage, read> deltas: array<f32>; // [rows, heads in whole groups]

/// Returns the index in `log_sums` and `deltas` of a row and head.
fn statistic(row: u32, head: u32) -> u32 {
    return row * ((params.heads + 3u) / 4u * 4u) + head;
}

/// Returns four columns of a head of dy; zeros beyond the head.
fn dy_group(row: u32, head: u32, group: u32) -> vec4<f32> {
    let at = row * ((params.width + 3u) / 4u * 4u) + head * params.head_dim + 4u * group;
    if (ALIGNED) {
        return dy[at / 4u];
    }
    var value = vec4<f32>();
    for (var i = 0u; i < 4u && 4u * group + i < params.head_dim; i++) {
        value[i] = dy[(at + i) / 4u][(at + i) % 4u];
    }
    return value;
}

/// Returns a group of a head's queries (part 0), keys (1), values (2) or dy (3).
fn operand(row: u32, part: u32, head: u32, group: u32) -> vec4<f32> {
    if (part < 3u) {
        return head_group(row, part, head, group);
    }
    return dy_group(row, head, group);
}

/// Writes a group of a head's part of dqkv, if the row is before `end`. The last group of a row also fills the row's
/// padding with zeros.
fn store_gradient(row: u32, end: u32, part: u32, head: u32, group: u32, value: vec4<f32>) {
    if (row >= end) {
        return;
    }
    let first = part * params.width + head * params.head_dim;
    var columns = min(4u * group + 4u, params.head_dim);
    if (part == 2u && head + 1u == params.heads && columns == params.head_dim) {
        columns = params.stride - first;
    }
    for (var column = 4u * group; column < columns; column++) {
        dqkv[row * params.stride + first + column] = select(0.0, value[column % 4u], column < params.head_dim);
    }
}
