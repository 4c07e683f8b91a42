// Linear layers on a software adapter: its memory is the CPU's, so workgroup memory and barriers only
// cost, and loads cost most. An invocation makes ROWS × 8 of y by itself.

/// Rows of an invocation: 1, 4 or 8.
override ROWS: u32 = 8u;
const THREADS = 32u;

/// Four row numbers from `first` on, at most `last`.
fn clamped_rows(first: u32, last: u32) -> vec4<u32> {
    return min(vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(last));
}

/// Stores up to four rows of four columns.
fn store_4_rows(row: u32, column: u32, sums: mat4x4<f32>) {
    store(row, column, sums[0]);
    if (ROWS > 1u) {
        store(row + 1u, column, sums[1]);
        store(row + 2u, column, sums[2]);
        store(row + 3u, column, sums[3]);
    }
}
