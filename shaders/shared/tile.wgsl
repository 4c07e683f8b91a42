// A workgroup's tile of y: 4 · THREADS_Y rows and 4 · THREADS_X columns. An invocation computes 4 × 4 elements,
// THREADS_Y rows and THREADS_X columns apart.

/// Invocations per workgroup across columns, 8 or 16. Equal to THREADS_Y.
override THREADS_X: u32 = 16u;
/// Invocations per workgroup across rows.
override THREADS_Y: u32 = 16u;

@group(0) @binding(1) var<storage, read_write> y: array<f32>; // [rows, outputs in whole groups]
@group(0) @binding(5) var<storage, read> bias: array<f32>; // [outputs]

/// Stores four sums of a row, THREADS_X columns apart; `column` counts from the first column of these weights.
fn store(row: u32, column: u32, sums: vec4<f32>) {
    let stride = (params.outputs + 3u) / 4u * 4u;
    if (row >= params.rows) {
        return;
    }
    for (var j = 0u; j < 4u; j++) {
        let c = params.first + column + j * THREADS_X;
        if (c < params.outputs) {
            y[row * stride + c] = activate(sums[j] + bias[c]);
        } else if (c < stride) {
            y[row * stride + c] = 0.0;
        }
    }
}
