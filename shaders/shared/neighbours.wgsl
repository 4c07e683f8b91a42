// Neighbours of a token within its sequence.

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

/// Returns the neighbour of a row that is `tap` - taps / 2 tokens after it, or params.rows if there is none.
fn neighbour(row: u32, tap: u32) -> u32 {
    let column = list[params.columns_start + row] + tap;
    if (column < params.taps / 2u) {
        return params.rows;
    }
    return key_at(row, column - params.taps / 2u);
}
