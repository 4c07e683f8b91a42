// Columns of two matrices side by side. One invocation per group of y.

struct Params {
    /// rows of a, b and y
    rows: u32,
    /// columns of y
    width: u32,
    /// columns of y that a has
    split: u32,
    /// first column of a
    a_start: u32,
    /// first column of b
    b_start: u32,
    /// columns of a row of a
    a_cols: u32,
    /// columns of a row of b
    b_cols: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of width]
@group(0) @binding(2) var<storage, read> a: array<vec4<f32>>; // [rows, groups of a_cols]
@group(0) @binding(3) var<storage, read> b: array<vec4<f32>>; // [rows, groups of b_cols]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let groups = (params.width + 3u) / 4u;
    let row = at / groups;
    if (row >= params.rows) {
        return;
    }
    // Padding columns stay 0.
    var value = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        let to = 4u * (at % groups) + i;
        if (to < params.split) {
            let column = params.a_start + to;
            value[i] = a[row * ((params.a_cols + 3u) / 4u) + column / 4u][column % 4u];
        } else if (to < params.width) {
            let column = params.b_start + to - params.split;
            value[i] = b[row * ((params.b_cols + 3u) / 4u) + column / 4u][column % 4u];
        }
    }
    y[at] = value;
}
