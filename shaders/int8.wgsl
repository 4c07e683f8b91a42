// Rows in 8 bits, 32 columns at a time: their eight groups are multiplied by the Hadamard matrix of
// order 8, which spreads outliers (QuaRot: Ashkboos and others 2024), and rounded to 127 steps of
// their own greatest. Weights are turned in the same way, and divided by 8, so that products of
// turned rows are those of the rows.

struct Block {
    /// four columns each
    groups: array<vec4<u32>, 2>,
    /// what 127 is
    scale: f32,
}

const HADAMARD = mat4x4<f32>(1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1);

fn greatest(m: mat4x4<f32>) -> vec4<f32> {
    return max(max(abs(m[0]), abs(m[1])), max(abs(m[2]), abs(m[3])));
}

fn packed(m: mat4x4<f32>) -> vec4<u32> {
    return vec4<u32>(pack4x8snorm(m[0]), pack4x8snorm(m[1]), pack4x8snorm(m[2]), pack4x8snorm(m[3]));
}

/// Eight groups in 8 bits.
fn rounded(first: mat4x4<f32>, second: mat4x4<f32>) -> Block {
    let a = (first + second) * HADAMARD;
    let b = (first - second) * HADAMARD;
    let most = max(greatest(a), greatest(b));
    let scale = max(max(most.x, most.y), max(most.z, most.w));
    // the smallest numbers have no reciprocal
    let inverse = select(0.0, 1.0 / scale, scale > 1e-30);
    return Block(array(packed(inverse * a), packed(inverse * b)), scale);
}
