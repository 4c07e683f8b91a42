// A weight matrix of half floats, two in a u32. Needs no f16 of the device.

@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>; // [rows, groups]

/// Four columns: `at` counts groups from the matrix's first, `row` is the row they are in.
fn weight(row: u32, at: u32) -> vec4<f32> {
    let bits = weights[at];
    return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
}
