// Rows of a table by their numbers: y[n] = table[list[n]], or that added to y[n]. The table is a
// weight matrix (embeddings; one too large for a buffer is in several), or activations bound as one
// of 32-bit floats (a head's rows).

struct Params {
    /// rows of y
    rows: u32,
    /// groups of a row, in y and in the table
    groups: u32,
    /// where the row numbers begin in the list
    list_start: u32,
    /// the first row that this part of the table has; rows of other parts are left alone
    first: u32,
    /// rows of this part
    count: u32,
}

/// Whether to add to y.
override ADD: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read> list: array<u32>;

/// An invocation for each group of y.
@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at >= params.rows * params.groups) {
        return;
    }
    let row = list[params.list_start + at / params.groups] - params.first;
    if (row >= params.count) {
        return;
    }
    let value = weight(row, row * params.groups + at % params.groups);
    if (ADD) {
        y[at] += value;
    } else {
        y[at] = value;
    }
}
