// y = activation(x · weightᵀ + bias) for many rows, tile by tile, in 8-bit integers. Rows of x are quantized while they
// are loaded into workgroup memory, which saves a dispatch.

/// Blocks of x and weights loaded into workgroup memory per step.
const K_BLOCKS = 2u;

// As in linear.wgsl, the index that depends on the invocation comes last.
var<workgroup> x_tile: array<array<array<array<vec4<u32>, 16>, 4>, 2>, K_BLOCKS>; // [K_BLOCKS, 2, 4, THREADS_Y]
var<workgroup> w_tile: array<array<array<array<vec4<u32>, 16>, 4>, 2>, K_BLOCKS>; // [K_BLOCKS, 2, 4, THREADS_X]
var<workgroup> x_scales: array<array<array<f32, 16>, 4>, K_BLOCKS>; // [K_BLOCKS, 4, THREADS_Y]
var<workgroup> w_scales: array<array<array<f32, 16>, 4>, K_BLOCKS>; // [K_BLOCKS, 4, THREADS_X]

/// Loads K_BLOCKS blocks of the tile's rows and columns, starting at `begin`, into workgroup memory. Rows and columns
/// beyond the last repeat it. For blocks beyond the last, the scale of x is 0.
fn load_tile(begin: u32, row: u32, column: u32, index: u32) {
    let high = 4u * THREADS_Y;
    let wide = 4u * THREADS_X;
    for (var i = index; i < K_BLOCKS * high; i += THREADS_X * THREADS_Y) {
        let r = i % high;
        let block = quantized_block(min(row + r, params.rows - 1u), begin + i / high);
        x_tile[i / high][0][r / THREADS_Y][r % THREADS_Y] = block.groups[0];
        x_tile[i / high][1][r / THREADS_Y][r % THREADS_Y] = block.groups[1];
        x_scales[i / high][r / THREADS_Y][r % THREADS_Y] = block.scale / 16129.0; // 127²: both operands count 127ths
    }
    let blocks = (params.groups + 7u) / 8u;
    for (var i = index; i < K_BLOCKS * wide; i += THREADS_X * THREADS_Y) {
        let c = i % wide;
        let block = weight_block(min(column + c, params.count - 1u) * blocks + min(begin + i / wide, blocks - 1u));
        w_tile[i / wide][0][c / THREADS_X][c % THREADS_X] = block.groups[0];
        w_tile[i / wide][1][c / THREADS_X][c % THREADS_X] = block.groups[1];
        w_scales[i / wide][c / THREADS_X][c % THREADS_X] = block.scale;
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
    prepare_x(row, 4u * THREADS_Y, index, THREADS_X * THREADS_Y, workgroup.x == 0u);
    var sums = mat4x4<f32>();
    for (var begin = 0u; begin < params.groups; begin += 8u * K_BLOCKS) {
        load_tile(begin / 8u, row, column, index);
        workgroupBarrier();
        for (var block = 0u; block < K_BLOCKS; block++) {
            var a = vec4<i32>();
            var b = vec4<i32>();
            var c = vec4<i32>();
            var d = vec4<i32>();
            for (var part = 0u; part < 2u; part++) {
                let w = array(w_tile[block][part][0][at.x], w_tile[block][part][1][at.x], w_tile[block][part][2][at.x], w_tile[block][part][3][at.x]);
                a += dots(x_tile[block][part][0][at.y], w[0], w[1], w[2], w[3]);
                b += dots(x_tile[block][part][1][at.y], w[0], w[1], w[2], w[3]);
                c += dots(x_tile[block][part][2][at.y], w[0], w[1], w[2], w[3]);
                d += dots(x_tile[block][part][3][at.y], w[0], w[1], w[2], w[3]);
            }
            let scales = vec4<f32>(w_scales[block][0][at.x], w_scales[block][1][at.x], w_scales[block][2][at.x], w_scales[block][3][at.x]);
            sums += mat4x4<f32>(
                x_scales[block][0][at.y] * scales * vec4<f32>(a),
                x_scales[block][1][at.y] * scales * vec4<f32>(b),
                x_scales[block][2][at.y] * scales * vec4<f32>(c),
                x_scales[block][3][at.y] * scales * vec4<f32>(d),
            );
        }
        workgroupBarrier();
    }
    store(row + at.y, column + at.x, sums[0]);
    store(row + at.y + THREADS_Y, column + at.x, sums[1]);
    store(row + at.y + 2u * THREADS_Y, column + at.x, sums[2]);
    store(row + at.y + 3u * THREADS_Y, column + at.x, sums[3]);
}
