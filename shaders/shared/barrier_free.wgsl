// Linear layers on a software adapter. Its memory is the CPU's memory, so workgroup memory and barriers only add cost,
// and loads cost most. Each invocation computes ROWS × 8 elements of y on its own.

/// Rows per invocation: 1, 4 or 8.
override ROWS: u32 = 8u;
const THREADS = 32u;

/// Returns four row numbers, starting at `first`, none above `last`.
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
