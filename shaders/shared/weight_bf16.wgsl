// A weight matrix of bfloat16, two in a u32: the upper halves of 32-bit floats.

@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>; // [rows, groups]

/// Four columns: `at` counts groups from the matrix's first, `row` is the row they are in.
fn weight(row: u32, at: u32) -> vec4<f32> {
    let bits = weights[at].xxyy;
    return bitcast<vec4<f32>>(vec4<u32>(bits.x << 16u, bits.y & 0xffff0000u, bits.z << 16u, bits.w & 0xffff0000u));
}
