// A weight matrix of 32-bit floats.

@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>; // [rows, groups]

/// Returns four columns of row `row`; `at` counts groups from the matrix's first.
fn weight(row: u32, at: u32) -> vec4<f32> {
    return weights[at];
}
