// Loads and quantizes rows of activations.

/// Returns a group of a row; zeros beyond the last.
fn load_group(row: u32, group: u32) -> vec4<f32> {
    if (group < params.groups) {
        return x_at(row, group);
    }
    return vec4<f32>();
}

fn load_4_groups(row: u32, group: u32) -> mat4x4<f32> {
    return mat4x4<f32>(
        load_group(row, group),
        load_group(row, group + 1u),
        load_group(row, group + 2u),
        load_group(row, group + 3u),
    );
}

/// Returns a block of 32 columns, quantized.
fn quantized_block(row: u32, block: u32) -> Block {
    return quantize(load_4_groups(row, 8u * block), load_4_groups(row, 8u * block + 4u));
}
