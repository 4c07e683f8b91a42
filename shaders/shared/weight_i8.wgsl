// A weight matrix of 8-bit integers, four per u32, in blocks of 32 columns with one scale each. The groups of a block
// are rotated (see quantize.wgsl); reading a weight rotates them back.

@group(0) @binding(3) var<storage, read> weights: array<u32>; // [rows, blocks, 8]
@group(0) @binding(4) var<storage, read> scales: array<f32>; // [rows, blocks]

/// Returns four columns of row `row`; `at` counts groups from the matrix's first.
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
