// A weight matrix of 32-bit floats.

@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>; // [rows, groups]

/// Four columns: `at` counts groups from the matrix's first, `row` is the row they are in.
fn weight(row: u32, at: u32) -> vec4<f32> {
    return weights[at];
}
