// y = activation(x · weightᵀ + bias) for many rows, tile by tile, in 8-bit integers. Rows of x are
// quantized as they are loaded into workgroup memory, which takes no dispatch of its own.

/// Blocks of x and weights that a step loads into workgroup memory.
const K_BLOCKS = 2u;

var<workgroup> x_tile: array<vec4<u32>, 256>; // [K_BLOCKS, 2, 4 · THREADS_Y]
var<workgroup> w_tile: array<vec4<u32>, 256>; // [K_BLOCKS, 2, 4 · THREADS_X]
var<workgroup> x_scales: array<f32, 128>; // [K_BLOCKS, 4 · THREADS_Y]
var<workgroup> w_scales: array<f32, 128>; // [K_BLOCKS, 4 · THREADS_X]

/// Loads K_BLOCKS blocks from `begin` on, of the tile's rows and columns, into workgroup memory. Rows
/// and columns beyond the last repeat it; blocks beyond the last have x's scale 0.
fn load_tile(begin: u32, row: u32, column: u32, index: u32) {
    let high = 4u * THREADS_Y;
    let wide = 4u * THREADS_X;
    for (var i = index; i < K_BLOCKS * high; i += THREADS_X * THREADS_Y) {
        let to = i / high * 2u * high + i % high;
        let block = quantized_block(min(row + i % high, params.rows - 1u), begin + i / high);
        x_tile[to] = block.groups[0];
        x_tile[to + high] = block.groups[1];
        x_scales[i] = block.scale / 16129.0; // 127²: both sides are in 127ths
    }
    let blocks = (params.groups + 7u) / 8u;
    for (var i = index; i < K_BLOCKS * wide; i += THREADS_X * THREADS_Y) {
        let to = i / wide * 2u * wide + i % wide;
        let c = min(column + i % wide, params.count - 1u);
        let block = weight_block(c * blocks + min(begin + i / wide, blocks - 1u));
        w_tile[to] = block.groups[0];
        w_tile[to + wide] = block.groups[1];
        w_scales[i] = block.scale;
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
    var sums = mat4x4<f32>();
    for (var begin = 0u; begin < params.groups; begin += 8u * K_BLOCKS) {
        load_tile(begin / 8u, row, column, index);
        workgroupBarrier();
        for (var block = 0u; block < K_BLOCKS; block++) {
            var a = vec4<i32>();
            var b = vec4<i32>();
            var c = vec4<i32>();
            var d = vec4<i32>();
            for (var part = 2u * block; part < 2u * block + 2u; part++) {
                let i = part * 4u * THREADS_X + at.x;
                let w = array(w_tile[i], w_tile[i + THREADS_X], w_tile[i + 2u * THREADS_X], w_tile[i + 3u * THREADS_X]);
                let r = part * 4u * THREADS_Y + at.y;
                a += dots(x_tile[r], w[0], w[1], w[2], w[3]);
                b += dots(x_tile[r + THREADS_Y], w[0], w[1], w[2], w[3]);
                c += dots(x_tile[r + 2u * THREADS_Y], w[0], w[1], w[2], w[3]);
                d += dots(x_tile[r + 3u * THREADS_Y], w[0], w[1], w[2], w[3]);
            }
            let i = block * 4u * THREADS_X + at.x;
            let scales = vec4<f32>(w_scales[i], w_scales[i + THREADS_X], w_scales[i + 2u * THREADS_X], w_scales[i + 3u * THREADS_X]);
            let r = block * 4u * THREADS_Y + at.y;
            sums += mat4x4<f32>(
                x_scales[r] * scales * vec4<f32>(a),
                x_scales[r + THREADS_Y] * scales * vec4<f32>(b),
                x_scales[r + 2u * THREADS_Y] * scales * vec4<f32>(c),
                x_scales[r + 3u * THREADS_Y] * scales * vec4<f32>(d),
            );
        }
        workgroupBarrier();
    }
    store(row + at.y, column + at.x, sums[0]);
    store(row + at.y + THREADS_Y, column + at.x, sums[1]);
    store(row + at.y + 2u * THREADS_Y, column + at.x, sums[2]);
    store(row + at.y + 3u * THREADS_Y, column + at.x, sums[3]);
}
