// A weight matrix of 8-bit integers, four in a u32, with a scale for each row.

@group(0) @binding(3) var<storage, read> weights: array<u32>; // [rows, groups]
@group(0) @binding(4) var<storage, read> scales: array<f32>; // [rows]

/// Four columns: `at` counts groups from the matrix's begin, `row` is the row they are in.
fn weight(row: u32, at: u32) -> vec4<f32> {
    let bits = vec4<i32>(bitcast<i32>(weights[at])) << vec4<u32>(24u, 16u, 8u, 0u);
    return vec4<f32>(bits >> vec4<u32>(24u)) * scales[row];
}
