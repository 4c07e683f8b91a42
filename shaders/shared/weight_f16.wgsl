// A weight matrix of 16-bit floats, two per u32. It does not require the device's f16 feature.

@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>; // [rows, groups]

/// Returns four columns of row `row`; `at` counts groups from the matrix's first.
fn weight(row: u32, at: u32) -> vec4<f32> {
    let bits = weights[at];
    return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
}
