// Where a norm goes, in place of normalise.wgsl: to its row, and to the rows that are read.

@group(0) @binding(7) var<storage, read> list: array<u32>; // the number of rows that are read, then each row
@group(0) @binding(8) var<storage, read_write> read_rows: array<vec4<f32>>; // [rows that are read, groups]

/// Normalizes a group, also where it is read. Padding columns have scale and shift 0.
fn normalise(first: u32, group: u32, mean: f32, inverse: f32) {
    let at = first + group;
    let value = (x[at] - mean) * inverse * scale[group] + shift[group];
    x[at] = value;
    let groups = (params.width + 3u) / 4u;
    for (var n = 0u; n < list[0]; n++) {
        if (list[n + 1u] * groups == first) {
            read_rows[n * groups + group] = value;
        }
    }
}
