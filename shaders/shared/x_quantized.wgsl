// x of linear.wgsl in 8-bit integers: rows that quantize_rows.wgsl has quantized.

@group(0) @binding(2) var<storage, read> x: array<vec4<u32>>; // [rows, blocks, 2]
@group(0) @binding(6) var<storage, read> x_scales: array<f32>; // [rows, blocks]

/// Returns a group of a row of x; zeros beyond the last.
fn x_group(row: u32, group: u32) -> vec4<u32> {
    var value = vec4<u32>();
    if (row < params.rows && group < all_groups()) {
        value = x[row * all_groups() + group];
    }
    return value;
}

/// Returns the scale of the block that has a group of a row of x; 0 beyond the last.
fn x_scale(row: u32, group: u32) -> f32 {
    var value = 0.0;
    if (row < params.rows && group < all_groups()) {
        value = x_scales[(row * all_groups() + group) / 2u] / 16129.0; // 127²: both operands count 127ths
    }
    return value;
}
