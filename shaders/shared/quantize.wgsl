// Quantization to 8 bits, in blocks of 32 columns with one scale each. A block is rotated and rounded to -127..=127.
// Rotating multiplies its eight groups by the Hadamard matrix of order 8, which spreads outliers (QuaRot: Ashkboos et
// al. 2024). Weights are rotated the same way and divided by 8, so the products of rotated rows equal the products of
// the rows.

struct Block {
    /// four groups per vector, four numbers per u32
    groups: array<vec4<u32>, 2>,
    /// the value that 127 stands for
    scale: f32,
}

const HADAMARD = mat4x4<f32>(1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1);

fn max_abs(m: mat4x4<f32>) -> vec4<f32> {
    return max(max(abs(m[0]), abs(m[1])), max(abs(m[2]), abs(m[3])));
}

fn pack(m: mat4x4<f32>) -> vec4<u32> {
    return vec4<u32>(pack4x8snorm(m[0]), pack4x8snorm(m[1]), pack4x8snorm(m[2]), pack4x8snorm(m[3]));
}

/// Rotates and quantizes eight groups.
fn quantize(first: mat4x4<f32>, second: mat4x4<f32>) -> Block {
    let a = (first + second) * HADAMARD;
    let b = (first - second) * HADAMARD;
    let maximum = max(max_abs(a), max_abs(b));
    let scale = max(max(maximum.x, maximum.y), max(maximum.z, maximum.w));
    // The reciprocal of a denormal number would be infinite.
    let inverse = select(0.0, 1.0 / scale, scale > 1e-30);
    return Block(array(pack(inverse * a), pack(inverse * b)), scale);
}
