// Operands of linear.wgsl: quantized rows, and weights in the layout of weight_i8.wgsl. A group is half a block: 16
// columns, four per u32.

alias Loaded4 = vec4<u32>;
alias Operand4 = vec4<u32>;

/// 1.5 · 2²³ as a float. The float whose bits are larger by n is larger by n, for |n| up to 2²². A block's products are
/// less, and some devices convert integers slowly.
const ZERO = vec4<i32>(0x4b400000);

/// Returns sums that were counted from ZERO.
fn as_floats(sums: vec4<i32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(sums) - 12582912.0;
}

fn narrow(v: vec4<u32>) -> Operand4 {
    return v;
}

/// Returns the number of groups of a row of x.
fn all_groups() -> u32 {
    return (params.groups + 7u) / 8u * 2u;
}

/// Returns a group of the weights of one column of y; zeros beyond the last.
fn w_group(column: u32, group: u32) -> vec4<u32> {
    var value = vec4<u32>();
    if (column < params.count && group < all_groups()) {
        value = weights[column * all_groups() + group];
    }
    return value;
}

/// Returns the scale of the block that has a group of the weights of one column of y; 0 beyond the last.
fn w_scale(column: u32, group: u32) -> f32 {
    var value = 0.0;
    if (column < params.count && group < all_groups()) {
        value = scales[(column * all_groups() + group) / 2u];
    }
    return value;
}
