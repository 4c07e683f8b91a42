// y = activation(x · weightᵀ + bias) for many rows, tile by tile. Operands have 32 or
// 16 bits, sums 32. Only four products at a time are added in 16 bits, which hold 16,376 each: weights
// of 16 with activations of 1,000.

/// Groups of x and weights that a step loads into workgroup memory.
const K_GROUPS = 4u;

@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups]

var<workgroup> x_tile: array<Operand4, 256>; // [K_GROUPS, 4 · THREADS_Y]
var<workgroup> w_tile: array<Operand4, 256>; // [K_GROUPS, 4 · THREADS_X]

/// Loads K_GROUPS groups from `begin` on, of the tile's rows and columns, into workgroup memory.
fn load_tile(begin: u32, row: u32, column: u32, index: u32) {
    for (var i = index; i < K_GROUPS * 4u * THREADS_Y; i += THREADS_X * THREADS_Y) {
        let r = row + i / K_GROUPS;
        let group = begin + i % K_GROUPS;
        var value = vec4<f32>();
        if (r < params.rows && group < params.groups) {
            value = x[r * params.groups + group];
        }
        x_tile[i % K_GROUPS * 4u * THREADS_Y + i / K_GROUPS] = narrow(value);
    }
    for (var i = index; i < K_GROUPS * 4u * THREADS_X; i += THREADS_X * THREADS_Y) {
        let c = column + i / K_GROUPS;
        let group = begin + i % K_GROUPS;
        var value = vec4<f32>();
        if (c < params.count && group < params.groups) {
            value = weight(c, c * params.groups + group);
        }
        w_tile[i % K_GROUPS * 4u * THREADS_X + i / K_GROUPS] = narrow(value);
    }
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let column = workgroup.x * 4u * THREADS_X;
    let row = workgroup.y * 4u * THREADS_Y;
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    for (var begin = 0u; begin < params.groups; begin += K_GROUPS) {
        load_tile(begin, row, column, index);
        workgroupBarrier();
        for (var g = 0u; g < K_GROUPS; g++) {
            let i = g * 4u * THREADS_X + at.x;
            let w = Operand4x4(w_tile[i], w_tile[i + THREADS_X], w_tile[i + 2u * THREADS_X], w_tile[i + 3u * THREADS_X]);
            let r = g * 4u * THREADS_Y + at.y;
            a += vec4<f32>(x_tile[r] * w);
            b += vec4<f32>(x_tile[r + THREADS_Y] * w);
            c += vec4<f32>(x_tile[r + 2u * THREADS_Y] * w);
            d += vec4<f32>(x_tile[r + 3u * THREADS_Y] * w);
        }
        workgroupBarrier();
    }
    store(row + at.y, column + at.x, a);
    store(row + at.y + THREADS_Y, column + at.x, b);
    store(row + at.y + 2u * THREADS_Y, column + at.x, c);
    store(row + at.y + 3u * THREADS_Y, column + at.x, d);
}
