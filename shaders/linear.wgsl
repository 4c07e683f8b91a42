// y = activation(x · weightᵀ + bias) for many rows: a workgroup makes a tile of 4 · HIGH rows and
// 4 · WIDE columns, an invocation 4 × 4 of it, HIGH rows and WIDE columns apart.

struct Params {
    /// rows of x and y
    rows: u32,
    /// groups of a row of x and of the weights
    inputs: u32,
    /// columns of y
    outputs: u32,
}

/// Invocations side by side, at most 16.
override WIDE: u32 = 16u;
/// Invocations one above the other, at most 16.
override HIGH: u32 = 16u;
/// Groups of inputs that a step takes into workgroup memory.
const DEEP = 4u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<f32>; // [rows, outputs in whole groups]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, inputs]
@group(0) @binding(5) var<storage, read> bias: array<f32>; // [outputs]

var<workgroup> xs: array<vec4<f32>, 256>; // [DEEP, 4 · HIGH]
var<workgroup> ws: array<vec4<f32>, 256>; // [DEEP, 4 · WIDE]

/// Brings DEEP groups from `begin` on, of the tile's rows and columns, into workgroup memory.
fn fetch(begin: u32, row: u32, column: u32, index: u32) {
    for (var i = index; i < DEEP * 4u * HIGH; i += WIDE * HIGH) {
        let r = row + i / DEEP;
        let group = begin + i % DEEP;
        var value = vec4<f32>();
        if (r < params.rows && group < params.inputs) {
            value = x[r * params.inputs + group];
        }
        xs[i % DEEP * 4u * HIGH + i / DEEP] = value;
    }
    for (var i = index; i < DEEP * 4u * WIDE; i += WIDE * HIGH) {
        let c = column + i / DEEP;
        let group = begin + i % DEEP;
        var value = vec4<f32>();
        if (c < params.outputs && group < params.inputs) {
            value = weight(c, c * params.inputs + group);
        }
        ws[i % DEEP * 4u * WIDE + i / DEEP] = value;
    }
}

/// Stores four sums of a row, WIDE columns apart.
fn store(row: u32, column: u32, sums: vec4<f32>) {
    let stride = (params.outputs + 3u) / 4u * 4u;
    if (row >= params.rows) {
        return;
    }
    for (var j = 0u; j < 4u; j++) {
        let c = column + j * WIDE;
        if (c < params.outputs) {
            y[row * stride + c] = activate(sums[j] + bias[c]);
        } else if (c < stride) {
            y[row * stride + c] = 0.0;
        }
    }
}

@compute @workgroup_size(WIDE, HIGH)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let column = workgroup.x * 4u * WIDE;
    let row = workgroup.y * 4u * HIGH;
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    for (var begin = 0u; begin < params.inputs; begin += DEEP) {
        fetch(begin, row, column, index);
        workgroupBarrier();
        for (var g = 0u; g < DEEP; g++) {
            let i = g * 4u * WIDE + at.x;
            let w = mat4x4<f32>(ws[i], ws[i + WIDE], ws[i + 2u * WIDE], ws[i + 3u * WIDE]);
            let r = g * 4u * HIGH + at.y;
            a += xs[r] * w;
            b += xs[r + HIGH] * w;
            c += xs[r + 2u * HIGH] * w;
            d += xs[r + 3u * HIGH] * w;
        }
        workgroupBarrier();
    }
    store(row + at.y, column + at.x, a);
    store(row + at.y + HIGH, column + at.x, b);
    store(row + at.y + 2u * HIGH, column + at.x, c);
    store(row + at.y + 3u * HIGH, column + at.x, d);
}
