// A weight matrix of 8-bit integers, four in a u32, in blocks of 32 columns, each with a scale.
// The groups of a block are rotated (quantize.wgsl); here they are rotated back.

@group(0) @binding(3) var<storage, read> weights: array<u32>; // [rows, blocks, 8]
@group(0) @binding(4) var<storage, read> scales: array<f32>; // [rows, blocks]

/// Four columns: `at` counts groups from the matrix's first, `row` is the row they are in.
fn weight(row: u32, at: u32) -> vec4<f32> {
    let group = at - row * params.groups;
    let block = row * ((params.groups + 7u) / 8u) + group / 8u;
    var sum = vec4<f32>();
    for (var i = 0u; i < 8u; i++) {
        let odd = countOneBits(i & group) % 2u == 1u;
        let four = unpack4x8snorm(weights[8u * block + i]);
        sum += select(four, -four, odd);
    }
    return sum * scales[block];
}
