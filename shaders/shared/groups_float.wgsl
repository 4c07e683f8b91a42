// Groups of linear.wgsl: four floats each.

alias Loaded4 = vec4<f32>;

/// Returns the number of groups of a row of x.
fn all_groups() -> u32 {
    return params.groups;
}

/// Returns a group of a row of x; zeros beyond the last.
fn x_group(row: u32, group: u32) -> vec4<f32> {
    var value = vec4<f32>();
    if (row < params.rows && group < params.groups) {
        value = x_at(row, group);
    }
    return value;
}

/// Returns a group of the weights of one column of y; zeros beyond the last.
fn w_group(column: u32, group: u32) -> vec4<f32> {
    var value = vec4<f32>();
    if (column < params.count && group < params.groups) {
        value = weight(column, column * params.groups + group);
    }
    return value;
}
