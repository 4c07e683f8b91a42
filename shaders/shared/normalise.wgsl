// Where a norm goes that nothing else reads in the same dispatch. normalise_read.wgsl defines the same function.

/// Normalizes a group. Padding columns have scale and shift 0.
fn normalise(first: u32, group: u32, mean: f32, inverse: f32) {
    let at = first + group;
    x[at] = (x[at] - mean) * inverse * scale[group] + shift[group];
}
