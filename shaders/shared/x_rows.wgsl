// x of the linear layers. x_normed.wgsl defines the same functions for rows that are still to be normalized.

@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups]

/// Prepares the rows of x that this workgroup reads. Nothing has to be done.
fn prepare_x(first: u32, count: u32, index: u32, threads: u32, writes: bool) {}

/// Returns a group of a row of x.
fn x_at(row: u32, group: u32) -> vec4<f32> {
    return x[row * params.groups + group];
}
