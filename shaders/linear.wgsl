// y = activation(x · weightᵀ + bias) for many rows, tile by tile. Operands have 32 or 16 bits; sums have 32. In 16 bits
// only four products are added at a time. The limit of 65,504 allows 16,376 per product, e.g. a weight of 16 times an
// activation of 1,000.

/// Groups of x and weights loaded into workgroup memory per step.
const K_GROUPS = 4u;

@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups]

// The index that depends on the invocation comes last and is at most 15. Compilers that bounds-check workgroup memory
// then check it once, not for each vector of a group.
var<workgroup> x_tile: array<array<array<Operand4, 16>, 4>, K_GROUPS>; // [K_GROUPS, 4, THREADS_Y]
var<workgroup> w_tile: array<array<array<Operand4, 16>, 4>, K_GROUPS>; // [K_GROUPS, 4, THREADS_X]

/// Returns a group of a row of x; zeros beyond the last.
fn x_group(row: u32, group: u32) -> vec4<f32> {
    var value = vec4<f32>();
    if (row < params.rows && group < params.groups) {
        value = x[row * params.groups + group];
    }
    return value;
}

/// Returns a group of the weights of one column of y; zeros beyond the last.
fn w_group(column: u32, group: u32) -> vec4<f32> {
    var value = vec4<f32>();
    if (column < params.count && group < params.groups) {
        value = weight(column, column * params.groups + group);
    }
    return value;
}

fn store_x(g: u32, row: u32, value: vec4<f32>) {
    x_tile[g][row / THREADS_Y][row % THREADS_Y] = narrow(value);
}

fn store_w(g: u32, column: u32, value: vec4<f32>) {
    w_tile[g][column / THREADS_X][column % THREADS_X] = narrow(value);
}

/// Loads K_GROUPS groups of the tile's rows and columns, starting at `begin`, into workgroup memory. An invocation
/// loads one vector of x and one of the weights, or two of each if the workgroup has 8 × 8 invocations. All loads come
/// before the first store, so their latencies overlap.
fn load_tile(begin: u32, row: u32, column: u32, index: u32) {
    let g = index % K_GROUPS;
    let one = index / K_GROUPS;
    let one_x = x_group(row + one, begin + g);
    let one_w = w_group(column + one, begin + g);
    if (THREADS_X < 16u) {
        let other = one + THREADS_X * THREADS_Y / K_GROUPS;
        let other_x = x_group(row + other, begin + g);
        let other_w = w_group(column + other, begin + g);
        store_x(g, other, other_x);
        store_w(g, other, other_w);
    }
    store_x(g, one, one_x);
    store_w(g, one, one_w);
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
            let w = Operand4x4(w_tile[g][0][at.x], w_tile[g][1][at.x], w_tile[g][2][at.x], w_tile[g][3][at.x]);
            a = add_products(a, x_tile[g][0][at.y], w);
            b = add_products(b, x_tile[g][1][at.y], w);
            c = add_products(c, x_tile[g][2][at.y], w);
            d = add_products(d, x_tile[g][3][at.y], w);
        }
        workgroupBarrier();
    }
    store(row + at.y, column + at.x, a);
    store(row + at.y + THREADS_Y, column + at.x, b);
    store(row + at.y + 2u * THREADS_Y, column + at.x, c);
    store(row + at.y + 3u * THREADS_Y, column + at.x, d);
}
