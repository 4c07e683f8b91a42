// Neighbours of each token side by side, so that a convolution is one linear layer. One invocation per group of y.

/// If true, tokens that are no keys of their sequence count as neighbours.
override MASKED: bool = false;

struct Params {
    /// rows of x and y
    rows: u32,
    /// columns of x
    width: u32,
    /// neighbours per row, itself included
    taps: u32,
    /// index in the list of the first row's sequence
    rows_start: u32,
    /// index in the list of the first sequence
    sequences_start: u32,
    /// index in the list of the first row's position within its sequence
    columns_start: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of width · taps]
@group(0) @binding(2) var<storage, read> list: array<u32>;
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>; // [rows, groups of width]

/// Returns the token at position `column` of the row's sequence, or params.rows if there is none.
fn key_at(row: u32, column: u32) -> u32 {
    let here = params.sequences_start + 5u * list[params.rows_start + row];
    let masked = select(2u, 0u, MASKED);
    var low = list[here + masked];
    var high = list[here + masked + 1u];
    let end = high;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (list[params.columns_start + middle] < column) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if (low < end && list[params.columns_start + low] == column) {
        return low;
    }
    return params.rows;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let groups = (params.width * params.taps + 3u) / 4u;
    if (at >= params.rows * groups) {
        return;
    }
    let row = at / groups;
    var value = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        let to = 4u * (at % groups) + i;
        let column = list[params.columns_start + row] + to % params.taps;
        if (to < params.width * params.taps && column >= params.taps / 2u) {
            let key = key_at(row, column - params.taps / 2u);
            let source = to / params.taps;
            if (key < params.rows) {
                value[i] = x[key * ((params.width + 3u) / 4u) + source / 4u][source % 4u];
            }
        }
    }
    y[at] = value;
}
