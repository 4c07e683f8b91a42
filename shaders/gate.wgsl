// y = activation(a) · b, with a and b the halves of each row of x (Shazeer 2020). One invocation per group of y.

struct Params {
    /// rows of x and y
    rows: u32,
    /// columns of y; x has twice as many
    width: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of width]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups of 2 · width]

/// Returns four columns of a row of x, starting at any column; zeros beyond the last.
fn columns(row: u32, first: u32) -> vec4<f32> {
    let start = row * ((2u * params.width + 3u) / 4u);
    if (first % 4u == 0u) {
        return x[start + first / 4u];
    }
    var value = vec4<f32>();
    for (var i = 0u; i < 4u && first + i < 2u * params.width; i++) {
        value[i] = x[start + (first + i) / 4u][(first + i) % 4u];
    }
    return value;
}

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
    let first = 4u * (at % groups);
    let a = columns(row, first);
    let b = columns(row, params.width + first);
    let value = vec4<f32>(activate(a.x), activate(a.y), activate(a.z), activate(a.w)) * b;
    // Padding columns stay 0.
    let in_row = vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.width);
    y[at] = select(vec4<f32>(), value, in_row);
}
