// dweight += dyᵀ · x, tile by tile. A workgroup computes 4 · THREADS_Y rows (outputs) and THREADS_X groups (inputs) of
// dweight. An invocation computes one group of four neighbouring rows: the outer product of a group of dy and a group
// of x, summed over the rows of a step. That is 8 loads from workgroup memory per 64 multiply-adds.

struct Params {
    /// rows of x and dy
    rows: u32,
    /// groups of a row of x and of dweight
    groups: u32,
    /// columns of dy, rows of dweight
    outputs: u32,
}

/// Invocations per workgroup across groups of x, at most 16.
override THREADS_X: u32 = 16u;
/// Invocations per workgroup across groups of dy, at most 16.
override THREADS_Y: u32 = 16u;
/// Rows of x and dy loaded into workgroup memory per step.
const K = 16u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> dweight: array<vec4<f32>>; // [outputs, groups]
@group(0) @binding(2) var<storage, read> dy: array<vec4<f32>>; // [rows, outputs in whole groups]
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>; // [rows, groups]

var<workgroup> dy_tile: array<vec4<f32>, 256>; // [K, THREADS_Y]
var<workgroup> x_tile: array<vec4<f32>, 256>; // [K, THREADS_X]

/// Loads K rows, starting at `begin`; zeros beyond the last.
fn load_tile(begin: u32, dy_group: u32, x_group: u32, index: u32) {
    let dy_groups = (params.outputs + 3u) / 4u;
    for (var i = index; i < K * THREADS_Y; i += THREADS_X * THREADS_Y) {
        let row = begin + i / THREADS_Y;
        let group = dy_group + i % THREADS_Y;
        var value = vec4<f32>();
        if (row < params.rows && group < dy_groups) {
            value = dy[row * dy_groups + group];
        }
        dy_tile[i] = value;
    }
    for (var i = index; i < K * THREADS_X; i += THREADS_X * THREADS_Y) {
        let row = begin + i / THREADS_X;
        let group = x_group + i % THREADS_X;
        var value = vec4<f32>();
        if (row < params.rows && group < params.groups) {
            value = x[row * params.groups + group];
        }
        x_tile[i] = value;
    }
}

fn store(output: u32, group: u32, value: vec4<f32>) {
    if (output < params.outputs && group < params.groups) {
        dweight[output * params.groups + group] += value;
    }
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let x_group = workgroup.x * THREADS_X;
    let dy_group = workgroup.y * THREADS_Y;
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    for (var begin = 0u; begin < params.rows; begin += K) {
        load_tile(begin, dy_group, x_group, index);
        workgroupBarrier();
        for (var k = 0u; k < K; k++) {
            let gradient = dy_tile[k * THREADS_Y + at.y];
            let input = x_tile[k * THREADS_X + at.x];
            a += gradient.x * input;
            b += gradient.y * input;
            c += gradient.z * input;
            d += gradient.w * input;
        }
        workgroupBarrier();
    }
    let output = 4u * (dy_group + at.y);
    store(output, x_group + at.x, a);
    store(output + 1u, x_group + at.x, b);
    store(output + 2u, x_group + at.x, c);
    store(output + 3u, x_group + at.x, d);
}
