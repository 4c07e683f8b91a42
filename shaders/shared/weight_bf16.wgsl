// A bfloat16 weight matrix, two numbers per u32. A bfloat16 is the upper half of a 32-bit float.

@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>; // [rows, groups]

/// Returns four columns of row `row`; `at` counts groups from the matrix's first.
fn weight(row: u32, at: u32) -> vec4<f32> {
    let bits = weights[at].xxyy;
    return bitcast<vec4<f32>>(vec4<u32>(bits.x << 16u, bits.y & 0xffff0000u, bits.z << 16u, bits.w & 0xffff0000u));
}
