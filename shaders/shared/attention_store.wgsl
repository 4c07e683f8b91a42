// The result of the attention kernels.

@group(0) @binding(1) var<storage, read_write> y: array<f32>;

/// Writes a group of a row of y, `[rows, width in whole groups]`. The last group of the last head also fills the row's
/// padding with zeros.
fn store(row: u32, head: u32, group: u32, value: vec4<f32>) {
    let stride = (params.width + 3u) / 4u * 4u;
    let first = head * params.head_dim;
    var end = min(4u * group + 4u, params.head_dim);
    if (head + 1u == params.heads && end == params.head_dim) {
        end = stride - first;
    }
    for (var column = 4u * group; column < end; column++) {
        y[row * stride + first + column] = select(0.0, value[column % 4u], column < params.head_dim);
    }
}
