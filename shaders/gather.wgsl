// Copies rows of a table by their numbers: y[n] = table[list[n]], or y[n] += table[list[n]]. The table is either a
// weight matrix (embeddings) or activations bound as a matrix of 32-bit floats (the rows of a head). A weight matrix
// too large for one buffer is split into parts.

struct Params {
    /// rows of y
    rows: u32,
    /// groups of a row, in y and in the table
    groups: u32,
    /// index in the list of the first row number
    list_start: u32,
    /// first table row of this part; rows of other parts are left unchanged
    first: u32,
    /// rows in this part
    count: u32,
}

/// If true, rows are added to y; if false, they replace it.
override ADD: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read> list: array<u32>;

/// One invocation per group of y.
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
    // A row before `first` wraps around to a large number, so one comparison rejects rows on both sides.
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
