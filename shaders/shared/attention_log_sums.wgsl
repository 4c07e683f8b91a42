// The logarithms of the softmaxes' sums, a second result of training's attention kernels.

@group(0) @binding(4) var<storage, read_write> log_sums: array<f32>; // [rows, heads in whole groups]

/// Stores the logarithm of a row and head. The last head also fills the row's padding with zeros.
fn store_log_sum(row: u32, head: u32, value: f32) {
    let stride = (params.heads + 3u) / 4u * 4u;
    log_sums[row * stride + head] = value;
    if (head + 1u == params.heads) {
        for (var i = params.heads; i < stride; i++) {
            log_sums[row * stride + i] = 0.0;
        }
    }
}
