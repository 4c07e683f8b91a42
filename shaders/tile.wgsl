// A workgroup's tile of y: 4 · HIGH rows and 4 · WIDE columns, of which an invocation makes 4 × 4,
// HIGH rows and WIDE columns apart.

/// Invocations side by side, at most 16.
override WIDE: u32 = 16u;
/// Invocations one above the other, at most 16.
override HIGH: u32 = 16u;

@group(0) @binding(1) var<storage, read_write> y: array<f32>; // [rows, outputs in whole groups]
@group(0) @binding(5) var<storage, read> bias: array<f32>; // [outputs]

/// Stores four sums of a row, WIDE columns apart; `column` counts from the weights' first.
fn store(row: u32, column: u32, sums: vec4<f32>) {
    let stride = (params.outputs + 3u) / 4u * 4u;
    if (row >= params.rows) {
        return;
    }
    for (var j = 0u; j < 4u; j++) {
        let c = params.first + column + j * WIDE;
        if (c < params.outputs) {
            y[row * stride + c] = activate(sums[j] + bias[c]);
        } else if (c < stride) {
            y[row * stride + c] = 0.0;
        }
    }
}
