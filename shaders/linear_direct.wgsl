// y = activation(x · weightᵀ + bias) on an adapter that is a program: its memory is the CPU's, so
// workgroup memory and barriers only cost. An invocation makes ROWS × 4 of y by itself. On
// SwiftShader and llvmpipe three to six times as fast as linear.wgsl.

struct Params {
    /// rows of x and y
    rows: u32,
    /// groups of a row of x and of the weights
    inputs: u32,
    /// columns of y
    outputs: u32,
}

/// Rows of an invocation: 1, 4 or 8.
override ROWS: u32 = 8u;
const THREADS = 32u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of outputs]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, inputs]
@group(0) @binding(5) var<storage, read> bias: array<vec4<f32>>; // [groups of outputs]

/// Where a row of x begins; one that is not there repeats the last.
fn row_at(row: u32) -> u32 {
    return min(row, params.rows - 1u) * params.inputs;
}

fn store(row: u32, column: u32, sums: vec4<f32>) {
    if (row >= params.rows) {
        return;
    }
    var value = sums + bias[column / 4u];
    value = vec4<f32>(activate(value.x), activate(value.y), activate(value.z), activate(value.w));
    let there = vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.outputs);
    y[(row * ((params.outputs + 3u) / 4u)) + column / 4u] = select(vec4<f32>(), value, there);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let column = 4u * (workgroup.x * THREADS + index);
    let row = workgroup.y * ROWS;
    if (column >= params.outputs) {
        return;
    }
    let columns = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.outputs - 1u));
    let ws = columns * params.inputs;
    let xs = vec4<u32>(row_at(row), row_at(row + 1u), row_at(row + 2u), row_at(row + 3u));
    let xt = vec4<u32>(row_at(row + 4u), row_at(row + 5u), row_at(row + 6u), row_at(row + 7u));
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    var e = vec4<f32>();
    var f = vec4<f32>();
    var g = vec4<f32>();
    var h = vec4<f32>();
    for (var i = 0u; i < params.inputs; i++) {
        let w = mat4x4<f32>(
            weight(columns.x, ws.x + i),
            weight(columns.y, ws.y + i),
            weight(columns.z, ws.z + i),
            weight(columns.w, ws.w + i),
        );
        a += x[xs.x + i] * w;
        if (ROWS > 1u) {
            b += x[xs.y + i] * w;
            c += x[xs.z + i] * w;
            d += x[xs.w + i] * w;
        }
        if (ROWS > 4u) {
            e += x[xt.x + i] * w;
            f += x[xt.y + i] * w;
            g += x[xt.z + i] * w;
            h += x[xt.w + i] * w;
        }
    }
    store(row, column, a);
    if (ROWS > 1u) {
        store(row + 1u, column, b);
        store(row + 2u, column, c);
        store(row + 3u, column, d);
    }
    if (ROWS > 4u) {
        store(row + 4u, column, e);
        store(row + 5u, column, f);
        store(row + 6u, column, g);
        store(row + 7u, column, h);
    }
}
