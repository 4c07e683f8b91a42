// dx = dy · weight, tile by tile. A workgroup computes 4 · THREADS_Y rows and THREADS_X groups of dx. An invocation
// computes one group of four rows, which are THREADS_Y apart. A step covers 16 outputs: 8 loads from workgroup memory
// per 64 multiply-adds.

struct Params {
    /// rows of dy and dx
    rows: u32,
    /// groups of a row of dx and of weights
    groups: u32,
    /// columns of dy
    outputs: u32,
    /// first column of dy for which this part of the weights has a row
    first: u32,
    /// rows in this part
    count: u32,
}

/// Invocations per workgroup across groups of dx, at most 16.
override THREADS_X: u32 = 16u;
/// Invocations per workgroup across rows, at most 16.
override THREADS_Y: u32 = 16u;
/// If true, the result is added to dx. Set for every part of the weights after the first.
override ADD: bool = false;
/// Groups of outputs per step.
const K_GROUPS = 4u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> dx: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read> dy: array<vec4<f32>>; // [rows, outputs in whole groups]

var<workgroup> dy_tile: array<vec4<f32>, 256>; // [K_GROUPS, 4 · THREADS_Y]
var<workgroup> w_tile: array<vec4<f32>, 256>; // [4 · K_GROUPS, THREADS_X]

/// Loads 4 · K_GROUPS outputs, starting at `begin`. `begin` counts from the part's first output and is a multiple of 4.
fn load_tile(begin: u32, row: u32, group: u32, index: u32) {
    let dy_groups = (params.outputs + 3u) / 4u;
    for (var i = index; i < K_GROUPS * 4u * THREADS_Y; i += THREADS_X * THREADS_Y) {
        let r = row + i / K_GROUPS;
        let output = begin + i % K_GROUPS * 4u;
        var value = vec4<f32>();
        if (r < params.rows && output < params.count) {
            value = dy[r * dy_groups + (params.first + output) / 4u];
        }
        dy_tile[i % K_GROUPS * 4u * THREADS_Y + i / K_GROUPS] = value;
    }
    for (var i = index; i < 4u * K_GROUPS * THREADS_X; i += THREADS_X * THREADS_Y) {
        let output = begin + i / THREADS_X;
        let g = group + i % THREADS_X;
        var value = vec4<f32>();
        // Also checked for outputs beyond the last: dy is 0 there, but a read past the end may return any value.
        if (output < params.count && g < params.groups) {
            value = weight(output, output * params.groups + g);
        }
        w_tile[i] = value;
    }
}

fn store(row: u32, group: u32, value: vec4<f32>) {
    if (row < params.rows && group < params.groups) {
        let at = row * params.groups + group;
        if (ADD) {
            dx[at] += value;
        } else {
            dx[at] = value;
        }
    }
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let group = workgroup.x * THREADS_X;
    let row = workgroup.y * 4u * THREADS_Y;
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    for (var begin = 0u; begin < params.count; begin += 4u * K_GROUPS) {
        load_tile(begin, row, group, index);
        workgroupBarrier();
        for (var g = 0u; g < K_GROUPS; g++) {
            let i = 4u * g * THREADS_X + at.x;
            let w = mat4x4<f32>(w_tile[i], w_tile[i + THREADS_X], w_tile[i + 2u * THREADS_X], w_tile[i + 3u * THREADS_X]);
            let r = g * 4u * THREADS_Y + at.y;
            a += w * dy_tile[r];
            b += w * dy_tile[r + THREADS_Y];
            c += w * dy_tile[r + 2u * THREADS_Y];
            d += w * dy_tile[r + 3u * THREADS_Y];
        }
        workgroupBarrier();
    }
    store(row + at.y, group + at.x, a);
    store(row + at.y + THREADS_Y, group + at.x, b);
    store(row + at.y + 2u * THREADS_Y, group + at.x, c);
    store(row + at.y + 3u * THREADS_Y, group + at.x, d);
}
