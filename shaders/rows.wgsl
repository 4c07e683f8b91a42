// Rows of activations on their way to 8 bits.

@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, inputs]

/// A group of a row; zeros beyond its end.
fn group_of(row: u32, group: u32) -> vec4<f32> {
    if (group < params.inputs) {
        return x[row * params.inputs + group];
    }
    return vec4<f32>();
}

fn four_of(row: u32, group: u32) -> mat4x4<f32> {
    return mat4x4<f32>(
        group_of(row, group),
        group_of(row, group + 1u),
        group_of(row, group + 2u),
        group_of(row, group + 3u),
    );
}

/// A block of 32 columns.
fn block_of(row: u32, block: u32) -> Block {
    return rounded(four_of(row, 8u * block), four_of(row, 8u * block + 4u));
}
